import CambiumModel

/// How an engine says what engines say differently. The rest of SQL is written where it is needed.
///
/// Operands stand beside any operator without brackets, and so does what is returned, but for
/// conditions and results.
package protocol SQLDialect: Sendable {
    // MARK: Conditions

    /// A condition that is always met, or never.
    func condition(_ isMet: Bool) -> SQLFragment
    /// Whether two values are equal, or both NULL.
    func areSame(_ one: SQLFragment, _ other: SQLFragment) -> SQLFragment
    /// The complement of ``areSame(_:_:)``.
    func areDifferent(_ one: SQLFragment, _ other: SQLFragment) -> SQLFragment
    /// A condition that is false where it would be neither true nor false.
    func boolean(_ condition: SQLFragment) -> SQLFragment
    /// What stands in the brackets of IN for the elements of a JSON array.
    func elements(ofJSON array: SQLFragment) -> SQLFragment

    // MARK: Texts

    /// Whether a text has another one in it.
    func contains(_ text: SQLFragment, _ part: SQLFragment) -> SQLFragment
    /// Whether a text begins with another one.
    func begins(_ text: SQLFragment, with start: SQLFragment) -> SQLFragment
    /// Whether a text ends with another one.
    func ends(_ text: SQLFragment, with end: SQLFragment) -> SQLFragment
    /// The constant that ``isLike(_:_:)`` takes for a pattern; nil where it is too long.
    func pattern(_ elements: [WildcardPattern.Element]) -> String?
    /// Whether a text matches the constant of a pattern as a whole.
    func isLike(_ text: SQLFragment, _ pattern: SQLFragment) -> SQLFragment
    /// Whether a text matches a regular expression as a whole; nil where only a program can tell.
    func matches(_ text: SQLFragment, _ regularExpression: String) -> SQLFragment?
    /// The number of a text's characters.
    func length(_ text: SQLFragment) -> SQLFragment
    /// A text as functions see it that end at a NUL, which another program may have put there.
    func wholeText(_ text: SQLFragment) -> SQLFragment

    // MARK: Numbers

    /// A whole number, from arithmetic of whole numbers; NULL where 64 bits do not hold it.
    func whole(_ number: SQLFragment) -> SQLFragment
    /// A number as a floating-point one.
    func real(_ number: SQLFragment) -> SQLFragment
    /// A whole number as a text.
    func text(_ number: SQLFragment) -> SQLFragment

    // MARK: Results

    /// The sum of floating-point numbers; 0 of none.
    func total(_ number: SQLFragment) -> SQLFragment
    /// The sum of decimals of any scale, or their mean.
    func total(ofDecimals number: SQLFragment, isMean: Bool) -> SQLFragment
    /// What a level of an order is in ORDER BY.
    ///
    /// - Parameter placesNilLast: nil where it does not matter.
    func order(
        by value: SQLFragment, isDescending: Bool, texts: TextOrder, placesNilLast: Bool?
    ) -> SQLFragment
    /// What ends a query of which only some rows are wanted.
    func slice(limit: Int?, offset: Int) -> SQLFragment
    /// What follows FROM, such that the table is read in the order of its keys, by no index.
    func inOrderOfKeys(_ source: SQLFragment) -> SQLFragment

    // MARK: Others

    /// The moment at which the statement runs, in seconds since 2001.
    var now: SQLFragment { get }
    /// A random UUID of version 4, as bytes.
    var randomUUID: SQLFragment { get }
    /// A call of a function that the program brings along.
    func call(_ function: StoreFunction, _ operands: SQLFragment) -> SQLFragment
}

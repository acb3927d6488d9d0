// Relations between strings. All are false of nil. By default characters are compared by their
// bytes; the options leave case or accents out of account.

extension KeyExpression where Value == String {
    /// The text starts with the other.
    public func hasPrefix(_ text: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        compared(.beginsWith, .literal(.string(text)), options)
    }

    /// The text ends with the other.
    public func hasSuffix(_ text: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        compared(.endsWith, .literal(.string(text)), options)
    }

    /// The text contains the other.
    public func contains(_ text: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        compared(.contains, .literal(.string(text)), options)
    }

    /// The whole text matches a pattern with `*` (any characters) and `?` (one character).
    public func like(_ pattern: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        compared(.like, .literal(.string(pattern)), options)
    }

    /// The whole text matches a regular expression: `.` matches line ends too, `^` and `$` match at
    /// each line.
    ///
    /// A request throws a ``PatternLimitError`` where a pattern with back-references, look-ahead or
    /// atomic groups takes too many steps. All others take time that grows with the text. The store
    /// evaluates it for every row; a pattern of letters, sets and counts such as
    /// `[A-Z]{2}-[0-9]+` becomes one of SQLite's own.
    public func matches(_ pattern: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        compared(.matches, .literal(.string(pattern)), options)
    }

    /// The text equals the other by the options, such as without regard to case.
    public func isEqual(to text: String, _ options: ComparisonOptions) -> Condition<Root> {
        compared(.equal, .literal(.string(text)), options)
    }

    /// The text starts with another text of the object.
    public func hasPrefix(
        _ other: some KeyExpression<Root, String>, _ options: ComparisonOptions = []
    ) -> Condition<Root> {
        compared(.beginsWith, other, options)
    }

    /// The text ends with another text of the object.
    public func hasSuffix(
        _ other: some KeyExpression<Root, String>, _ options: ComparisonOptions = []
    ) -> Condition<Root> {
        compared(.endsWith, other, options)
    }

    /// The text contains another text of the object.
    public func contains(
        _ other: some KeyExpression<Root, String>, _ options: ComparisonOptions = []
    ) -> Condition<Root> {
        compared(.contains, other, options)
    }

    /// The text equals another text of the object by the options.
    public func isEqual(
        to other: some KeyExpression<Root, String>, _ options: ComparisonOptions
    ) -> Condition<Root> {
        compared(.equal, other, options)
    }
}

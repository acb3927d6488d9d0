/// A condition or a value over an object's properties: the one tree behind rules, partial indexes,
/// fills, fetch templates and run-time predicates, however it was written.
///
/// It is lowered to SQL and evaluated in memory, with the same meaning: logic is two-valued, nil
/// equals only nil, and any other comparison with nil is false.
///
/// (Foundation has types named `Expression` and `Predicate`, hence the longer name.)
public indirect enum ModelExpression: Sendable {
    /// A constant. Beside an object it is the object's key, as an `.int`.
    case literal(Value)
    /// A property, reached from the object itself or from a variable through relationships. An
    /// empty path is the root itself (`SELF`).
    case keyPath(root: PathRoot, names: [String])
    /// A value that is supplied later: `$name`.
    case parameter(String)
    /// Several values, for `IN` only. A parameter in its place represents a list.
    case list([ModelExpression])
    /// All conditions are true. Without conditions, it is true.
    case and([ModelExpression])
    /// At least one condition is true. Without conditions, it is false.
    case or([ModelExpression])
    /// The operand is false.
    case not(ModelExpression)
    /// The two sides are in a relation.
    case comparison(ModelExpression, ComparisonOperator, ModelExpression, ComparisonOptions)
    /// The left side is between the two bounds, both included. If both bounds are the same
    /// parameter, the parameter may be a list of the two.
    case between(ModelExpression, lower: ModelExpression, upper: ModelExpression)
    /// A comparison with a path through one or more to-many relationships on its left side.
    case quantified(Quantifier, ModelExpression)
    /// A number or string computed from others.
    case arithmetic(ModelExpression, ArithmeticOperator, ModelExpression)
    /// A function's result.
    case function(ModelFunction, [ModelExpression])
    /// One value out of the objects of a to-many path: `items.price.@sum`, `items.@count`.
    case aggregate(AggregateFunction, ModelExpression)
    /// The objects of a to-many path that meet a condition, under a variable of their own; used
    /// below an aggregate: `SUBQUERY(items, $i, $i.price > 3).@count`. The path may end with the
    /// attribute that is aggregated; the variable is the object that has it.
    case subquery(ModelExpression, variable: String, condition: ModelExpression)
    /// The first value if the condition is true, else the second.
    case conditional(ModelExpression, then: ModelExpression, otherwise: ModelExpression)
    /// An invalid expression that was built in code, with the reason. A request throws it.
    case refused(String)
}

/// The start of a key path.
public enum PathRoot: Sendable, Hashable {
    /// The object that the expression is about.
    case subject
    /// The variable of a surrounding subquery, without the dollar sign.
    case variable(String)
}

/// A relation between two values.
public enum ComparisonOperator: String, Sendable, Hashable, CaseIterable {
    /// Equal, or both nil.
    case equal = "=="
    /// The complement of equal.
    case notEqual = "!="
    /// Less than.
    case less = "<"
    /// Less than or equal.
    case lessOrEqual = "<="
    /// Greater than.
    case greater = ">"
    /// Greater than or equal.
    case greaterOrEqual = ">="
    /// Equal to an element of the list, or among the objects of the to-many path, at the right.
    case `in` = "IN"
    /// The string at the left starts with that at the right.
    case beginsWith = "BEGINSWITH"
    /// The string at the left ends with that at the right.
    case endsWith = "ENDSWITH"
    /// The string at the left contains that at the right; or the to-many path at the left has the
    /// object at the right.
    case contains = "CONTAINS"
    /// The whole string matches a pattern with `*` (any characters) and `?` (one character).
    case like = "LIKE"
    /// The whole string matches a regular expression.
    case matches = "MATCHES"

    /// The operator with the same meaning if the sides are swapped.
    package var mirrored: ComparisonOperator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}

/// The options for comparing strings: `[c]`, `[d]`, `[n]`.
public struct ComparisonOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set of options from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Upper and lower case are equal.
    public static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// Accents do not count.
    public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// The strings are already in a normal form.
    public static let normalized = ComparisonOptions(rawValue: 4)
}

/// The number of objects in a to-many path that must meet a comparison.
public enum Quantifier: String, Sendable, Hashable, CaseIterable {
    /// At least one of the objects.
    case any = "ANY"
    /// Every one of the objects. True if there are no objects.
    case all = "ALL"
    /// None of the objects.
    case none = "NONE"
}

/// An operation on two numbers. Division by zero and overflow yield nil. An integer result
/// overflows if it is not strictly between the least and the greatest 64-bit integer.
public enum ArithmeticOperator: String, Sendable, Hashable, CaseIterable {
    /// Sum.
    case add = "+"
    /// Difference.
    case subtract = "-"
    /// Product.
    case multiply = "*"
    /// Quotient; of integers, rounded towards zero.
    case divide = "/"
    /// Power; always a floating-point number.
    case power = "**"
    /// The bits that both integers have.
    case bitwiseAnd = "&"
    /// The bits that at least one of the integers has.
    case bitwiseOr = "|"
}

/// A value computed from many.
public enum AggregateFunction: String, Sendable, Hashable, CaseIterable {
    /// The number of values.
    case count = "@count"
    /// The sum, or 0 if there are no values.
    case sum = "@sum"
    /// The mean, or nil if there are no values.
    case average = "@avg"
    /// The least value, or nil if there are none.
    case minimum = "@min"
    /// The greatest value, or nil if there are none.
    case maximum = "@max"
}

/// A function of values.
///
/// ## Topics
///
/// ### Numbers
///
/// - ``abs``
/// - ``floor``
/// - ``ceiling``
/// - ``trunc``
/// - ``modulus``
/// - ``sqrt``
///
/// ### Strings
///
/// - ``length``
/// - ``lowercase``
/// - ``uppercase``
/// - ``canonical``
/// - ``trim``
/// - ``left``
/// - ``right``
/// - ``substring``
/// - ``indexOf``
/// - ``replace``
///
/// ### Conversions
///
/// - ``number``
/// - ``text``
/// - ``string``
/// - ``date``
///
/// ### Generated values
///
/// - ``now``
/// - ``uuid``
///
/// ### Objects
///
/// - ``entity``
///
/// ### Raw values
///
/// - ``init(rawValue:)``
public enum ModelFunction: String, Sendable, Hashable, CaseIterable {
    /// The time of evaluation.
    case now
    /// A new random UUID for each row; in a fill only.
    case uuid
    /// The number of Unicode scalars of a string, or of bytes of data.
    case length
    /// The string in upper case.
    case uppercase
    /// The string in lower case.
    case lowercase
    /// The string without accents, in lower case.
    case canonical
    /// The characters of a string from an index, limited by a length. If the range extends beyond
    /// the string, the result is the part inside. A length below 0 counts as 0.
    case substring
    /// The first characters of a string, up to a number.
    case left
    /// The last characters of a string, up to a number.
    case right
    /// The index of the first occurrence of the other string; nil if there is none.
    case indexOf
    /// The string with another one in place of each occurrence of a part. An empty part does not
    /// occur.
    case replace
    /// The string without white space at its ends.
    case trim
    /// The number without its sign.
    case abs
    /// The least integer that is not less.
    case ceiling
    /// The greatest integer that is not greater.
    case floor
    /// The number without its fraction.
    case trunc
    /// The square root.
    case sqrt
    /// The remainder of a division of integers.
    case modulus
    /// The conversion in ``text`` and ``number``: a number as a string, or a string as a number; nil
    /// if the string is not a number.
    case string
    /// The number as text, or a text unchanged: `CAST(x, 'NSString')`.
    case text
    /// The number that the text spells, or the seconds of a date since 2001-01-01 UTC:
    /// `CAST(x, 'NSNumber')`.
    case number
    /// The date that is a number of seconds after 2001-01-01 UTC: `CAST(x, 'NSDate')`.
    case date
    /// The name of the entity of an object: `entity:(SELF)`.
    case entity
}

/// The argument for a `%@`, `%d` or `%K` in the text of an expression.
public enum FormatArgument: Sendable, Hashable {
    /// A value; for `%K` a string with a name or a key path.
    case value(Value)
    /// Several values, for `IN` and `BETWEEN`.
    case list([Value])
    /// An object, by the name of its entity and its key.
    case object(entity: String, key: Int64)
    /// Several objects of one entity or hierarchy, for `IN`.
    case objects(entity: String, keys: [Int64])
}

extension KeyExpression where Value == String {
    /// The number of Unicode scalars.
    public var length: ComputedKey<Root, Int> { applying(.length) }

    /// The text in upper case.
    public func uppercased() -> ComputedKey<Root, String> {
        applying(.uppercase)
    }

    /// The text in lower case.
    public func lowercased() -> ComputedKey<Root, String> {
        applying(.lowercase)
    }

    /// The text in lower case and without accents.
    public func canonical() -> ComputedKey<Root, String> {
        applying(.canonical)
    }

    // Characters are Unicode scalars, as in `length`; the first has the index 0.

    /// The characters from an index on, at most `length` of them. If the range extends beyond the
    /// string, the result is the part inside the string.
    ///
    /// ```swift
    /// Product.sku.substring(from: 3, length: 2) == "07"
    /// ```
    public func substring(from index: Int, length: Int) -> ComputedKey<Root, String> {
        applying(
            .substring,
            [.literal(index.attributeValue), .literal(length.attributeValue)])
    }

    /// The first characters, at most `length` of them.
    public func prefix(_ length: Int) -> ComputedKey<Root, String> {
        applying(.left, [.literal(length.attributeValue)])
    }

    /// The last characters, at most `length` of them.
    public func suffix(_ length: Int) -> ComputedKey<Root, String> {
        applying(.right, [.literal(length.attributeValue)])
    }

    /// The index of the first occurrence of another string, or nil if there is none. Case matters.
    public func firstIndex(of part: String) -> ComputedKey<Root, Int> {
        applying(.indexOf, [.literal(part.attributeValue)])
    }

    /// The string with each occurrence of `part` replaced by `other`, from the start. An empty part
    /// does not occur.
    public func replacing(_ part: String, with other: String) -> ComputedKey<Root, String> {
        applying(.replace, [.literal(part.attributeValue), .literal(other.attributeValue)])
    }

    /// The string without white space at its ends.
    public func trimmed() -> ComputedKey<Root, String> { applying(.trim) }

    /// Concatenates two strings.
    public static func + (key: Self, text: String) -> ComputedKey<Root, String> {
        key.combined(.add, text)
    }

    /// Concatenates two strings.
    public static func + (text: String, key: Self) -> ComputedKey<Root, String> {
        key.combined(.add, behind: text)
    }

    /// Concatenates two strings.
    public static func + (
        key: Self, other: some KeyExpression<Root, String>
    ) -> ComputedKey<Root, String> {
        key.combined(.add, other)
    }
}

extension KeyExpression where Value == Data {
    /// The number of bytes.
    public var length: ComputedKey<Root, Int> { applying(.length) }
}

/// The first value if it is not nil, otherwise the second: `Product.salePrice ?? Product.price`.
public func ?? <First: KeyExpression, Second: KeyExpression>(
    first: First, second: Second
) -> ComputedKey<First.Root, First.Value>
where First.Root == Second.Root, First.Value == Second.Value {
    ComputedKey(
        first.expression.otherwise(second.expression), objects: first.objects + second.objects)
}

// Overloads for each type: without them, the compiler chooses the standard library's operator for
// optionals, with two operands of one type, and the result is always the first.

/// The first value if it is not nil, otherwise the second: `Product.salePrice ?? Product.price`.
public func ?? <Root, Value>(
    first: Key<Root, Value>, second: Key<Root, Value>
) -> ComputedKey<Root, Value> {
    ComputedKey(first.expression.otherwise(second.expression))
}

/// The first value if it is not nil, otherwise the second.
public func ?? <Root, Value>(
    first: ComputedKey<Root, Value>, second: ComputedKey<Root, Value>
) -> ComputedKey<Root, Value> {
    ComputedKey(
        first.expression.otherwise(second.expression), objects: first.objects + second.objects)
}

/// The value if it is not nil, otherwise the constant: `Product.salePrice ?? 0`.
public func ?? <First: KeyExpression>(
    first: First, value: First.Value
) -> ComputedKey<First.Root, First.Value> {
    ComputedKey(
        first.expression.otherwise(.literal(value.attributeValue)), objects: first.objects)
}

extension ModelExpression {
    /// Returns this value if it is not nil, otherwise another.
    func otherwise(_ other: ModelExpression) -> ModelExpression {
        .conditional(
            .comparison(self, .notEqual, .literal(.null), []), then: self, otherwise: other)
    }
}

// Relations between strings. For nil all are false. By default they compare bytes; the options
// ignore case or accents.

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

    /// The complete text matches a pattern with `*` (any characters) and `?` (one character).
    public func like(_ pattern: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        compared(.like, .literal(.string(pattern)), options)
    }

    /// The complete text matches a regular expression: `.` matches line ends too, `^` and `$` match
    /// at each line.
    ///
    /// If a pattern with back-references, look-ahead or atomic groups takes too many steps, the
    /// request throws a ``PatternLimitError``. The time for all other patterns grows with the text.
    /// The store evaluates the pattern for every row. A pattern of letters, sets and counts such as
    /// `[A-Z]{2}-[0-9]+` becomes one of SQLite's own.
    public func matches(_ pattern: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        compared(.matches, .literal(.string(pattern)), options)
    }

    /// The text equals the other one according to the options, for example if case is ignored.
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

    /// The text equals another text of the object, according to the options.
    public func isEqual(
        to other: some KeyExpression<Root, String>, _ options: ComparisonOptions
    ) -> Condition<Root> {
        compared(.equal, other, options)
    }
}

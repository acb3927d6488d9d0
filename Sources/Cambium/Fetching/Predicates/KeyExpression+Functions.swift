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

    /// One text behind the other.
    public static func + (key: Self, text: String) -> ComputedKey<Root, String> {
        key.combined(.add, text)
    }

    /// One text behind the other.
    public static func + (text: String, key: Self) -> ComputedKey<Root, String> {
        key.combined(.add, behind: text)
    }

    /// One text behind the other.
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

/// The first value where there is one, else the second: `Product.salePrice ?? Product.price`.
public func ?? <First: KeyExpression, Second: KeyExpression>(
    first: First, second: Second
) -> ComputedKey<First.Root, First.Value>
where First.Root == Second.Root, First.Value == Second.Value {
    ComputedKey(
        first.expression.otherwise(second.expression), objects: first.objects + second.objects)
}

// Said for each type once more, as the standard library's operator for optionals would else be
// taken for two operands of one type, and yield the first.

/// The first value where there is one, else the second: `Product.salePrice ?? Product.price`.
public func ?? <Root, Value>(
    first: Key<Root, Value>, second: Key<Root, Value>
) -> ComputedKey<Root, Value> {
    ComputedKey(first.expression.otherwise(second.expression))
}

/// The first value where there is one, else the second.
public func ?? <Root, Value>(
    first: ComputedKey<Root, Value>, second: ComputedKey<Root, Value>
) -> ComputedKey<Root, Value> {
    ComputedKey(
        first.expression.otherwise(second.expression), objects: first.objects + second.objects)
}

/// The value where there is one, else the other: `Product.salePrice ?? 0`.
public func ?? <First: KeyExpression>(
    first: First, value: First.Value
) -> ComputedKey<First.Root, First.Value> {
    ComputedKey(
        first.expression.otherwise(.literal(value.attributeValue)), objects: first.objects)
}

extension ModelExpression {
    /// This value where there is one, else another.
    func otherwise(_ other: ModelExpression) -> ModelExpression {
        .conditional(
            .comparison(self, .notEqual, .literal(.null), []), then: self, otherwise: other)
    }
}

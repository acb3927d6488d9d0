// A Boolean is a condition by itself. Nil is not true.

extension Condition {
    /// A Boolean is true: `Condition(Product.isOnSale)`. `filter`, `&&`, `||` and `!` take the key
    /// itself. Nil counts as false.
    public init(_ key: some KeyExpression<Root, Bool>) {
        self = key.compared(.equal, true)
    }
}

extension KeyExpression where Value == Bool {
    /// The Boolean is not true: false or nil.
    public static prefix func ! (key: Self) -> Condition<Root> {
        !Condition(key)
    }

    /// Both are true.
    public static func && (key: Self, condition: Condition<Root>) -> Condition<Root> {
        Condition(key) && condition
    }

    /// Both are true.
    public static func && (condition: Condition<Root>, key: Self) -> Condition<Root> {
        condition && Condition(key)
    }

    /// Both are true.
    public static func && <Other: KeyExpression<Root, Bool>>(
        key: Self, other: Other
    ) -> Condition<Root> {
        Condition(key) && Condition(other)
    }

    /// At least one is true.
    public static func || (key: Self, condition: Condition<Root>) -> Condition<Root> {
        Condition(key) || condition
    }

    /// At least one is true.
    public static func || (condition: Condition<Root>, key: Self) -> Condition<Root> {
        condition || Condition(key)
    }

    /// At least one is true.
    public static func || <Other: KeyExpression<Root, Bool>>(
        key: Self, other: Other
    ) -> Condition<Root> {
        Condition(key) || Condition(other)
    }
}

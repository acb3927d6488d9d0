import CambiumModel

/// What the values of a column, or their lengths, lie between.
struct ColumnBounds: Sendable, Hashable {
    /// Whether it is about the length.
    var isOfLength = false
    /// The least value; nil where there is none.
    var minimum: StoredValue?
    /// The greatest value; nil where there is none.
    var maximum: StoredValue?

    /// Whether others allow all that these do; false where the two cannot be compared.
    func areWithin(_ others: ColumnBounds) -> Bool {
        guard isOfLength == others.isOfLength else { return false }
        let isWithinBelow = others.minimum.map { wanted in
            minimum.map { Self.isAtMost(wanted, $0) } ?? false
        }
        let isWithinAbove = others.maximum.map { wanted in
            maximum.map { Self.isAtMost($0, wanted) } ?? false
        }
        return (isWithinBelow ?? true) && (isWithinAbove ?? true)
    }

    private static func isAtMost(_ one: StoredValue, _ other: StoredValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one <= other
        case (.real(let one), .real(let other)): one <= other
        case (.blob(let one), .blob(let other)): !other.lexicographicallyPrecedes(one)
        default: false
        }
    }
}

/// Constants among which a value is looked up, strings by their bytes.
package struct ValueSet: Sendable {
    /// The constants in the order in which they were written.
    package let values: [Value]
    private let keys: Set<Key>

    package init(_ values: [Value]) {
        self.values = values
        keys = Set(values.map(Key.init))
    }

    package func contains(_ value: Value) -> Bool {
        keys.contains(Key(value))
    }

    private enum Key: Hashable {
        case text(TextKey)
        case other(Value)

        init(_ value: Value) {
            switch value {
            case .string(let text): self = .text(TextKey(text: text))
            default: self = .other(value)
            }
        }
    }
}

/// Settings of a database server at the beginning of each transaction of some contexts. They end
/// with the transaction. Policies for rows (row-level security) can use them.
///
/// ```swift
/// let tenant = container.applying(transactionSettings: ["app.tenant": "42"])
/// ```
///
/// The name is that of a program's own setting, such as `app.tenant`: letters, digits and
/// underscores, with a dot between. Names that begin with `cambium.` are reserved. `role` is
/// allowed as well: the transactions have the rights of that role. No error and no description
/// shows a value.
public struct TransactionSettings: Sendable, Hashable {
    /// The values by name.
    package let values: [String: String]

    /// Settings with these values, by name.
    public init(_ values: [String: String]) {
        self.values = values
    }

    /// The names, in order.
    public var names: [String] { values.keys.sorted() }

    /// Whether there are none.
    public var isEmpty: Bool { values.isEmpty }

    /// The value of a setting; nil if it is not included.
    public subscript(name: String) -> String? { values[name] }

    /// Returns these settings and others. If both have a name, the value of the others is used.
    public func merging(_ others: TransactionSettings) -> TransactionSettings {
        TransactionSettings(values.merging(others.values) { $1 })
    }

    package static let none = TransactionSettings([:])
}

extension TransactionSettings: ExpressibleByDictionaryLiteral {
    /// Creates settings by name. If a name occurs twice, the last value is used.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension TransactionSettings: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The names, without the values.
    public var description: String { names.isEmpty ? "none" : names.joined(separator: ", ") }
    /// The names of the settings, without their values.
    public var debugDescription: String { description }
    /// Empty, so that no log shows the values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Settings of a database server that each transaction of some contexts begins with, and that end with
/// it: what policies for rows (row-level security) decide by.
///
/// ```swift
/// let tenant = container.applying(transactionSettings: ["app.tenant": "42"])
/// ```
///
/// A name is that of a setting of the program's own, such as `app.tenant`: letters, digits and
/// underscores, with a dot between. What begins with `cambium.` is Cambium's own. `role` is allowed as
/// well: the transactions have the rights of that role. No error and no description shows a value.
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

    /// The value of a setting; nil where it is not one of them.
    public subscript(name: String) -> String? { values[name] }

    /// These settings and others. Where both have a name, the value of the others counts.
    public func merging(_ others: TransactionSettings) -> TransactionSettings {
        TransactionSettings(values.merging(others.values) { $1 })
    }

    package static let none = TransactionSettings([:])
}

extension TransactionSettings: ExpressibleByDictionaryLiteral {
    /// Settings by name. Of a name that is there twice the last value counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension TransactionSettings: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The names, without the values.
    public var description: String { names.isEmpty ? "none" : names.joined(separator: ", ") }
    /// The same.
    public var debugDescription: String { description }
    /// Nothing, so that no log shows the values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

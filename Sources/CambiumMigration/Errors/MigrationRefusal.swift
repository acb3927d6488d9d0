import CambiumModel

/// Why the data of a store does not fit the new version.
public struct MigrationRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The step of the migration that was running, in words: what it changes, the conditions that
    /// come with that, and the reasons that its author gave.
    public let step: String
    /// What is wrong, in words.
    public let reason: String
    /// The name of the store's constraint that was not met, such as `Product.stock.max`; nil where
    /// it is none of the new version's.
    public var constraint: String?
    /// The entity of the objects because of which the store is refused, or the root of its
    /// hierarchy, by the name that it has at that moment.
    public var entity: String?
    /// The numbers of the objects because of which the store is refused: the first one that was
    /// found, or two that are equal. Empty where they were not found.
    public var objects: [Int64] = []
    /// The value that does not fit, as the model language writes it (`12.34` of a decimal,
    /// `2026-01-31T12:00:00Z` of a date); nil where it is none in particular.
    ///
    /// - Note: It is a user's, and no part of the error's description.
    public var value: String?

    package init(step: String, reason: String) {
        self.step = step
        self.reason = reason
    }

    /// What is wrong with which objects.
    public var description: String { words(value: nil) }

    /// The same with the value, for a reader with access to the store.
    package var descriptionWithValue: String { words(value: value) }

    private func words(value: String?) -> String {
        var facts: [String] = []
        if let entity, !objects.isEmpty {
            let numbers = objects.map(String.init).joined(separator: " and ")
            facts.append("\(objects.count == 1 ? "object" : "objects") \(numbers) of \(entity)")
        }
        if let value { facts.append("the value is \(value.excerpt(1_000).withVisibleControls)") }
        return reason + (facts.isEmpty ? "" : " [\(facts.joined(separator: ", "))]")
    }
}

extension String {
    /// The same with the codes of characters that a terminal would not show, or would obey.
    fileprivate var withVisibleControls: String {
        escaping { scalar in
            scalar.properties.generalCategory == .control
                ? "\\u{\(String(scalar.value, radix: 16))}" : nil
        }
    }
}

import CambiumRecords

/// An enumeration of the model. Generated enumerations conform; their raw value is what the store
/// holds.
public protocol StoredEnumeration: StoredProperty, AttributeValue, PredicateArgument,
    RawRepresentable, CaseIterable, Hashable, Codable, Sendable
where RawValue: StoredProperty & AttributeValue {}

extension StoredEnumeration {
    /// The first case, which a missing or unknown value reads as.
    public static var _missing: Self {
        guard let first = allCases.first else {
            preconditionFailure(
                "The enumeration \(Self.self) has no case; the compiler refuses it.")
        }
        return first
    }

    /// The case of the slot's raw value, or nil where it is of no case.
    public static func read(_ record: Record, _ slot: Int) -> Self? {
        RawValue.read(record, slot).flatMap(Self.init(rawValue:))
    }

    /// Writes the raw value.
    public func write(to object: ManagedObject, _ slot: Int) {
        rawValue.write(to: object, slot)
    }
}

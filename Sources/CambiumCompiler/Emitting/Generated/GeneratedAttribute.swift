import CambiumModel

/// An attribute with what its accessors need.
final class GeneratedAttribute: Sendable {
    let attribute: Attribute
    /// The entity that declares it.
    let declarer: Entity
    /// The name of the Swift property; that of a part of a composite value with the names on the
    /// way to it, and question marks where one may be nil: `address?.street`.
    let name: String
    /// Its place in a row in memory.
    let slot: Int
    /// The Swift type of a value that is not nil.
    let valueType: String

    init(
        _ attribute: Attribute, of declarer: Entity, slot: Int, in model: Model,
        names: GeneratedNames
    ) {
        self.attribute = attribute
        self.declarer = declarer
        self.slot = slot
        name = Self.path(to: attribute, in: declarer)
        valueType = names.swiftType(of: attribute.type)
    }

    private static func path(to attribute: Attribute, in entity: Entity) -> String {
        guard let composite = entity.compositeAttributes.last(where: { $0.contains(attribute) })
        else { return SwiftText.member(attribute.name) }
        let optional = Set(
            entity.compositeAttributes.filter(\.isOptional).map(\.name))
        var path = ""
        var walked = ""
        for part in composite.name.split(separator: ".") {
            let name = String(part)
            path += walked.isEmpty ? SwiftText.member(name) : SwiftText.identifier(name)
            walked += walked.isEmpty ? name : ".\(name)"
            path += optional.contains(walked) ? "?." : "."
        }
        return path
            + SwiftText.identifier(String(attribute.name.dropFirst(composite.name.count + 1)))
    }

    /// The Swift type of the property.
    var type: String { attribute.isOptional ? valueType + "?" : valueType }

    /// Whether a new object cannot do without a value.
    var isRequiredAtInsert: Bool {
        !attribute.isOptional && !attribute.isTransient && attribute.defaultValue == nil
            && !isDerived
    }

    /// Whether it cannot be set.
    var isDerived: Bool { attribute.derivation != nil }

    /// The function by which the program validates a value.
    var hook: String { attribute.validationHook }

    /// The expression that reads it.
    var getter: String { attribute.getter(at: slot) }

    /// The statement that sets it.
    func setter(_ value: String) -> String { attribute.setter(value, at: slot) }
}

extension Attribute {
    /// The function by which the program validates a value.
    var validationHook: String { "validate\(SwiftText.capitalized(name))" }

    // With `self.`, because the compiler looks a bare name up through every scope first: a tenth of
    // the time that it takes for generated code.

    /// The expression that reads a value, inside an object's class.
    func getter(at slot: Int) -> String {
        let name = isOptional ? "optional\(SwiftText.capitalized(accessor))" : accessor
        return "self.\(name)(at: \(slot)\(scale))"
    }

    /// The statement that sets a value, inside an object's class.
    func setter(_ value: String, at slot: Int) -> String {
        "self.set\(SwiftText.capitalized(accessor))(\(value), at: \(slot)\(scale))"
    }

    /// The name of the accessor of its type.
    private var accessor: String {
        type.descriptor.accessor
    }

    private var scale: String {
        if case .decimal(let scale) = type { ", scale: \(scale)" } else { "" }
    }
}

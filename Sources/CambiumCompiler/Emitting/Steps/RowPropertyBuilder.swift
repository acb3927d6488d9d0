import CambiumModel

/// Gives the values and links of a row their Swift names and types.
final class RowPropertyBuilder {
    let model: Model
    let names: GeneratedNames
    private(set) var properties: [GeneratedRow.Property] = []
    private(set) var links: [GeneratedRow.Link] = []
    private(set) var taken: Set<String> = ["rowID", "storage", "layout", "Version", "init", "self"]

    init(model: Model, names: GeneratedNames) {
        self.model = model
        self.names = names
    }

    /// A part of a composite value is a property of its own: `address.city` is `addressCity`.
    private func identifier(_ name: String) -> String {
        let parts = name.split(separator: ".").map(String.init)
        var found =
            (parts.prefix(1).map(SwiftText.plainIdentifier)
            + parts.dropFirst().map(SwiftText.capitalized)).joined()
        while !taken.insert(found).inserted { found += "Value" }
        return SwiftText.identifier(found)
    }

    // MARK: Attributes

    func add(_ attribute: Attribute, of owner: Entity) {
        let index = properties.count
        let type = plainType(attribute.type)
        let isOptional = attribute.isOptional || attribute.derivation != nil
        let accessors = self.accessors(of: attribute, type, at: index, isOptional)
        properties.append(
            GeneratedRow.Property(
                name: identifier(attribute.name),
                type: names.swiftType(of: type) + (isOptional ? "?" : ""),
                summary: "The attribute `\(attribute.name)`"
                    + (attribute.derivation == nil ? "." : ", which the store derives."),
                column: model.column(of: attribute.name, in: owner),
                getter: accessors.getter, setter: accessors.setter,
                start: start(of: attribute, type, isOptional),
                isSettable: attribute.derivation == nil))
    }

    /// The type that a row has a value in: enumerations have other cases in other versions, so that
    /// their raw values stand for them; of a codable value it is the JSON.
    private func plainType(_ type: AttributeType) -> AttributeType {
        switch type {
        case .enumeration(let name): model.enumeration(named: name)?.rawType ?? .string
        case .codable: .string
        default: type
        }
    }

    private func accessors(
        of attribute: Attribute, _ type: AttributeType, at index: Int, _ isOptional: Bool
    ) -> (getter: String, setter: String) {
        if attribute.usesExternalForm {
            let none = isOptional ? "" : " ?? \(names.libraryInitializer("Data"))()"
            return (
                "storage.external(\(index))" + none,
                "storage.setExternal(\(index), newValue)"
            )
        }
        if case .decimal(let scale) = type {
            let name = isOptional ? "optionalDecimal" : "decimal"
            return (
                "storage.\(name)(\(index), scale: \(scale))",
                "storage.setDecimal(\(index), newValue, scale: \(scale))"
            )
        }
        return (
            "storage.\(isOptional ? "optional" : "get")(\(index))",
            "storage.set(\(index), newValue)"
        )
    }

    private func start(
        of attribute: Attribute, _ type: AttributeType, _ isOptional: Bool
    ) -> String? {
        switch attribute.defaultValue {
        case nil: return isOptional ? "nil" : nil
        case .now: return "\(names.libraryInitializer("Date"))()"
        case .newUUID: return "\(names.libraryInitializer("UUID"))()"
        case .constant(let value):
            return LiteralEmitter(names: names).argument(
                value, of: type, isOptional: isOptional, in: model) ?? (isOptional ? "nil" : nil)
        }
    }

    // MARK: Relationships

    func add(_ relationship: Relationship, of owner: Entity) {
        let destination = GeneratedRow.typeName(of: relationship.destination)
        switch model.storage(of: relationship, of: owner) {
        case .transient: break
        case .key(let column, _):
            addKey(relationship, of: owner, column, destination)
        case .inverseKey(let column):
            addLink(
                relationship, destination,
                [
                    (nil, .string(relationship.name)), ("key", .string(column)),
                    ("position", position(of: relationship, of: owner)),
                ])
        case .joinTable(let name, let source, let other):
            addLink(
                relationship, destination,
                [
                    (nil, .string(relationship.name)), ("table", .string(name)),
                    ("source", .string(source)), ("destination", .string(other)),
                    ("position", position(of: relationship, of: owner)),
                ])
        }
    }

    private func position(of relationship: Relationship, of owner: Entity) -> SwiftCode {
        model.positionColumn(of: relationship, of: owner).map { .string($0) } ?? .text("nil")
    }

    private func addLink(
        _ relationship: Relationship, _ destination: String,
        _ arguments: [(label: String?, value: SwiftCode)]
    ) {
        links.append(
            GeneratedRow.Link(
                name: identifier(relationship.name), destination: destination,
                code: .call(".init", arguments)))
    }

    private func addKey(
        _ relationship: Relationship, of owner: Entity, _ column: String, _ destination: String
    ) {
        let index = properties.count
        let isOptional = relationship.isOptional
        let type = "\(names.library("RowID"))<\(destination)>"
        properties.append(
            GeneratedRow.Property(
                name: identifier(relationship.name), type: type + (isOptional ? "?" : ""),
                summary: "What the relationship `\(relationship.name)` leads to.", column: column,
                getter: "storage.\(isOptional ? "optionalLink" : "link")(\(index))",
                setter: "storage.setLink(\(index), newValue)",
                start: isOptional ? "nil" : nil, isSettable: true))
        guard let place = model.inversePositionColumn(of: relationship, of: owner),
            let inverse = model.inverse(of: relationship)
        else { return }
        let name =
            "positionIn\(SwiftText.capitalized(inverse.entity.name))"
            + SwiftText.capitalized(inverse.relationship.name)
        properties.append(
            GeneratedRow.Property(
                name: identifier(name), type: "\(names.standard("Int64"))?",
                summary: "The place in the list "
                    + "`\(inverse.entity.name).\(inverse.relationship.name)`.",
                column: place, getter: "storage.optional(\(index + 1))",
                setter: "storage.set(\(index + 1), newValue)", start: "nil", isSettable: true))
    }
}

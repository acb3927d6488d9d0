import CambiumRecords

/// The fields of the objects of one entity in a file, and their properties.
struct ExchangePlan: Sendable {
    /// The content of a member of an object, or of a column.
    indirect enum Content: Sendable {
        case attribute(ExchangeAttribute)
        /// A composite value, or the common first name of several renamed properties.
        case group([Node])
        /// A relationship, by its number in `relationships`.
        case relationship(Int)
    }

    /// A field by its name.
    struct Node: Sendable {
        /// The name within the object that it is a member of.
        let key: FieldName
        /// The path of names, joined by dots: the column in CSV.
        let path: String
        var content: Content
    }

    let entity: EntityDescription
    let model: ModelDescription
    let dates: ExchangeDateFormat
    /// The greatest number of bytes of a value that is imported; nil for any.
    let largestValue: Int?
    private(set) var nodes: [Node] = []
    private(set) var relationships: [ExchangeRelationship] = []
    /// The field of each property, for errors.
    private var pathByProperty: [String: String] = [:]

    /// - Parameters:
    ///   - properties: The properties to read or write.
    ///   - fieldNames: The file's names of properties; those of other entities are ignored.
    ///   - keys: The properties by which relationships name their destinations.
    /// - Throws: ``StoreError`` if two properties have one field.
    init(
        _ entity: EntityDescription, in model: ModelDescription, properties: [Property],
        fieldNames: [String: String], keys: [String: [String]], dates: ExchangeDateFormat,
        largestValue: Int? = nil
    ) throws {
        self.largestValue = largestValue
        self.entity = entity
        self.model = model
        self.dates = dates
        for property in properties {
            let content: Content
            switch property {
            case .attribute(let attribute): content = .attribute(attribute)
            case .relationship(let relationship):
                let name = relationship.relationship.name
                content = .relationship(relationships.count)
                relationships.append(
                    try ExchangeRelationship(
                        relationship, of: entity, in: model, by: keys[name]))
            }
            let names = Self.fieldPath(of: property.name, fieldNames)
            let path = names.joined(separator: ".")
            pathByProperty[property.name] = path
            guard Self.insert(content, at: names[...], path: "", into: &nodes) else {
                throw StoreError(
                    code: .invalidRequest,
                    message: "\(entity.name).\(property.name) and another property have the field "
                        + "\(path).",
                    remedy: "Give one of them another name.")
            }
        }
    }

    /// The file's name for a property, or for a composite value.
    func field(of property: String) -> String { pathByProperty[property] ?? property }

    /// Whether something has a field of this name.
    func hasField(_ name: String) -> Bool {
        nodes.contains { $0.key.stringValue == name } || columns.contains { $0.name == name }
    }

    /// The path of names to a property's field: the given name of the longest prefix of the
    /// property's name that has one, and the rest.
    private static func fieldPath(of property: String, _ names: [String: String]) -> [String] {
        var front = property.split(separator: ".").map(String.init)
        var rest: [String] = []
        while let last = front.last {
            if let name = names[front.joined(separator: ".")] { return [name] + rest }
            rest.insert(last, at: 0)
            front.removeLast()
        }
        return rest
    }

    /// - Returns: False if the name is taken.
    private static func insert(
        _ content: Content, at names: ArraySlice<String>, path: String, into nodes: inout [Node]
    ) -> Bool {
        guard let name = names.first else { return false }
        let path = path.isEmpty ? name : "\(path).\(name)"
        let index = nodes.firstIndex { $0.key.stringValue == name }
        guard names.count > 1 else {
            guard index == nil else { return false }
            nodes.append(Node(key: FieldName(name), path: path, content: content))
            return true
        }
        var members: [Node] = []
        if let index {
            guard case .group(let known) = nodes[index].content else { return false }
            members = known
        }
        guard insert(content, at: names.dropFirst(), path: path, into: &members) else {
            return false
        }
        if let index {
            nodes[index].content = .group(members)
        } else {
            nodes.append(Node(key: FieldName(name), path: path, content: .group(members)))
        }
        return true
    }

    /// Checks that names are names of properties.
    ///
    /// - Parameters:
    ///   - entity: The entity that an error names.
    ///   - family: The entities that may have the properties.
    /// - Throws: ``StoreError`` if no entity has a property of a name.
    static func check(
        _ names: some Collection<String>, of entity: EntityDescription,
        _ family: [EntityDescription]
    ) throws {
        let known = Set(family.flatMap(propertyNames))
        guard let unknown = names.filter({ !known.contains($0) }).min() else { return }
        throw StoreError.unknownName(
            "The entity \(entity.name) has no property \(unknown).", unknown,
            among: known.sorted())
    }

    private static func propertyNames(of entity: EntityDescription) -> [String] {
        let attributes = entity.attributes.compactMap { $0?.name }
        let groups = entity.model.compositeAttributes(of: entity.entity).map(\.name)
        return attributes + groups + entity.relationships.map(\.relationship.name)
    }
}

/// The name of a field, as a key of JSON.
struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: some StringProtocol) {
        stringValue = String(name)
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        return nil
    }
}

extension ExchangePlan {
    /// An attribute or a relationship that files have.
    enum Property {
        case attribute(ExchangeAttribute)
        case relationship(RelationshipDescription)

        var name: String {
            switch self {
            case .attribute(let attribute): attribute.attribute.name
            case .relationship(let relationship): relationship.relationship.name
            }
        }
    }

    /// The properties that an import reads: all that can be set and are in the store.
    static func importable(_ entity: EntityDescription) -> [Property] {
        attributes(of: entity) { $0.derivation == nil }
            + entity.relationships.filter { !$0.isTransient }.map(Property.relationship)
    }

    /// The properties that an export writes by default: each value and each link once, so that an
    /// import restores all of them. A link is written on the side that stores its key, its pair or
    /// its position.
    static func exportable(_ entity: EntityDescription) -> [Property] {
        attributes(of: entity) { $0.derivation == nil }
            + entity.relationships.filter { relationship in
                guard !relationship.isTransient else { return false }
                return relationship.slot != nil || relationship.isOrdered
                    || (relationship.ownsPairs && !isOrderedFromAfar(relationship, entity))
            }.map(Property.relationship)
    }

    /// The properties that an export names, as far as the entity has them.
    static func named(_ names: [String], of entity: EntityDescription) -> [Property] {
        let known = known(of: entity)
        return names.flatMap { name in known.filter { isMeant($0, by: name) } }
    }

    /// Checks that the properties that an export names exist.
    ///
    /// - Parameters:
    ///   - entity: The entity that an error names.
    ///   - family: The entities that may have the properties.
    static func checkExported(
        _ names: [String], of entity: EntityDescription, _ family: [EntityDescription]
    ) throws {
        let known = family.flatMap(known)
        guard
            let unknown = names.first(where: { name in
                !known.contains { isMeant($0, by: name) }
            })
        else { return }
        throw StoreError.unknownName(
            "The entity \(entity.name) has no property \(unknown) that a file can have.", unknown,
            among: known.map(\.name))
    }

    private static func known(of entity: EntityDescription) -> [Property] {
        attributes(of: entity) { _ in true }
            + entity.relationships.filter { !$0.isTransient }.map(Property.relationship)
    }

    private static func isMeant(_ property: Property, by name: String) -> Bool {
        property.name == name || property.name.hasPrefix(name + ".")
    }

    private static func attributes(
        of entity: EntityDescription, where isWanted: (Attribute) -> Bool
    ) -> [Property] {
        entity.attributes.enumerated().compactMap { slot, attribute in
            guard let attribute, !attribute.isTransient, isWanted(attribute) else { return nil }
            return .attribute(ExchangeAttribute(attribute, slot: slot, in: entity.model))
        }
    }

    /// Whether the other side of a relationship keeps an order, and so writes it.
    private static func isOrderedFromAfar(
        _ relationship: RelationshipDescription, _ entity: EntityDescription
    ) -> Bool {
        guard let name = relationship.relationship.inverse,
            let far = entity.model.entity(named: relationship.relationship.destination),
            let inverse = entity.model.relationship(name, of: far)
        else { return false }
        return inverse.isOrdered && !relationship.isOrdered
    }
}

/// A column that the objects of an entity may have in CSV.
struct CSVColumn: Sendable {
    /// The content of a column.
    enum Content: Sendable {
        case attribute(ExchangeAttribute)
        /// The only part of the key of a to-one, or a list of keys.
        case relationship(Int)
        /// A part of the key of a to-one.
        case keyPart(relationship: Int, part: Int)
    }

    let name: String
    let content: Content
}

extension ExchangePlan {
    /// All possible columns. A to-one relationship has a column for its key, and a column for each
    /// part of the key.
    var columns: [CSVColumn] { columns(of: nodes) }

    private func columns(of nodes: [Node]) -> [CSVColumn] {
        nodes.flatMap { node -> [CSVColumn] in
            switch node.content {
            case .attribute(let attribute):
                return [CSVColumn(name: node.path, content: .attribute(attribute))]
            case .group(let members):
                return columns(of: members)
            case .relationship(let number):
                let whole = CSVColumn(name: node.path, content: .relationship(number))
                let relationship = relationships[number]
                guard !relationship.description.isToMany, let key = relationship.key else {
                    return [whole]
                }
                return [whole]
                    + key.parts.enumerated().map { index, part in
                        CSVColumn(
                            name: "\(node.path).\(part.name)",
                            content: .keyPart(relationship: number, part: index))
                    }
            }
        }
    }
}

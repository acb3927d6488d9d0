import CambiumRecords

/// A relationship in files: by the unique values of its destinations.
struct ExchangeRelationship: Sendable {
    let description: RelationshipDescription
    /// The key of the destination, or nil if it has no unique values that a file can contain.
    let key: ExchangeKeyShape?
    /// The entity that it references.
    let destination: EntityDescription
    /// Whether a unique constraint of its own entity includes it. If so, it may decide which object
    /// a row updates.
    let isInKey: Bool

    var name: String { description.relationship.name }
    /// Whether there must be a link in the row itself.
    var isRequired: Bool { description.slot != nil && !description.relationship.isOptional }

    /// - Parameter names: The properties of the constraint to use. Nil means the first one that has
    ///   attributes only, or else the first one whose relationships have keys.
    init(
        _ description: RelationshipDescription, of entity: EntityDescription,
        in model: ModelDescription, by names: [String]?
    ) throws {
        self.description = description
        let destination = model.entities[description.destination]
        self.destination = destination
        isInKey = model.uniqueConstraints(of: entity).contains { unique in
            description.slot.map(unique.slots.contains) ?? false
        }
        guard let names else {
            key = ExchangeKeyShape(of: destination, in: model)
            return
        }
        let unique = model.uniqueConstraints(of: destination)
            .first { Set($0.properties) == Set(names) }
        key = unique.flatMap { ExchangeKeyShape($0, in: model) }
        guard key == nil else { return }
        let meant = "\(names.joined(separator: ", ")), by which \(entity.name).\(name)"
        throw unique == nil
            ? StoreError(
                code: .invalidRequest,
                message: "\(destination.name) has no unique constraint over \(meant) is to name "
                    + "its objects.",
                remedy: "Add one to the model: <unique by=\"\(names.joined(separator: " "))\"/>.")
            : StoreError(
                code: .invalidRequest,
                message: "The unique constraint of \(destination.name) over \(meant) is to name "
                    + "its objects, includes a relationship whose objects have no name themselves.",
                remedy: "Give its destination a unique constraint over attributes, or choose "
                    + "another constraint of \(destination.name).")
    }

    /// The problem if the relationship is given, but its destination has no key.
    var keylessProblem: String {
        "references \(destination.name), which has no unique values to name an object by."
    }

    static let remedyOfKeyless =
        "Give it a unique constraint in the model (<unique by=\"…\"/>), or leave the field out."

    /// The problem of a destination without a key and its remedy, for a field of an import.
    var keylessField: FieldProblem { FieldProblem("\(keylessProblem) \(Self.remedyOfKeyless)") }
}

/// The values of a unique constraint by which a file names an object of an entity.
///
/// If the constraint contains a relationship, it is named by a constraint of its destination. For
/// example, a membership that is unique by `person club` is named by the e-mail address of the
/// person and the name of the club.
struct ExchangeKeyShape: Sendable {
    /// A property of the constraint.
    struct Column: Sendable {
        enum Content: Sendable {
            case attribute(ExchangeAttribute)
            case relationship(RelationshipDescription, to: EntityDescription, ExchangeKeyShape)
        }

        let name: String
        let slot: Int
        let content: Content
        /// The indices of its values among the values of the key.
        let parts: Range<Int>
    }

    /// A value that a file has for a key.
    struct Part: Sendable {
        /// The name of the part within the key: `club.name`, or `club` if one value names a club.
        let name: String
        let attribute: ExchangeAttribute
    }

    let unique: UniqueKey
    /// The entity that declares the constraint.
    let declarer: EntityDescription
    private(set) var columns: [Column] = []
    private(set) var parts: [Part] = []

    /// Whether the key has only attributes and no relationships.
    var hasAttributesOnly: Bool {
        columns.allSatisfy { if case .attribute = $0.content { true } else { false } }
    }

    /// The first constraint that has attributes only, or else the first one that can be named.
    ///
    /// - Parameter outer: The constraints that contain this one. No entity is used twice: in a tree
    ///   that is unique by `parent name`, names would be infinite.
    init?(of entity: EntityDescription, in model: ModelDescription, within outer: [UniqueKey] = [])
    {
        let simple = model.attributeConstraints(of: entity)
        for unique in simple.isEmpty ? model.uniqueConstraints(of: entity) : simple
        where !outer.contains(where: { $0 === unique }) {
            guard let shape = Self(unique, in: model, within: outer) else { continue }
            self = shape
            return
        }
        return nil
    }

    /// - Returns: Nil if the constraint includes a relationship whose destination cannot be named.
    init?(_ unique: UniqueKey, in model: ModelDescription, within outer: [UniqueKey] = []) {
        self.unique = unique
        declarer = model.entities[unique.declarer]
        for (name, slot) in zip(unique.properties, unique.slots) {
            let first = parts.count
            let content: Column.Content
            if let attribute = declarer.attributes[slot] {
                let exchanged = ExchangeAttribute(attribute, slot: slot, in: model.model)
                content = .attribute(exchanged)
                parts.append(Part(name: name, attribute: exchanged))
            } else {
                guard let relationship = declarer.relationships.first(where: { $0.slot == slot })
                else { return nil }
                let destination = model.entities[relationship.destination]
                guard let key = Self(of: destination, in: model, within: outer + [unique]) else {
                    return nil
                }
                content = .relationship(relationship, to: destination, key)
                parts += key.parts.map { part in
                    Part(
                        name: key.parts.count == 1 ? name : "\(name).\(part.name)",
                        attribute: part.attribute)
                }
            }
            columns.append(
                Column(name: name, slot: slot, content: content, parts: first..<parts.count))
        }
    }

    /// The paths of the relationships that the values come from.
    var relationshipPaths: [String] {
        columns.flatMap { column -> [String] in
            guard case .relationship(_, _, let key) = column.content else { return [] }
            return [column.name] + key.relationshipPaths.map { "\(column.name).\($0)" }
        }
    }
}

/// The unique values by which a file names an object.
struct ExchangeKey: Hashable, Sendable {
    /// As the store compares them: texts are bytes, and the two zeros are equal.
    let values: [StoredValue]

    init(_ values: [StoredValue]) {
        self.values = values.map { value in
            switch value {
            case .text(let text): .blob(Data(text.utf8))
            case .real(let number): .real(number + 0)
            case .null, .integer, .blob: value
            }
        }
    }

    /// Some of the values; they are a key of their own.
    func part(_ places: Range<Int>) -> ExchangeKey { ExchangeKey(Array(values[places])) }
}

extension ExchangeKey: Codable {
    private enum Part: Codable {
        case integer(Int64)
        case real(UInt64)
        case bytes(Data)
        case null
    }

    /// Reads a key from the spool of waiting links.
    init(from decoder: any Decoder) throws {
        values = try [Part](from: decoder).map { part in
            switch part {
            case .integer(let value): .integer(value)
            case .real(let bits): .real(Double(bitPattern: bits))
            case .bytes(let data): .blob(data)
            case .null: .null
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        try values.map { value -> Part in
            switch value {
            case .integer(let value): .integer(value)
            case .real(let value): .real(value.bitPattern)
            case .blob(let data): .bytes(data)
            case .text(let text): .bytes(Data(text.utf8))
            case .null: .null
            }
        }.encode(to: encoder)
    }
}

/// A relationship as files have it: by the unique attributes of what it leads to.
struct ExchangeRelationship: Sendable {
    /// The attributes that name an object.
    struct Key: Sendable {
        let unique: UniqueKey
        /// The entity that declares the constraint.
        let declarer: EntityDescription
        let parts: [ExchangeAttribute]
    }

    let description: RelationshipDescription
    /// Nil where the destination has no unique attributes.
    let key: Key?
    /// The entity that it leads to.
    let destination: EntityDescription

    var name: String { description.relationship.name }
    /// Whether there must be a link in the row itself.
    var isRequired: Bool { description.slot != nil && !description.relationship.isOptional }

    /// - Parameter names: The attributes of the constraint that is meant; nil means the first one
    ///   that has attributes only.
    init(
        _ description: RelationshipDescription, of entity: EntityDescription,
        in model: RuntimeModel, by names: [String]?
    ) throws {
        self.description = description
        let destination = model.entities[description.destination]
        self.destination = destination
        let keys = model.uniqueKeys.filter {
            !$0.isPartner && model.families[$0.declarer].contains(destination.index)
        }.compactMap { Self.key($0, model) }
        guard let names else {
            key = keys.first
            return
        }
        key = keys.first { Set($0.unique.properties) == Set(names) }
        guard key == nil else { return }
        throw StoreError(
            code: .invalidRequest,
            message: "\(destination.name) has no unique constraint over "
                + "\(names.joined(separator: ", ")), by which \(entity.name)."
                + "\(description.relationship.name) is to name its objects.",
            remedy: "Add one to the model: <unique by=\"\(names.joined(separator: " "))\"/>.")
    }

    /// - Returns: Nil where a part is a relationship itself.
    private static func key(_ unique: UniqueKey, _ model: RuntimeModel) -> Key? {
        let declarer = model.entities[unique.declarer]
        let parts = unique.slots.compactMap { slot in
            declarer.attributes[slot].map {
                ExchangeAttribute($0, slot: slot, in: model.model)
            }
        }
        guard parts.count == unique.slots.count else { return nil }
        return Key(unique: unique, declarer: declarer, parts: parts)
    }

    /// What is wrong where the relationship is given and cannot be.
    var keylessProblem: String {
        "references \(destination.name), which has no unique attributes to name an object by."
    }

    static let remedyOfKeyless =
        "Give it a unique constraint in the model (<unique by=\"…\"/>), or leave the field out."

    /// The same for a field of an import.
    var keylessField: FieldProblem { FieldProblem("\(keylessProblem) \(Self.remedyOfKeyless)") }
}

/// The unique values of an object: what a file names it by.
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
}

extension ExchangeKey: Codable {
    private enum Part: Codable {
        case integer(Int64)
        case real(UInt64)
        case bytes(Data)
        case null
    }

    /// Reads what was put by until its object has come.
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

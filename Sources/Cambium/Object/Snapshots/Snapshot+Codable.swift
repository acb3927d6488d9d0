import CambiumRecords

extension Snapshot: Codable {
    /// Writes the values by the names of their properties, and the identity as `objectID`.
    ///
    /// Values are natural: numbers, texts, dates and data as the encoder writes them, the raw
    /// values of enumerations, composite values as nested objects, values of codable attributes as
    /// their own JSON. What is nil is left out. To-one relationships are identities.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PropertyName.self)
        try container.encodeIfPresent(objectID, forKey: .objectID)
        try SnapshotEncoder(content: content).encode(to: &container)
    }

    /// Reads the values by the names of their properties.
    ///
    /// Names that the entity does not have are ignored. What is left out is nil, or the model's
    /// default where the attribute is required; derived attributes are then missing. Without
    /// `objectID` the snapshot is of no object yet, and of the class's own entity.
    ///
    /// - Throws: `DecodingError` with the place where a required value without a default is
    ///   missing, or a value is of another type or does not fit.
    public init(from decoder: any Decoder) throws {
        let reference = Object.entityReference
        let container = try decoder.container(keyedBy: PropertyName.self)
        guard let model = reference.model?.modelDescription, let own = model[reference.name] else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "\(Object.self) belongs to no model. Use a generated class."))
        }
        let id = try container.identity(for: .objectID, in: model)
        let entity = id?.entity ?? own
        guard model.families[own.index].contains(entity.index) else {
            throw DecodingError.dataCorruptedError(
                forKey: .objectID, in: container,
                debugDescription: "It is of the entity \(entity.name), not of \(own.name).")
        }
        self.init(
            objectID: id,
            content: try SnapshotDecoder(model: model, entity: entity).content(of: container))
    }
}

/// The name of a property in JSON.
struct PropertyName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    /// No property has this name, which all objects have.
    static let objectID = PropertyName("objectID")

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

extension KeyedDecodingContainer<PropertyName> {
    /// The identity of an object; nil where it is missing.
    func identity(for key: PropertyName, in model: ModelDescription) throws -> ObjectID? {
        guard let uri = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let id = ObjectID(uri: uri, in: model) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "It is no identity of an object of the model "
                    + "\(model.model.name).")
        }
        return id
    }
}

/// An attribute on its way to its place in nested objects: the rest of the names of a part of a
/// composite value.
struct SnapshotPart {
    let slot: Int
    let attribute: Attribute
    let names: ArraySlice<Substring>

    init(slot: Int, attribute: Attribute) {
        self.slot = slot
        self.attribute = attribute
        names = attribute.name.split(separator: ".")[...]
    }

    private init(_ part: SnapshotPart) {
        slot = part.slot
        attribute = part.attribute
        names = part.names.dropFirst()
    }

    /// The parts by the first of their names, without it.
    static func grouped(_ parts: [SnapshotPart]) -> [(name: Substring, parts: [SnapshotPart])] {
        var groups: [(name: Substring, parts: [SnapshotPart])] = []
        for part in parts {
            guard let name = part.names.first else { continue }
            if groups.last?.name == name {
                groups[groups.count - 1].parts.append(SnapshotPart(part))
            } else {
                groups.append((name, [SnapshotPart(part)]))
            }
        }
        return groups
    }
}

import CambiumRecords

extension ObjectID {
    private static let scheme = "x-cambium://"

    /// The identity as text, such as `x-cambium://6E1B0C52-…/Product/p42`: the store's UUID, the
    /// entity and the key.
    ///
    /// It is final from the insertion on, and valid as long as the store exists, even if its file
    /// is moved. Entity names are ASCII identifiers, so nothing has to be escaped.
    public var uri: String {
        "\(Self.scheme)\(store.uuid.uuidString)/\(entity.name)/p\(key)"
    }

    /// Returns the ``uri`` as a URL, as in Core Data.
    public func uriRepresentation() -> URL {
        URL(string: uri) ?? URL(filePath: "/")
    }

    /// Reads the identity from its ``uri``. Each object has one text, except that the letters of
    /// the UUID may be in lower case, as some tools write URLs.
    ///
    /// - Parameter find: Finds the entity by its name and store.
    init?(uri: String, find: (_ name: String, _ store: StoreIdentifier) -> EntityDescription?) {
        guard uri.hasPrefix(Self.scheme) else { return nil }
        let parts = uri.dropFirst(Self.scheme.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let uuid = UUID(uuidString: String(parts[0])),
            uuid.uuidString == parts[0].uppercased(), let key = Int64(parts[2].dropFirst()),
            // The key has no sign and no leading zeros.
            parts[2] == "p\(key)"
        else { return nil }
        let store = StoreIdentifier(uuid)
        guard let entity = find(String(parts[1]), store) else { return nil }
        self.init(entity, key: key, store: store)
    }

    /// Reads the identity of an object of a model from its text.
    init?(uri: String, in model: ModelDescription) {
        self.init(uri: uri) { name, _ in model[name] }
    }
}

extension ObjectID: Codable {
    /// Writes the identity as its ``uri``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uri)
    }

    /// Reads the identity from its ``uri``.
    ///
    /// - Throws: `DecodingError` if the text is not an identity. Also if this program has not
    ///   opened the store, and not exactly one model in use has an entity of that name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let uri = try container.decode(String.self)
        guard let id = ObjectID(uri: uri, find: PreparedModels.entity) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "It is not an identity of an object of a model in use.")
        }
        self = id
    }
}

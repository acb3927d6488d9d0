extension ObjectID {
    /// The identity as text, such as `cambium://9f86d081884c7d65/Shop/Product/42`: the store, the
    /// model, the entity and the key.
    ///
    /// The store is named by the path of its file, or, in memory, by a number that holds as long as
    /// the process lives.
    public var uri: String {
        "cambium://\(String(store, radix: 16))/\(entity.model.name)/\(entity.name)/\(key)"
    }

    /// Reads the identity from its text.
    ///
    /// - Parameter model: The model that it must be of; nil for one that the program uses.
    init?(uri: String, in model: RuntimeModel?) {
        let scheme = "cambium://"
        let parts = uri.dropFirst(scheme.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard uri.hasPrefix(scheme), parts.count == 4, let store = UInt64(parts[0], radix: 16),
            let key = Int64(parts[3]),
            let model = model ?? PreparedModels[String(parts[1])],
            model.model.name == parts[1], let entity = model[String(parts[2])]
        else { return nil }
        self.init(entity, key: key, store: store)
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
    /// - Throws: `DecodingError` where it is none, or of an entity that no model has which the
    ///   program has used so far, by opening a store or decoding a ``Snapshot``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let uri = try container.decode(String.self)
        guard let id = ObjectID(uri: uri, in: nil) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "It is no identity of an object of a model in use.")
        }
        self = id
    }
}

extension StoreCoordinator {
    /// The identity that a text names, or nil where it is none of this store.
    public func objectID(forURI uri: String) -> ObjectID? {
        ObjectID(uri: uri, in: model).flatMap { $0.store == store.identifier ? $0 : nil }
    }
}

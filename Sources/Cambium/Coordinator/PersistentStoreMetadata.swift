/// What a store says about itself.
public struct PersistentStoreMetadata: Sendable, Hashable {
    /// The store's UUID: its identity, wherever its file is.
    public let identifier: UUID
    /// What keeps the rows.
    public let type: StoreType
    /// The name of the model.
    public let modelName: String
    /// The name of the model's version.
    public let modelVersion: String
    /// The hash of the model's version.
    public let versionHash: String
    /// What the program noted, by names of its own.
    public let notes: [String: String]

    /// Whether a program with this model can open the store without a migration: it has the model's
    /// version, by name and by hash. Two versions that look the same can have a migration between
    /// them, which fills values anew.
    public func isCompatible(with model: Model) -> Bool {
        modelName == model.name && modelVersion == model.version
            && versionHash == model.versionHash
    }
}

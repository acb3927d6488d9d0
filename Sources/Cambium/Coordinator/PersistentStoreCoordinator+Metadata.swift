import CambiumSQLiteStore

extension PersistentStoreCoordinator {
    /// What a store of the coordinator says about itself. Notes that wait for a save count.
    ///
    /// - Throws: What the store threw.
    public func metadata(for store: PersistentStore) throws -> PersistentStoreMetadata {
        PersistentStoreMetadata(
            identifier: store.identifier, type: store.type, modelName: model.model.name,
            modelVersion: model.model.version, versionHash: model.model.versionHash,
            notes: try store.store.notes())
    }

    /// Replaces the program's notes in the metadata of a store. They are written with the next save
    /// of a context, in its transaction, also where it has nothing else to write.
    public func setMetadata(_ notes: [String: String], for store: PersistentStore) {
        store.store.setNotes(notes)
    }

    /// What a store says about itself, without opening it for objects.
    ///
    /// - Throws: ``StoreLoadingError`` where there is no store at the place, or it cannot be read.
    public static func metadata(
        ofStoreAt location: StoreLocation, type: StoreType = .sqlite
    ) throws(StoreLoadingError) -> PersistentStoreMetadata {
        try withMetadata(of: location, type, isReadOnly: true) { access in
            let found = try access.metadata(path: location.path)
            return PersistentStoreMetadata(
                identifier: found.identifier, type: .sqlite, modelName: found.model.model,
                modelVersion: found.model.version, versionHash: found.model.versionHash,
                notes: found.notes)
        }
    }

    /// Replaces the program's notes in the metadata of a store, at once and without opening it for
    /// objects.
    ///
    /// - Throws: ``StoreLoadingError`` where there is no store at the place, or it cannot be
    ///   written.
    public static func setMetadata(
        _ notes: [String: String], forStoreAt location: StoreLocation, type: StoreType = .sqlite
    ) throws(StoreLoadingError) {
        try withMetadata(of: location, type, isReadOnly: false) { access in
            _ = try access.metadata(path: location.path)
            try access.setNotes(notes)
        }
    }

    private static func withMetadata<Result>(
        of location: StoreLocation, _ type: StoreType, isReadOnly: Bool,
        _ body: (StoreMetadataAccess) throws -> Result
    ) throws(StoreLoadingError) -> Result {
        do {
            guard let path = location.path, type == .sqlite else {
                throw StoreError.invalidRequest(
                    "Only the metadata of a SQLite store in a file can be used without "
                        + "opening the store.",
                    remedy: "Add the store to a coordinator, and use the coordinator's metadata.")
            }
            return try SQLiteFile.withMetadata(of: path, isReadOnly: isReadOnly, body)
        } catch {
            throw StoreLoadingError(StoreDescription(type: type, location: location), error)
        }
    }
}

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
    /// them, which fills values again.
    public func isCompatible(with model: Model) -> Bool {
        modelName == model.name && modelVersion == model.version
            && versionHash == model.versionHash
    }
}

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
        try SQLiteFile.withMetadata(of: location, type, isReadOnly: true) {
            try $0.metadata(path: location.path)
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
        try SQLiteFile.withMetadata(of: location, type, isReadOnly: false) { access in
            _ = try access.metadata(path: location.path)
            try access.setNotes(notes)
        }
    }
}

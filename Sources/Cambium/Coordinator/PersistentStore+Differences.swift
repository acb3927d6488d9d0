import CambiumMigration

extension PersistentStore {
    /// What another program has changed about the store's tables and indexes, or added beside them,
    /// sorted by name: what ``DriftPolicy/report`` lets pass. Compares them now.
    ///
    /// - Throws: ``SQLiteError`` where the store cannot be read. Stores of types of the program's own
    ///   have no tables, and so no differences.
    public func differences() throws -> [StoreDifference] {
        guard let sqlite = store as? SQLiteStore else { return [] }
        return try sqlite.withReader { reader in
            try MigrationRunner(model: sqlite.model.model, statements: sqlite.model.schema)
                .differences(in: reader)
        }
    }
}

import CambiumMigration

/// The file of a store that is being made: it is there as a whole, with the files of its large
/// values, or not at all.
struct NewStoreFile {
    let path: String

    /// Makes the file.
    ///
    /// - Parameter write: Writes it at another place, from which it is moved to its own. Files of
    ///   large values are written beside their own place at once.
    /// - Throws: ``StoreError`` where there is a file already; what the body throws.
    func make(_ write: (_ unfinished: String) throws -> Void) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: path) else {
            throw StoreError(
                code: .invalidRequest,
                message: "There is a file at \(path) already. Remove it, or replace it with "
                    + "replacePersistentStore(at:withStoreFrom:).")
        }
        let unfinished = "\(path).unfinished"
        Self.removeDatabase(unfinished)
        do {
            try write(unfinished)
            try files.moveItem(atPath: unfinished, toPath: path)
        } catch {
            Self.removeDatabase(unfinished)
            StoreFiles.removeExternalFiles(ofStore: path)
            throw error
        }
    }

    /// Takes everything back that was made.
    func remove() {
        Self.removeDatabase(path)
        StoreFiles.removeExternalFiles(ofStore: path)
    }

    private static func removeDatabase(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }
}

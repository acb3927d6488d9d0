import CambiumModel
import CambiumSQLite

/// The copy of a store that is made before its migration. It has its name only from the moment on
/// in which all of the migration has run, so that one that fails again and again does not fill the
/// disk with copies of a store that is as it was.
struct MigrationBackup {
    /// Where it is when it is finished.
    let path: String
    private let store: String
    private var unfinished: String { path + ".unfinished" }

    /// Copies the store as it is. Nobody else can write it or copy it meanwhile, because the
    /// connection of the migration is in its transaction; it has written nothing yet.
    ///
    /// - Parameters:
    ///   - connection: The connection of the migration.
    ///   - path: The store's path.
    ///   - copy: Where the copy goes; where there is a file of that name, it gets a number.
    ///   - goesOn: Asked while pages are copied.
    init(
        of connection: Connection, at path: String, to copy: String,
        _ goesOn: (_ copied: Int, _ total: Int) -> Bool
    ) throws(SQLiteError) {
        store = path
        self.path = Self.freePath(for: copy)
        // One that was begun by a process that was killed.
        removeUnfinished()
        do {
            var settings = ConnectionSettings()
            settings.fileSystem = connection.fileSystem
            // A connection that has begun to write cannot be copied from.
            try Connection(path: path, mode: .readOnly, settings: settings)
                .backup(to: unfinished, goesOn)
        } catch {
            removeUnfinished()
            throw error
        }
    }

    /// Gives the copy its name, and the files of large values; on the disk when this returns.
    func finish() throws(MigrationError) {
        do {
            try StoreFiles.linkExternalFiles(ofStore: store, to: path)
            try FileManager.default.moveItem(atPath: unfinished, toPath: path)
        } catch {
            throw .backupOfFilesFailed(path: path, reason: "\(error)")
        }
        let folder = StoreFiles.folder(of: path)
        guard StoreFiles.synchronize(folder: folder) else {
            throw .backupOfFilesFailed(
                path: path, reason: "The folder \(folder) could not be written to the disk")
        }
    }

    /// Removes the copy, finished or not, where the store is as it was.
    func remove() {
        removeUnfinished()
        try? FileManager.default.removeItem(atPath: path)
        StoreFiles.removeExternalFiles(ofStore: path)
    }

    private func removeUnfinished() {
        // A journal that stayed would be played back into the next copy.
        for suffix in ["-journal", "-wal", "-shm", ""] {
            try? FileManager.default.removeItem(atPath: unfinished + suffix)
        }
    }

    private static func freePath(for base: String) -> String {
        var path = base
        var number = 2
        while FileManager.default.fileExists(atPath: path) {
            path = "\(base)-\(number)"
            number += 1
        }
        return path
    }
}

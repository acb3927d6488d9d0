import CambiumModel
import CambiumSQLite

/// The copies of a store that are made before a migration deletes data or makes it less exact, or
/// before a repair.
public enum MigrationBackupPolicy: String, Sendable, Hashable, CaseIterable {
    /// A copy: of a file beside it, `NAME.backup-VERSION`; on a server of the tables that the
    /// migration writes, in a schema of their own, `SCHEMA_backup_VERSION`. It stays until it is
    /// removed explicitly. The migration takes more time and room.
    case beforeLoss
    /// No backup. Use it if the program has copied the store itself, such as with `pg_dump`.
    case none
}

/// The copy of a store before its migration. It gets its final name only when the complete
/// migration has run. A migration that fails repeatedly therefore does not fill the disk with
/// copies of an unchanged store.
struct MigrationBackup {
    /// The path of the finished copy.
    private(set) var path: String
    /// The last earlier copy, if there is one.
    private let former: String?
    /// Whether that one is the very same, and replaces this one.
    private var isFormer = false
    /// Whether the file at `path` is this copy.
    private var isNamed = false
    /// The files of large values that existed in the copy's folder before.
    private var formerFiles: Set<String> = []
    private let store: String
    private let unfinished: String

    /// Copies the current store. No other process can write or copy the store meanwhile, because
    /// the migration has begun its transaction. The migration has written nothing yet.
    ///
    /// - Parameters:
    ///   - connection: The connection of the migration.
    ///   - store: The store's path.
    ///   - copy: The path of the copy. If a file of that name exists, a number is added.
    ///   - shouldContinue: Called while pages are copied; false cancels the copy.
    init(
        of connection: Connection, at store: String, to copy: String,
        _ shouldContinue: (_ copied: Int, _ total: Int) -> Bool
    ) throws(SQLiteError) {
        self.store = store
        (path, former) = Self.freePath(for: copy)
        unfinished = path + ".unfinished"
        // One that was begun by a process that was killed.
        removeUnfinished()
        do {
            var settings = ConnectionSettings()
            settings.fileSystem = connection.fileSystem
            // A connection that has begun to write cannot be copied from.
            try Connection(path: store, mode: .readOnly, settings: settings)
                .backUp(store, to: unfinished, shouldContinue)
        } catch {
            removeUnfinished()
            throw error
        }
    }

    /// Gives the copy its name, and adds the files of large values. When the method returns, the
    /// copy is on the disk.
    ///
    /// If a process is killed after this call and before the commit, it leaves a copy of an
    /// unchanged store. The next migration then does not need a second copy.
    mutating func finish() throws(MigrationError) {
        do {
            if let former, FileManager.default.contentsEqual(atPath: former, andPath: unfinished) {
                removeUnfinished()
                (path, isFormer) = (former, true)
            }
            let files = ExternalFiles(ofStore: path, permissionsOf: store)
            formerFiles = files.names
            try ExternalFiles(ofStore: store).link(into: files)
            if !isFormer {
                try FileManager.default.moveItem(atPath: unfinished, toPath: path)
                isNamed = true
            }
        } catch {
            throw .backupOfFilesFailed(path: path, reason: StoreFiles.reason(for: error))
        }
        let folder = StoreFiles.folder(of: path)
        guard StoreFiles.synchronize(folder: folder) else {
            throw .backupOfFilesFailed(
                path: path, reason: "The folder \(folder) could not be written to the disk")
        }
    }

    /// Removes the copy, finished or not, if the store is unchanged.
    func remove() {
        removeUnfinished()
        // Files that existed before must not be deleted.
        if isFormer { return }
        if isNamed { StoreFiles.removeFiles([path]) }
        ExternalFiles(ofStore: path).removeAll(except: formerFiles)
    }

    private func removeUnfinished() {
        StoreFiles.removeDatabase(unfinished)
    }

    private static func freePath(for base: String) -> (free: String, last: String?) {
        var path = base
        var last: String?
        var number = 2
        while StoreFiles.exists(path) {
            last = path
            path = "\(base)-\(number)"
            number += 1
        }
        return (path, last)
    }
}

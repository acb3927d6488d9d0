import CambiumMigration
import CambiumModel

/// The file of a store that is being made, which gets its name when it is whole.
struct NewStore {
    /// Its path at the end.
    let path: String
    /// Its path meanwhile.
    let unfinished: String

    private static let suffixes = ["", "-journal", "-wal", "-shm"]

    /// - Throws: Where there is something at the path.
    init(path: String) throws(AdoptionError) {
        self.path = path
        unfinished = path + ".adopting"
        for suffix in Self.suffixes where FileManager.default.fileExists(atPath: path + suffix) {
            throw .destinationExists(path: path + suffix)
        }
        // What a process that was killed has left.
        remove()
        let folder = StoreFiles.folder(of: path)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .cannotWrite(path: folder, reason: "\(error)")
        }
    }

    /// The folder of the files of large values, meanwhile.
    var externalFolder: String { ExternalForm.folder(ofStore: unfinished) }

    /// Gives it its name; it is on the disk when this returns. Nobody has it open.
    func finish() throws(AdoptionError) {
        let files = FileManager.default
        do {
            if files.fileExists(atPath: externalFolder) { try moveExternalFiles() }
            guard StoreFiles.synchronize(folder: unfinished) else {
                throw AdoptionError.cannotWrite(
                    path: unfinished, reason: "it could not be written to the disk")
            }
            try files.moveItem(atPath: unfinished, toPath: path)
            _ = StoreFiles.synchronize(folder: StoreFiles.folder(of: path))
        } catch let error as AdoptionError {
            throw error
        } catch {
            throw .cannotWrite(path: path, reason: "\(error)")
        }
    }

    /// Removes all that was made.
    func remove() {
        for suffix in Self.suffixes {
            try? FileManager.default.removeItem(atPath: unfinished + suffix)
        }
        try? FileManager.default.removeItem(atPath: externalFolder)
    }

    /// The files have their place before the store that leads to them. A folder that is there is
    /// what a process left that was killed just then; nothing leads to its files.
    private func moveExternalFiles() throws {
        let files = FileManager.default
        let folder = ExternalForm.folder(ofStore: path)
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: externalFolder) {
            try files.moveItem(atPath: "\(externalFolder)/\(name)", toPath: "\(folder)/\(name)")
        }
        try files.removeItem(atPath: externalFolder)
        _ = StoreFiles.synchronize(folder: folder)
    }
}

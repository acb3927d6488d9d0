import CambiumMigration
import CambiumModel

/// The file of a store that is being made, which gets its name when it is whole. Only one adoption
/// at a time makes it.
package final class NewStore {
    /// Its path at the end.
    let path: String
    /// Its path meanwhile.
    let unfinished: String
    /// The path of a copy of the old store, where one is needed.
    let copyOfSource: String
    private var lock: AdoptionLock?
    /// The files of large values that have their place already.
    private var moved: [String] = []

    private static let suffixes = ["", "-journal", "-wal", "-shm"]
    private static let sourceSuffix = "-source"

    /// Writes nothing yet.
    ///
    /// - Parameters:
    ///   - path: Where it is to be.
    ///   - source: The store that Core Data wrote.
    /// - Throws: Where it would be written over that one.
    package init(path: String, from source: String) throws(AdoptionError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        unfinished = UnfinishedFile.path(for: path, Self.mark)
        copyOfSource = unfinished + Self.sourceSuffix
        let source = CoreDataFiles(ofStore: source)
        for file in Self.files(ofStore: path) where source.contains(file) {
            throw .destinationIsSource(path: file)
        }
    }

    /// The files that are written for a new store.
    package static func files(ofStore path: String) -> [String] {
        suffixes.map { path + $0 } + [AdoptionLock.path(ofStore: path)]
    }

    /// Makes sure that nobody else makes the store, and that there is nothing yet. Called as often
    /// as one likes.
    ///
    /// - Throws: Where there is something at the path, or another adoption is under way.
    func prepare() throws(AdoptionError) {
        guard lock == nil else { return }
        try requireNothingThere()
        let folder = StoreFiles.folder(of: path)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .cannotWrite(path: folder, reason: StoreFiles.reason(for: error))
        }
        let lock = try AdoptionLock(ofStore: path)
        // The one that had the lock before may have made it.
        try requireNothingThere()
        self.lock = lock
        removeLeftovers()
    }

    private static let mark = ".adopting"

    /// Removes what a process that was killed has left. Whoever makes one now has the lock.
    private func removeLeftovers() {
        let suffixes = Self.suffixes + Self.suffixes.map { Self.sourceSuffix + $0 }
        for file in UnfinishedFile.leftovers(of: path, Self.mark, suffixes) {
            // The folder first, as nothing leads to it when the file is gone.
            try? FileManager.default.removeItem(atPath: ExternalForm.folder(ofStore: file))
            StoreFiles.removeFiles([file])
        }
    }

    private func requireNothingThere() throws(AdoptionError) {
        for suffix in Self.suffixes where StoreFiles.isThere(path + suffix) {
            throw .destinationExists(path: path + suffix)
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
                throw AdoptionError.cannotWrite(path: unfinished, reason: StoreFiles.lastRefusal)
            }
            try files.moveItem(atPath: unfinished, toPath: path)
            _ = StoreFiles.synchronize(folder: StoreFiles.folder(of: path))
        } catch let error as AdoptionError {
            throw error
        } catch {
            throw .cannotWrite(path: path, reason: StoreFiles.reason(for: error))
        }
    }

    /// Removes all that was made.
    func remove() {
        StoreFiles.removeFiles(Self.suffixes.map { unfinished + $0 } + moved)
        moved = []
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
            moved.append("\(folder)/\(name)")
        }
        try files.removeItem(atPath: externalFolder)
        _ = StoreFiles.synchronize(folder: folder)
    }
}

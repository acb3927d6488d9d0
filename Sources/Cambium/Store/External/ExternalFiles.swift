/// The folder of the large values of a store.
///
/// A save first says in a journal, a file of its own, which files it will make and which will be
/// superfluous after it; then it makes files, writes rows, commits, removes what is superfluous and
/// then the journal. Whatever is killed in between leaves a journal, and whoever opens the store
/// next removes those of the named files that no row leads to (``ExternalSweep``). All of it happens under the store's
/// write lock, except what comes after the commit, which may happen twice.
final class ExternalFiles: Sendable {
    let folder: String

    init(storePath: String) {
        folder = ExternalForm.folder(ofStore: storePath)
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The content of a file.
    func read(_ name: String) throws -> Data {
        // A name that leads elsewhere is none of ours.
        guard ExternalSweep.isOurs(name) else {
            throw StoreError(code: .corrupt, message: "\(name) is no name of a file of the store.")
        }
        return try Data(contentsOf: URL(filePath: path(name)))
    }

    /// A name that no file has.
    static func makeName() -> String { UUID().uuidString }

    // MARK: Saving

    /// Makes files, having said so in a journal.
    ///
    /// - Parameter superfluous: The names of the files that no row leads to after the save.
    /// - Returns: The journal's name.
    func write(_ files: [String: Data], superfluous: Set<String>) throws -> String {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let journal = Self.makeName() + ExternalSweep.journalSuffix
        let names = files.keys.sorted() + superfluous.sorted()
        try make(journal, Data(names.joined(separator: "\n").utf8))
        try SystemFile.synchronize(folder: folder)
        do {
            for (name, data) in files { try make(name, data) }
            try SystemFile.synchronize(folder: folder)
        } catch {
            finish(journal, removing: files.keys)
            throw error
        }
        return journal
    }

    /// Makes a file and waits until it is on the disk. One that was begun and could not be finished
    /// is removed.
    private func make(_ name: String, _ data: Data) throws {
        let file = try SystemFile.making(path(name))
        do {
            try file.append(data)
            try file.synchronize()
        } catch {
            SystemFile.remove(path(name))
            throw error
        }
    }

    /// Removes files and then the journal.
    func finish(_ journal: String, removing names: some Sequence<String>) {
        for name in names { SystemFile.remove(path(name)) }
        SystemFile.remove(path(journal))
    }
}

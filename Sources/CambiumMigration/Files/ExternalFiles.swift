import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The folder of the large values of a store. Only files in that folder count, not the targets of
/// links. Other files in the folder do not belong to the store, and stay.
///
/// A save first writes a journal, which is a file of its own. It names the files that the save will
/// create, and the files that will be superfluous after it. Then the save creates files, writes
/// rows, commits, removes the superfluous files, and finally removes the journal. If the process is
/// killed in between, the journal is left. The next process that opens the store then removes the
/// named files that no row references (``ExternalSweep``). All of this happens under the store's
/// write lock, except for the work after the commit, which may happen twice.
package struct ExternalFiles: Sendable {
    /// The path of the folder.
    package let folder: String
    /// The file with the permissions for them.
    private let store: String

    private static let journalSuffix = ".journal"

    /// - Parameters:
    ///   - path: The path of the store.
    ///   - permissionsOf: The file with the permissions for the files, while the store has another
    ///     name; nil is the store itself.
    package init(ofStore path: String, permissionsOf other: String? = nil) {
        folder = ExternalForm.folder(ofStore: path)
        store = other ?? path
    }

    // MARK: Names

    /// A name that no file has.
    package static func makeName() throws(RandomNumbersError) -> String {
        try UUID.random().uuidString
    }

    /// Whether a file of that name is one of a large value. A name that resolves elsewhere is not.
    package static func isName(_ name: some StringProtocol) -> Bool { UUID.isSpelled(name) }

    private static func isJournal(_ name: String) -> Bool {
        name.hasSuffix(journalSuffix) && isName(name.dropLast(journalSuffix.count))
    }

    /// The names of all values and journals. Empty if the folder does not exist or cannot be read.
    package var names: Set<String> {
        let names = (try? SystemFolder(folder).names()) ?? []
        return Set(names.filter { Self.isName($0) || Self.isJournal($0) })
    }

    /// The names of the values that no journal names. A save that is about to write or to remove a
    /// value has named it in a journal. Empty if a journal cannot be read.
    package var settledNames: Set<String> {
        let names = names
        var values = names.filter(Self.isName)
        for journal in names where Self.isJournal(journal) {
            if let named = try? self.names(inJournal: journal) {
                values.subtract(named)
            } else if self.names.contains(journal) {
                return []
            }
        }
        return values
    }

    /// The names of the journals.
    var journals: [String] { names.filter(Self.isJournal) }

    // MARK: Reading

    /// Returns the content of a file.
    ///
    /// - Throws: ``FileError`` if it cannot be read, if it is not a file, or if the name is not
    ///   that of a value.
    package func read(_ name: String) throws(FileError) -> Data {
        try file(name).contents()
    }

    /// The size of a file in bytes.
    ///
    /// - Throws: ``FileError`` as ``read(_:)`` does.
    package func size(_ name: String) throws(FileError) -> Int {
        try file(name).size ?? 0
    }

    /// The names in a journal.
    func names(inJournal journal: String) throws(FileError) -> [String] {
        String(decoding: try contents(journal), as: UTF8.self).split(separator: "\n")
            .filter(Self.isName).map(String.init)
    }

    private func file(_ name: String) throws(FileError) -> SystemFile {
        guard Self.isName(name) else {
            throw FileError(
                name.excerpt(), "read", because: "it is not a name of a file of the store")
        }
        return try SystemFile.reading(file: name, in: SystemFolder(folder))
    }

    private func contents(_ name: String) throws(FileError) -> Data {
        try SystemFile.reading(file: name, in: SystemFolder(folder)).contents()
    }

    // MARK: Writing

    /// Creates files, after naming them in a journal. If one of them cannot be created, none is.
    ///
    /// - Parameter superfluous: The names of the files that no row references after the save.
    /// - Returns: The journal's name.
    /// - Throws: ``FileError``; if a file of such a name exists already, it stays.
    ///   `RandomNumbersError`.
    package func write(_ files: [String: Data], superfluous: Set<String>) throws -> String {
        let (folder, mode) = try makeFolder()
        let journal = try makeJournal(of: files.keys.sorted() + superfluous.sorted(), folder, mode)
        var made: [String] = []
        do {
            for (name, data) in files {
                made.append(name)
                do throws(FileError) {
                    try folder.make(name, mode: mode) { file throws(FileError) in
                        try file.append(data)
                    }
                } catch {
                    if error.isOfExisting { made.removeLast() }
                    throw error
                }
            }
            try folder.synchronize()
        } catch {
            finish(journal, removing: made)
            throw error
        }
        return journal
    }

    /// Names files in a journal, because each of them may be superfluous after the next operation.
    ///
    /// - Parameter names: Nil names all values.
    /// - Returns: The journal's name; nil if there are no files.
    package func announce(_ names: [String]? = nil) throws -> String? {
        let files = names ?? self.names.filter(Self.isName).sorted()
        guard !files.isEmpty else { return nil }
        let (folder, mode) = try makeFolder()
        return try makeJournal(of: files, folder, mode)
    }

    /// Gives a value a file of its own without a journal, for a store that is being created.
    ///
    /// - Returns: The name of the file.
    /// - Throws: ``FileError``, `RandomNumbersError`.
    package func add(_ value: SystemFile) throws -> String {
        let (folder, mode) = try makeFolder()
        let name = try Self.makeName()
        try folder.make(name, mode: mode, value.copy)
        return name
    }

    private func makeFolder() throws(FileError) -> (SystemFolder, FileMode) {
        let permissions = StorePermissions(of: store)
        let folder = try permissions.makeFolder(folder)
        return (folder, permissions.mode(in: folder.path))
    }

    private func makeJournal(
        of names: [String], _ folder: SystemFolder, _ mode: FileMode
    ) throws -> String {
        let journal = try Self.makeName() + Self.journalSuffix
        try folder.make(journal, mode: mode) { file throws(FileError) in
            try file.append(Array(names.joined(separator: "\n").utf8))
        }
        try folder.synchronize()
        return journal
    }

    // MARK: Removing

    /// Removes files and then the journal. The journal stays as long as one of the files exists.
    package func finish(_ journal: String, removing names: some Sequence<String>) {
        guard let folder = try? SystemFolder(folder) else { return }
        var allRemoved = true
        for name in names where !folder.remove(name) { allRemoved = false }
        if allRemoved { folder.remove(journal) }
    }

    /// Removes the values and journals of a store that was destroyed or replaced. If the folder is
    /// then empty, removes the folder.
    ///
    /// - Parameter kept: The files that rows reference now, and the files that existed before.
    package func removeAll(except kept: Set<String> = []) {
        guard let open = try? SystemFolder(folder) else { return }
        for name in names where !kept.contains(name) { open.remove(name) }
        StoreFiles.removeFolder(ifEmpty: folder)
    }

    // MARK: Copying

    /// Gives a copy of the store its files. Files are never changed, so hard links are enough. If
    /// the file system has no links, the files are copied.
    package func link(into copy: ExternalFiles) throws(FileError) {
        let source: SystemFolder
        do throws(FileError) {
            source = try SystemFolder(folder)
        } catch {
            if error.isMissing { return }
            throw error
        }
        let names = try source.names().filter { Self.isName($0) || Self.isJournal($0) }
        guard !names.isEmpty else { return }
        let (target, mode) = try copy.makeFolder()
        for name in names { try source.link(name, into: target, mode: mode) }
        try target.synchronize()
    }
}

/// Removes the files of large values that no row of a store references any more and that a journal
/// names. A save or a migration writes the journal before it commits. If a process is killed in
/// between, the next one that opens the store finishes the work.
package struct ExternalSweep {
    private let files: ExternalFiles
    private let columns: [ExternalColumns]

    /// - Parameters:
    ///   - files: The store's files.
    ///   - model: The store's model.
    package init(_ files: ExternalFiles, model: Model) {
        self.files = files
        columns = model.entities.filter { $0.parent == nil }
            .compactMap { ExternalColumns(of: $0, in: model) }
    }

    /// Whether there may be files to remove.
    package var hasJournals: Bool { !files.journals.isEmpty }

    /// Removes the files that the journals name and no row references, then the journals, and the
    /// folder if it is empty. A journal stays if it cannot be read, or if one of its files cannot
    /// be removed: the next sweep tries again. If there is a journal, this takes the store's write
    /// lock, and reads the tables that may reference files.
    package func run(_ connection: Connection) throws {
        guard hasJournals else { return }
        // If a failing power supply undid the commit, its rows would reference these files again.
        connection.checkpoint()
        try connection.transaction {
            let referenced = try referenced(connection)
            for journal in files.journals {
                guard let names = try? files.names(inJournal: journal) else { continue }
                files.finish(journal, removing: names.filter { !referenced.contains($0) })
            }
            StoreFiles.removeFolder(ifEmpty: files.folder)
        }
    }

    private func referenced(_ connection: Connection) throws -> Set<String> {
        var names: Set<String> = []
        for column in columns {
            for row in try connection.rows(column.queryOfAll) {
                if case .blob(let name)? = row.first {
                    names.insert(String(decoding: name, as: UTF8.self))
                }
            }
        }
        return names
    }
}

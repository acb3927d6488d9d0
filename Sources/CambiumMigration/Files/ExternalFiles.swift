import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The folder of the large values of a store: files of that folder, and nothing that a link points
/// to. Other files in it are none of the store's, and stay.
///
/// A save first says in a journal, a file of its own, which files it will make and which will be
/// superfluous after it; then it makes files, writes rows, commits, removes what is superfluous and
/// then the journal. A process that is killed in between leaves a journal, and the next process
/// that opens the store next removes those of the named files that no row references
/// (``ExternalSweep``). All of it happens under the store's write lock, except what comes after the
/// commit, which may happen twice.
package struct ExternalFiles: Sendable {
    /// The path of the folder.
    package let folder: String
    /// The file that says who may read and write them.
    private let store: String

    private static let journalSuffix = ".journal"

    /// - Parameters:
    ///   - path: The path of the store.
    ///   - permissionsOf: The file that says who may read and write the files, while the store has
    ///     another name; nil is the store itself.
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

    /// The names of all values and journals; none where there is no folder, or where it cannot be
    /// read.
    package var names: Set<String> {
        let names = (try? SystemFolder(folder).names()) ?? []
        return Set(names.filter { Self.isName($0) || Self.isJournal($0) })
    }

    /// The names of the values that no journal names: a save that is about to write or to remove one has
    /// said so in a journal. None where a journal cannot be read.
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

    /// The content of a file.
    ///
    /// - Throws: ``FileError`` where it cannot be read, is no file, or the name is none of ours.
    package func read(_ name: String) throws(FileError) -> Data {
        try file(name).contents()
    }

    /// How many bytes a file has.
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
                name.excerpt(), "read", because: "it is no name of a file of the store")
        }
        return try SystemFile.reading(file: name, in: SystemFolder(folder))
    }

    private func contents(_ name: String) throws(FileError) -> Data {
        try SystemFile.reading(file: name, in: SystemFolder(folder)).contents()
    }

    // MARK: Writing

    /// Makes files, having said so in a journal. Where one of them cannot be made, none is.
    ///
    /// - Parameter superfluous: The names of the files that no row references after the save.
    /// - Returns: The journal's name.
    /// - Throws: ``FileError``, also where there is something of a name already, which stays;
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

    /// Names files in a journal: each of them may be superfluous after what follows.
    ///
    /// - Parameter names: Nil names all values.
    /// - Returns: The journal's name; nil where there are no files.
    package func announce(_ names: [String]? = nil) throws -> String? {
        let files = names ?? self.names.filter(Self.isName).sorted()
        guard !files.isEmpty else { return nil }
        let (folder, mode) = try makeFolder()
        return try makeJournal(of: files, folder, mode)
    }

    /// Gives a value a file of its own, which no journal names: where the store itself is being made.
    ///
    /// - Returns: Its name.
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

    /// Removes files and then the journal, which stays as long as one of them does.
    package func finish(_ journal: String, removing names: some Sequence<String>) {
        guard let folder = try? SystemFolder(folder) else { return }
        var areGone = true
        for name in names where !folder.remove(name) { areGone = false }
        if areGone { folder.remove(journal) }
    }

    /// Removes the values and journals of a store that was destroyed, or that another one replaced,
    /// and the folder where nothing is left in it.
    ///
    /// - Parameter kept: Those that rows reference now, and those that were there before.
    package func removeAll(except kept: Set<String> = []) {
        guard let open = try? SystemFolder(folder) else { return }
        for name in names where !kept.contains(name) { open.remove(name) }
        StoreFiles.removeFolder(ifEmpty: folder)
    }

    // MARK: Copying

    /// Gives a copy of the store its files. They are never changed, so that links will do; where the
    /// file system has none they are copied.
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

/// Removes the files of large values that no row of a store references any more, where a journal
/// beside them names them: a save or a migration writes it before it commits. A process that is
/// killed in between leaves it to the next one that opens the store.
package struct ExternalSweep {
    private let files: ExternalFiles
    private let columns: [ExternalColumns]

    /// - Parameters:
    ///   - files: The store's files.
    ///   - model: What the store is a store of.
    package init(_ files: ExternalFiles, model: Model) {
        self.files = files
        columns = model.entities.filter { $0.parent == nil }
            .compactMap { ExternalColumns(of: $0, in: model) }
    }

    /// Whether there may be files to remove.
    package var hasJournals: Bool { !files.journals.isEmpty }

    /// Removes what the journals name and no row references, and then the journals; the folder too,
    /// where nothing is left. A journal that cannot be read stays, and so does one that names a
    /// file which cannot be removed: the next sweep tries again. Takes the store's write lock where
    /// there is a journal, and reads the tables that may reference files.
    package func run(_ connection: Connection) throws {
        guard hasJournals else { return }
        // A commit that a failing power supply takes back would reference these files again.
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

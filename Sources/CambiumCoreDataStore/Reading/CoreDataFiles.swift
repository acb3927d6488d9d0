import CambiumMigration
import CambiumModel

/// The files of a store that Core Data wrote: its own, those that SQLite keeps beside it, and those
/// of its large values.
package struct CoreDataFiles {
    /// The path of the store, without links: what lies beside it lies beside what a link leads to.
    let path: String
    private let folders: [String]

    static let suffixes = ["", "-wal", "-journal"]

    private static let folder = "_EXTERNAL_DATA"

    /// `Shop.sqlite` has `.Shop_SUPPORT/_EXTERNAL_DATA`.
    package init(ofStore path: String) {
        self.path = StoreFiles.resolved(path)
        let parts = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        let name = parts.last ?? ""
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        folders = [stem, name].map { "\(folder).\($0)_SUPPORT" }
    }

    /// Whether a path leads to one of the files, or to where one would be.
    package func contains(_ other: String) -> Bool {
        (Self.suffixes + ["-shm"]).contains { StoreFiles.isSameFile(other, path + $0) }
            || folders.contains { StoreFiles.isInside(other, folder: "\($0)/\(Self.folder)") }
    }

    /// The path that the file of a large value should have; nil where the name is none that Core
    /// Data gives.
    func path(of name: String) -> String? {
        UUID.isSpelled(name) ? "\(folders[0])/\(Self.folder)/\(name)" : nil
    }

    /// Opens the file of a large value: a file in the folder itself, and nothing that a link leads
    /// to.
    ///
    /// - Returns: Nil where there is none, or the name is none that Core Data gives.
    /// - Throws: ``CoreDataImportError/cannotRead(path:reason:)`` where there is something else, or where
    ///   nobody can tell.
    func open(_ name: String) throws(CoreDataImportError) -> SystemFile? {
        guard UUID.isSpelled(name) else { return nil }
        for folder in folders {
            do throws(FileError) {
                let support = try SystemFolder(folder)
                return try SystemFile.reading(
                    file: name, in: SystemFolder(Self.folder, in: support))
            } catch {
                if error.isMissing { continue }
                throw .cannotRead(path: error.path, reason: error.reason)
            }
        }
        return nil
    }
}

extension NewStore {
    /// The place of a store that is made of one that Core Data wrote.
    ///
    /// - Parameters:
    ///   - path: Where it is to be.
    ///   - source: The store that Core Data wrote.
    /// - Throws: Where it would be written over that one.
    package convenience init(path: String, from source: String) throws(CoreDataImportError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let files = CoreDataFiles(ofStore: source)
        for file in Self.files(ofStore: path) where files.contains(file) {
            throw .destinationIsSource(path: file)
        }
        do {
            try self.init(path, .coreData, allowing: StorePermissions(of: source))
        } catch {
            throw CoreDataImportError(error)
        }
    }
}

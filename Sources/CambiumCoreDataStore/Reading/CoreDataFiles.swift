import CambiumMigration
import CambiumModel

/// The files of a store that Core Data wrote: the database, SQLite's files beside it, and the files
/// of large values.
package struct CoreDataFiles {
    /// The path of the store, with links resolved: its other files are beside the file itself, not
    /// beside a link.
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

    /// Whether a path is that of one of the files, existing or not.
    package func contains(_ other: String) -> Bool {
        (Self.suffixes + ["-shm"]).contains { StoreFiles.isSameFile(other, path + $0) }
            || folders.contains { StoreFiles.isInside(other, folder: "\($0)/\(Self.folder)") }
    }

    /// The path for the file of a large value; nil if the name is not one that Core Data uses.
    func path(of name: String) -> String? {
        UUID.isSpelled(name) ? "\(folders[0])/\(Self.folder)/\(name)" : nil
    }

    /// Opens the file of a large value. The file must be in the folder itself; links are not
    /// followed.
    ///
    /// - Returns: Nil if there is no such file, or if the name is not one that Core Data uses.
    /// - Throws: ``CoreDataImportError/cannotRead(path:reason:)`` if it is not a file, or cannot be
    ///   examined.
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
    /// The place of a store that is imported from a store that Core Data wrote.
    ///
    /// - Parameters:
    ///   - path: The path of the new store.
    ///   - source: The store that Core Data wrote.
    /// - Throws: If the new store would overwrite the source.
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

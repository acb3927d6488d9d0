import CambiumMigration
import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files of a store that Core Data wrote: its own, those that SQLite keeps beside it, and those
/// of its large values.
package struct CoreDataFiles {
    /// The path of the store, without links: what lies beside it lies beside what a link leads to.
    let path: String
    private let folders: [String]

    static let suffixes = ["", "-wal", "-journal"]

    /// `Shop.sqlite` has `.Shop_SUPPORT/_EXTERNAL_DATA`.
    package init(ofStore path: String) {
        self.path = StoreFiles.resolved(path)
        let parts = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        let name = parts.last ?? ""
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        folders = [stem, name].map { "\(folder).\($0)_SUPPORT/_EXTERNAL_DATA" }
    }

    /// Whether a path leads to one of the files, or to where one would be.
    package func contains(_ other: String) -> Bool {
        (Self.suffixes + ["-shm"]).contains { StoreFiles.isSameFile(other, path + $0) }
            || folders.contains { StoreFiles.isInside(other, folder: $0) }
    }

    /// The path of the file of a large value; nil where the name is none that Core Data gives.
    func path(of name: String) -> String? {
        guard UUID(uuidString: name) != nil else { return nil }
        let paths = folders.map { "\($0)/\(name)" }
        return paths.first { FileManager.default.fileExists(atPath: $0) } ?? paths.first
    }

    /// Makes sure that a file which was not found is not there: in a folder that may not be searched
    /// each seems to be missing.
    ///
    /// - Throws: ``AdoptionError/cannotRead(path:reason:)``.
    func requireReadableFolders() throws(AdoptionError) {
        for folder in folders {
            // The name in the folder needs leave to search that and all above it.
            guard access("\(folder)/.", X_OK) != 0, ![ENOENT, ENOTDIR].contains(errno) else {
                continue
            }
            throw .cannotRead(path: folder, reason: StoreFiles.lastRefusal)
        }
    }
}

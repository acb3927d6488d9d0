import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The copies of a store's file that migrations have created beside it.
package enum MigrationCopies {
    /// Removes all copies, with their files of large values. A file of such a name that is not a
    /// store of that version stays.
    ///
    /// - Returns: The sorted paths of the removed copies.
    /// - Throws: An error if the folder cannot be read, or a copy cannot be removed.
    package static func removeAll(ofStore path: String) throws -> [String] {
        let found = try paths(ofStore: path)
        for copy in found {
            try FileManager.default.removeItem(atPath: copy)
            ExternalFiles(ofStore: copy).removeAll()
            StoreFiles.removeDatabase(copy)
        }
        return found
    }

    static func paths(ofStore path: String) throws -> [String] {
        let folder = StoreFiles.folder(of: path)
        let beginning = StoreFiles.name(of: path) + ".backup-"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasPrefix(beginning) }.sorted()
            .map { (name: $0, path: "\(folder)/\($0)") }
            .filter { isCopy(at: $0.path, named: String($0.name.dropFirst(beginning.count))) }
            .map(\.path)
    }

    /// Whether a file is a copy.
    ///
    /// - Parameter ending: The version, followed by a number if there were several.
    private static func isCopy(at path: String, named ending: String) -> Bool {
        guard !StoreFiles.isFolder(path),
            let connection = try? Connection(path: path, mode: .readOnly),
            let metadata = try? MigrationRunner.readMetadata(connection)
        else { return false }
        if ending == metadata.version { return true }
        guard ending.hasPrefix("\(metadata.version)-"),
            let number = Int(ending.dropFirst(metadata.version.count + 1))
        else { return false }
        return number > 1 && ending == "\(metadata.version)-\(number)"
    }
}

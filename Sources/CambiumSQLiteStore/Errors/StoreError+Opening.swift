import CambiumEngine
import CambiumModel
import CambiumSQLite

extension StoreError {
    /// Why the file of a store could not be opened, in the words of the file system where it knows.
    ///
    /// - Returns: nil where SQLite complains of something else than the file.
    init?(opening path: String, isReadOnly: Bool, _ error: SQLiteError) {
        guard Self.fileCodes.contains(error.primaryCode) else {
            self.init(error, in: .opening, path)
            return
        }
        let (problem, remedy) = Self.reason(path, isReadOnly)
        self.init(code: .cannotOpen, message: problem, remedy: remedy, underlying: error)
    }

    /// Read-only, input or output, cannot open, not authorized.
    private static var fileCodes: Set<Int32> { [8, 10, 14, 23] }

    private static func reason(
        _ path: String, _ isReadOnly: Bool
    ) -> (problem: String, remedy: String) {
        let folder =
            path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : path[..<$0] } ?? "."
        switch (FileKind(at: path), FileKind(at: String(folder))) {
        case (.folder, _):
            return (
                "There is a folder at \(path).",
                "Give the store the path of a file, such as one in that folder."
            )
        case (.nothing, .nothing) where path.hasPrefix("~"):
            return (
                "There is no folder \(folder) for the store \(path). A path is taken as it is: only a "
                    + "shell takes ~ for the home folder.",
                "Begin the path with FileManager.default.homeDirectoryForCurrentUser.path."
            )
        case (.nothing, .nothing):
            return (
                "There is no folder \(folder) for the store \(path).",
                "Create the folder, or correct the path."
            )
        case (.nothing, .file):
            return (
                "The store \(path) cannot be created, because \(folder) is a file.",
                "Correct the path."
            )
        case (.nothing, .folder) where isReadOnly:
            return (
                "There is no store \(path), and opening it for reading only does not create one.",
                "Correct the path, or open it once without isReadOnly."
            )
        case (.nothing, .folder):
            return (
                "The store \(path) cannot be created: the program may not write the folder, or its "
                    + "file system is mounted for reading only.",
                "Choose another folder, or let the program write there."
            )
        default:
            if isReadOnly, let obstacle = FilesAtRest(of: path).obstacleOfMount() {
                return (obstacle, FilesAtRest.remedyOfMount)
            }
            return (
                "The store \(path) cannot be opened.",
                "See that the program may read "
                    + (isReadOnly
                        ? "the file and its folder."
                        : "and write the file and its folder, or open it with isReadOnly.")
            )
        }
    }
}

/// What lies at a path.
private enum FileKind {
    case nothing
    case file
    case folder

    init(at path: String) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        switch attributes?[.type] as? FileAttributeType {
        case nil: self = .nothing
        case .typeDirectory?: self = .folder
        default: self = .file
        }
    }
}

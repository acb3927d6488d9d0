import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why no file of a path can hold a store. SQLite opens a database for each of them that is gone
/// when it is closed, or that is another file's.
package enum StorePathProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path is empty.
    case empty
    /// The path is SQLite's name of a database in memory.
    case memory
    /// The path is a URI.
    case uri(String)
    /// The system takes the path to end at a NUL.
    case nul
    /// The path ends with a slash.
    case folder(String)
    /// There is something else than a file or a folder, such as a pipe or a device.
    case noFile(String)

    /// - Returns: Nil where there is nothing wrong with the path itself. Whether a file can be opened
    ///   or made there, SQLite finds out.
    package init?(of path: String) {
        if path.isEmpty {
            self = .empty
        } else if path == ":memory:" {
            self = .memory
        } else if path.hasPrefix("file:") || Self.hasScheme(path) {
            self = .uri(path)
        } else if path.utf8.contains(0) {
            self = .nul
        } else if path.hasSuffix("/") {
            self = .folder(path)
        } else {
            var info = stat()
            let kinds = [S_IFREG, S_IFDIR]
            guard stat(path, &info) == 0, !kinds.contains(info.st_mode & S_IFMT) else { return nil }
            self = .noFile(path)
        }
    }

    /// Whether a path begins as the URL of a server does.
    private static func hasScheme(_ path: String) -> Bool {
        let scheme = path.prefix { $0.isASCII && $0.isLetter }
        return !scheme.isEmpty && path[scheme.endIndex...].hasPrefix("://")
    }

    /// Makes sure that there is nothing wrong with a path.
    package static func check(_ path: String) throws(StorePathProblem) {
        if let problem = StorePathProblem(of: path) { throw problem }
    }

    /// Whether who gave the path may have meant a store in memory.
    package var isOfMemory: Bool { self == .empty || self == .memory }

    /// What is wrong, and what to do about it.
    package var description: String { "\(problem) \(remedy)" }

    /// What is wrong.
    package var problem: String {
        switch self {
        case .empty: "The path of the store is empty."
        case .memory: "':memory:' is SQLite's name of a database in memory, not a file."
        case .uri(let path): "'\(path)' is a URI."
        case .nul: "The path of the store contains a NUL, at which the system would cut it."
        case .folder(let path): "'\(path)' is the path of a folder."
        case .noFile(let path): "\(path) is not a regular file."
        }
    }

    /// What to do about it.
    package var remedy: String {
        let example =
            switch self {
            case .memory: ", such as ./:memory: for one of that name"
            case .uri(let path):
                ", such as the path of that URL, or ./\(path) for a file of that name"
            case .folder: ", such as one in that folder"
            case .empty, .nul, .noFile: ""
            }
        return "Give the store the path of a file\(example)."
    }
}

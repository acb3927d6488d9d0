import CambiumMigration
import CambiumModel

/// Where a store is.
public enum StoreLocation: Sendable, Hashable {
    /// In a file, which is made where there is none. Beside it lie SQLite's `-wal` and `-shm`.
    ///
    /// What is a name of a database in memory to SQLite (an empty path, `:memory:`), a URI (`file:`)
    /// or the path of a folder is an error when the store is opened.
    case file(String)
    /// In memory, as long as the coordinator has it. For tests and scratch data.
    case memory

    /// In the file that a URL names, such as `.file(folder.appending(path: "shop.sqlite"))`.
    ///
    /// A URL that names no file, such as one of the web, is an error when the store is opened.
    public static func file(_ url: URL) -> StoreLocation { .file(url.pathOfFile) }

    /// The name that Core Data has for it.
    @available(*, unavailable, renamed: "memory")
    public static var inMemory: StoreLocation { .memory }

    /// The path of the file; nil in memory.
    public var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// Makes sure that a path can be that of a store's file, before anything is made.
    ///
    /// - Throws: ``StoreError`` with `cannotOpen`.
    package static func requireFile(_ path: String) throws(StoreError) {
        do {
            try StorePathProblem.check(path)
        } catch {
            let hint = error.isOfMemory ? " For a store in memory, use the location .memory." : ""
            throw StoreError(
                code: .cannotOpen, message: error.problem, remedy: error.remedy + hint)
        }
    }

    /// Whether another location is the same file. No place in memory is another one's.
    package func names(_ other: StoreLocation) -> Bool {
        guard let path, let otherPath = other.path else { return false }
        return URL(filePath: path).standardizedFileURL
            == URL(filePath: otherPath).standardizedFileURL
    }
}

extension URL {
    /// The path of the file that it names. Of a URL that names none all of it: no file has that path.
    package var pathOfFile: String { isFileURL ? path(percentEncoded: false) : absoluteString }
}

extension StoreLocation: CustomStringConvertible {
    /// The path, or `memory`.
    public var description: String { path ?? "memory" }
}

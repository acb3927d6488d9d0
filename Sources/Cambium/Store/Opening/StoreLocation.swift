/// Where a store is.
public enum StoreLocation: Sendable, Hashable, CustomStringConvertible {
    /// In a file, which is made where there is none. Beside it lie SQLite's `-wal` and `-shm`.
    ///
    /// What is a name of a database in memory to SQLite (an empty path, `:memory:`), a URI (`file:`)
    /// or the path of a folder is an error when the store is opened.
    case file(String)
    /// In memory, as long as the coordinator has it. For tests and scratch data.
    case memory
    /// On a server, or wherever stores of the type are: what the type was made with says where.
    case server(StoreType)

    /// In the file that a URL names, such as `.file(folder.appending(path: "shop.sqlite"))`.
    ///
    /// A URL that names no file, such as one of the web, is an error when the store is opened.
    public static func file(_ url: URL) -> StoreLocation { .file(url.pathOfFile) }

    /// The name that Core Data has for it.
    @available(*, unavailable, renamed: "memory")
    public static var inMemory: StoreLocation { .memory }

    /// The path of the file; nil elsewhere.
    public var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// What keeps the rows of a store there, unless a description says otherwise.
    var type: StoreType {
        if case .server(let type) = self { type } else { .sqlite }
    }

    /// Whether another location is the same file. No other place is another one's.
    package func names(_ other: StoreLocation) -> Bool {
        guard let path, let otherPath = other.path else { return false }
        return URL(filePath: path).standardizedFileURL
            == URL(filePath: otherPath).standardizedFileURL
    }

    /// The path, `memory`, or the name of the type.
    public var description: String {
        switch self {
        case .file(let path): path
        case .memory: "memory"
        case .server(let type): type.name
        }
    }
}

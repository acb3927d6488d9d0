/// The location of a store.
public enum StoreLocation: Sendable, Hashable, CustomStringConvertible {
    /// In a file. If it does not exist, it is created. SQLite's `-wal` and `-shm` files are next to
    /// it.
    ///
    /// An empty path, `:memory:`, a URI (`file:`) and the path of a folder have other meanings in
    /// SQLite. Each is an error when the store is opened.
    case file(String)
    /// In memory, as long as the coordinator has it. For tests and scratch data.
    case memory
    /// On a server, or in the location that the store type specifies.
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

    /// The type of a store there, unless a description specifies another one.
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

/// Where a store is.
public enum StoreLocation: Sendable, Hashable {
    /// In a file, which is made where there is none. Beside it lie SQLite's `-wal` and `-shm`.
    case file(String)
    /// In memory, as long as the coordinator has it. For tests and scratch data.
    case memory

    /// The path of the file; nil in memory.
    public var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// Whether another location is the same file. No place in memory is another one's.
    func names(_ other: StoreLocation) -> Bool {
        guard let path, let otherPath = other.path else { return false }
        return URL(filePath: path).standardizedFileURL
            == URL(filePath: otherPath).standardizedFileURL
    }
}

extension StoreLocation: CustomStringConvertible {
    /// The path, or `memory`.
    public var description: String { path ?? "memory" }
}

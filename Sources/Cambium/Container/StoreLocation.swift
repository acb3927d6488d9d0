/// Where a store is.
public enum StoreLocation: Sendable, Hashable {
    /// In a file, which is made where there is none. Beside it lie SQLite's `-wal` and `-shm`.
    case file(String)
    /// In memory, as long as the container lives. For tests and scratch data.
    case memory
}

/// How a container opens its store.
public struct StoreOptions: Sendable {
    /// Whether saves are refused. A store that needs a migration cannot be opened so. Default:
    /// false.
    public var isReadOnly = false
    /// Called before each statement of a migration, on the thread that opens the store.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?

    /// The defaults.
    public init() {}
}

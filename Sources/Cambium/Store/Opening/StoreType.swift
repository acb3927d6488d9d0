/// What keeps the rows of a store.
public struct StoreType: Sendable {
    /// The name, which the metadata of a store tell.
    public let name: String
    let kind: Kind

    enum Kind: Sendable {
        case sqlite
        case memory
        case atomic(@Sendable (StoreSetup) throws -> any AtomicStore)
        case incremental(@Sendable (StoreSetup) throws -> any IncrementalStore)
    }

    /// SQLite, in a file or in memory.
    public static let sqlite = StoreType(name: "SQLite", kind: .sqlite)
    /// SQLite in memory, whatever else is said about the place.
    public static let memory = StoreType(name: "InMemory", kind: .memory)

    /// The name that Core Data has for ``memory``.
    @available(*, unavailable, renamed: "memory")
    public static var inMemory: StoreType { memory }

    /// A type of the program's own, whose stores are read and written as a whole.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - make: Makes a store that is being added, which then is asked to load.
    public static func atomic(
        _ name: String, make: @escaping @Sendable (StoreSetup) throws -> any AtomicStore
    ) -> StoreType {
        StoreType(name: name, kind: .atomic(make))
    }

    /// A type of the program's own, whose stores find rows when they are asked for.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - make: Makes a store that is being added.
    public static func incremental(
        _ name: String, make: @escaping @Sendable (StoreSetup) throws -> any IncrementalStore
    ) -> StoreType {
        StoreType(name: name, kind: .incremental(make))
    }

    /// Whether a store of the type can take back what it has written, until it commits.
    var isTransactional: Bool {
        switch kind {
        case .sqlite, .memory: true
        case .atomic, .incremental: false
        }
    }
}

extension StoreType: Hashable {
    /// Whether both have the same name.
    public static func == (one: StoreType, other: StoreType) -> Bool { one.name == other.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

extension StoreType: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

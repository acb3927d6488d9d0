import CambiumRecords

extension StoreType {
    /// Returns a custom type of stores that are read and written completely.
    ///
    /// - Parameters:
    ///   - name: The name of the type.
    ///   - make: Creates a store when it is added. Afterwards the store loads its content.
    public static func atomic(
        _ name: String, make: @escaping @Sendable (StoreSetup) throws -> any AtomicStore
    ) -> StoreType {
        StoreType(name: name, kind: CustomKind { try AtomicBackend(make($0), $0.model) })
    }

    /// Returns a custom type of stores that find rows on request.
    ///
    /// - Parameters:
    ///   - name: The name of the type.
    ///   - make: Creates a store when it is added.
    public static func incremental(
        _ name: String, make: @escaping @Sendable (StoreSetup) throws -> any IncrementalStore
    ) -> StoreType {
        StoreType(name: name, kind: CustomKind { try IncrementalBackend(make($0), $0.model) })
    }
}

/// The information for creating a custom store.
public struct StoreSetup: Sendable {
    /// The model of the program.
    public let model: Model
    /// The names of the entities with objects in the store, including abstract ones.
    public let entityNames: [String]
    /// The location of the store. The store itself decides about its meaning.
    public let location: StoreLocation
    /// The description of the store, with its configuration and options.
    public let description: StoreDescription
}

/// The kind of custom stores.
struct CustomKind: StoreKind {
    let makeBackend: @Sendable (StoreSetup) throws -> any NodeBackend

    var isTransactional: Bool { false }

    func opener(for request: StoreOpeningRequest) -> any StoreOpening {
        let model = request.compiled.modelDescription
        let setup = StoreSetup(
            model: model.model,
            entityNames: model.entities.filter { request.roots.contains($0.rootIndex) }.map(\.name),
            location: request.description.location, description: request.description)
        return CustomOpener(
            model: model, roots: request.roots,
            isReadOnly: request.description.options.isReadOnly
        ) { try makeBackend(setup) }
    }
}

/// Opens a custom store.
struct CustomOpener: StoreOpening {
    let model: ModelDescription
    /// The numbers of the root entities that it is to hold.
    let roots: Set<Int>
    let isReadOnly: Bool
    let makeBackend: () throws -> any NodeBackend

    func open() throws -> (store: any StoreEngine, migration: MigrationOutcome) {
        let store = try CustomEngine(
            makeBackend(), model: model, roots: roots, isReadOnly: isReadOnly)
        return (store, .current)
    }

    func open(
        filledWith rows: MovedRows
    ) throws -> (store: any StoreEngine, report: MoveReport?) {
        let opened = try open().store
        try opened.insertRows(of: rows)
        return (opened, nil)
    }

    func removeNewStore() {}
}

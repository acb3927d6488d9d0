import CambiumRecords

extension StoreType {
    /// A type of the program's own, whose stores are read and written as a whole.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - make: Makes a store that is being added, which then is asked to load.
    public static func atomic(
        _ name: String, make: @escaping @Sendable (StoreSetup) throws -> any AtomicStore
    ) -> StoreType {
        StoreType(name: name, kind: CustomKind { try AtomicBackend(make($0), $0.model) })
    }

    /// A type of the program's own, whose stores find rows when they are asked for.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - make: Makes a store that is being added.
    public static func incremental(
        _ name: String, make: @escaping @Sendable (StoreSetup) throws -> any IncrementalStore
    ) -> StoreType {
        StoreType(name: name, kind: CustomKind { try IncrementalBackend(make($0), $0.model) })
    }
}

/// What a store of the program's own is told when it is made.
public struct StoreSetup: Sendable {
    /// The model of the program.
    public let model: Model
    /// The names of the entities whose objects the store is to hold, abstract ones too.
    public let entityNames: [String]
    /// Where the store is to be; in what sense is for the store to say.
    public let location: StoreLocation
    /// The configuration and the options that the program asked for.
    public let description: StoreDescription
}

/// Stores of the program's own.
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

/// Opens a store of the program's own.
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
        try opened.takeOver(rows)
        return (opened, nil)
    }

    func removeNewStore() {}
}

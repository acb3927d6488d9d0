import CambiumRecords
import Synchronization

/// A store of the program's own behind the seam of all stores. Conditions, orders, limits,
/// conflicts and links are worked out here, over rows that the backend finds.
final class CustomEngine: StoreEngine {
    let identifier: StoreIdentifier
    let isReadOnly: Bool
    let model: ModelDescription
    let backend: any NodeBackend
    /// Notes of the program that the next save is to write.
    let notesToWrite = Mutex<[String: String]?>(nil)
    private let isClosed = Atomic(false)
    /// Held while somebody saves.
    let saving = ThreadLock()
    /// Who hands rows to a context.
    let readers = WorkingThreads()

    init(
        _ backend: any NodeBackend, model: ModelDescription, roots: Set<Int>, isReadOnly: Bool
    ) throws {
        identifier = StoreIdentifier(backend.identifier)
        self.isReadOnly = isReadOnly
        self.model = model
        self.backend = backend
        for entity in model.entities where roots.contains(entity.rootIndex) {
            guard
                let derived = entity.attributes.compactMap(\.self)
                    .first(where: { $0.derivation != nil })
            else { continue }
            throw StoreError.invalidRequest(
                "\(entity.name).\(derived.name) is derived, and only SQLite stores "
                    + "compute derived attributes.",
                remedy: "Keep \(entity.name) in a SQLite store, or make the attribute a stored "
                    + "one.")
        }
    }

    func close() {
        isClosed.store(true, ordering: .releasing)
    }

    var isInUseByCaller: Bool {
        saving.isHeldByCaller || readers.includeCaller
    }

    /// The rows as an operation sees them that begins now.
    func makeGraph() throws -> NodeGraph {
        guard !isClosed.load(ordering: .acquiring) else { throw StoreError.closed }
        return NodeGraph(backend, model)
    }

    func externalData(named name: String) throws -> Data {
        throw StoreError(
            code: .missingFile, message: "A custom store has no files of large values.",
            remedy: "Keep the value in the custom store itself.")
    }

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        guard !isReadOnly else { throw StoreError.readOnly }
        return try backend.reserveKeys(ofEntity: model.entities[root].name, count: count)
    }

    // MARK: Metadata

    func notes() throws -> [String: String] {
        notesToWrite.withLock { $0 } ?? backend.notes
    }

    func setNotes(_ notes: [String: String]) {
        notesToWrite.withLock { $0 = notes }
    }

    // MARK: Opening

    static func requireVersion(_ hash: String, _ version: String, of model: Model) throws {
        guard hash != model.versionHash else { return }
        throw StoreError.invalidRequest(
            "The store has version \(version) of the model, but the program has version "
                + "\(model.version), and custom stores are not migrated.",
            remedy: "Convert the store in the program, and set its version.")
    }

    /// The name of the root entity of a row.
    static func root(of node: StoreNode, in model: Model) throws -> String {
        guard let entity = model.entity(named: node.entityName), !entity.isAbstract else {
            throw StoreError(
                code: .corrupt,
                message: "The store has a row of \(node.entityName), which is no entity of the "
                    + "model \(model.name), or an abstract one.",
                remedy: "Delete the row in the custom store, or correct its entity.")
        }
        return model.root(of: entity).name
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

    func open(filledWith rows: MovedRows) throws -> any StoreEngine {
        let opened = try open().store
        try opened.takeOver(rows)
        return opened
    }

    func removeNewStore() {}
}

/// What keeps the rows of a ``CustomEngine``.
protocol NodeBackend: Sendable {
    /// The identity of the store.
    var identifier: UUID { get }

    /// At least the rows that are asked for.
    func nodes(for request: StoreFetchRequest) throws -> [StoreNode]

    /// Writes changes, all or none.
    func save(_ request: StoreSaveRequest) throws

    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64>

    /// The first key of a root entity that was never given.
    ///
    /// - Parameter mayReserve: Whether it may be used up, where there is no other way to learn it.
    /// - Returns: nil where there is no other way and it may not.
    func nextKey(ofEntity root: String, mayReserve: Bool) throws -> Int64?

    /// What the program noted, as it was last saved.
    var notes: [String: String] { get }

    /// Whether unique constraints are looked after here, because nobody else does.
    var needsUniquenessChecks: Bool { get }
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

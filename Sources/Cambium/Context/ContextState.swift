import CambiumRecords
import Synchronization

/// The place at which a program has created a context.
struct ContextOrigin: Sendable {
    /// The file and the line; nil if the library created the context.
    let place: (fileID: StaticString, line: UInt)?

    /// The library made it.
    static let library = ContextOrigin(place: nil)

    /// The warning for a program that uses objects of a released context.
    var warning: String {
        let maker =
            place.map { "The context that was created at \($0.fileID):\($0.line)" }
            ?? "A context"
        return "\(maker) was released while its objects are in use: their relationships are empty, "
            + "and what is set is lost. Keep the context in a variable for as long as you use its "
            + "objects"
    }
}

/// The connection of objects to their context. It outlives the context, so that an object that
/// still exists answers instead of accessing freed memory.
final class ContextState {
    let coordinator: PersistentStoreCoordinator
    /// Creates the records of new and changed objects.
    let draftWriter = RecordWriter()
    /// Codes the values of codable attributes.
    private(set) lazy var codec = JSONCodec()
    /// Whether reads of the objects' properties are recorded for observers.
    var notesReads = false
    /// Tells whether the property that is read now is observed.
    private(set) lazy var probe = ObservationProbe()
    /// Records reads in the place of observers; set only while key paths are examined.
    var recorder: PropertyRecorder?
    /// The source of a child context's rows; nil for a context that reads from the stores.
    let parentReader: ParentReader?
    // Safety: loaded and stored, and nothing else.
    /// The evaluators of the entities' rules, by entity number.
    @exclusivity(unchecked) var ruleEvaluators = [Int: [RuleEvaluator]]()
    /// Receives links in place of a context if the object belongs to a batch insertion.
    var batchRow: BatchRowLinks?
    /// The state of the stores that rows are read from.
    var generation = QueryGenerationToken.unpinned {
        didSet { readsLatest = generation == .unpinned }
    }
    /// Whether that is the latest at each read.
    @exclusivity(unchecked) private(set) var readsLatest = true
    /// The objects that the context has.
    let registered: RegisteredObjects
    // Weak, not unowned: the last reference to a context may be released anywhere (in a task that
    // holds the container, in the `deinit` of a class of the main actor) while its objects are in
    // use.
    private(set) weak var context: ManagedObjectContext?

    /// - Parameter roots: The identity maps of the context that will be connected.
    init(
        _ coordinator: PersistentStoreCoordinator, parentReader: ParentReader? = nil,
        roots: [RootObjects] = []
    ) {
        self.coordinator = coordinator
        registered = RegisteredObjects(roots)
        self.parentReader = parentReader
    }

    #if DEBUG
        /// The place at which the context was created. Nil if the place is unknown, if there was no
        /// context, and after the warning.
        private var origin: ContextOrigin?
        /// The warnings that were printed.
        private static let reported = Mutex<Set<String>>([])
    #endif

    /// Called once, when the context is made.
    func connect(to context: ManagedObjectContext, madeAt origin: ContextOrigin) {
        self.context = context
        #if DEBUG
            self.origin = origin
        #endif
    }

    /// Called if an object needs its context after the context was released. If the program was
    /// compiled with DEBUG, it prints a warning, once for each place.
    func noteLostContext() {
        #if DEBUG
            guard let origin else { return }
            self.origin = nil
            let isNew = Self.reported.withLock { $0.insert(origin.warning).inserted }
            if isNew { StandardError.note(origin.warning) }
        #endif
    }
}

extension ContextState {
    /// The transaction for all reads and saves of the context; nil if each of them has its own.
    var transaction: ContextTransaction? {
        if case .transaction(let transaction) = generation.kind { transaction } else { nil }
    }

    /// The number of the entity that a to-one relationship references.
    func destinationEntity(of relationship: RelationshipDescription, in record: Record) -> Int {
        coordinator.model.destination(of: relationship, in: record)
    }

    /// The store from which the rows of a hierarchy are read.
    func store(ofRoot root: Int) -> any ReadableStore {
        parentReader ?? sharedStore(ofRoot: root)
    }

    /// The store behind the context and its parents, as they see it.
    func sharedStore(ofRoot root: Int) -> any SharedStore {
        if let parent = parentReader?.parent { return parent.state.sharedStore(ofRoot: root) }
        let store = coordinator.store(ofRoot: root)
        switch generation.kind {
        case .unpinned: return store
        case .pinned(let pinned): return pinned.store(store)
        case .transaction(let transaction): return transaction.store(store)
        case .current:
            do {
                let pinned = try QueryGeneration(of: coordinator)
                generation = QueryGenerationToken(kind: .pinned(pinned))
                return pinned.store(store)
            } catch {
                return MissingStore(store.identifier, error)
            }
        }
    }
}

/// A user of the parts of a context: the context itself, and the operations (values that are
/// created for one piece of work).
protocol ContextAccess {
    /// The context.
    var context: ManagedObjectContext { get }
}

extension ContextAccess {
    /// The coordinator of the context.
    var coordinator: PersistentStoreCoordinator { context.coordinator }
    /// The parent of a child.
    var parent: ManagedObjectContext? { context.parent }
    /// The connection of the objects to the context.
    var state: ContextState { context.state }
    /// The part that registers the objects.
    var registry: ObjectRegistry { context.registry }
    /// The part that records the unsaved changes.
    var changes: PendingChanges { context.changes }
    /// The part that records the merged changes.
    var merges: MergeState { context.merges }
    /// The part that registers the child contexts.
    var family: FamilyLink { context.family }
    /// The part that registers the receivers of notifications.
    var observers: ObserverHub { context.observers }
    /// The part that reads.
    var reads: ReadingState { context.reads }
    /// The part that records the errors that the next save throws.
    var errors: RecordedErrors { context.errors }
    /// The part that records the current event.
    var activity: ContextActivity { context.activity }

    /// Fetches objects.
    var fetching: Fetching { Fetching(context: context) }
    /// Reads the targets of relationships.
    var prefetching: Prefetch { Prefetch(context: context) }
    /// Reads the rows of faults.
    var faulting: Faulting { Faulting(context: context) }
    /// Reads the far ends of relationships.
    var linkReading: LinkReading { LinkReading(context: context) }
    /// Follows the delete rules.
    var deleteRules: DeleteRules { DeleteRules(context: context) }
    /// Defers merges, and merges later.
    var deferredMerges: DeferredMerges { DeferredMerges(context: context) }
    /// Merges the rows that other contexts have saved.
    var rowMerging: RowMerging { RowMerging(context: context) }
    /// Knows the lists that differ from the store.
    var divergentLists: DivergentLists { DivergentLists(context: context) }
    /// Knows the objects that were merged into others.
    var replacements: Replacements { Replacements(context: context) }
    /// Restores deleted objects.
    var restoration: ObjectRestoration { ObjectRestoration(context: context) }
}

extension ManagedObjectContext: ContextAccess {
    /// The context itself.
    var context: ManagedObjectContext { self }
}

/// The part of a context that records the current event and the operations in progress.
final class ContextActivity {
    // Safety: here and below, a value that is loaded or stored and nothing else.
    /// The number of the current event. If nothing ends events, it stays the same.
    @exclusivity(unchecked) private(set) var event = 0
    /// The number of calls in progress in which setting an attribute is not a change.
    @exclusivity(unchecked) private var quietDepth = 0
    /// The reason for the deletion of the object while its hook is called.
    @exclusivity(unchecked) var deletionCause: DeletionCause?
    /// Whether changes are being processed.
    var isProcessing = false
    /// Whether the changes are being settled for a save.
    var isSaving = false
    /// Whether objects are being notified of a reset.
    var isResetting = false
    /// Enqueues the end of the event as one job in the context's isolation; nil if the isolation is
    /// unknown.
    let schedule: (@Sendable () -> Void)?
    /// Whether a job, or the code that has begun the event, will end it.
    @exclusivity(unchecked) var isEndOfEventScheduled = false

    init(schedule: (@Sendable () -> Void)?) {
        self.schedule = schedule
    }

    /// Whether events have an end; if not, processing the changes ends them.
    var hasEvents: Bool { schedule != nil }

    /// Schedules the processing of changes at the end of the current event.
    func scheduleEndOfEvent() {
        guard !isEndOfEventScheduled, let schedule else { return }
        isEndOfEventScheduled = true
        schedule()
    }

    /// Begins the next event.
    func startNextEvent() {
        event &+= 1
    }

    // MARK: Hooks

    /// Whether attributes are set without being recorded as changes.
    var isAwaking: Bool { quietDepth > 0 }

    /// Runs a body in which setting an attribute is not a change.
    func withoutTracking<Result>(_ body: () throws -> Result) rethrows -> Result {
        quietDepth += 1
        defer { quietDepth -= 1 }
        return try body()
    }

    /// Notifies objects that their values were read.
    func awaken(_ objects: some Sequence<ManagedObject>) {
        withoutTracking {
            for object in objects { object.awakeFromFetch() }
        }
    }

    /// Notifies objects that they got other values than by their setters.
    func awaken(_ objects: some Sequence<ManagedObject>, from events: SnapshotEvents) {
        withoutTracking {
            for object in objects { object.awake(fromSnapshotEvents: events) }
        }
    }

    /// Calls the hook of an object that is about to be deleted.
    func prepareForDeletion(_ object: ManagedObject, because cause: DeletionCause) {
        // Hooks that delete each other's objects end here.
        guard !object.flags.contains(.isPreparingDeletion) else { return }
        object.flags.insert(.isPreparingDeletion)
        let former = deletionCause
        deletionCause = cause
        object.prepareForDeletion()
        deletionCause = former
        object.flags.remove(.isPreparingDeletion)
    }
}

/// The part of a context that gives new objects their keys. Keys are final from insertion, and are
/// taken from blocks that the stores reserve for the context and its children.
///
/// Invariant: each key is given out once. A key that no row may have is less than 0 and has an
/// error.
final class KeyAllocator {
    private let state: ContextState
    private let parent: KeyAllocator?
    // Safety: an access calls nothing that could access the same variable again.
    /// The free keys, by the number of the hierarchy's root.
    @exclusivity(unchecked) private var ranges: [Range<Int64>]
    private var blockSizes = [Int: Int]()
    private var nextFailedKey: Int64 = -1
    /// The errors of new objects with keys that no row may have, or without generated values. They
    /// cannot be saved.
    private(set) var errors = [RowIdentity: any Error]()

    /// - Parameter parent: The allocator of the parent. A child takes its keys from it.
    init(_ state: ContextState, parent: KeyAllocator?) {
        self.state = state
        self.parent = parent
        ranges = state.coordinator.model.entities.map { _ in 0..<0 }
    }

    /// Returns a key for a new object. An initializer cannot throw: if no key can be reserved, the
    /// next save of the object throws instead.
    func next(root: Int) -> Int64 {
        if !ranges[root].isEmpty { return ranges[root].removeFirst() }
        do {
            return try free(root: root)
        } catch {
            let key = failed()
            fail(RowIdentity(root: root, key: key), error)
            return key
        }
    }

    /// Notes that a new object cannot be saved.
    func fail(_ id: RowIdentity, _ error: any Error) {
        errors[id] = error
    }

    /// Forgets the objects that cannot be saved: they were discarded.
    func forgetErrors() {
        errors = [:]
    }

    /// The next free key. Blocks grow with use.
    private func free(root: Int) throws -> Int64 {
        if ranges[root].isEmpty {
            if let parent { return try parent.free(root: root) }
            let size = min(65_536, max(32, blockSizes[root, default: 16] * 2))
            blockSizes[root] = size
            let store = state.coordinator.store(ofRoot: root)
            ranges[root] = try (state.transaction?.store(store) ?? store)
                .reserveKeys(root: root, count: size)
        }
        return ranges[root].removeFirst()
    }

    /// A key that no row has.
    private func failed() -> Int64 {
        if let parent { return parent.failed() }
        defer { nextFailedKey -= 1 }
        return nextFailedKey
    }
}

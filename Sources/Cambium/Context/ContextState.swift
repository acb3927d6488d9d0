import CambiumSQLite

/// What objects know of their context. It outlives the context, so that an object that is left over
/// answers instead of touching freed memory.
final class ContextState {
    let coordinator: PersistentStoreCoordinator
    /// Makes the records of new and changed objects.
    let draftWriter = RecordWriter()
    /// Codes the values of codable attributes.
    private(set) lazy var codec = JSONCodec()
    /// Whether reads of the objects' properties are noted for observers.
    var notesReads = false
    /// Whether somebody observes what is read now.
    private(set) lazy var probe = ObservationProbe()
    /// Who notes reads in the place of observers; set only while key paths are looked into.
    var recorder: PropertyRecorder?
    /// What a child context reads from; nil for one that reads from the stores.
    let parentReader: ParentReader?
    // Safety: loaded and stored, and nothing else.
    /// What evaluates the rules of entities, by their numbers.
    @exclusivity(unchecked) var ruleEvaluators: [Int: [RuleEvaluator]] = [:]
    /// Takes links in place of a context, where the object is that of a batch insertion.
    var batchRow: BatchRowLinks?
    /// The state of the stores that rows are read from.
    var generation = QueryGenerationToken.unpinned {
        didSet { readsLatest = generation == .unpinned }
    }
    /// Whether that is the latest at each read.
    @exclusivity(unchecked) private(set) var readsLatest = true
    /// The objects that the context has.
    let registered: RegisteredObjects
    // Weak, not unowned: the last reference to a context may be let go of anywhere (a task that
    // holds the container, the `deinit` of a main actor's class), while its objects are in use.
    private(set) weak var context: ManagedObjectContext?

    /// - Parameter roots: The identity maps of the context that is going to be connected.
    init(
        _ coordinator: PersistentStoreCoordinator, parentReader: ParentReader? = nil,
        roots: [RootObjects] = []
    ) {
        self.coordinator = coordinator
        registered = RegisteredObjects(roots)
        self.parentReader = parentReader
    }

    /// Called once, when the context is made.
    func connect(to context: ManagedObjectContext) {
        self.context = context
    }
}

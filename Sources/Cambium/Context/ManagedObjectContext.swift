import CambiumRecords

/// A workspace of objects: it fetches them, keeps one object for each row, tracks changes and saves
/// them in one transaction.
///
/// A context belongs to one isolation (the main actor, a background actor, or wherever it was made)
/// and so do its objects. Neither is `Sendable`: using them elsewhere is a compile error.
///
/// Keep a context for as long as you use its objects: they do not keep it alive. An object whose
/// context is gone shows the values that were read and has no neighbours; its setters do nothing,
/// and no error is thrown, as there is no save left that could. A program that was compiled with
/// DEBUG says so on the standard error, once for each place where contexts are made.
///
/// ```swift
/// let context = container.viewContext
/// let books = try context.fetch(Product.fetchRequest().filter(Product.stock > 0))
/// books.first?.price = 12
/// try context.save()
/// ```
///
/// ## Topics
/// - Fetching: ``fetch(_:)``, ``fetchInBatches(_:)``,
///   ``fetchInBackground(_:isolation:progress:)``, ``count(for:)``, ``existingObject(with:)``,
///   ``object(with:)``, ``registeredObject(for:)``
/// - Looking for needless reads: ``reads(during:)``, ``withReads(atMost:fileID:line:_:)``
/// - Changing: ``delete(_:)``, ``insertedObjects``, ``updatedObjects``, ``deletedObjects``,
///   ``hasChanges``, ``processPendingChanges()``, ``propagatesDeletesAtEndOfEvent``
/// - Saving: ``save()``, ``isReadOnly``, ``mergePolicy``, ``detectConflicts(for:)``, ``rollback()``
/// - Batch operations: ``execute(_:merging:)-(BatchInsertRequest<Entity>,_)``,
///   ``execute(_:merging:isolation:)``, ``execute(_:merging:)-(BatchUpdateRequest<Entity>,_)``,
///   ``execute(_:merging:)-(BatchDeleteRequest<Entity>,_)``
/// - Import and export: ``execute(_:merging:)-(ImportRequest,_)``, ``execute(_:to:)``,
///   ``chunks(of:)``
/// - Undoing: ``undoManager``, ``undo()``, ``redo()``
/// - History: ``transactionAuthor``, ``fetchHistory(_:)``,
///   ``mergeChanges(from:)-([HistoryTransaction])``
/// - Following others: ``automaticallyMergesChangesFromParent``, ``mergePending()``,
///   ``mergeChanges(fromRemoteContextSave:into:)``, ``refresh(_:mergeChanges:)``,
///   ``refreshAllObjects()``, ``stalenessInterval``
/// - Drafts: ``newChildContext()``, ``parent``
/// - Being told: ``observe(_:_:)``, ``notifications(_:)``, ``objectsAreObservable``
/// - Memory: ``registeredObjects``, ``retainsRegisteredObjects``, ``reset()``
public final class ManagedObjectContext {
    /// The coordinator that the context fetches from and saves to; a child does so through its
    /// ``parent``.
    public let coordinator: PersistentStoreCoordinator
    /// The context that a child fetches from and saves to, see ``newChildContext()``. The child
    /// keeps it alive. Nil for a context that uses the stores.
    public let parent: ManagedObjectContext?
    /// How the context resolves conflicts with what others saved meanwhile. Default:
    /// ``MergePolicy/error``. A child has no conflicts: what it saves wins.
    public var mergePolicy: MergePolicy = .error
    // Safety: here and below, a value that is loaded or stored and nothing else; a check for
    // overlapping accesses would be a tenth of the time of a look-up.
    /// Whether the context takes over what other contexts save: at the end of the current event and
    /// at every fetch and save. Default: true for the contexts that a container hands out.
    ///
    /// Unsaved changes of the same objects stay on top. Where another context has changed the very
    /// property that the current event has changed, a fetch or a save leaves the object as it is,
    /// and the save resolves the conflict by ``mergePolicy``: what an event reads, changes and saves
    /// is never laid over what it did not see. Once the changes are taken back, by an undo, a refresh
    /// or a rollback, the object shows what the others saved.
    ///
    /// Of what an earlier event has changed, unsaved changes win, as in Core Data: by the merge rules
    /// of the model where an attribute has one (`merge="sum"`). An object with unsaved changes whose
    /// row another context has deleted stays, in the same event and in later ones, and ``mergePolicy``
    /// decides when it is saved. (In Core Data it goes, and its changes with it.)
    ///
    /// An unsaved link is no change of the object that it leads to, and a one-to-one is a change of
    /// neither, whichever side keeps the key. Where the relationship has an
    /// inverse, unsaved links to an object are cleared when its deletion is merged, whatever the
    /// delete rules say: observers are told, and no undo brings such a link back. A required to-one
    /// is an error of the next save then, which names it.
    ///
    /// An event is one `perform`, or one turn of the main actor. A context that was made by hand for
    /// another isolation has one event only, which never ends.
    ///
    /// A child takes over what its ``parent`` saves, merges, refreshes, takes back (by a rollback,
    /// undo or redo) and gets from its other children: not what setters change in the parent.
    @exclusivity(unchecked) public var automaticallyMergesChangesFromParent: Bool
    /// How old, in seconds, the row may be that a fault takes from the coordinator's row cache
    /// instead of the store. Less than 0, the default: of any age, and while many faults fire one
    /// after the other, what another process commits may show 50 milliseconds later. With 0 every
    /// fault reads the store as it is. Objects that have their values keep them.
    @exclusivity(unchecked) public var stalenessInterval: Double = -1
    /// Whether saves, batch operations and imports are refused, those of children too: for a view
    /// context of a program that changes things in background contexts only. Default: false. Objects
    /// can be changed all the same, until ``rollback()``.
    ///
    /// ```swift
    /// container.viewContext.isReadOnly = true
    /// ```
    public var isReadOnly = false
    /// A name for people, for logs and for the history of the stores.
    public var name: String?
    /// Who makes the changes, for the history of the stores: an importer, a server's sync, the
    /// user. Of a child's changes, its root's author is named.
    public var transactionAuthor: String?
    /// What the program wants to find again with the context. Cambium does not look at it.
    public var userInfo: [String: Any] = [:]
    /// Called when the row of an object, or what a relationship of it leads to, cannot be read:
    /// once for each failure. Of a row that is gone the next save throws the error where there is no
    /// handler. What could not be read for another reason keeps every save from succeeding, with a
    /// handler too, until it was read (each save tries to) or the changes that need it were taken
    /// back with ``refresh(_:mergeChanges:)``, an undo, ``rollback()`` or ``reset()``.
    public var onInaccessibleFault: ((ObjectID, any Error) -> Void)?
    /// Whether an object whose row is found missing, when the program reads a property, simply counts
    /// as deleted. Default: false, the next save throws that the row is gone. Its properties can be
    /// read in both cases, and show placeholders. What Cambium reads by itself (for conditions,
    /// orders, delete rules, undo) passes deleted rows by and makes no save fail.
    public var shouldDeleteInaccessibleFaults = false
    /// Whether the delete rules are followed whenever changes are processed; if not, only by the
    /// save. Default: true.
    public var propagatesDeletesAtEndOfEvent = true
    /// Whether the context keeps all its objects alive. Default: false, objects without changes
    /// that nobody else holds are let go of from time to time.
    public var retainsRegisteredObjects = false
    /// Remembers changes, to undo them; nil, the default, remembers nothing and costs nothing.
    ///
    /// ```swift
    /// context.undoManager = ContextUndoManager()
    /// ```
    @exclusivity(unchecked) public var undoManager: ContextUndoManager? {
        didSet {
            guard undoManager !== oldValue else { return }
            oldValue?.connect(to: nil)
            undoManager?.connect(to: self)
        }
    }

    /// Who saves, as the history names it.
    var author: TransactionAuthor {
        TransactionAuthor(name: transactionAuthor, contextName: name)
    }
    let identifier: ContextIdentifier
    let state: ContextState
    let mailbox: Mailbox
    let rowWriter = RecordWriter()
    /// Writes the rows of faults that fire, into pages that the row cache shares.
    let faultWriter = RecordWriter()
    var draftWriter: RecordWriter { state.draftWriter }
    let objects: [RootObjects]
    // Safety: here and below, an access calls nothing that could come back to the same variable.
    @exclusivity(unchecked) var registeredCount = 0
    var sweptCount = 1024

    // Lists in the order of the changes. An object's lifecycle is the truth; a list may hold
    // objects that have moved on, which `settleLists()` removes.
    @exclusivity(unchecked) var inserted: [ManagedObject] = []
    @exclusivity(unchecked) var updated: [ManagedObject] = []
    @exclusivity(unchecked) var deleted: [ManagedObject] = []
    /// Unchanged objects that take part in the conflict detection of the next save.
    var locked: [ManagedObject] = []
    /// New objects that a save gave up for others with the same unique values, and those.
    @exclusivity(unchecked) var forwards: [RowIdentity: RowIdentity] = [:]
    /// Whether an object in a list has moved on.
    @exclusivity(unchecked) var listsAreStale = false
    /// Whether an object in the list of changed ones has no changes any more.
    @exclusivity(unchecked) var updatedHoldsClean = false
    /// Objects changed since changes were last processed.
    @exclusivity(unchecked) var noted: [ManagedObject] = []
    /// Objects whose deletion was not propagated yet.
    @exclusivity(unchecked) var unpropagated: [ManagedObject] = []
    /// Lists that were read otherwise than the store has them, by the object that made them so.
    var leftLists: [RowIdentity: [LinkOwner]] = [:]
    /// Deleted objects to which others have led theirs meanwhile: a save was refused for it.
    var refusedDeletions: [ManagedObject] = []
    /// How many of the inserted and deleted objects were that before the current event.
    @exclusivity(unchecked) var insertedBeforeEvent = 0
    @exclusivity(unchecked) var deletedBeforeEvent = 0
    /// Objects that came back in the current event, by undo.
    var revivedInEvent: [ManagedObject] = []
    /// Objects that were refreshed in the current event and kept their changes.
    var refreshedInEvent: [ManagedObject] = []
    /// Objects whose rows were found missing in the current event.
    var invalidatedInEvent: [ManagedObject] = []
    /// How many calls are going on whose settings of attributes are no changes.
    @exclusivity(unchecked) var quietDepth = 0
    /// Why the object whose hook is called is deleted.
    @exclusivity(unchecked) var deletionCause: DeletionCause?
    var followers: [WeakFollower] = []
    /// Whether a follower could not take in a change.
    var followersAreBehind = false
    /// Whoever observes from outside; made by the first.
    var observations: ContextObservations?
    @exclusivity(unchecked) var keyRanges: [Range<Int64>]
    var keyBlockSizes: [Int: Int] = [:]
    var nextFailedKey: Int64 = -1
    /// For each relationship kept elsewhere, the commit that last touched it.
    var lastChanges: [Int: Int64] = [:]
    /// The commit up to which the context knows what others have saved. A child counts for itself
    /// what it takes over, as what comes from its parent is not committed yet.
    var mergedCommit: Int64 = 0
    /// What the merge that is at work leaves out.
    var leaving = LeftOut.nothing
    /// The objects that have left out what others saved.
    var missed: [ManagedObject] = []
    /// The current event. It never ends where nobody says so.
    @exclusivity(unchecked) private(set) var eventNumber = 0
    /// Of a child's rows, the versions that its ancestors have made themselves, one after the other.
    var familyVersions: [RowIdentity: ClosedRange<Int64>] = [:]
    /// The latest commit of which the context knows, though maybe not of all before it.
    var latestMerged: Int64 = 0
    /// Rows that went, with the commit in which they did, where the context does not know yet of
    /// all that was saved before.
    var deaths: [RowIdentity: Int64] = [:]
    /// Rows that were deleted and that this context has put in again, under their keys: the commit
    /// in which it did, which is to come (`max`) where the row is not saved yet. Changes of others
    /// that were saved before then concern the former row.
    @exclusivity(unchecked) var rebirths: [RowIdentity: Int64] = [:]
    /// What the context reads is noted in the last of them, while somebody counts.
    @exclusivity(unchecked) var readLogs: [ReadLog] = []
    /// What could not be reported where it happened; the next save throws it.
    var recordedErrors: [any Error] = []
    /// What could not be read: no save succeeds until it was.
    var failedReads = FailedReads()
    /// Why new objects have keys that no row may have, or lack generated values. They cannot be saved.
    var failedKeys: [RowIdentity: any Error] = [:]
    // Safety: the coordinator holds the descriptions.
    @exclusivity(unchecked) var insertionCache:
        (type: ObjectIdentifier, entity: Unmanaged<EntityDescription>)?
    var isProcessing = false
    /// Whether objects are being told that everything is going to be forgotten.
    var isResetting = false
    /// Whether observers are being told that everything was forgotten.
    var isTellingOfReset = false
    /// Whether the changes are being settled for a save.
    var isSaving = false
    /// The objects that were changed while others' changes are taken over and are processed already,
    /// which is not to be undone; nil at other times.
    var processedInMerge: [ManagedObject]?
    /// The objects that were changed in the current round of a save and are processed already.
    var processedInRound: [ManagedObject] = []
    /// How many objects were ever inserted.
    @exclusivity(unchecked) var insertionCount = 0
    /// How many saves of the family are being settled, each in a hook of the one before. Counted by
    /// the ``root``.
    var savesUnderWay = 0
    /// Why all of these fail: their hooks would insert objects for ever. Kept by the ``root``.
    var endlessInsertions: StoreError?
    /// Those that have this one as their parent, and some that had.
    var children: [WeakContext] = []
    /// Enqueues the end of the event, one job in the context's isolation, where that is known.
    let schedule: (@Sendable () -> Void)?
    /// Whether somebody will end the event: a job, or who has begun it.
    var isEndOfEventScheduled = false
    /// Whether somebody says when an event ends; if not, processing the changes ends it.
    var hasEvents: Bool { schedule != nil }

    init(
        coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext? = nil,
        mergesAutomatically: Bool, madeAt origin: ContextOrigin = .library,
        schedule: (@Sendable () -> Void)? = nil
    ) {
        self.coordinator = coordinator
        self.parent = parent
        automaticallyMergesChangesFromParent = mergesAutomatically
        identifier = coordinator.makeContextIdentifier()
        objects = coordinator.model.entities.map { _ in RootObjects() }
        state = ContextState(
            coordinator, parentReader: parent.map(ParentReader.init), roots: objects)
        mailbox = Mailbox(schedule: schedule)
        self.schedule = schedule
        keyRanges = coordinator.model.entities.map { _ in 0..<0 }
        state.connect(to: self, madeAt: origin)
        guard parent == nil else { return }
        mergedCommit = coordinator.latestCommit
        coordinator.subscribe(mailbox, for: identifier)
    }

    /// The context at the top of the family, which uses the stores.
    var root: ManagedObjectContext { parent?.root ?? self }

    /// Makes sure that changes are processed at the end of the current event.
    func scheduleProcessing() {
        guard !isEndOfEventScheduled, let schedule else { return }
        isEndOfEventScheduled = true
        schedule()
    }

    /// Takes over what others saved and processes what changed here. Runs in the context's
    /// isolation.
    func endEvent() {
        isEndOfEventScheduled = false
        mergeBetweenEvents()
        processChanges()
        eventNumber &+= 1
        undoManager?.endEvent()
        sweepIfGrown()
        // What came to this one may concern them.
        for child in livingChildren { child.endEvent() }
    }

    deinit {
        state.registered.end()
        if parent == nil { coordinator.unsubscribe(identifier) }
    }
}

/// The identity map of one hierarchy.
final class RootObjects {
    // Safety: the map calls nothing but the closures of `forEach` and `sweep`, which do not change
    // it.
    @exclusivity(unchecked) var map = IdentityMap()
}

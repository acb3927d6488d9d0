import CambiumRecords

/// A workspace of objects: it fetches them, keeps one object for each row, tracks changes and saves
/// them in one transaction.
///
/// A context belongs to one isolation (the main actor, a background actor, or wherever it was made)
/// and so do its objects. Neither is `Sendable`: using them elsewhere is a compile error.
///
/// Keep a context for as long as you use its objects: they do not keep it alive. An object whose
/// context was released shows the values that were read and has no neighbours; its setters do
/// nothing, and no error is thrown, as there is no save left that could. A program that was
/// compiled with DEBUG says so on the standard error, once for each place where contexts are made.
///
/// ```swift
/// let context = container.viewContext
/// let books = try context.fetch(Product.fetchRequest().filter(Product.stock > 0))
/// books.first?.price = 12
/// try context.save()
/// ```
///
/// ## Topics
///
/// ### Fetching
///
/// - ``fetch(_:)-(FetchRequest<Entity>)``
/// - ``fetchInBatches(_:)``
/// - ``fetchInBackground(_:isolation:progress:)``
/// - ``count(for:)``
/// - ``existingObject(with:)``
/// - ``object(with:)``
/// - ``registeredObject(for:)``
///
/// ### Looking for needless reads
///
/// - ``reads(during:)``
/// - ``withReads(atMost:fileID:line:_:)``
///
/// ### Changing
///
/// - ``delete(_:)``
/// - ``insertedObjects``
/// - ``updatedObjects``
/// - ``deletedObjects``
/// - ``hasChanges``
/// - ``processPendingChanges()``
/// - ``propagatesDeletesAtEndOfEvent``
///
/// ### Saving
///
/// - ``save()``
/// - ``isReadOnly``
/// - ``mergePolicy``
/// - ``detectConflicts(for:)``
/// - ``rollback()``
///
/// ### Batch operations
///
/// - ``execute(_:merging:)-(BatchInsertRequest<Entity>,_)``
/// - ``execute(_:merging:isolation:)``
/// - ``execute(_:merging:)-(BatchUpdateRequest<Entity>,_)``
/// - ``execute(_:merging:)-(BatchDeleteRequest<Entity>,_)``
///
/// ### Undoing
///
/// - ``undoManager``
/// - ``undo()``
/// - ``redo()``
///
/// ### Row-level security
///
/// - ``transactionSettings``
///
/// ### History
///
/// - ``transactionAuthor``
/// - ``fetchHistory(_:)``
/// - ``mergeChanges(from:)-([HistoryTransaction])``
///
/// ### Following others
///
/// - ``automaticallyMergesChangesFromParent``
/// - ``mergePending()``
/// - ``mergeChanges(fromRemoteContextSave:into:)``
/// - ``refresh(_:mergeChanges:)``
/// - ``refreshAllObjects()``
/// - ``stalenessInterval``
///
/// ### Drafts
///
/// - ``newChildContext()``
/// - ``parent``
///
/// ### Being told
///
/// - ``observe(_:_:)``
/// - ``notifications(_:)``
/// - ``objectsAreObservable``
///
/// ### Memory
///
/// - ``registeredObjects``
/// - ``retainsRegisteredObjects``
/// - ``reset()``
public final class ManagedObjectContext {
    /// The coordinator that the context fetches from and saves to; a child does so through its
    /// ``parent``.
    public let coordinator: PersistentStoreCoordinator
    /// The context that a child fetches from and saves to, see ``newChildContext()``. The child
    /// keeps it alive. Nil for a context that uses the stores.
    public let parent: ManagedObjectContext?
    /// How the context resolves conflicts with what other contexts saved meanwhile. Default:
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
    /// or a rollback, the object shows what the other contexts saved.
    ///
    /// Of what an earlier event has changed, unsaved changes win, as in Core Data: by the merge rules
    /// of the model where an attribute has one (`merge="sum"`). An object with unsaved changes whose
    /// row another context has deleted stays, in the same event and in later ones, and ``mergePolicy``
    /// decides when it is saved. (In Core Data it goes, and its changes with it.)
    ///
    /// An unsaved link is no change of the object that it references, and a one-to-one is a change
    /// of neither, whichever side keeps the key. Where the relationship has an inverse, unsaved
    /// links to an object are cleared when its deletion is merged, whatever the delete rules say:
    /// observers are told, and no undo brings such a link back. A required to-one is an error of
    /// the next save then, which names it.
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
    /// Called when the row of an object, or what a relationship of it references, cannot be read:
    /// once for each failure. Of a deleted row the next save throws the error where there is no
    /// handler. What could not be read for another reason keeps every save from succeeding, with a
    /// handler too, until it was read (each save tries to) or the changes that need it were taken
    /// back with ``refresh(_:mergeChanges:)``, an undo, ``rollback()`` or ``reset()``.
    public var onInaccessibleFault: ((ObjectID, any Error) -> Void)?
    /// Whether an object whose row is found missing, when the program reads a property, simply
    /// counts as deleted. Default: false, the next save throws that the row was deleted. Its
    /// properties can be read in both cases, and show placeholders. What Cambium reads by itself
    /// (for conditions, orders, delete rules, undo) passes deleted rows by and makes no save fail.
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

    /// What each of its transactions in the stores begins with: those of its container or
    /// coordinator, see ``PersistentContainer/applying(transactionSettings:)``. A child has those of
    /// its ``parent``.
    public var transactionSettings: TransactionSettings { coordinator.transactionSettings }

    /// Who saves, as the history names it.
    var author: TransactionAuthor {
        TransactionAuthor(name: transactionAuthor, contextName: name)
    }
    let identifier: ContextIdentifier
    let state: ContextState
    /// The part that knows the objects.
    let registry: ObjectRegistry
    /// The part that knows the unsaved changes.
    let changes = PendingChanges()
    /// The part that knows what was merged.
    let merges: MergeState
    /// The part that gives new objects their keys.
    let keys: KeyAllocator
    /// The part that knows the children.
    let family: FamilyLink
    /// The part that knows who is to be notified.
    let observers = ObserverHub()
    /// The part that reads.
    let reads: ReadingState
    /// The part that knows what the next save throws.
    let errors = RecordedErrors()
    /// The part that knows the current event, and what is going on.
    let activity: ContextActivity

    init(
        coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext? = nil,
        mergesAutomatically: Bool, madeAt origin: ContextOrigin = .library,
        schedule: (@Sendable () -> Void)? = nil
    ) {
        self.coordinator = coordinator
        self.parent = parent
        automaticallyMergesChangesFromParent = mergesAutomatically
        identifier = coordinator.makeContextIdentifier()
        let roots = coordinator.model.entities.map { _ in RootObjects() }
        state = ContextState(coordinator, parentReader: parent.map(ParentReader.init), roots: roots)
        registry = ObjectRegistry(roots, state)
        merges = MergeState(coordinator, isChild: parent != nil, Mailbox(schedule: schedule))
        keys = KeyAllocator(state, parent: parent?.keys)
        family = FamilyLink(coordinator, identifier)
        reads = ReadingState(state)
        activity = ContextActivity(schedule: schedule)
        state.connect(to: self, madeAt: origin)
        if parent == nil { coordinator.subscribe(merges.mailbox, for: identifier) }
    }

    /// A new context for a draft of changes to this one: it reads what this context shows, unsaved
    /// changes included, and its save makes its changes unsaved changes of this context, all of
    /// them or none. The stores receive them when this context is saved.
    ///
    /// ```swift
    /// let draft = container.viewContext.newChildContext()
    /// let product = try draft.existingObject(with: id, as: Product.self)
    /// product.price = 12          // the view context shows the old price
    /// try draft.save()            // now it shows 12, unsaved
    /// try container.viewContext.save()
    /// ```
    ///
    /// A child belongs to the isolation of its parent, like the parent's objects, and ends its
    /// events with it. (Core Data's children may have a queue of their own, and block the parent's
    /// for each fetch. For work beside the main actor use a background context, a sibling.) It may
    /// have children itself.
    ///
    /// - Reading: a fetch of the child is a fetch of the parent, over which the child's own unsaved
    ///   changes are laid. The parent gets objects for what is read. An object that the child has
    ///   keeps its values until it is refreshed or a merge brings others.
    /// - Saving: changes are validated, `willSave()` and `didSave()` are called, and everything
    ///   that is notified of a save is notified of this one. Between the two there are no
    ///   conflicts: of a property that both have changed the parent takes the child's value, and
    ///   the child takes over what the parent has changed of other properties of the objects that
    ///   it saves. Unique constraints and merge policies act when the stores are written; what
    ///   others saved and the parent has merged, but the child has not, is a conflict of the
    ///   parent's save then. Links to what the parent has deleted meanwhile are cleared where they
    ///   have an inverse. A change of its values is an error, after which nothing has changed
    ///   anywhere, and so is a link to it without an inverse.
    /// - Identity: new objects keep their identity on the way up, and it is temporary
    ///   (``ObjectID/isTemporary``) until they are in a store.
    /// - Undoing: what a child saves can be undone in the parent like any other change.
    ///
    /// The child merges by hand unless ``automaticallyMergesChangesFromParent`` is set. It uses no
    /// row cache and no query generation of its own: it reads what its parent reads.
    public func newChildContext() -> ManagedObjectContext {
        let child = ManagedObjectContext(
            coordinator: coordinator, parent: self, mergesAutomatically: false,
            schedule: activity.schedule)
        child.objectsAreObservable = objectsAreObservable
        family.add(child)
        return child
    }

    /// The context at the top of the family, which uses the stores.
    var root: ManagedObjectContext { parent?.root ?? self }

    /// Merges what others saved and processes what changed here. Runs in the context's isolation.
    func endEvent() {
        activity.isEndOfEventScheduled = false
        Merge(context: self).betweenEvents()
        processChanges()
        activity.startNextEvent()
        undoManager?.endEvent()
        sweepIfGrown()
        // What came to this one may concern them.
        for child in family.children { child.endEvent() }
    }

    /// What is not as it must be in the parts; empty where all is well. True between any two calls of a
    /// program. Reads nothing from the stores.
    var partFaults: [String] {
        registry.invariantFaults + changes.invariantFaults(registry) + merges.invariantFaults
    }

    /// Checks the invariants of the parts, in debug builds and where there are not too many objects.
    func checkInvariants() {
        assert(registry.count > 500 || partFaults.isEmpty, partFaults.joined(separator: "\n"))
    }

    deinit {
        state.registered.end()
        if parent == nil { coordinator.unsubscribe(identifier) }
    }
}

extension ManagedObjectContext: CustomReflectable {
    /// The name, if it has one.
    public var customMirror: Mirror { Mirror(self, children: ["name": name as Any]) }
}

extension ManagedObjectContext {
    /// The object of a row, where the context has it. Never reads from the store.
    public func registeredObject(for id: ObjectID) -> ManagedObject? {
        guard let root = root(of: id) else { return nil }
        return registry.registered(root: root, key: id.key)
    }

    /// The entity of an identity in this context's store; nil where it is of another.
    private func entity(of id: ObjectID) -> EntityDescription? {
        // Safety: the context keeps its coordinator, which keeps its model.
        uncounted(coordinator).use { coordinator in
            uncounted(coordinator.model).use { model in
                guard let entity = model.isOwn(id.entity) ? id.entity : model[id.entityName],
                    id.store == coordinator.storeIdentifier(ofRoot: entity.rootIndex)
                else { return nil }
                return entity
            }
        }
    }

    /// The number of that entity's root.
    private func root(of id: ObjectID) -> Int? {
        guard coordinator.model.isOwn(id.entity) else { return entity(of: id)?.rootIndex }
        let root = id.entity.rootIndex
        return id.store == coordinator.storeIdentifier(ofRoot: root) ? root : nil
    }

    /// The object of a row; a fault where the context does not have it yet. Never reads from the
    /// store, so the row may not exist: the object's first value tells. For certainty use
    /// ``existingObject(with:)``.
    ///
    /// An id of another store returns an invalid object.
    public func object(with id: ObjectID) -> ManagedObject {
        guard let entity = entity(of: id) else {
            let model = coordinator.model
            // Descriptions live as long as their own container, so it must be one of this model's.
            let entity = model[id.entityName] ?? model.entities.first ?? id.entity
            return entity.objectClass.invalidObject(of: entity, in: state)
        }
        return registry.object(of: entity, key: id.key)
    }

    /// The object of a row that is there, with its values read.
    ///
    /// - Throws: ``StoreError`` with `missingRow` where there is no such row; what the store threw.
    public func existingObject(with id: ObjectID) throws -> ManagedObject {
        mergeIfAutomatic()
        let object = self.object(with: id)
        if !object.needsRow, object.lifecycle != .invalid, object.lifecycle != .discarded {
            return object
        }
        if object.flags.contains(.isUnread) { try faulting.load([object]) }
        if object.lifecycle != .invalid, object.isFault { try faulting.load(object) }
        if object.isFault, replacements.followParent(object) {
            return try existingObject(with: object.objectID)
        }
        guard object.lifecycle != .invalid, object.lifecycle != .discarded, !object.isFault,
            !object.flags.contains(.isUnread)
        else {
            throw StoreError(
                code: .missingRow, message: "The store has no row of \(id).",
                remedy: "Fetch the objects that exist; this one was deleted.")
        }
        return object
    }

    /// The object of a row that is there, with its values read, as its class.
    ///
    /// ```swift
    /// let product = try context.existingObject(with: id, as: Product.self)
    /// ```
    ///
    /// - Throws: ``StoreError`` with `missingRow` where there is no such row, with `invalidRequest`
    ///   where the object is of another class; what the store threw.
    public func existingObject<Entity: ManagedObject>(
        with id: ObjectID, as type: Entity.Type
    ) throws -> Entity {
        let object = try existingObject(with: id)
        guard let typed = object as? Entity else {
            throw StoreError.invalidRequest(
                "\(id) is an object of \(Swift.type(of: object)), not of \(type).",
                remedy: "Look it up as \(Swift.type(of: object)).")
        }
        return typed
    }

    /// Reads the values of those objects that are faults, with one statement for each hierarchy, and
    /// says at once what keeps them from being read. (A getter never throws: it shows a placeholder,
    /// and the next save throws.) Objects that have their values are left as they are.
    ///
    /// ```swift
    /// try context.loadValues(of: [product, category])
    /// ```
    ///
    /// - Throws: ``StoreError`` with `missingRow` where the row of one was deleted, with `foreignObject`
    ///   where one belongs to another context; what the store threw.
    public func loadValues(of objects: some Sequence<ManagedObject>) throws {
        let objects = Array(objects)
        try faulting.load(
            objects.filter { $0.state === state && $0.lifecycle == .clean && $0.isFault })
        for object in objects {
            guard object.state === state else {
                throw StoreError.otherContext(of: object)
            }
            _ = try existingObject(with: object.objectID)
        }
    }

    /// All objects that the context knows.
    public var registeredObjects: Set<ManagedObject> {
        var all: Set<ManagedObject> = []
        registry.forEach { all.insert($0) }
        return all
    }

    /// Forgets an object, which is of no row any more.
    @inline(never)
    func forget(_ object: ManagedObject) {
        guard registry.remove(object), !merges.reinsertedRows.isEmpty else { return }
        merges.reinsertedRows[RowIdentity(object)] = nil
    }

    /// Does nothing but look for mistakes: an object's key is final from the moment of insertion.
    /// There for ported code.
    ///
    /// - Throws: ``StoreError`` with `foreignObject` for objects of other contexts.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        guard let foreign = objects.first(where: { $0.state !== state }) else { return }
        throw StoreError.otherContext(of: foreign)
    }

    /// Drops clean objects that nobody holds, when many have come since the last time.
    func sweepIfGrown() {
        if !retainsRegisteredObjects { registry.sweepIfGrown() }
    }
}

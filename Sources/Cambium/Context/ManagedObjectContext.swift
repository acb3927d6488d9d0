import CambiumRecords

/// A workspace of objects: it fetches them, keeps one object for each row, tracks changes and saves
/// them in one transaction.
///
/// A context belongs to one isolation (the main actor, a background actor, or the isolation that
/// created it), and its objects do too. Neither is `Sendable`: using them elsewhere is a compile
/// error.
///
/// Keep a context for as long as you use its objects: they do not keep it alive. If the context was
/// released, an object shows the values that were read, and its relationships are empty. Its
/// setters do nothing. No error is thrown, because no save is left to throw it. If a program was
/// compiled with DEBUG, it prints a warning to standard error, once for each place in the code that
/// creates contexts.
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
/// - ``fetchFirst(_:)-(FetchRequest<Entity>)``
/// - ``fetchInBatches(_:)``
/// - ``fetchInBackground(_:isolation:progress:)``
///
/// ### Fetching identities, counts and rows of values
///
/// - ``fetch(_:)-(IDRequest<Entity>)``
/// - ``fetch(_:)-(CountRequest<Entity>)``
/// - ``count(for:)``
/// - ``fetch(_:)-(ResultRequest<Entity,Row>)``
/// - ``fetchFirst(_:)-(ResultRequest<Entity,Row>)``
/// - ``fetchInBackground(_:isolation:)``
///
/// ### Objects by identity
///
/// - ``existingObject(with:)``
/// - ``existingObject(with:as:)``
/// - ``object(with:)``
/// - ``registeredObject(for:)``
/// - ``loadValues(of:)``
///
/// ### Changing
///
/// - ``insertObject(ofEntity:)``
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
/// - ``validationErrors(of:)``
/// - ``isReadOnly``
/// - ``mergePolicy``
/// - ``detectConflicts(for:)``
/// - ``rollback()``
/// - ``obtainPermanentIDs(for:)``
///
/// ### Batch operations
///
/// - ``execute(_:merging:)-(BatchInsertRequest<Entity>,_)``
/// - ``execute(_:merging:isolation:)``
/// - ``execute(_:merging:)-(BatchUpdateRequest<Entity>,_)``
/// - ``execute(_:merging:)-(BatchDeleteRequest<Entity>,_)``
///
/// ### Import and export
///
/// - ``execute(_:merging:)-(ImportRequest,_)``
/// - ``execute(_:to:)``
/// - ``chunks(of:)``
///
/// ### Undoing
///
/// - ``undoManager``
/// - ``undo()``
/// - ``redo()``
///
/// ### Changes of other contexts
///
/// - ``automaticallyMergesChangesFromParent``
/// - ``mergePending()``
/// - ``mergeChanges(from:)-(ChangeSet)``
/// - ``mergeChanges(fromContextDidSave:)``
/// - ``mergeChanges(fromRemoteContextSave:into:)``
/// - ``refresh(_:mergeChanges:)``
/// - ``refreshAllObjects()``
/// - ``stalenessInterval``
///
/// ### History
///
/// - ``transactionAuthor``
/// - ``fetchHistory(_:)``
/// - ``mergeChanges(from:)-([HistoryTransaction])``
/// - ``mergeChanges(from:into:)``
///
/// ### Query generations
///
/// - ``queryGeneration``
/// - ``setQueryGeneration(_:)``
///
/// ### Drafts
///
/// - ``newChildContext()``
/// - ``parent``
///
/// ### Observing changes
///
/// - ``observe(_:_:)``
/// - ``notifications(_:)``
/// - ``observe(_:)``
/// - ``observe(count:)``
/// - ``objectsAreObservable``
///
/// ### Notifications for ported code
///
/// - ``postNotifications(to:)``
/// - ``didChangeObjectsNotification``
/// - ``willSaveObjectsNotification``
/// - ``didSaveObjectsNotification``
/// - ``didSaveObjectIDsNotification``
/// - ``didMergeChangesObjectIDsNotification``
/// - ``NotificationKey``
///
/// ### Deleted and unreadable rows
///
/// - ``onInaccessibleFault``
/// - ``shouldDeleteInaccessibleFaults``
///
/// ### Needless reads
///
/// - ``reads(during:)``
/// - ``reads(isolation:during:)``
/// - ``withReads(atMost:fileID:line:_:)``
/// - ``withReads(atMost:fileID:line:isolation:_:)``
///
/// ### Memory
///
/// - ``registeredObjects``
/// - ``retainsRegisteredObjects``
/// - ``reset()``
///
/// ### Row-level security
///
/// - ``transactionSettings``
///
/// ### Coordinator and name
///
/// - ``coordinator``
/// - ``name``
/// - ``userInfo``
public final class ManagedObjectContext {
    /// The coordinator of the context. A context without a parent fetches from the coordinator and
    /// saves to the coordinator. A child fetches from its ``parent`` and saves to its parent.
    public let coordinator: PersistentStoreCoordinator
    /// The context that a child fetches from and saves to, see ``newChildContext()``. The child
    /// keeps it alive. Nil for a context that uses the stores.
    public let parent: ManagedObjectContext?
    /// The resolution of conflicts with the saves of other contexts. Default:
    /// ``MergePolicy/error``. A child has no conflicts: its save wins.
    public var mergePolicy: MergePolicy = .error
    // Safety: here and below, a value that is loaded or stored and nothing else; a check for
    // overlapping accesses would be a tenth of the time of a look-up.
    /// A Boolean value that indicates whether the context merges the saves of other contexts
    /// automatically: at the end of the current event and at every fetch and save. Default: true
    /// for the view context and the background contexts of a container, false for contexts of
    /// ``PersistentContainer/newContext(isolation:fileID:line:)`` and for children.
    ///
    /// Unsaved changes of the same objects are kept. If another context has changed a property that
    /// the current event has changed too, a fetch or a save leaves the object as it is. The save
    /// then resolves the conflict by ``mergePolicy``: a save never silently overwrites changes that
    /// its event has not seen. Once the unsaved changes are reverted by an undo, a refresh or a
    /// rollback, the object shows the values that the other contexts saved.
    ///
    /// Unsaved changes of an earlier event win, as in Core Data. If an attribute has a merge rule
    /// in the model (`merge="sum"`), the rule is applied. If another context has deleted the row of
    /// an object with unsaved changes, the object is kept, in the same event and in later ones. The
    /// next save resolves this conflict by ``mergePolicy``. (Core Data removes the object, and its
    /// changes are lost.)
    ///
    /// An unsaved link is no change of the object that it references. A link of a one-to-one
    /// relationship is a change of neither object, regardless of the side with the key. If the
    /// relationship has an inverse, unsaved links to an object are cleared when its deletion is
    /// merged, regardless of the delete rules. Observers are notified, and an undo does not restore
    /// such a link. If the to-one relationship is required, the next save throws an error that
    /// names the relationship.
    ///
    /// An event is one `perform`, or one turn of the main actor. A context that you create for
    /// another isolation has a single event: all of its unsaved changes belong to it.
    ///
    /// A child merges from its ``parent``: its saves, merges, refreshes, reverted changes (by a
    /// rollback, undo or redo), and the saves of its other children. It does not merge changes that
    /// setters make in the parent.
    @exclusivity(unchecked) public var automaticallyMergesChangesFromParent: Bool
    /// The maximum age, in seconds, of a row that a fault takes from the coordinator's row cache
    /// instead of the store. If it is less than 0 (the default), rows of any age are used. While
    /// many faults fire in succession, commits of other processes may then show up 50 milliseconds
    /// late. If it is 0, every fault reads the store. Objects that have their values keep them.
    @exclusivity(unchecked) public var stalenessInterval: Double = -1
    /// A Boolean value that indicates whether the context rejects saves, batch operations and
    /// imports, including those of its children. Use it for the view context of a program that
    /// changes objects in background contexts only. Default: false. Objects can still be changed,
    /// until ``rollback()``.
    ///
    /// ```swift
    /// container.viewContext.isReadOnly = true
    /// ```
    public var isReadOnly = false
    /// A readable name, for logs and for the history of the stores.
    public var name: String?
    /// The author of the changes, for the history of the stores: an importer, a server's sync, the
    /// user. A child's changes have the author of its root.
    public var transactionAuthor: String?
    /// Values that the program attaches to the context. Cambium does not use them.
    public var userInfo: [String: Any] = [:]
    /// Called when the row of an object, or the target of a relationship, cannot be read: once for
    /// each failure. Without a handler, the next save throws the error for a deleted row. For any
    /// other reason, every save fails, even with a handler. Each save tries the read again. Saves
    /// succeed when the read succeeds, or when the changes that need it were reverted with
    /// ``refresh(_:mergeChanges:)``, an undo, ``rollback()`` or ``reset()``.
    public var onInaccessibleFault: ((ObjectID, any Error) -> Void)?
    /// A Boolean value that indicates whether an object counts as deleted if the program reads a
    /// property and the row is missing. Default: false; the next save throws that the row was
    /// deleted, unless ``onInaccessibleFault`` is set. In both cases the properties show the
    /// default values of the model. Internal reads (for conditions, orders, delete rules, undo)
    /// skip deleted rows and make no save fail.
    public var shouldDeleteInaccessibleFaults = false
    /// Whether the delete rules are followed whenever changes are processed; if not, only by the
    /// save. Default: true.
    public var propagatesDeletesAtEndOfEvent = true
    /// A Boolean value that indicates whether the context keeps all its objects alive. Default:
    /// false; objects without changes that only the context holds are released from time to time.
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

    /// The settings at the beginning of each transaction of the context in the stores. They are
    /// those of its container or coordinator, see
    /// ``PersistentContainer/applying(transactionSettings:)``. A child has those of its ``parent``.
    public var transactionSettings: TransactionSettings { coordinator.transactionSettings }

    /// The author of a save in the history.
    var author: TransactionAuthor {
        TransactionAuthor(name: transactionAuthor, contextName: name)
    }
    let identifier: ContextIdentifier
    let state: ContextState
    /// The part that registers the objects.
    let registry: ObjectRegistry
    /// The part that records the unsaved changes.
    let changes = PendingChanges()
    /// The part that records the merged changes.
    let merges: MergeState
    /// The part that gives new objects their keys.
    let keys: KeyAllocator
    /// The part that registers the child contexts.
    let family: FamilyLink
    /// The part that registers the receivers of notifications.
    let observers = ObserverHub()
    /// The part that reads.
    let reads: ReadingState
    /// The part that records the errors that the next save throws.
    let errors = RecordedErrors()
    /// The part that records the current event and the operations in progress.
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

    /// Creates a context for a draft of changes to this one. It reads the objects of this context,
    /// with unsaved changes. Its save makes its changes unsaved changes of this context, all of
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
    /// A child belongs to the isolation of its parent, like the parent's objects. The events of a
    /// child end with the parent's events. (Core Data's children may have a queue of their own, and
    /// block the parent's for each fetch. For work outside of the main actor, use a background
    /// context, a sibling.) It may have children itself.
    ///
    /// - Reading: a fetch of the child is a fetch of the parent with the child's own unsaved
    ///   changes applied. The parent creates objects for the rows. An object that the child has
    ///   keeps its values until it is refreshed or a merge brings others.
    /// - Saving: changes are validated, `willSave()` and `didSave()` are called, and all observers
    ///   of saves are notified. There are no conflicts between parent and child. If both have
    ///   changed a property, the parent takes the child's value. For other properties of the saved
    ///   objects, the child takes the parent's changes. Unique constraints and merge policies apply
    ///   when the stores are written. If the parent has merged a save of another context and the
    ///   child has not, the parent's save in the same event has a conflict. In a later event, the
    ///   value of the child wins. If the parent has deleted an object meanwhile, links to it are
    ///   cleared if they have an inverse. A link without an inverse, or a change of its values, is
    ///   an error, and nothing is changed anywhere.
    /// - Identity: new objects keep their identity in the parent. It is temporary
    ///   (``ObjectID/isTemporary``) until they are in a store.
    /// - Undoing: a child's save can be undone in the parent like any other change.
    ///
    /// The child does not merge automatically unless ``automaticallyMergesChangesFromParent`` is
    /// set. It has no row cache and no query generation of its own: it reads through its parent.
    public func newChildContext() -> ManagedObjectContext {
        let child = ManagedObjectContext(
            coordinator: coordinator, parent: self, mergesAutomatically: false,
            schedule: activity.schedule)
        child.objectsAreObservable = objectsAreObservable
        family.add(child)
        return child
    }

    /// The context at the top of the family. It uses the stores.
    var root: ManagedObjectContext { parent?.root ?? self }

    /// Merges the saves of other contexts and processes the own changes. Runs in the context's
    /// isolation.
    func endEvent() {
        activity.isEndOfEventScheduled = false
        Merge(context: self).betweenEvents()
        processChanges()
        activity.startNextEvent()
        undoManager?.endEvent()
        sweepIfGrown()
        // The merged changes may concern the children.
        for child in family.children { child.endEvent() }
    }

    /// The violated invariants of the parts; empty if all hold. They hold between any two calls of
    /// a program. Reads nothing from the stores.
    var partFaults: [String] {
        registry.invariantFaults + changes.invariantFaults(registry) + merges.invariantFaults
    }

    /// Checks the invariants of the parts, in debug builds and if there are not too many objects.
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
    /// Returns the object of a row, or nil if the context does not have it. Never reads from the
    /// store.
    public func registeredObject(for id: ObjectID) -> ManagedObject? {
        guard let root = root(of: id) else { return nil }
        return registry.registered(root: root, key: id.key)
    }

    /// The entity of an identity in this context's store; nil if the identity is from another
    /// store.
    private func entity(of id: ObjectID) -> EntityDescription? {
        // Safety: the context keeps its coordinator, and this keeps its model.
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

    /// Returns the object of a row: a fault if the context does not have it yet. It never reads
    /// from the store: the row may not exist. The read of its first value shows this. To be
    /// certain, use ``existingObject(with:)``.
    ///
    /// If the id is from another store, it returns an invalid object.
    public func object(with id: ObjectID) -> ManagedObject {
        guard let entity = entity(of: id) else {
            let model = coordinator.model
            // Descriptions live as long as their own container, so it must be one of this model's.
            let entity = model[id.entityName] ?? model.entities.first ?? id.entity
            return entity.objectClass.invalidObject(of: entity, in: state)
        }
        return registry.object(of: entity, key: id.key)
    }

    /// Returns the object of an existing row, with its values.
    ///
    /// - Throws: ``StoreError`` with `missingRow` if there is no such row; any error of the store.
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

    /// Returns the object of an existing row, with its values, as an object of its class.
    ///
    /// ```swift
    /// let product = try context.existingObject(with: id, as: Product.self)
    /// ```
    ///
    /// - Throws: ``StoreError`` with `missingRow` if there is no such row, with `invalidRequest` if
    ///   the object is of another class; any error of the store.
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

    /// Reads the values of the objects that are faults, with one statement for each hierarchy, and
    /// throws immediately if a read fails. (A getter never throws: it shows a default value, and
    /// the next save throws.) Objects that have their values remain unchanged.
    ///
    /// ```swift
    /// try context.loadValues(of: [product, category])
    /// ```
    ///
    /// - Throws: ``StoreError`` with `missingRow` if the row of an object was deleted, with
    ///   `objectOfAnotherContext` if an object belongs to another context; any error of the store.
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

    /// All objects that are registered with the context.
    public var registeredObjects: Set<ManagedObject> {
        var all: Set<ManagedObject> = []
        registry.forEach { all.insert($0) }
        return all
    }

    /// Forgets an object that has no row any more.
    @inline(never)
    func forget(_ object: ManagedObject) {
        guard registry.remove(object), !merges.reinsertedRows.isEmpty else { return }
        merges.reinsertedRows[RowIdentity(object)] = nil
    }

    /// Checks that the objects are of this context, for code written for Core Data. An object's key
    /// is final from its insertion, so there is nothing to obtain.
    ///
    /// - Throws: ``StoreError`` with `objectOfAnotherContext` for objects of other contexts.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        guard let misplaced = objects.first(where: { $0.state !== state }) else { return }
        throw StoreError.otherContext(of: misplaced)
    }

    /// Releases clean objects that only the context holds, if many were added since the last time.
    func sweepIfGrown() {
        if !retainsRegisteredObjects { registry.sweepIfGrown() }
    }
}

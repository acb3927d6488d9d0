import CambiumRecords

/// Tells which objects come into a condition, change in it, and go out of it: what a
/// ``FetchedResultsController`` tells, without an order and without a list of objects.
///
/// An object that is changed so that it meets the condition counts as inserted, one that does not
/// meet it any more as deleted, and so does one that is deleted, by its values before.
///
/// ```swift
/// let observer = try ContextObserver(Product.stock == 0, in: container.viewContext) { changes in
///     for product in changes.inserted { warn("\(product.title) is sold out") }
/// }
/// ```
///
/// It belongs to its context's isolation, follows every source of changes that a controller follows
/// (this context, others that save, batch work that is merged, related objects that the condition
/// looks at), and is over with its last reference. It keeps the keys of the objects that meet the
/// condition.
public final class ContextObserver<Entity: ManagedObject> {
    /// When changes are reported.
    public enum Moment: Sendable, Hashable {
        /// When they are processed, before they are saved; what others do when their save is
        /// merged.
        case change
        /// When they are saved: judged are the values that the store has.
        case save
    }

    /// What happened to the objects of a condition.
    public struct Changes {
        /// Objects that meet the condition now and did not before, new ones among them.
        public internal(set) var inserted: [Entity] = []
        /// Objects that met the condition before, changed, and meet it still.
        public internal(set) var updated: [Entity] = []
        /// Objects that met the condition before, and are deleted or do not meet it now.
        public internal(set) var deleted: [Entity] = []

        /// Whether nothing happened.
        public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    }

    /// The context that is observed.
    public let managedObjectContext: ManagedObjectContext
    /// When changes are reported.
    public let moment: Moment
    let scope: ResultScope
    private let handler: (Changes) -> Void
    /// How each object of the condition looked when it was last reported, by its key.
    private var known = [Int64: SeenState]()
    private var savings: ObservationToken?
    private var isStale = false
    private(set) var isBehind = false

    /// Begins to observe; the first changes are relative to what meets the condition now.
    ///
    /// - Parameters:
    ///   - condition: Which objects; nil means all of the entity and its sub-entities.
    ///   - context: The context to observe. The observer keeps it.
    ///   - moment: When changes are reported. Default: when they are processed.
    ///   - handler: Called with changes, in the context's isolation. The observer keeps it.
    /// - Throws: ``StoreError`` where the condition cannot be evaluated; what the store threw.
    /// - Complexity: O(objects that meet the condition) for the beginning, then O(changed).
    public convenience init(
        _ condition: Condition<Entity>? = nil, in context: ManagedObjectContext,
        at moment: Moment = .change, _ handler: @escaping (Changes) -> Void
    ) throws {
        var request = FetchRequest<Entity>()
        request.condition = condition
        try self.init(request, in: context, at: moment, handler)
    }

    /// Begins to observe what a request finds: its condition as text, or a template of the model.
    /// Its order does not matter.
    ///
    /// - Throws: ``StoreError`` with `invalidRequest` where the request has a limit or an offset;
    ///   else as the other initializer.
    public init(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext,
        at moment: Moment = .change, _ handler: @escaping (Changes) -> Void
    ) throws {
        context.mergeIfAutomatic()
        context.processChanges()
        var rows = try context.fetching.rowRequest(for: request)
        guard rows.limit == nil, rows.offset == 0 else {
            throw StoreError.invalidRequest(
                "An observer's request for \(rows.entity.name) has a limit or an offset.",
                remedy: "Remove them: an observer follows all objects that match the condition.")
        }
        rows.sort = []
        managedObjectContext = context
        self.moment = moment
        self.handler = handler
        scope = try ResultScope(rows, in: context.coordinator.model)
        known = try found()
        context.observers.add(self)
        guard moment == .save else { return }
        savings = context.observe(.didSave) { [weak self] saved in
            self?.follow(ObjectChanges(saved))
        }
    }

    /// How many objects meet the condition, as far as was reported.
    public var count: Int { known.count }

    /// What meets the condition now, by key.
    private func found() throws -> [Int64: SeenState] {
        let objects = try managedObjectContext.fetching.objects(scope.request, moment == .change)
        return Dictionary(objects.map { ($0.key, SeenState(of: $0)) }, uniquingKeysWith: { $1 })
    }

    private func follow(_ changes: ObjectChanges) {
        guard isStale || scope.isTouched(by: changes) else { return }
        let isKnown = !isStale && changes.isComplete && !scope.needsRefetch
        isStale = true  // until it is known that nothing was missed
        do {
            let reported = isKnown ? try judge(changes) : try compare(changes)
            isStale = false
            isBehind = false
            if !reported.isEmpty { handler(reported) }
        } catch {
            if !isBehind { managedObjectContext.errors.record(error) }
            isBehind = true
            managedObjectContext.observers.followersAreBehind = true
        }
    }

    /// Judges the objects that changed.
    private func judge(_ changes: ObjectChanges) throws -> Changes {
        let changed = ChangedObjects(changes, of: scope.family)
        var reported = Changes()
        var remaining: Set<Int64> = []
        for object in try scope.candidates(for: changes, in: managedObjectContext) {
            if object.isThere { remaining.insert(object.key) }
            guard let object = object.cast(to: Entity.self), isDue(object) else { continue }
            judge(object, changed, &reported)
        }
        let lost = changes.lostRows.filter {
            // Some may have been inserted again.
            scope.family.contains($0.entity) && !remaining.contains($0.key)
        }
        for row in lost where known.removeValue(forKey: row.key) != nil {
            // Nobody had the object: it comes to show that it was deleted.
            let object = managedObjectContext.registry.object(entity: row.entity, key: row.key)
            managedObjectContext.rowMerging.invalidate(object)
            if let object = object.cast(to: Entity.self) { reported.deleted.append(object) }
        }
        return reported
    }

    /// Whether the object's values are those that count at the observer's moment.
    private func isDue(_ object: Entity) -> Bool {
        moment == .change || object.lifecycle == .clean || object.lifecycle == .invalid
    }

    private func judge(_ object: Entity, _ changed: ChangedObjects, _ reported: inout Changes) {
        guard scope.includes(object) else {
            if known.removeValue(forKey: object.key) != nil { reported.deleted.append(object) }
            return
        }
        guard var seen = known[object.key] else {
            known[object.key] = SeenState(of: object)
            reported.inserted.append(object)
            return
        }
        if changed.concerns(object, &seen) { reported.updated.append(object) }
        known[object.key] = seen
    }

    /// Compares what meets the condition now with what did before.
    private func compare(_ changes: ObjectChanges) throws -> Changes {
        let changed = ChangedObjects(changes, of: scope.family)
        var reported = Changes()
        var missing = Set(known.keys)
        let found = try managedObjectContext.fetching.objects(scope.request, moment == .change)
        for object in found.cast(to: Entity.self) {
            missing.remove(object.key)
            judge(object, changed, &reported)
        }
        let left = missing.sorted().map { key in
            known[key] = nil
            return managedObjectContext.registry.object(
                entity: scope.request.entity.index, key: key)
        }
        try managedObjectContext.faulting.load(
            left.filter { $0.record == nil && $0.lifecycle == .clean })
        for object in left {
            if object.record == nil { managedObjectContext.rowMerging.invalidate(object) }
            if let object = object.cast(to: Entity.self) { reported.deleted.append(object) }
        }
        return reported
    }
}

extension ContextObserver: ChangeFollower {
    var watchedEntities: Set<Int> { scope.watchedEntities }

    func contextDidChange(_ changes: ObjectChanges) {
        follow(changes)
    }

    func contextWasReset() {
        isStale = true
    }
}

extension ObjectChanges {
    /// What this context has saved.
    fileprivate init(_ saved: SavedObjects) {
        var linked: Set<RowIdentity> = []
        for changes in saved.changeSets.flatMap(\.entities) {
            for row in changes.updated where !row.links.isEmpty {
                linked.insert(RowIdentity(root: changes.entity.rootIndex, key: row.key))
            }
        }
        inserted = Array(saved.inserted)
        updated = saved.updated.map { object in
            Update(object: object, slots: nil, changesLinks: linked.contains(RowIdentity(object)))
        }
        deleted = Array(saved.deleted)
    }
}

/// A value that is followed, as a sequence: its value at the beginning, then each other one. Made by
/// ``ManagedObjectContext/observe(count:)`` and ``ManagedObjectContext/observe(_:)``.
///
/// It belongs to the context's isolation and keeps what it observes. A slow consumer gets the latest
/// value only. It ends when the task that waits for it is cancelled.
public struct ObservedValues<Value>: AsyncSequence {
    /// A value.
    public typealias Element = Value
    /// It never fails.
    public typealias Failure = Never

    let source: ValueSource<Value>

    /// Begins to wait for values.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// Waits for values, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let source: ValueSource<Value>

        /// The next value; nil when the task was cancelled, or when there can be no other.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while !Task.isCancelled {
                if let value = source.take() { return value }
                if source.isOver { return nil }
                await source.waiter.wait(isolation: actor)
            }
            return nil
        }
    }
}

/// A value that somebody waits for.
final class ValueSource<Value> {
    let waiter = Waiter()
    /// Whether no other value can come.
    private(set) var isOver = false
    private var value: Value?
    /// Who follows the value.
    var follower: AnyObject?

    func put(_ value: Value) {
        self.value = value
        waiter.signal()
    }

    func end() {
        isOver = true
        waiter.signal()
    }

    func take() -> Value? {
        defer { value = nil }
        return value
    }
}

extension ManagedObjectContext {
    /// How many objects a request finds, now and whenever it is another number.
    ///
    /// ```swift
    /// for await count in try context.observe(count: Product.fetchRequest().filter(Product.stock == 0)) {
    ///     badge.show(count)
    /// }
    /// ```
    ///
    /// Unsaved changes count. A request cannot have a limit or an offset.
    ///
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    public func observe<Entity: ManagedObject>(
        count request: FetchRequest<Entity>
    ) throws -> ObservedValues<Int> {
        let source = ValueSource<Int>()
        var last = 0
        let observer = try ContextObserver(request, in: self) { [weak source] changes in
            let count = last + changes.inserted.count - changes.deleted.count
            if count != last { source?.put(count) }
            last = count
        }
        last = observer.count
        source.put(last)
        source.follower = observer
        return ObservedValues(source: source)
    }

    /// An object, now and whenever its values or relationships are others, here or by another
    /// context's save. It ends with the object: the last time the object is deleted.
    ///
    /// ```swift
    /// for await product in context.observe(product) { label.text = product.title }
    /// ```
    public func observe<Entity: ManagedObject>(_ object: Entity) -> ObservedValues<Entity> {
        let source = ValueSource<Entity>()
        source.follower = ObjectFollower(object, in: self, source)
        source.put(object)
        return ObservedValues(source: source)
    }
}

/// Follows one object.
private final class ObjectFollower<Entity: ManagedObject>: ChangeFollower {
    let watchedEntities: Set<Int> = []
    let isBehind = false
    private let object: Entity
    private weak var source: ValueSource<Entity>?
    private var seen: SeenState

    init(_ object: Entity, in context: ManagedObjectContext, _ source: ValueSource<Entity>) {
        self.object = object
        self.source = source
        seen = SeenState(of: object)
        context.observers.add(self)
    }

    func contextDidChange(_ changes: ObjectChanges) {
        let isGone = object.isDeleted
        if !isGone {
            guard changes.mayConcern(object) else { return }
            object.willAccessValue(forKey: nil)  // it may have been made a fault
            guard ChangedObjects(changes).concerns(object, &seen) else { return }
        }
        source?.put(object)
        if isGone { source?.end() }
    }

    func contextWasReset() {
        source?.put(object)
        source?.end()
    }
}

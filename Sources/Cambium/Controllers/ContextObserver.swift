import CambiumRecords

/// Reports the objects that begin to meet a condition, change while they meet it, or stop meeting
/// it. A ``FetchedResultsController`` reports the same, but with an order and a list of objects.
///
/// If an object changes so that it meets the condition, it counts as inserted. If it no longer
/// meets the condition, or is deleted, it counts as deleted.
///
/// ```swift
/// let observer = try ContextObserver(Product.stock == 0, in: container.viewContext) { changes in
///     for product in changes.inserted { warn("\(product.title) is sold out") }
/// }
/// ```
///
/// The observer belongs to its context's isolation. It follows the same sources of changes as a
/// controller: its context, saves of other contexts, merged batch operations, and related objects
/// that the condition reads. It stops when its last reference is released. It keeps the keys of the
/// objects that meet the condition.
public final class ContextObserver<Entity: ManagedObject> {
    /// The time at which changes are reported.
    public enum Moment: Sendable, Hashable {
        /// When changes are processed, before they are saved. Changes of other contexts are
        /// reported when they are merged.
        case change
        /// When changes are saved. The condition is evaluated with the values in the store.
        case save
    }

    /// The changes of the objects that meet the condition.
    public struct Changes {
        /// Objects that meet the condition now and did not before, including new objects.
        public internal(set) var inserted: [Entity] = []
        /// Objects that met the condition before, changed, and still meet it.
        public internal(set) var updated: [Entity] = []
        /// Objects that met the condition before, and are deleted or do not meet it now.
        public internal(set) var deleted: [Entity] = []

        /// Whether there are no changes.
        public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    }

    /// The observed context.
    public let managedObjectContext: ManagedObjectContext
    /// The time at which changes are reported.
    public let moment: Moment
    let scope: ResultScope
    private let handler: (Changes) -> Void
    /// The last reported state of each object that meets the condition, by its key.
    private var known = [Int64: SeenState]()
    private var savings: ObservationToken?
    private var isStale = false
    private(set) var isBehind = false

    /// Creates an observer. Its first changes are relative to the objects that meet the condition
    /// now.
    ///
    /// - Parameters:
    ///   - condition: The condition; nil means all objects of the entity and its sub-entities.
    ///   - context: The context to observe. The observer retains it.
    ///   - moment: When changes are reported. Default: when they are processed.
    ///   - handler: Called with changes, in the context's isolation. The observer retains it.
    /// - Throws: ``StoreError`` if the condition cannot be evaluated; any error of the store.
    /// - Complexity: O(objects that meet the condition) at first, then O(changed).
    public convenience init(
        _ condition: Condition<Entity>? = nil, in context: ManagedObjectContext,
        at moment: Moment = .change, _ handler: @escaping (Changes) -> Void
    ) throws {
        var request = FetchRequest<Entity>()
        request.condition = condition
        try self.init(request, in: context, at: moment, handler)
    }

    /// Creates an observer for the objects that a request finds, with its condition as text or a
    /// template of the model. The order of the request is ignored.
    ///
    /// - Throws: ``StoreError`` with `invalidRequest` if the request has a limit or an offset;
    ///   otherwise the errors of the other initializer.
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

    /// The number of objects that meet the condition, according to the last report.
    public var count: Int { known.count }

    /// Returns the objects that meet the condition now, by key.
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

    /// Evaluates the condition for the changed objects.
    private func judge(_ changes: ObjectChanges) throws -> Changes {
        let changed = ChangedObjects(changes, of: scope.family)
        var reported = Changes()
        var remaining: Set<Int64> = []
        for object in try scope.candidates(for: changes, in: managedObjectContext) {
            if object.exists { remaining.insert(object.key) }
            guard let object = object.cast(to: Entity.self), isDue(object) else { continue }
            judge(object, changed, &reported)
        }
        let lost = changes.lostRows.filter {
            // Some of the rows may have been inserted again.
            scope.family.contains($0.entity) && !remaining.contains($0.key)
        }
        for row in lost where known.removeValue(forKey: row.key) != nil {
            // The context had no object of the row. It creates one to report the deletion.
            let object = managedObjectContext.registry.object(entity: row.entity, key: row.key)
            managedObjectContext.rowMerging.invalidate(object)
            if let object = object.cast(to: Entity.self) { reported.deleted.append(object) }
        }
        return reported
    }

    /// Returns whether the observer reports the object's current values at its moment.
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

    /// Compares the objects that meet the condition now with the reported ones.
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
    /// The changes that this context has saved.
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

/// An observed value as an asynchronous sequence: its current value, then each different one.
/// Created by ``ManagedObjectContext/observe(count:)`` and ``ManagedObjectContext/observe(_:)``.
///
/// The sequence belongs to the context's isolation and retains the observed object. A slow consumer
/// gets only the latest value. The sequence ends when the consuming task is cancelled.
public struct ObservedValues<Value>: AsyncSequence {
    /// A value.
    public typealias Element = Value
    /// The sequence never throws.
    public typealias Failure = Never

    let source: ValueSource<Value>

    /// Returns an iterator over the values.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// An iterator over the values.
    public struct Iterator: AsyncIteratorProtocol {
        let source: ValueSource<Value>

        /// Returns the next value, or nil if the task was cancelled or there can be no other value.
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

/// The latest value, for a task that waits for it.
final class ValueSource<Value> {
    let waiter = Waiter()
    /// Whether no other value can come.
    private(set) var isOver = false
    private var value: Value?
    /// The observer of the value.
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
    /// Returns the number of objects that a request finds, now and after each change of the number.
    ///
    /// ```swift
    /// for await count in try context.observe(count: Product.fetchRequest().filter(Product.stock == 0)) {
    ///     badge.show(count)
    /// }
    /// ```
    ///
    /// Unsaved changes count. The request cannot have a limit or an offset.
    ///
    /// - Throws: ``StoreError`` if the request cannot be run; any error of the store.
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

    /// Returns an object, now and after each change of its values or relationships, in this context
    /// or by another context's save. The sequence ends when the object is deleted; its last element
    /// is the deleted object.
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

/// Observes one object.
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
        let isDeleted = object.isDeleted
        if !isDeleted {
            guard changes.mayConcern(object) else { return }
            object.willAccessValue(forKey: nil)  // it may have been made a fault
            guard ChangedObjects(changes).concerns(object, &seen) else { return }
        }
        source?.put(object)
        if isDeleted { source?.end() }
    }

    func contextWasReset() {
        source?.put(object)
        source?.end()
    }
}

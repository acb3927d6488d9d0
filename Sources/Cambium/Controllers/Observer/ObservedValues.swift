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
    /// for await count in try context.observe(count: Product.fetchRequest().filter(…)) {
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

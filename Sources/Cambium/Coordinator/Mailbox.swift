import CambiumRecords
import Synchronization

/// A queue of change sets for a context. The context takes them in its own isolation.
final class Mailbox: Sendable {
    private struct Contents {
        var changeSets: [ChangeSet] = []
        var isScheduled = false
        var hasOverflowed = false
    }

    /// The maximum number of change sets for a context that does not take them. If there are more,
    /// it reads all objects again.
    private static let capacity = 256

    private let contents = Mutex(Contents())
    /// Whether the mailbox is empty. It makes frequent checks of an empty mailbox cheap.
    private let isEmpty = Atomic(true)
    private let schedule: (@Sendable () -> Void)?

    /// - Parameter schedule: Enqueues one job in the context's isolation that empties the mailbox;
    ///   nil if the isolation is not known.
    init(schedule: (@Sendable () -> Void)?) {
        self.schedule = schedule
    }

    /// Adds the change set of another context's save.
    ///
    /// - Returns: Here and below, a closure to call when the caller holds no lock any more. It
    ///   makes the context read its mailbox, and may call the program's own executor.
    func post(_ changeSet: ChangeSet) -> (@Sendable () -> Void)? {
        post { contents in
            contents.changeSets.append(changeSet)
            if contents.changeSets.count > Self.capacity {
                contents.changeSets = []
                contents.hasOverflowed = true
            }
        }
    }

    /// Notifies the context that the change sets are incomplete, so that it reads all objects
    /// again.
    func postLoss() -> (@Sendable () -> Void)? {
        post { $0.hasOverflowed = true }
    }

    private func post(_ change: (inout Contents) -> Void) -> (@Sendable () -> Void)? {
        let mustSchedule = contents.withLock { contents in
            change(&contents)
            isEmpty.store(false, ordering: .releasing)
            defer { contents.isScheduled = true }
            return !contents.isScheduled
        }
        return mustSchedule ? schedule : nil
    }

    /// Removes deletions of rows that were inserted again.
    func discardDeletions(of rows: Set<RowIdentity>) {
        if rows.isEmpty || hasNothing { return }
        contents.withLock { contents in
            contents.changeSets = contents.changeSets.map { changeSet in
                var changeSet = changeSet
                for (index, changes) in changeSet.entities.enumerated() {
                    changeSet.entities[index].deleted.removeAll {
                        rows.contains(RowIdentity(root: changes.entity.rootIndex, key: $0))
                    }
                }
                return changeSet
            }
        }
    }

    /// Whether there are no new change sets.
    var hasNothing: Bool { isEmpty.load(ordering: .acquiring) }

    /// Whether there were more change sets than the capacity.
    var hasOverflowed: Bool { contents.withLock(\.hasOverflowed) }

    /// Removes and returns the new change sets, and whether they are complete.
    func take() -> (changeSets: [ChangeSet], isComplete: Bool) {
        if isEmpty.load(ordering: .acquiring) { return ([], true) }
        return contents.withLock { contents in
            isEmpty.store(true, ordering: .relaxed)
            defer { contents = Contents() }
            return (contents.changeSets, !contents.hasOverflowed)
        }
    }
}

/// Observers of elements: handlers that are called at once, and streams.
final class StreamObservers<Element: Sendable>: Sendable {
    /// Adds an element to the waiting elements of an observer.
    typealias Joining = @Sendable (_ waiting: inout [Element], _ element: Element) -> Void

    private struct Observers {
        var all = [Int: Observer]()
        /// In the order of their addition.
        var handlers: [(flag: CancellationFlag, handle: @Sendable (Element) -> Void)] = []
        var next = 0
    }

    private let observers = Mutex(Observers())
    private let join: Joining

    /// - Parameter join: Adds an element to the waiting ones; the default appends it.
    init(joining join: @escaping Joining = { $0.append($1) }) {
        self.join = join
    }

    /// Returns a stream of the elements from now on. It ends with the observers.
    @_semantics("optimize.sil.specialize.generic.never")
    func makeStream() -> AsyncStream<Element> {
        // The elements wait in the observer; the inner stream signals that there are some.
        let (wakeups, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observer = Observer(continuation)
        let number = observers.withLock { observers in
            defer { observers.next += 1 }
            observers.all[observers.next] = observer
            return observers.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.observers.withLock { $0.all[number] = nil }
        }
        return AsyncStream(unfolding: {
            if let element = observer.take() { return element }
            for await _ in wakeups {
                if let element = observer.take() { return element }
            }
            return observer.take()
        })
    }

    @_semantics("optimize.sil.specialize.generic.never")
    func observe(_ handle: @escaping @Sendable (Element) -> Void) -> ObservationToken {
        let flag = CancellationFlag()
        observers.withLock { $0.handlers.append((flag, handle)) }
        return ObservationToken(flag)
    }

    /// Calls the handlers in order on this thread, and adds the element to the streams. It holds no
    /// lock meanwhile: a handler may observe, cancel, and change the observed state.
    @_semantics("optimize.sil.specialize.generic.never")
    func send(_ element: Element) {
        // Cancelled handlers are released here too, not under the lock: their release may release
        // objects of the program, and run the program's code.
        let (handlers, observers) = observers.withLock { observers in
            let handlers = observers.handlers
            observers.handlers.removeAll { $0.flag.isSet }
            return (handlers, Array(observers.all.values))
        }
        for handler in handlers where !handler.flag.isSet { handler.handle(element) }
        for observer in observers { observer.send(element, join) }
    }

    deinit {
        for observer in observers.withLock({ Array($0.all.values) }) { observer.finish() }
    }

    /// The elements that a stream has not taken yet.
    private final class Observer: Sendable {
        private let waiting = Mutex<[Element]>([])
        private let wakeup: AsyncStream<Void>.Continuation

        init(_ wakeup: AsyncStream<Void>.Continuation) {
            self.wakeup = wakeup
        }

        func send(_ element: Element, _ join: Joining) {
            waiting.withLock { join(&$0, element) }
            wakeup.yield()
        }

        func take() -> Element? {
            waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }

        func finish() { wakeup.finish() }
    }
}

/// A token that keeps an observation active. The observation ends when the token is released or
/// ``cancel()`` is called, in any isolation.
///
/// The token does not retain the context or the coordinator.
public final class ObservationToken: Sendable {
    private let flag: CancellationFlag

    init(_ flag: CancellationFlag) {
        self.flag = flag
    }

    /// Ends the observation. Further calls have no effect.
    public func cancel() {
        flag.set()
    }

    deinit {
        flag.set()
    }
}

/// A flag that marks a handler as cancelled. A token may be released in any isolation, so the
/// handler is not removed then: its caller removes it later (for a context, in the context's
/// isolation).
final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() {
        value.store(true, ordering: .releasing)
    }
}

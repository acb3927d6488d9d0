import CambiumRecords
import Synchronization

/// Where change sets wait until a context, in its own isolation, takes them.
final class Mailbox: Sendable {
    private struct Contents {
        var changeSets: [ChangeSet] = []
        var isScheduled = false
        var hasOverflowed = false
    }

    /// More than that is not kept for a context that never asks: it then reads everything again.
    private static let capacity = 256

    private let contents = Mutex(Contents())
    /// Whether there is anything, for the many who ask in vain.
    private let isEmpty = Atomic(true)
    private let schedule: (@Sendable () -> Void)?

    /// - Parameter schedule: Enqueues one job in the context's isolation that empties the mailbox;
    ///   nil where the isolation is not known.
    init(schedule: (@Sendable () -> Void)?) {
        self.schedule = schedule
    }

    /// Adds what another context has saved.
    ///
    /// - Returns: Here and below, what is to be called when the caller holds no lock any more: it lets
    ///   the context look into its mailbox. The program's own executor may be behind it.
    func post(_ changeSet: ChangeSet) -> (@Sendable () -> Void)? {
        post { contents in
            contents.changeSets.append(changeSet)
            if contents.changeSets.count > Self.capacity {
                contents.changeSets = []
                contents.hasOverflowed = true
            }
        }
    }

    /// Lets the context know that change sets do not say everything: it reads everything again.
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

    /// Drops the news that some rows went: they are there again.
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

    /// Whether nothing has come since the last time.
    var hasNothing: Bool { isEmpty.load(ordering: .acquiring) }

    /// Whether more has come than is kept.
    var hasOverflowed: Bool { contents.withLock(\.hasOverflowed) }

    /// What has come since the last time, and whether that is all.
    func take() -> (changeSets: [ChangeSet], isComplete: Bool) {
        if isEmpty.load(ordering: .acquiring) { return ([], true) }
        return contents.withLock { contents in
            isEmpty.store(true, ordering: .relaxed)
            defer { contents = Contents() }
            return (contents.changeSets, !contents.hasOverflowed)
        }
    }
}

/// Who observes something: by a handler that is called at once, or by a stream.
final class StreamObservers<Element: Sendable>: Sendable {
    /// Adds an element to those that an observer has not taken yet.
    typealias Joining = @Sendable (_ waiting: inout [Element], _ element: Element) -> Void

    private struct Observers {
        var all = [Int: Observer]()
        /// In the order in which they came.
        var handlers: [(flag: CancellationFlag, handle: @Sendable (Element) -> Void)] = []
        var next = 0
    }

    private let observers = Mutex(Observers())
    private let join: Joining

    /// - Parameter join: What becomes of elements that nobody has taken yet; the default keeps each
    ///   of them.
    init(joining join: @escaping Joining = { $0.append($1) }) {
        self.join = join
    }

    /// What is told from now on. It ends with the observers.
    @_semantics("optimize.sil.specialize.generic.never")
    func makeStream() -> AsyncStream<Element> {
        // The elements wait with the observer; the inner stream says that there are some.
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

    /// Calls the handlers, one after the other on this thread, and leaves the element to the
    /// streams. No lock is held meanwhile: a handler may observe, cancel and change what it is
    /// notified of.
    @_semantics("optimize.sil.specialize.generic.never")
    func send(_ element: Element) {
        // Those that were cancelled are released here too, not under the lock: with them may go
        // objects of the program, which then run code of their own.
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

    /// What one of them has not taken yet.
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

/// Keeps an observation going: it ends when the token is let go of, or when ``cancel()`` is called,
/// whichever comes first and in whatever isolation.
///
/// It does not keep the context, or the coordinator, alive.
public final class ObservationToken: Sendable {
    private let flag: CancellationFlag

    init(_ flag: CancellationFlag) {
        self.flag = flag
    }

    /// Ends the observation. Calling it again does nothing.
    public func cancel() {
        flag.set()
    }

    deinit {
        flag.set()
    }
}

/// Says that a handler is not to be called any more. The handler itself stays where it is (that of
/// a context in the context's isolation) until who calls it sorts it out: tokens may go anywhere.
final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() {
        value.store(true, ordering: .releasing)
    }
}

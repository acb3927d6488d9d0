import Synchronization

/// Where change sets wait until a context, in its own isolation, takes them.
final class Mailbox: Sendable {
    private struct Contents {
        var changeSets: [ChangeSet] = []
        var isScheduled = false
    }

    private let contents = Mutex(Contents())
    private let schedule: (@Sendable () -> Void)?

    /// - Parameter schedule: Enqueues one job in the context's isolation that empties the mailbox;
    ///   nil where the isolation is not known.
    init(schedule: (@Sendable () -> Void)?) {
        self.schedule = schedule
    }

    func post(_ changeSet: ChangeSet) {
        let mustSchedule = contents.withLock { contents in
            contents.changeSets.append(changeSet)
            defer { contents.isScheduled = true }
            return !contents.isScheduled
        }
        if mustSchedule { schedule?() }
    }

    func take() -> [ChangeSet] {
        contents.withLock { contents in
            contents.isScheduled = false
            defer { contents.changeSets = [] }
            return contents.changeSets
        }
    }

    /// Whether nothing waits.
    var isEmpty: Bool { contents.withLock { $0.changeSets.isEmpty } }
}

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

import Synchronization

/// Stands between contexts and the store: knows the model, numbers the commits and hands each change
/// set to the contexts that did not make it.
public final class StoreCoordinator: Sendable {
    let model: RuntimeModel
    let store: any Store
    let rowCache = RowCache()

    private struct Subscribers {
        var mailboxes: [UInt64: WeakMailbox] = [:]
        var nextContext: UInt64 = 1
        var commits: Int64 = 0
    }

    private struct WeakMailbox: Sendable {
        weak let mailbox: Mailbox?
    }

    private let subscribers = Mutex(Subscribers())

    init(model: RuntimeModel, store: any Store) {
        self.model = model
        self.store = store
    }

    /// A number for a new context.
    func makeContextIdentifier() -> ContextIdentifier {
        subscribers.withLock { subscribers in
            defer { subscribers.nextContext += 1 }
            return ContextIdentifier(number: subscribers.nextContext)
        }
    }

    func subscribe(_ mailbox: Mailbox, for context: ContextIdentifier) {
        subscribers.withLock { $0.mailboxes[context.number] = WeakMailbox(mailbox: mailbox) }
    }

    func unsubscribe(_ context: ContextIdentifier) {
        subscribers.withLock { $0.mailboxes[context.number] = nil }
    }

    /// Whether a context other than this one wants to hear of changes.
    func hasListeners(beside context: ContextIdentifier) -> Bool {
        subscribers.withLock { subscribers in
            subscribers.mailboxes.contains { $0.key != context.number && $0.value.mailbox != nil }
        }
    }

    /// The number of the latest commit.
    var latestCommit: Int64 { subscribers.withLock { $0.commits } }

    /// Numbers what a save changed and posts it to all other contexts.
    ///
    /// Called while the store's writer is still locked, so that numbers follow commits.
    func publish(_ entities: [EntityChanges], from origin: ContextIdentifier) -> ChangeSet {
        let (changeSet, mailboxes) = subscribers.withLock { subscribers in
            subscribers.commits += 1
            let changeSet = ChangeSet(
                number: subscribers.commits, origin: origin, store: store.identifier,
                entities: entities)
            let others = subscribers.mailboxes.filter { $0.key != origin.number }
            return (changeSet, others.compactMap(\.value.mailbox))
        }
        rowCache.follow(entities, commit: changeSet.number)
        for mailbox in mailboxes { mailbox.post(changeSet) }
        return changeSet
    }
}

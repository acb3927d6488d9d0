import CambiumSQL
import CambiumSQLite
import Synchronization

/// Tells the contexts of a coordinator what others have committed to the file of a store.
///
/// SQLite says whether anybody but this connection has committed; the history says what. Each
/// change is told once: the transactions that the store itself has written are passed over, and
/// the place in the history goes on under the writer's lock, in which saves are told of too.
final class RemoteFollower: Sendable {
    private weak let store: SQLiteStore?
    private weak let coordinator: PersistentStoreCoordinator?

    /// What has been told.
    private struct Seen {
        var dataVersion: StoredValue?
        /// The last change in the history.
        var change: Int64 = 0
    }

    private let seen = Mutex(Seen())
    private let watch = Mutex<CommitWatch?>(nil)

    /// More changed objects than that are not listed for contexts.
    private static let maximumListed = 100_000

    init(_ store: SQLiteStore, _ coordinator: PersistentStoreCoordinator) {
        self.store = store
        self.coordinator = coordinator
    }

    /// Notes what is there now, and watches the file.
    ///
    /// - Throws: ``StoreError`` where the file cannot be watched; what SQLite throws.
    func start(path: String) throws {
        guard let store else { return }
        try store.writer.withLock { connection in
            let now = try look(store, connection)
            seen.withLock { $0 = now }
        }
        let watch = try CommitWatch(path: path) { [weak self] in self?.follow() }
        self.watch.withLock { $0 = watch }
    }

    private func look(_ store: SQLiteStore, _ connection: Connection) throws -> Seen {
        let version = try connection.rows(PragmaSQL.dataVersion).first?.first
        let last = try store.history.map {
            try store.historyReader(connection, $0.settings.epoch).bounds().last
        }
        return Seen(dataVersion: version, change: last ?? 0)
    }

    /// Tells what others have committed since the last time; nothing where nobody has.
    func follow() {
        guard let store, let coordinator else { return }
        // What fails now (a lock that another process holds) is asked again with the next commit.
        let change = try? store.writer.withLock { connection -> RemoteStoreChange? in
            let version = try connection.rows(PragmaSQL.dataVersion).first?.first
            let known = seen.withLock { $0 }
            guard version != known.dataVersion else { return nil }
            let told = try tell(of: store, to: coordinator, connection, after: known.change)
            seen.withLock { $0 = Seen(dataVersion: version, change: told.last) }
            return told.change
        }
        if let change { coordinator.remoteObservers.tell(change) }
    }

    private func tell(
        of store: SQLiteStore, to coordinator: PersistentStoreCoordinator,
        _ connection: Connection, after last: Int64
    ) throws -> (change: RemoteStoreChange?, last: Int64) {
        func loss(_ token: HistoryToken?) -> RemoteStoreChange {
            coordinator.publishLoss(from: .remote, store: store.identifier)
            return RemoteStoreChange(
                storeIdentifier: store.identifier.uuid, token: token, isComplete: false)
        }
        guard let history = store.history else { return (loss(nil), last) }
        let (net, end) = try connection.transaction(.deferred) {
            let reader = store.historyReader(connection, history.settings.epoch)
            let bounds = try reader.bounds()
            guard last >= bounds.floor, last <= bounds.last else {
                return (NetChanges?.none, bounds.last)
            }
            var position = last
            let found = try reader.transactions(HistoryRequest(), after: &position, bounds)
            var net = NetChanges(store.model)
            for transaction in found {
                net.add(transaction, isKnown: transaction.writer == history.writer)
            }
            return (net, bounds.last)
        }
        let token = HistoryToken(
            [store.identifier.uuid: .init(epoch: history.settings.epoch, change: end)])
        guard let net, net.count <= Self.maximumListed else { return (loss(token), end) }
        // A commit that changed no object: keys were reserved, or the program noted something.
        guard net.count > 0 else { return (nil, end) }
        coordinator.publish(net.entities, from: .remote, store: store.identifier)
        let change = RemoteStoreChange(
            storeIdentifier: store.identifier.uuid, token: token, isComplete: true)
        return (change, end)
    }
}

import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Synchronization

/// Tells a receiver what others have committed to the file of a store.
///
/// SQLite says whether anybody but this connection has committed; the history says what. Each
/// change is reported once: the transactions that the store itself has written are passed over, and
/// the place in the history goes on under the writer's lock, in which saves are reported too.
///
/// Another program that writes to the file may also turn its history off, start it over or damage
/// it: what cannot be reported as a list is reported as a loss, after which contexts read
/// everything again.
final class RemoteFollower: Sendable {
    private weak let store: SQLiteEngine?
    private weak let receiver: (any CommitReceiver)?
    /// A connection of its own, which sees commits without the writer's lock: most questions find
    /// none, and saves need not wait for them.
    private let lookout: LockedConnection?

    /// What has been reported.
    private struct Seen {
        /// SQLite's number of what the lookout has seen, own commits among it.
        var commits: StoredValue?
        /// The number of what others have committed.
        var dataVersion: StoredValue?
        /// Which history the store had; nil for none.
        var epoch: UUID?
        /// The last change in it.
        var change: Int64 = 0
    }

    /// What others have done.
    private enum News {
        case nothing
        case changes(NetChanges)
        /// Their changes are unknown, or too many to be listed.
        case loss
    }

    private let seen = Mutex(Seen())
    private let watch = Mutex<CommitWatch?>(nil)

    init(_ store: SQLiteEngine, _ receiver: any CommitReceiver) throws {
        self.store = store
        self.receiver = receiver
        lookout = try store.readers?.makeReader(isQuiet: true)
    }

    /// Notes what is there now, and watches the file.
    ///
    /// - Throws: ``StoreError`` where the file cannot be watched; what SQLite throws.
    func start(path: String) throws {
        guard let store else { return }
        try store.writer.withLock { connection in
            let (_, now) = try look(at: store, connection, after: Seen())
            seen.withLock { $0 = now }
        }
        let watch = try CommitWatch(path: path) { [weak self] in self?.follow() }
        self.watch.withLock { $0 = watch }
    }

    /// Tells what others have committed since the last time; nothing where there is none.
    func follow() {
        guard let store, let receiver else { return }
        let commits = try? lookout?.withLock { try Self.dataVersion($0) }
        if commits != nil, commits == seen.withLock({ $0.commits }) { return }
        // What fails now (the store was closed, or is locked) is asked again with the next commit.
        let reported = try? store.writer.withLock { connection -> (isComplete: Bool, now: Seen)? in
            let found = try look(at: store, connection, after: seen.withLock { $0 })
            let isComplete = tell(found.news, of: store, to: receiver)
            seen.withLock { seen in
                seen = found.now
                seen.commits = commits
            }
            return isComplete.map { ($0, found.now) }
        }
        guard let reported else { return }
        let token = reported.now.epoch.map {
            HistoryToken([store.identifier.uuid: .init(epoch: $0, change: reported.now.change)])
        }
        receiver.announce(store.identifier, at: token, isComplete: reported.isComplete)
    }

    private static func dataVersion(_ connection: Connection) throws -> StoredValue? {
        try connection.rows(PragmaSQL.dataVersion).first?.first
    }

    /// What has happened since, as one state of the store has it.
    private func look(
        at store: SQLiteEngine, _ connection: Connection, after known: Seen
    ) throws -> (news: News, now: Seen) {
        try connection.transaction(.deferred) {
            var now = known
            now.dataVersion = try Self.dataVersion(connection)
            guard now.dataVersion != known.dataVersion else {
                // Only the store has committed, and has reported it.
                if let epoch = known.epoch {
                    now.change = try store.historyReader(connection, epoch).bounds().last
                }
                return (.nothing, now)
            }
            do {
                guard let reader = try store.historyReader(connection) else {
                    now.epoch = nil
                    return (.loss, now)
                }
                let bounds = try reader.bounds()
                now.epoch = reader.epoch
                now.change = bounds.last
                return (try news(for: store, reader, bounds, after: known), now)
            } catch is SQLiteError {
                // Its tables are not what they should be. To wait for better ones would leave
                // contexts with old values, without notice.
                return (.loss, now)
            }
        }
    }

    private func news(
        for store: SQLiteEngine, _ reader: HistoryReader, _ bounds: HistoryReader.Bounds,
        after known: Seen
    ) throws -> News {
        guard reader.epoch == known.epoch,
            known.change >= bounds.floor, known.change <= bounds.last,
            UInt64(bitPattern: bounds.last &- known.change) <= EntityChanges.maximumListedRows
        else { return .loss }
        var reader = reader
        // Contexts read the rows.
        reader.readsValues = false
        var position = known.change
        var net = NetChanges(store.model)
        for transaction in try reader.transactions(HistoryRequest(), after: &position, bounds) {
            net.add(transaction, isKnown: transaction.writer == store.history.writer)
        }
        return .changes(net)
    }

    /// - Returns: Whether all changes could be reported; nil where there were none.
    private func tell(
        _ news: News, of store: SQLiteEngine, to receiver: any CommitReceiver
    ) -> Bool? {
        switch news {
        case .nothing:
            return nil
        case .loss:
            receiver.receive(nil, from: store.identifier)
            return false
        case .changes(let net):
            // A commit that changed no object: keys were reserved, or the program noted something.
            guard net.count > 0 else { return nil }
            receiver.receive(net.entities, from: store.identifier)
            return true
        }
    }
}

extension SQLiteEngine {
    package func followOthers(for receiver: any CommitReceiver) throws {
        guard let path else { return }
        let follower = try RemoteFollower(self, receiver)
        try follower.start(path: path)
        self.follower.withLock { $0 = follower }
    }
}

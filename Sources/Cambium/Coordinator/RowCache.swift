import CambiumSQLite
import Synchronization

/// The rows that contexts have let go of and may ask for again, and those that saves have changed:
/// what the coordinator last saw of the store.
///
/// A fault whose row is here needs no statement, and a save that is based on an older version than
/// the one here is known to be a conflict before the store is asked. Rows come in when an object
/// turns into a fault, when a fault fires, and when a save tells others of changed rows; a fetch
/// brings those up to date that are here. It is bounded: the rows that came first go first.
final class RowCache: Sendable {
    /// A row as it was read or saved.
    struct Entry: Sendable {
        /// The number of the row's own entity.
        let entity: Int
        let placed: PlacedRecord
        /// When it was read from the store or saved; nil where nobody knows.
        let readAt: ContinuousClock.Instant?
        fileprivate let stamp: Int
    }

    /// A row that goes in.
    struct Row {
        let entity: EntityDescription
        let placed: PlacedRecord

        fileprivate var id: RowID { RowID(root: entity.rootIndex, key: placed.record.key) }
    }

    private struct Contents {
        /// For each root entity, by its number, the rows by key.
        var entries: [[Int64: Entry]] = []
        /// In the order in which they came, with their stamps.
        var queue: [(id: RowID, stamp: Int)] = []
        var queueStart = 0
        var stamps = 0
        var count = 0
        var bytes = 0
        /// The number of the last commit that went through the coordinator.
        var commit: Int64 = 0

        func entries(root: Int) -> [Int64: Entry] {
            root < entries.count ? entries[root] : [:]
        }

        subscript(id: RowID) -> Entry? {
            id.root < entries.count ? entries[id.root][id.key] : nil
        }
    }

    private let contents = Mutex(Contents())
    /// How many rows there are, for those who would ask in vain.
    private let rowCount = Atomic(0)
    private let lastCommit = Atomic<Int64>(0)
    private let maximumRows: Int
    private let maximumBytes: Int

    init(maximumRows: Int = 10_000, maximumBytes: Int = 16 << 20) {
        self.maximumRows = maximumRows
        self.maximumBytes = maximumBytes
    }

    var isEmpty: Bool { rowCount.load(ordering: .relaxed) == 0 }

    var count: Int { rowCount.load(ordering: .relaxed) }

    /// The number of the last commit that the cache knows: to be asked before rows are read that
    /// are to go in.
    var commit: Int64 { lastCommit.load(ordering: .acquiring) }

    // MARK: Asking

    /// A row, where it is here and was read within the interval (in seconds; less than 0 for ever).
    func entry(_ id: RowID, within interval: Double = -1) -> Entry? {
        guard !isEmpty else { return nil }
        let entry = contents.withLock { $0[id] }
        guard let entry, interval >= 0 else { return entry }
        guard let readAt = entry.readAt, ContinuousClock.now - readAt < .seconds(interval) else {
            return nil
        }
        return entry
    }

    /// All rows of a root entity.
    func entries(root: Int) -> [Int64: Entry] {
        isEmpty ? [:] : contents.withLock { $0.entries(root: root) }
    }

    // MARK: Filling

    /// Takes in rows that were just read, unless somebody has saved since.
    ///
    /// - Parameters:
    ///   - commit: What ``commit`` was before they were read.
    ///   - replacesOnly: Whether only those go in that are here already.
    func insert(_ rows: some Sequence<Row>, readAt commit: Int64, replacesOnly: Bool = false) {
        let now = ContinuousClock.now
        update { contents in
            guard contents.commit == commit else { return }
            for row in rows {
                if replacesOnly, contents[row.id] == nil { continue }
                put(row, readAt: now, in: &contents)
            }
        }
    }

    /// Takes in the row of an object that turns into a fault, unless a newer one is here, or the
    /// context does not know of all commits.
    func insertFaulted(_ row: Row, knownCommit: Int64) {
        update { contents in
            guard contents.commit == knownCommit, contents[row.id] == nil else { return }
            put(row, readAt: nil, in: &contents)
        }
    }

    /// Follows a save: takes in the changed rows that it tells others of, and drops those that are
    /// not what they were. Called while the store's writer is locked.
    func follow(_ entities: [EntityChanges], commit: Int64) {
        let now = ContinuousClock.now
        update { contents in
            contents.commit = commit
            for changes in entities {
                let root = changes.entity.rootIndex
                let isEmpty = contents.entries(root: root).isEmpty
                for row in changes.updated where !row.slots.isEmpty {
                    if let placed = row.placed {
                        put(Row(entity: changes.entity, placed: placed), readAt: now, in: &contents)
                    } else if !isEmpty {
                        remove(RowID(root: root, key: row.key), from: &contents)
                    }
                }
                if isEmpty { continue }
                let gone =
                    changes.deleted + changes.refreshed.map(\.key) + changes.inserted.map(\.key)
                for key in gone { remove(RowID(root: root, key: key), from: &contents) }
            }
        }
        lastCommit.store(commit, ordering: .releasing)
    }

    /// Takes in what a save has found in the store in place of what it expected.
    func note(_ conflicts: [RowConflict]) {
        let now = ContinuousClock.now
        update { contents in
            for conflict in conflicts {
                if let theirs = conflict.theirs {
                    put(
                        Row(entity: conflict.entity, placed: theirs), readAt: now, in: &contents)
                } else {
                    remove(conflict.id, from: &contents)
                }
            }
        }
    }

    /// Drops rows.
    func remove(_ ids: some Sequence<RowID>) {
        guard !isEmpty else { return }
        update { contents in
            for id in ids { remove(id, from: &contents) }
        }
    }

    /// Drops all rows.
    func removeAll() {
        update { contents in
            let commit = contents.commit
            contents = Contents()
            contents.commit = commit
        }
    }

    // MARK: Inside

    private func update(_ body: (inout Contents) -> Void) {
        contents.withLock { contents in
            body(&contents)
            evict(from: &contents)
            rowCount.store(contents.count, ordering: .relaxed)
        }
    }

    private func put(
        _ row: Row, readAt: ContinuousClock.Instant?, in contents: inout Contents
    ) {
        // Of its own: the page that the row is in may hold hundreds of others.
        let copy = RecordWriter.compactCopy(row.placed.record, row.entity.shape)
        // What is in memory only is the affair of one object.
        for slot in row.entity.transientSlots { copy.record.setNull(slot) }
        let id = row.id
        while contents.entries.count <= id.root { contents.entries.append([:]) }
        contents.stamps += 1
        contents.bytes += copy.page.size
        let entry = Entry(
            entity: row.entity.index, placed: copy, readAt: readAt, stamp: contents.stamps)
        if let old = contents.entries[id.root].updateValue(entry, forKey: id.key) {
            contents.bytes -= old.placed.page.size
        } else {
            contents.count += 1
        }
        contents.queue.append((id, contents.stamps))
    }

    private func remove(_ id: RowID, from contents: inout Contents) {
        guard id.root < contents.entries.count,
            let index = contents.entries[id.root].index(forKey: id.key)
        else { return }
        remove(at: index, root: id.root, from: &contents)
    }

    private func remove(
        at index: Dictionary<Int64, Entry>.Index, root: Int, from contents: inout Contents
    ) {
        let old = contents.entries[root].remove(at: index).value
        contents.count -= 1
        contents.bytes -= old.placed.page.size
    }

    private func evict(from contents: inout Contents) {
        while contents.count > maximumRows || contents.bytes > maximumBytes,
            contents.queueStart < contents.queue.count
        {
            let (id, stamp) = contents.queue[contents.queueStart]
            contents.queueStart += 1
            guard let index = contents.entries[id.root].index(forKey: id.key),
                contents.entries[id.root][index].value.stamp == stamp
            else { continue }
            remove(at: index, root: id.root, from: &contents)
        }
        // Those that went for another reason are still in the queue.
        if contents.queue.count - contents.queueStart > 2 * contents.count + 1_000 {
            contents.queue = contents.queue[contents.queueStart...]
                .filter { contents[$0.id]?.stamp == $0.stamp }
            contents.queueStart = 0
        } else if contents.queueStart > 10_000 {
            contents.queue.removeFirst(contents.queueStart)
            contents.queueStart = 0
        }
    }
}

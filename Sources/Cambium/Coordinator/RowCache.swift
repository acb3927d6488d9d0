import CambiumRecords
import Synchronization

/// A cache of rows that the coordinator has read or saved: rows of released objects, and changed
/// rows of saves.
///
/// If the row of a fault is in the cache, no statement is needed. If the base of a save has an
/// older version than the cached row, the conflict is known before the store is read. Rows are
/// added when an object turns into a fault, when a fault fires and there are other contexts, and
/// when a save notifies other contexts of changed rows. A fetch updates cached rows. The cache is
/// bounded: the oldest rows are removed first.
final class RowCache: Sendable {
    /// A row as it was read or saved.
    struct Entry: Sendable {
        /// The index of the row's own entity.
        let entity: Int
        let placed: PlacedRecord
        /// The time when it was read from the store or saved, or nil if it is not known.
        let readAt: Moment?
    }

    /// A row to add.
    struct Row {
        let entity: EntityDescription
        let placed: PlacedRecord

        fileprivate var id: RowIdentity {
            RowIdentity(root: entity.rootIndex, key: placed.record.key)
        }
    }

    /// A time, as the duration since a start. Unlike the clock's own type, its size is known to the
    /// compiler, so copies of entries are fast.
    typealias Moment = Duration

    /// Rows that were added one after the other. There are two generations: when the young one is
    /// full, the old one is removed completely. That is cheaper than finding the oldest row each
    /// time.
    private struct Generation {
        /// The rows by key, for each root entity by its index.
        private(set) var rows: [KeyTable<Entry>] = []
        private(set) var count = 0
        /// The bytes that were written to the pages, including rows that have been replaced since.
        private(set) var bytes = 0
        /// The writer of the cache's own pages: the pages of the original rows contain hundreds of
        /// other rows. The pages are released with the generation. (Rows of fired faults are in
        /// pages with only such rows; the cache shares these pages with the objects.)
        private let writer = RecordWriter()

        init() {}

        /// Creates a generation with the capacity of another one.
        init(asLargeAs other: Generation) {
            rows = other.rows.map { KeyTable(capacity: $0.count) }
        }

        subscript(id: RowIdentity) -> Entry? {
            id.root < rows.count ? rows[id.root][id.key] : nil
        }

        func rows(root: Int) -> KeyTable<Entry> {
            root < rows.count ? rows[root] : KeyTable()
        }

        mutating func put(_ row: Row, readAt: Moment?, isShared: Bool) {
            let placed = isShared ? row.placed : copy(of: row)
            bytes += row.entity.shape.recordSize + placed.record.byteCount(row.entity.shape)
            let id = row.id
            while rows.count <= id.root { rows.append(KeyTable()) }
            let entry = Entry(entity: row.entity.index, placed: placed, readAt: readAt)
            if rows[id.root].updateValue(entry, forKey: id.key) { count += 1 }
        }

        private func copy(of row: Row) -> PlacedRecord {
            let copy = writer.copy(row.placed.record, row.entity.shape, room: 0)
            // Transient values belong to one object only.
            for slot in row.entity.transientSlots { copy.record.setNull(slot) }
            return copy
        }

        @inline(never)
        mutating func remove(_ id: RowIdentity) {
            guard id.root < rows.count, rows[id.root].removeValue(forKey: id.key) else { return }
            count -= 1
        }
    }

    private struct Contents {
        var young = Generation()
        var old = Generation()
        /// The number of the last commit of the coordinator.
        var commit: Int64 = 0

        subscript(id: RowIdentity) -> Entry? { young[id] ?? old[id] }

        func rows(root: Int) -> Rows {
            Rows(young: young.rows(root: root), old: old.rows(root: root))
        }

        mutating func remove(_ id: RowIdentity) {
            young.remove(id)
            old.remove(id)
        }
    }

    /// The rows of a root entity by key.
    struct Rows {
        fileprivate var young = KeyTable<Entry>()
        fileprivate var old = KeyTable<Entry>()

        var isEmpty: Bool { young.isEmpty && old.isEmpty }

        subscript(key: Int64) -> Entry? { young[key] ?? old[key] }
    }

    private static let start = ContinuousClock.now
    private let contents = Mutex(Contents())
    /// The number of rows, so that lookups in an empty cache need no lock.
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

    /// The number of the last commit in the cache. Read it before you read rows to add.
    var commit: Int64 { lastCommit.load(ordering: .acquiring) }

    // MARK: Asking

    /// Returns a cached row if it was read within the interval (in seconds; a negative value means
    /// no limit).
    @inline(never)
    func entry(_ id: RowIdentity, within interval: Double = -1) -> Entry? {
        guard !isEmpty else { return nil }
        let entry = contents.withLock { $0[id] }
        guard let entry, interval >= 0 else { return entry }
        guard let readAt = entry.readAt, Self.now - readAt < .seconds(interval) else {
            return nil
        }
        return entry
    }

    /// Returns all rows of a root entity.
    func rows(root: Int) -> Rows {
        isEmpty ? Rows() : contents.withLock { $0.rows(root: root) }
    }

    // MARK: Filling

    /// Adds rows that were just read, unless there was a save since.
    ///
    /// - Parameters:
    ///   - commit: The value of ``commit`` before they were read.
    ///   - replacesOnly: Whether only rows that are in the cache are replaced.
    func insert(_ rows: [Row], readAt commit: Int64, replacesOnly: Bool = false) {
        let now = Self.now
        update { contents in
            guard contents.commit == commit else { return }
            for row in rows {
                if replacesOnly, contents[row.id] == nil { continue }
                put(row, readAt: now, in: &contents)
            }
        }
    }

    /// Adds a row that was just read, unless there was a save since. The cache retains its page,
    /// and the row must not be written any more.
    func insertShared(_ row: Row, readAt commit: Int64) {
        let now = Self.now
        update { contents in
            guard contents.commit == commit else { return }
            put(row, readAt: now, isShared: true, in: &contents)
        }
    }

    /// Adds the row of an object that turns into a fault, unless the cache has a newer one, or the
    /// context has not merged all commits.
    func insertFaulted(_ row: Row, knownCommit: Int64) {
        update { contents in
            guard contents.commit == knownCommit, contents[row.id] == nil else { return }
            put(row, readAt: nil, in: &contents)
        }
    }

    /// Follows a save: adds the changed rows that it publishes, and removes rows that are out of
    /// date. Called while the store's writer is locked.
    func follow(_ entities: [EntityChanges], commit: Int64) {
        let now = Self.now
        update { contents in
            contents.commit = commit
            for changes in entities {
                let root = changes.entity.rootIndex
                var isEmpty = contents.rows(root: root).isEmpty
                for row in changes.updated where !row.slots.isEmpty {
                    if let placed = row.placed {
                        put(Row(entity: changes.entity, placed: placed), readAt: now, in: &contents)
                        // The changes that follow may make this row out of date too.
                        isEmpty = false
                    } else if !isEmpty {
                        contents.remove(RowIdentity(root: root, key: row.key))
                    }
                }
                if isEmpty { continue }
                let gone =
                    changes.deleted + changes.refreshed.map(\.key) + changes.inserted.map(\.key)
                for key in gone { contents.remove(RowIdentity(root: root, key: key)) }
            }
        }
        lastCommit.store(commit, ordering: .releasing)
    }

    /// Adds the rows that a save has found in the store instead of the expected ones.
    func note(_ conflicts: [RowConflict]) {
        let now = Self.now
        update { contents in
            for conflict in conflicts {
                if let theirs = conflict.theirs {
                    put(
                        Row(entity: conflict.entity, placed: theirs), readAt: now, in: &contents)
                } else {
                    contents.remove(conflict.id)
                }
            }
        }
    }

    /// Removes rows.
    func remove(_ ids: some Sequence<RowIdentity>) {
        guard !isEmpty else { return }
        update { contents in
            for id in ids { contents.remove(id) }
        }
    }

    /// Removes all rows.
    func removeAll() {
        update { contents in
            let commit = contents.commit
            contents = Contents()
            contents.commit = commit
        }
    }

    // MARK: Inside

    private static var now: Moment { ContinuousClock.now - start }

    private func update(_ body: (inout Contents) -> Void) {
        contents.withLock { contents in
            body(&contents)
            rowCount.store(contents.young.count + contents.old.count, ordering: .relaxed)
        }
    }

    @inline(never)
    private func put(
        _ row: Row, readAt: Moment?, isShared: Bool = false, in contents: inout Contents
    ) {
        contents.old.remove(row.id)
        contents.young.put(row, readAt: readAt, isShared: isShared)
        guard contents.young.count * 2 >= maximumRows || contents.young.bytes * 2 >= maximumBytes
        else { return }
        contents.old = contents.young
        contents.young = Generation(asLargeAs: contents.old)
    }
}

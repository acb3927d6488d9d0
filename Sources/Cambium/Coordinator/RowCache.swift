import CambiumRecords
import Synchronization

/// The rows that contexts have let go of and may ask for again, and those that saves have changed:
/// what the coordinator last saw of the store.
///
/// A fault whose row is here needs no statement, and a save that is based on an older version than
/// the one here is known to be a conflict before the store is asked. Rows come in when an object
/// turns into a fault, when a fault fires and there are other contexts, and when a save tells
/// others of changed rows; a fetch brings those up to date that are here. It is bounded: the rows
/// that came first go first.
final class RowCache: Sendable {
    /// A row as it was read or saved.
    struct Entry: Sendable {
        /// The number of the row's own entity.
        let entity: Int
        let placed: PlacedRecord
        /// When it was read from the store or saved; nil where nobody knows.
        let readAt: Moment?
    }

    /// A row that goes in.
    struct Row {
        let entity: EntityDescription
        let placed: PlacedRecord

        fileprivate var id: RowIdentity {
            RowIdentity(root: entity.rootIndex, key: placed.record.key)
        }
    }

    /// A moment, as the time since another one: unlike the clock's own type, one whose size the
    /// compiler knows, so that entries are copied without asking for it.
    typealias Moment = Duration

    /// Rows that came one after the other. There are two generations: when the young one is full,
    /// the old one goes as a whole, which is cheaper than to find the oldest row each time.
    private struct Generation {
        /// For each root entity, by its number, the rows by key.
        private(set) var rows: [KeyTable<Entry>] = []
        private(set) var count = 0
        /// What was written to the pages, also of rows that have been replaced since.
        private(set) var bytes = 0
        /// In pages of the cache's own: those that the rows come from hold hundreds of others. They
        /// go with the generation. (Rows of faults that fire come in pages of such rows alone,
        /// which the cache shares with the objects.)
        private let writer = RecordWriter()

        init() {}

        /// One that is to become as full as another.
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
            // What is in memory only is the affair of one object.
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
        /// The number of the last commit that went through the coordinator.
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

    /// All rows of a root entity.
    func rows(root: Int) -> Rows {
        isEmpty ? Rows() : contents.withLock { $0.rows(root: root) }
    }

    // MARK: Filling

    /// Adds rows that were just read, unless somebody has saved since.
    ///
    /// - Parameters:
    ///   - commit: What ``commit`` was before they were read.
    ///   - replacesOnly: Whether only those go in that are here already.
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

    /// Adds a row that was just read, unless somebody has saved since; the page stays as long
    /// as the row does, and nobody writes in the row any more.
    func insertShared(_ row: Row, readAt commit: Int64) {
        let now = Self.now
        update { contents in
            guard contents.commit == commit else { return }
            put(row, readAt: now, isShared: true, in: &contents)
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
        let now = Self.now
        update { contents in
            contents.commit = commit
            for changes in entities {
                let root = changes.entity.rootIndex
                var isEmpty = contents.rows(root: root).isEmpty
                for row in changes.updated where !row.slots.isEmpty {
                    if let placed = row.placed {
                        put(Row(entity: changes.entity, placed: placed), readAt: now, in: &contents)
                        // It may be told to be old as well, by what follows.
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

    /// Takes in what a save has found in the store in place of what it expected.
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

    /// Drops rows.
    func remove(_ ids: some Sequence<RowIdentity>) {
        guard !isEmpty else { return }
        update { contents in
            for id in ids { contents.remove(id) }
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

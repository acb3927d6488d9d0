import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Moves the large values of one save to files.
struct ExternalRun {
    private let files: ExternalFiles
    private let columns: [ExternalColumns?]
    private let connection: Connection
    private var journal: String?
    private var written: [String: Data] = [:]
    private var before: Set<String> = []
    /// The keys of the rows that may have referenced files, by root.
    private var keys: [Int: [Int64]] = [:]
    /// What the rows hold in place of the values, for the objects.
    private(set) var moved: [DerivedRow] = []
    /// Keeps the records of the request alive.
    private var records: [PlacedRecord] = []

    /// - Parameter columns: For each entity, the columns of its table that may reference files.
    init(_ files: ExternalFiles, _ columns: [ExternalColumns?], _ connection: Connection) {
        self.files = files
        self.columns = columns
        self.connection = connection
    }

    /// The request with the names of files in place of large values. The files are made, and
    /// nothing else has happened.
    mutating func prepare(_ request: SaveRequest) throws -> SaveRequest {
        var request = request
        for index in request.insertions.indices {
            let entity = request.insertions[index].entity
            guard !entity.externalSlots.isEmpty else { continue }
            request.insertions[index].records = try move(
                request.insertions[index].records, entity.externalSlots, of: entity)
        }
        for index in request.updates.indices {
            let entity = request.updates[index].entity
            let slots = request.updates[index].slots.intersection(entity.externalSlots)
            guard !slots.isEmpty else { continue }
            keys[entity.rootIndex, default: []] += request.updates[index].records.map(\.key)
            request.updates[index].records = try move(
                request.updates[index].records, slots, of: entity)
        }
        for deletion in request.deletions where !deletion.entity.externalSlots.isEmpty {
            keys[deletion.entity.rootIndex, default: []] += deletion.records.map(\.key)
        }
        before = try referenced()
        if !written.isEmpty || !before.isEmpty {
            journal = try reportingFiles { try files.write(written, superfluous: before) }
            // They may be large, and are on the disk now.
            written = written.mapValues { _ in Data() }
        }
        return request
    }

    /// Whether files were made, or may be superfluous.
    var hasFiles: Bool { journal != nil }

    /// Finds out which files are superfluous once the transaction is committed.
    mutating func finish() throws {
        guard journal != nil else { return }
        let after = try referenced()
        before.subtract(after)
        // A value that was merged in a conflict is in the row itself, or in none.
        let lost = Set(written.keys).subtracting(try referencedNew(after))
        guard !lost.isEmpty else { return }
        before.formUnion(lost)
        for index in moved.indices {
            moved[index].values.removeAll { _, value in
                !lost.isDisjoint(with: ExternalFiles.names([value].map(Self.withoutTag)))
            }
        }
    }

    private static func withoutTag(_ value: StoredValue) -> StoredValue {
        if case .blob(let bytes) = value { .blob(bytes.dropFirst()) } else { value }
    }

    /// After the commit.
    ///
    /// - Parameter keepsFiles: Whether an open read transaction needs the store as it was before:
    ///   then the files that are superfluous stay, and the journal with them, for who sweeps after
    ///   that.
    func commit(keepsFiles: Bool) {
        guard let journal, !(keepsFiles && !before.isEmpty) else { return }
        if !before.isEmpty {
            // A commit that a failing power supply takes back would reference these files again.
            connection.checkpoint()
        }
        files.finish(journal, removing: before)
    }

    /// After the transaction was taken back.
    func rollBack() {
        guard let journal else { return }
        files.finish(journal, removing: written.keys)
    }

    private mutating func move(
        _ records: [Record], _ slots: SlotSet, of entity: EntityDescription
    ) throws -> [Record] {
        let writer = RecordWriter()
        return try records.map { record in
            let large = slots.slots.filter {
                record.hasValue($0) && record.bytes($0).first == ExternalForm.inline
                    && record.bytes($0).count > ExternalForm.largestInline
            }
            guard !large.isEmpty else { return record }
            var copy = writer.makeRecord(entity.shape)
            copy.record.key = record.key
            copy.record.version = record.version
            var row = DerivedRow(entity: entity.index, key: record.key, values: [])
            for slot in entity.shape.kinds.indices {
                guard large.contains(slot) else {
                    writer.copySlot(slot, from: record, to: &copy, entity.shape)
                    continue
                }
                let name = try ExternalFiles.makeName()
                written[name] = Data(record.bytes(slot).dropFirst())
                let reference = StoredValue.blob([ExternalForm.file] + Data(name.utf8))
                writer.set(reference, slot, of: &copy, entity.shape)
                row.values.append((slot, reference))
            }
            moved.append(row)
            self.records.append(copy)
            return copy.record
        }
    }

    private func referenced() throws -> Set<String> {
        var names: Set<String> = []
        for (root, keys) in keys {
            guard let columns = columns[root], !keys.isEmpty else { continue }
            try read(columns.queryOfPending, keys, into: &names)
        }
        return names
    }

    private func referencedNew(_ known: Set<String>) throws -> Set<String> {
        var names = known
        for (entity, rows) in Dictionary(grouping: moved, by: \.entity) {
            guard let columns = columns[entity] else { continue }
            try read(columns.queryOfPending, rows.map(\.key), into: &names)
        }
        return names
    }

    private func read(
        _ sql: String, _ keys: [Int64], into names: inout Set<String>
    ) throws {
        var found: [StoredValue] = []
        try connection.query(sql, over: Set(keys).sorted()) { found.append($0.value(at: 0)) }
        names.formUnion(ExternalFiles.names(found))
    }
}

extension ExternalFiles {
    /// Names as the queries of ``ExternalColumns`` return them.
    static func names(_ values: some Sequence<StoredValue>) -> Set<String> {
        Set(
            values.compactMap { value in
                switch value {
                case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
                case .text(let text): text
                default: nil
                }
            })
    }
}

import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Updates derived attributes in the transaction of a save, for exactly the objects with changed
/// sources: O(affected rows × log rows).
///
/// It reads the affected objects twice: before the writes for the old sources, and after them for
/// the new ones.
final class DerivationRun {
    private let plan: DerivationPlan
    private let model: ModelDescription
    private let connection: Connection
    /// For each maintained attribute, the keys of the objects with a value that may have changed.
    private var owners: [Set<Int64>]
    private let history: StoreHistory
    /// The values for a history without values, so that unchanged ones are not recorded; nil if
    /// that is not needed.
    private var composed: ComposedValues?

    /// - Returns: Nil if the model has no derived attributes.
    init?(
        _ prepared: PreparedSQL, _ model: ModelDescription, _ history: StoreHistory,
        _ connection: Connection
    ) {
        guard let plan = prepared.derivations else { return nil }
        self.plan = plan
        self.history = history
        self.model = model
        self.connection = connection
        owners = Array(repeating: [], count: plan.maintained.count)
    }

    /// Finds the objects that lose sources of their values.
    func prepare(for request: SaveRequest) throws {
        for (index, maintained) in plan.maintained.enumerated() {
            for (number, source) in maintained.attribute.sources.enumerated() {
                try note(source.keysBefore(request, in: model), ofSource: number, for: index)
            }
        }
        guard plan.composed.contains(where: { !$0.isEmpty }),
            let last = try history.lastChangeWithoutValues(connection)
        else { return }
        composed = ComposedValues(plan.composed, model, after: last)
        for update in request.updates {
            try keep(update.records.map(\.key), root: update.entity.rootIndex)
        }
    }

    /// Reads the values of rows before any of them is computed.
    private func keep(_ keys: some Sequence<Int64>, root: Int) throws {
        guard let keys = composed?.unknown(keys, root: root) else { return }
        composed?.keep(try read(keys, root: root))
    }

    /// Writes the values, and reads the derived values that the save could not compute.
    func finish(_ request: SaveRequest, now: Date) throws -> [DerivedRow] {
        for (index, maintained) in plan.maintained.enumerated() {
            for (number, source) in maintained.attribute.sources.enumerated() {
                try note(source.keysAfter(request, in: model), ofSource: number, for: index)
            }
        }
        var touched = writtenKeys(request)
        for (index, maintained) in plan.maintained.enumerated() {
            try keep(owners[index], root: maintained.attribute.rootIndex)
            let changed = try update(maintained.derivation, owners[index], now)
            guard !changed.isEmpty else { continue }
            touched[maintained.attribute.rootIndex].formUnion(changed)
            try passOn(changed, of: maintained.attribute, after: index)
        }
        let rows = try touched.enumerated().flatMap { try read($1, root: $0) }
        try composed?.settle(rows, connection)
        return rows
    }

    private func note(_ keys: [Int64], ofSource number: Int, for index: Int) throws {
        guard !keys.isEmpty else { return }
        let maintained = plan.maintained[index]
        if maintained.attribute.sources[number].isOwnRow {
            owners[index].formUnion(keys)
            return
        }
        var found: [Int64] = []
        try connection.query(maintained.owners[number], over: keys) { statement in
            found.append(statement.integer(at: 0))
        }
        owners[index].formUnion(found)
    }

    private func update(
        _ derivation: Derivation, _ keys: Set<Int64>, _ now: Date
    ) throws -> [Int64] {
        guard !keys.isEmpty else { return [] }
        let (sql, parameters) = try derivation.update(now: now)
        var changed: [Int64] = []
        try connection.query(sql, over: Array(keys), parameters) {
            changed.append($0.integer(at: 0))
        }
        return changed
    }

    /// Marks attributes that depend on this one for an update.
    private func passOn(
        _ keys: [Int64], of attribute: MaintainedAttribute, after index: Int
    ) throws {
        for later in plan.maintained.indices.dropFirst(index + 1) {
            for (number, source) in plan.maintained[later].attribute.sources.enumerated()
            where attribute.isLookedAt(by: source, in: model) {
                try note(keys, ofSource: number, for: later)
            }
        }
    }

    // MARK: Reading back

    /// The keys of the rows that the save wrote and that have derived columns, by root.
    private func writtenKeys(_ request: SaveRequest) -> [Set<Int64>] {
        var keys = [Set<Int64>](repeating: [], count: model.entities.count)
        func add(_ entity: EntityDescription, _ new: some Sequence<Int64>) {
            if plan.slots[entity.index].contains(where: { $0 != nil }) {
                keys[entity.rootIndex].formUnion(new)
            }
        }
        for insertion in request.insertions { add(insertion.entity, insertion.records.map(\.key)) }
        for update in request.updates { add(update.entity, update.records.map(\.key)) }
        return keys
    }

    private func read(_ keys: Set<Int64>, root: Int) throws -> [DerivedRow] {
        guard !keys.isEmpty, let columns = plan.columns[root] else { return [] }
        var rows: [DerivedRow] = []
        let first = columns.hasEntity ? 2 : 1
        try connection.query(columns.query, over: keys.sorted()) { statement in
            let values = statement.values()
            var entity = root
            if columns.hasEntity, case .text(let name) = values[1] {
                entity = model[name]?.index ?? root
            }
            var row = DerivedRow(entity: entity, key: statement.integer(at: 0), values: [])
            for (index, slot) in plan.slots[entity].enumerated() {
                if let slot { row.values.append((slot, values[first + index])) }
            }
            rows.append(row)
        }
        return rows
    }
}

/// Moves the large values of one save to files.
final class ExternalRun {
    private let files: ExternalFiles
    private let columns: [ExternalColumns?]
    private let connection: Connection
    private var journal: String?
    private var written: [String: Data] = [:]
    private var before: Set<String> = []
    /// The keys of the rows that may have referenced files, by root.
    private var keys: [Int: [Int64]] = [:]
    private var values = LargeValues()
    /// The values that the rows have instead, for the objects.
    var moved: [DerivedRow] { values.moved }

    /// - Parameter columns: For each entity, the columns of its table that may reference files.
    init(_ files: ExternalFiles, _ columns: [ExternalColumns?], _ connection: Connection) {
        self.files = files
        self.columns = columns
        self.connection = connection
    }

    /// Returns the request with names of files instead of large values. It creates the files, and
    /// changes nothing else.
    func prepare(_ request: SaveRequest) throws -> SaveRequest {
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

    /// Whether files were created, or may be superfluous.
    var hasFiles: Bool { journal != nil }

    /// Finds the files that will be superfluous after the commit.
    func finish() throws {
        guard journal != nil else { return }
        let after = try referenced()
        before.subtract(after)
        // A value that was merged in a conflict may be in the row itself, or in no row.
        let lost = Set(written.keys).subtracting(try referencedNew(after))
        guard !lost.isEmpty else { return }
        before.formUnion(lost)
        for index in values.moved.indices {
            values.moved[index].values.removeAll { _, value in
                !lost.isDisjoint(with: ExternalFiles.names([value].map(Self.withoutTag)))
            }
        }
    }

    private static func withoutTag(_ value: StoredValue) -> StoredValue {
        if case .blob(let bytes) = value { .blob(bytes.dropFirst()) } else { value }
    }

    /// Finishes the files after the commit.
    ///
    /// - Parameter keepsFiles: Whether an open read transaction needs the earlier state of the
    ///   store. Then superfluous files and their journal are kept for a later sweep.
    func commit(keepsFiles: Bool) {
        guard let journal, !(keepsFiles && !before.isEmpty) else { return }
        if !before.isEmpty {
            // After a power failure, a lost commit would reference these files again.
            connection.checkpoint()
        }
        files.finish(journal, removing: before)
    }

    /// Deletes the new files after the transaction was rolled back.
    func rollBack() {
        guard let journal else { return }
        files.finish(journal, removing: written.keys)
    }

    private func move(
        _ records: [Record], _ slots: SlotSet, of entity: EntityDescription
    ) throws -> [Record] {
        try values.move(records, slots, of: entity) { record, slot in
            let name = try ExternalFiles.makeName()
            written[name] = Data(record.bytes(slot).dropFirst())
            return Data(name.utf8)
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
    /// Returns the names in the results of the queries of ``ExternalColumns``.
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

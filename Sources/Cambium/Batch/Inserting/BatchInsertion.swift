import CambiumRecords

/// Inserts rows chunk by chunk.
package final class BatchInsertion: BatchWork {
    package let resultType: BatchResultType
    package let canPlan = false
    package var canRunAgain: Bool { restart != nil }
    private let entity: EntityDescription
    private let policy: MergePolicy
    /// Returns the rows of the next chunk, up to a number; none at the end.
    package typealias Rows = (_ count: Int) throws -> [BatchRow]
    private var nextRows: Rows
    /// Begins with the first row again; nil if each row can be read only once.
    private let restart: (() throws -> Rows)?
    private var hasBegun = false
    /// The targets of to-one relationships in earlier rows: by slot, the number of the entity by
    /// key.
    private var knownTargets = [Int: [Int64: Int]]()
    /// Whether a row is rejected if it would update an object of another entity. If not, the object
    /// gets the values of the common properties.
    package var refusesOtherEntities = false
    /// Called with the outcome of each row; the transaction may still be rolled back.
    package var didPlace: ((_ row: BatchRow, _ outcome: BatchRowOutcome) -> Void)?

    private static let chunkSize = 4096
    private static let maximumKnownTargets = 100_000

    package init(
        _ entity: EntityDescription, _ policy: MergePolicy, _ resultType: BatchResultType,
        restart: (() throws -> Rows)? = nil, nextRows: @escaping Rows
    ) {
        self.restart = restart
        self.entity = entity
        self.policy = policy
        self.resultType = resultType
        self.nextRows = nextRows
    }

    package func run(in transaction: any BatchTransaction) throws {
        if hasBegun, let restart { (nextRows, knownTargets) = (try restart(), [:]) }
        hasBegun = true
        while true {
            let rows = try nextRows(Self.chunkSize)
            if rows.isEmpty { return }
            try Task.checkCancellation()
            try write(rows, transaction)
        }
    }

    /// Writes rows. They may already contain the keys of rows that they reference.
    ///
    /// - Throws: ``BatchInsertError``
    package func write(_ rows: [BatchRow], _ transaction: any BatchTransaction) throws {
        let keys = try transaction.reserveKeys(root: entity.rootIndex, count: rows.count)
        for (row, key) in zip(rows, keys) { row.placed.record.key = key }
        do {
            let rows = try resolveTargets(rows, transaction)
            if policy == .error {
                try insert(rows, transaction)
            } else {
                try merge(rows, transaction)
            }
        } catch let refused as RefusedRow {
            // The rows have their keys in the order of the input.
            throw BatchInsertError(
                row: rows[Int(refused.key - keys.lowerBound)].index,
                underlying: refused.underlying)
        }
    }

    // MARK: Inserting

    private func insert(_ rows: [BatchRow], _ transaction: any BatchTransaction) throws {
        guard !rows.isEmpty else { return }
        let placed = rows.map { $0.placed }
        var request = SaveRequest()
        request.insertions = [.init(entity: entity, records: placed.map { $0.record })]
        try withExtendedLifetime(placed) {
            try transaction.write(request, from: .batch)
            for row in placed { row.record.version = 1 }
        }
        transaction.changes.insert(placed, entity)
        if let didPlace {
            for row in rows { didPlace(row, .inserted(row.placed.record.key)) }
        }
        transaction.changes.count += rows.count
        if resultType == .objectIDs {
            transaction.changes.objectIDs += placed.map {
                ObjectID(entity, key: $0.record.key, store: transaction.identifier)
            }
        }
    }

    // MARK: Merging

    /// Inserts the rows without a conflict of unique values, and handles the others by the policy.
    private func merge(_ rows: [BatchRow], _ transaction: any BatchTransaction) throws {
        let keys = transaction.model.uniqueConstraints(of: entity)
        guard !keys.isEmpty else { return try insert(rows, transaction) }
        // Rows with the same unique values are written one after the other: for the second, the
        // first is a stored row.
        var segment: [BatchRow] = []
        var seen = [Set<[StoredValue]>](repeating: [], count: keys.count)
        for row in rows {
            let values = keys.map { $0.values(of: row.placed.record, entity.shape) }
            let isRepeated = zip(seen, values).contains { seen, values in
                values.map(seen.contains) ?? false
            }
            if isRepeated {
                try mergeDistinct(segment, keys, transaction)
                segment = []
                seen = Array(repeating: [], count: keys.count)
            }
            for (index, values) in values.enumerated() {
                if let values { seen[index].insert(values) }
            }
            segment.append(row)
        }
        try mergeDistinct(segment, keys, transaction)
    }

    /// Merges rows without equal unique values among them.
    private func mergeDistinct(
        _ rows: [BatchRow], _ keys: [UniqueKey], _ transaction: any BatchTransaction
    ) throws {
        var rest = rows[...]
        var size = rows.count
        while !rest.isEmpty {
            let part = Array(rest.prefix(size))
            let count = try mergeFirst(part, keys, transaction)
            rest = rest.dropFirst(count)
            // If rows depend on each other, most look-ups have to be repeated.
            size = 2 * (count < part.count ? count : size)
        }
    }

    /// Merges rows up to the first row that depends on the result for earlier rows. Such a row
    /// conflicts with several stored rows, or conflicts by another constraint with the stored row
    /// of an earlier row.
    ///
    /// - Returns: The number of merged rows, at least one.
    private func mergeFirst(
        _ rows: [BatchRow], _ keys: [UniqueKey], _ transaction: any BatchTransaction
    ) throws -> Int {
        let records = rows.map { $0.placed.record }
        // The stored rows with the unique values of a new row, and the constraints.
        var met = [Int64: [(row: Int64, key: UniqueKey)]]()
        for key in keys {
            for holder in try transaction.lookup.holders(of: key, records, entity) {
                met[holder.record, default: []].append((holder.row, key))
            }
        }
        guard !met.isEmpty else {
            try insert(rows, transaction)
            return rows.count
        }
        if policy.keepsOurs, let first = firstDependentRow(rows, met) {
            return try mergeFirst(Array(rows[..<first]), keys, transaction)
        }
        let known = transaction.changes.objectIDs.count
        if policy.keepsOurs {
            var upsert = try BatchUpsert(
                Set(met.values.joined().map { $0.row }), entity, policy, transaction,
                refusesOtherEntities: refusesOtherEntities)
            for row in rows {
                if let met = met[row.placed.record.key] { try upsert.merge(row, met) }
            }
            try upsert.write(resultType)
        }
        if let didPlace {
            for row in rows {
                guard let target = met[row.placed.record.key]?.first?.row else { continue }
                didPlace(row, policy.keepsOurs ? .updated(target) : .skipped)
            }
        }
        try insert(rows.filter { met[$0.placed.record.key] == nil }, transaction)
        guard resultType == .objectIDs, policy.keepsOurs else { return rows.count }
        // In the order of the input again.
        var merged = transaction.changes.objectIDs[known...].prefix(met.count)
        var inserted = transaction.changes.objectIDs[known...].dropFirst(met.count)
        transaction.changes.objectIDs.replaceSubrange(
            known...,
            with: rows.compactMap { row in
                met[row.placed.record.key] == nil ? inserted.popFirst() : merged.popFirst()
            })
        return rows.count
    }

    /// The index of the first row, but for the very first, that meets the stored row of an earlier
    /// one, or several stored rows.
    private func firstDependentRow(
        _ rows: [BatchRow], _ met: [Int64: [(row: Int64, key: UniqueKey)]]
    ) -> Int? {
        var taken: Set<Int64> = []
        for (index, row) in rows.enumerated() {
            let holders = Set(met[row.placed.record.key, default: []].map { $0.row })
            if index > 0, holders.count > 1 || !holders.isDisjoint(with: taken) { return index }
            taken.formUnion(holders)
        }
        return nil
    }

    // MARK: Links

    /// Checks that the targets of to-one relationships exist, and sets their entities if these are
    /// stored.
    private func resolveTargets(
        _ rows: [BatchRow], _ transaction: any BatchTransaction
    ) throws -> [BatchRow] {
        var rows = rows
        for relationship in entity.relationships {
            guard let slot = relationship.slot else { continue }
            var known = knownTargets.removeValue(forKey: slot) ?? [:]
            if known.count > Self.maximumKnownTargets { known = [:] }
            try learnTargets(of: relationship, slot, rows, &known, transaction)
            if let entitySlot = relationship.entitySlot {
                let writer = RecordWriter()
                rows = rows.map { row in
                    guard row.placed.record.hasValue(slot),
                        let target = known[row.placed.record.integer(slot)]
                    else { return row }
                    var placed = row.placed
                    let name = transaction.model.entities[target].name
                    writer.set(.text(name), entitySlot, of: &placed, entity.shape)
                    return BatchRow(index: row.index, placed: placed, slots: row.slots)
                }
            }
            knownTargets[slot] = known
        }
        return rows
    }

    /// - Throws: ``BatchInsertError`` with the first row that has a dangling reference.
    private func learnTargets(
        of relationship: RelationshipDescription, _ slot: Int, _ rows: [BatchRow],
        _ known: inout [Int64: Int], _ transaction: any BatchTransaction
    ) throws {
        var wanted: Set<Int64> = []
        var last: Int64?
        for row in rows where row.placed.record.hasValue(slot) {
            let key = row.placed.record.integer(slot)
            if key == last || known[key] != nil { continue }
            wanted.insert(key)
            last = key
        }
        guard !wanted.isEmpty else { return }
        let model = transaction.model
        let root = model.entities[model.entities[relationship.destination].rootIndex]
        let request = RowRequest(entity: root, selection: .keys(Array(wanted)))
        for head in try transaction.rowKeys(request)
        where model.families[relationship.destination].contains(head.entity) {
            known[head.key] = head.entity
            wanted.remove(head.key)
        }
        let lost = rows.first { row in
            row.placed.record.hasValue(slot) && wanted.contains(row.placed.record.integer(slot))
        }
        if let lost {
            throw BatchInsertError(
                row: lost.index, underlying: Self.missingTarget(relationship, of: entity))
        }
    }

    package static func missingTarget(
        _ relationship: RelationshipDescription, of entity: EntityDescription
    ) -> StoreError {
        StoreError(
            code: .missingRow,
            message: "\(entity.name).\(relationship.relationship.name) references a row that does "
                + "not exist, or is not of \(relationship.relationship.destination).",
            remedy: "Insert that object first, or set the relationship to another one.")
    }
}

/// The outcome of a row of a batch insertion.
package enum BatchRowOutcome {
    /// A new object was inserted.
    case inserted(Int64)
    /// The object with its unique values was updated.
    case updated(Int64)
    /// An existing object has the unique values, and is not changed.
    case skipped
}

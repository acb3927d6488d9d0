import CambiumRecords

/// Writes the rows of one source.
struct ImportRowWriter {
    private let request: ImportRequest
    private let plans: [ExchangePlan]
    private let source: Int
    private let transaction: any BatchTransaction
    private let lookup: ImportTargetLookup
    private let linker: ImportLinker
    private let log: ImportLog
    /// The insertion for each possible entity of a row.
    private let insertions: [BatchInsertion]
    /// The unique constraints without a relationship, for each of the entities.
    private let attributeConstraints: [[UniqueKey]]

    init(
        _ request: ImportRequest, _ sources: [ExchangePlans], _ source: Int,
        _ transaction: any BatchTransaction, _ lookup: ImportTargetLookup, _ linker: ImportLinker,
        _ log: ImportLog
    ) {
        self.request = request
        plans = sources[source].plans
        self.source = source
        self.transaction = transaction
        self.lookup = lookup
        self.linker = linker
        self.log = log
        attributeConstraints = plans.map { transaction.model.attributeConstraints(of: $0.entity) }
        let keepsEntities = sources[source].choice != nil
        insertions = plans.map { plan in
            let insertion = BatchInsertion(
                plan.entity, request.mergePolicy, request.resultType
            ) { _ in [] }
            insertion.refusesOtherEntities = keepsEntities
            return insertion
        }
    }

    /// Writes rows with all links that can be set now.
    ///
    /// - Parameter mayWait: Whether destinations of the rows may come later.
    /// - Returns: The indices of the rows that have to wait for a required destination.
    func write(_ rows: [ImportRow], mayWait: Bool) throws -> [Int] {
        for row in rows {
            for problem in row.problems { try log.add(problem, source: source) }
        }
        var ready: [ReadyRow] = []
        var waiting: [Int] = []
        let found = try targets(of: rows)
        for (index, row) in rows.enumerated() where row.problems.isEmpty {
            switch try link(row, found[row.plan], mayWait: mayWait) {
            case .ready(let row): ready.append(row)
            case .waits:
                waiting.append(index)
                linker.noteWaiting(source)
            case .failed: break
            }
        }
        for (row, outcome) in try place(ready) {
            log.count(outcome)
            try linker.add(row.tasks(after: outcome))
        }
        try linker.settle()
        return waiting
    }

    // MARK: Links

    /// A row whose own columns are complete.
    private struct ReadyRow {
        var row: ImportRow
        /// The links that are not stored in the row, or that have to wait.
        var tasks: [ImportLinkTask] = []

        func tasks(after outcome: BatchRowOutcome) -> [ImportLinkTask] {
            switch outcome {
            case .skipped: []
            // A new object has no links to remove.
            case .inserted(let key):
                tasks.filter { !$0.keys.isEmpty }.map { $0.of(key) }
            case .updated(let key): tasks.map { $0.of(key) }
            }
        }
    }

    private enum LinkedRow {
        case ready(ReadyRow)
        case waits
        case failed
    }

    /// The objects that the rows reference: for each plan, by relationship and key.
    private func targets(of rows: [ImportRow]) throws -> [[[ExchangeKey: Int64]]] {
        var wanted = plans.map { [Set<ExchangeKey>](repeating: [], count: $0.relationships.count) }
        for row in rows where row.problems.isEmpty {
            for link in row.links { wanted[row.plan][link.relationship].formUnion(link.keys) }
        }
        return try zip(plans, wanted).map { plan, wanted in
            try zip(plan.relationships, wanted).map { relationship, keys in
                // If this source writes rows of the destination, a cached result can become wrong.
                let isWritten = plans.contains {
                    transaction.model.haveCommon($0.entity, relationship.destination)
                }
                return try lookup.find(keys, relationship, remembers: !isWritten)
            }
        }
    }

    private func link(
        _ row: ImportRow, _ found: [[ExchangeKey: Int64]], mayWait: Bool
    ) throws -> LinkedRow {
        let plan = plans[row.plan]
        var ready = ReadyRow(row: row)
        for link in row.links {
            let relationship = plan.relationships[link.relationship]
            let known = link.keys.compactMap { found[link.relationship][$0] }
            let isComplete = known.count == link.keys.count
            if !isComplete, mayWait, linker.mayCome(relationship.destination, after: source) {
                if needsFirst(relationship, row) { return .waits }
                ready.tasks.append(
                    ImportLinkTask(
                        source: source, plan: row.plan, line: row.line,
                        relationship: link.relationship, keys: link.keys))
                continue
            }
            // Without a part of its key a row would be another object.
            if !isComplete, request.missingTargets == .error || needsFirst(relationship, row) {
                try log.add(linker.missing(relationship, plan, row.line), source: source)
                return .failed
            }
            // If a link is left out, a to-one keeps its destination, and a list gets the others.
            if !isComplete, !relationship.description.isToMany { continue }
            if let slot = relationship.description.slot {
                set(known.first, slot, relationship.description, of: &ready.row)
            } else {
                ready.tasks.append(
                    ImportLinkTask(
                        source: source, plan: row.plan, line: row.line,
                        relationship: link.relationship, keys: link.keys, targets: known))
            }
        }
        return .ready(ready)
    }

    /// Whether the destination of a relationship must be known before the row is written. This is
    /// so if the link is required, or if it alone identifies the object that the row updates.
    private func needsFirst(_ relationship: ExchangeRelationship, _ row: ImportRow) -> Bool {
        relationship.isRequired
            || relationship.isInKey
                && !attributeConstraints[row.plan].contains {
                    $0.values(of: row.placed.record, plans[row.plan].entity.shape) != nil
                }
    }

    private func set(
        _ target: Int64?, _ slot: Int, _ relationship: RelationshipDescription,
        of row: inout ImportRow
    ) {
        if let target {
            row.placed.record.setInteger(slot, target)
        } else {
            row.placed.record.setNull(slot)
        }
        row.slots.insert(slot)
        // The batch insertion writes the target's entity there.
        if let entitySlot = relationship.entitySlot { row.slots.insert(entitySlot) }
    }

    // MARK: Rows

    /// Writes rows. A rejected row is recorded as an error.
    private func place(_ rows: [ReadyRow]) throws -> [(ReadyRow, BatchRowOutcome)] {
        var placed: [(ReadyRow, BatchRowOutcome)] = []
        try keepingGood(
            rows, in: transaction, shouldContinue: request.onError == .skipInvalidRows
        ) { rows in
            placed += try self.write(rows)
        } refused: { row, error in
            try log.add(error, plans[row.row.plan], source: source, line: row.row.line)
        }
        return placed
    }

    /// - Throws: ``RefusedItem``
    private func write(_ rows: ArraySlice<ReadyRow>) throws -> [(ReadyRow, BatchRowOutcome)] {
        guard !rows.isEmpty else { return [] }
        var outcomes = [BatchRowOutcome](repeating: .skipped, count: rows.count)
        let batch = rows.enumerated().map { index, row in
            // It may have been written before, and rolled back.
            row.row.placed.record.version = 0
            return BatchRow(index: index, placed: row.row.placed, slots: row.row.slots)
        }
        let numbers = rows.map(\.row.plan)
        for run in runs(batch, numbers) {
            for (number, rows) in Dictionary(grouping: run, by: { numbers[$0.index] })
                .ordered(by: { $0.key < $1.key })
            {
                let insertion = insertions[number]
                insertion.didPlace = { outcomes[$0.index] = $1 }
                defer { insertion.didPlace = nil }
                do {
                    try insertion.write(rows, transaction)
                } catch let error as BatchInsertError {
                    throw RefusedItem(index: error.row, underlying: error.underlying)
                }
            }
        }
        return Array(zip(rows, outcomes))
    }

    /// Cuts the rows into runs, each of which may be written entity by entity. A new run begins at
    /// a row that has unique values of an earlier row of another entity.
    ///
    /// - Parameter numbers: The numbers of the rows' plans.
    private func runs(_ rows: [BatchRow], _ numbers: [Int]) -> [[BatchRow]] {
        guard Set(numbers).count > 1 else { return [rows] }
        let model = transaction.model
        let keys = plans.map { plan in
            model.uniqueKeys.enumerated().filter {
                model.families[$0.element.declarer].contains(plan.entity.index)
            }
        }
        var runs: [[BatchRow]] = [[]]
        var holders: [ClaimedValues: Int] = [:]
        for (row, number) in zip(rows, numbers) {
            let shape = plans[number].entity.shape
            let claims = keys[number].compactMap { key in
                key.element.values(of: row.placed.record, shape)
                    .map { ClaimedValues(key: key.offset, values: $0) }
            }
            if claims.contains(where: { claim in
                holders[claim].map { $0 != number } ?? false
            }) {
                runs.append([])
                holders = [:]
            }
            for claim in claims { holders[claim] = number }
            runs[runs.count - 1].append(row)
        }
        return runs
    }

    /// Unique values of a row.
    private struct ClaimedValues: Hashable {
        /// The number of the unique key among the model's.
        let key: Int
        let values: [StoredValue]
    }
}

/// An item of a batch that the store rejects.
struct RefusedItem: Error {
    let index: Int
    let underlying: any Error
}

/// Writes items, as many as possible at once. If some are rejected, the others are written all the
/// same.
///
/// If an item is rejected, its batch is rolled back and the items before it are written again. The
/// next attempt is with one item, and the number grows after each success. A rejected item
/// therefore costs little if all are rejected, and almost nothing if few are.
///
/// - Parameters:
///   - shouldContinue: Whether to try again after a rejection. If not, this function rolls
///     nothing back.
///   - write: Writes items, and updates the state of the caller only if it succeeds. Throws
///     ``RefusedItem``.
///   - refused: Is called with each item that is not imported.
func keepingGood<Item>(
    _ items: [Item], in transaction: any BatchTransaction, shouldContinue: Bool,
    write: (ArraySlice<Item>) throws -> Void, refused: (Item, any Error) throws -> Void
) throws {
    guard shouldContinue else {
        do {
            return try write(items[...])
        } catch let refusal as RefusedItem {
            return try refused(items[refusal.index], refusal.underlying)
        }
    }
    var start = 0
    var size = items.count
    while start < items.count {
        let segment = items[start..<min(start + size, items.count)]
        do {
            try transaction.savepoint { try write(segment) }
            start = segment.endIndex
            size = min(size * 4, items.count)
        } catch let refusal as RefusedItem {
            if refusal.index > 0 {
                size = refusal.index
            } else {
                try refused(items[start], refusal.underlying)
                start += 1
                size = 1
            }
        }
    }
}

/// Writes the rows of one source.
struct ImportRowWriter {
    private let request: ImportRequest
    private let plans: [ExchangePlan]
    private let source: Int
    private let transaction: BatchTransaction
    private let lookup: ImportTargetLookup
    private let linker: ImportLinker
    private let log: ImportLog
    private let insertion: BatchInsertion
    private var plan: ExchangePlan { plans[source] }

    init(
        _ request: ImportRequest, _ plans: [ExchangePlan], _ source: Int,
        _ transaction: BatchTransaction, _ lookup: ImportTargetLookup, _ linker: ImportLinker,
        _ log: ImportLog
    ) {
        self.request = request
        self.plans = plans
        self.source = source
        self.transaction = transaction
        self.lookup = lookup
        self.linker = linker
        self.log = log
        insertion = BatchInsertion(
            plans[source].entity, request.mergePolicy, request.resultType
        ) { _ in [] }
    }

    /// Writes rows with all their links that can be made now.
    ///
    /// - Parameter mayWait: Whether what rows lead to may come later.
    /// - Returns: The indices of the rows that have to wait for the object that they cannot be
    ///   without.
    func write(_ rows: [ImportRow], mayWait: Bool) throws -> [Int] {
        for row in rows {
            for problem in row.problems { try log.add(problem, source: source) }
        }
        var ready: [ReadyRow] = []
        var waiting: [Int] = []
        let found = try targets(of: rows)
        for (index, row) in rows.enumerated() where row.problems.isEmpty {
            switch try link(row, found, mayWait: mayWait) {
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
        /// The links that are kept elsewhere, or wait.
        var tasks: [ImportLinkTask] = []

        func tasks(after outcome: BatchRowOutcome) -> [ImportLinkTask] {
            switch outcome {
            case .leftOut: []
            // What is new has no links that could be taken away.
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

    /// What the rows lead to, by relationship and key.
    private func targets(of rows: [ImportRow]) throws -> [[ExchangeKey: Int64]] {
        var wanted = [Set<ExchangeKey>](repeating: [], count: plan.relationships.count)
        for row in rows where row.problems.isEmpty {
            for link in row.links { wanted[link.relationship].formUnion(link.keys) }
        }
        return try zip(plan.relationships, wanted).map { relationship, keys in
            // Rows of this source change what is found.
            let isWritten = transaction.model.haveCommon(plan.entity, relationship.destination)
            return try lookup.find(keys, relationship, remembers: !isWritten)
        }
    }

    private func link(
        _ row: ImportRow, _ found: [[ExchangeKey: Int64]], mayWait: Bool
    ) throws -> LinkedRow {
        var ready = ReadyRow(row: row)
        for link in row.links {
            let relationship = plan.relationships[link.relationship]
            let known = link.keys.compactMap { found[link.relationship][$0] }
            let isComplete = known.count == link.keys.count
            if !isComplete, mayWait, linker.mayCome(relationship.destination, after: source) {
                if relationship.isRequired { return .waits }
                ready.tasks.append(
                    ImportLinkTask(
                        source: source, line: row.line, relationship: link.relationship,
                        keys: link.keys))
                continue
            }
            if !isComplete, request.missingTargets == .error || relationship.isRequired {
                try log.add(linker.missing(relationship, plan, row.line), source: source)
                return .failed
            }
            // Left out: a to-one stays as it is, and a list has the others.
            if !isComplete, !relationship.description.isToMany { continue }
            if let slot = relationship.description.slot {
                set(known.first, slot, relationship.description, of: &ready.row)
            } else {
                ready.tasks.append(
                    ImportLinkTask(
                        source: source, line: row.line, relationship: link.relationship,
                        keys: link.keys, targets: known))
            }
        }
        return .ready(ready)
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

    /// Writes rows; what is refused is an error.
    private func place(_ rows: [ReadyRow]) throws -> [(ReadyRow, BatchRowOutcome)] {
        var placed: [(ReadyRow, BatchRowOutcome)] = []
        try keepingGood(
            rows, in: transaction, goesOn: request.onError == .keepGoodRows
        ) { rows in
            placed += try self.write(rows)
        } refused: { row, error in
            try log.add(error, source: source, line: row.row.line)
        }
        return placed
    }

    /// - Throws: ``RefusedItem``
    private func write(_ rows: ArraySlice<ReadyRow>) throws -> [(ReadyRow, BatchRowOutcome)] {
        guard !rows.isEmpty else { return [] }
        var outcomes = [BatchRowOutcome](repeating: .leftOut, count: rows.count)
        let batch = rows.enumerated().map { index, row in
            // It may have been written before, and taken back.
            row.row.placed.record.version = 0
            return BatchRow(index: index, placed: row.row.placed, slots: row.row.slots)
        }
        insertion.didPlace = { outcomes[$0.index] = $1 }
        defer { insertion.didPlace = nil }
        do {
            try insertion.write(batch, transaction)
        } catch let error as BatchInsertError {
            throw RefusedItem(index: error.row, underlying: error.underlying)
        }
        return Array(zip(rows, outcomes))
    }
}

extension RuntimeModel {
    /// Whether an object may be of both entities.
    func haveCommon(_ one: EntityDescription, _ other: EntityDescription) -> Bool {
        families[one.index].contains(other.index) || families[other.index].contains(one.index)
    }
}

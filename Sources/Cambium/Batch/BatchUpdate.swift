import CambiumRecords

/// Sets properties of the rows that a request finds.
struct BatchUpdate: BatchWork {
    let request: RowRequest
    let assignments: BatchAssignments
    let resultType: BatchResultType
    /// The number of rows that are read and written at once, if they do not depend on each other.
    var chunkSize = 10_000

    /// Unique values may move from row to row.
    var canPlan: Bool { true }
    var canRunAgain: Bool { true }

    func run(in transaction: any BatchTransaction) throws {
        let entity = request.entity
        let constants = try resolveTargets(transaction)
        let rowKeys = try transaction.rowKeys(request, counting: resultType)
        guard !rowKeys.isEmpty else { return }
        let computed = try transaction.computation(
            of: assignments.expressions, for: entity)
        // All values are computed before the first row is written. This is done in one piece if an
        // expression may read other rows, or if the rows may swap unique values.
        let isUnique = transaction.model.uniqueKeys.contains {
            !$0.writtenSlots.intersection(assignments.slots).isEmpty
                && transaction.model.families[$0.declarer].contains {
                    transaction.model.haveCommon(entity, transaction.model.entities[$0])
                }
        }
        let isWhole = !computed.isOfOwnRow || isUnique
        let keys = rowKeys.map { $0.key }.sorted()
        var start = 0
        while start < keys.count {
            let end = isWhole ? keys.count : min(keys.count, start + chunkSize)
            try Task.checkCancellation()
            do {
                try write(Array(keys[start..<end]), constants, computed, transaction)
            } catch let refused as RefusedRow {
                // If unique values conflict, the second try may find an order without conflicts.
                if !transaction.isPlanned, refused.isOfUniqueValues { throw refused }
                throw Self.publicError(of: refused, transaction)
            }
            start = end
        }
    }

    private static func publicError(
        of refused: RefusedRow, _ transaction: any BatchTransaction
    ) -> any Error {
        let error = refused.underlying
        let id = ObjectID(refused.entity, key: refused.key, store: transaction.identifier)
        return (error as? ValidationError)?.of(id) ?? error
    }

    /// The constant values of the slots, with the entities of referenced objects.
    private func resolveTargets(
        _ transaction: any BatchTransaction
    ) throws -> [(slot: Int, value: StoredValue)] {
        var constants = assignments.constants
        let model = transaction.model
        for (relationship, key) in assignments.targets {
            let root = model.entities[model.entities[relationship.destination].rootIndex]
            let found = try transaction.rowKeys(RowRequest(entity: root, selection: .keys([key])))
            guard let head = found.first,
                model.families[relationship.destination].contains(head.entity)
            else { throw BatchInsertion.missingTarget(relationship, of: request.entity) }
            if let entitySlot = relationship.entitySlot {
                constants.append((entitySlot, .text(model.entities[head.entity].name)))
            }
        }
        return constants
    }

    private func write(
        _ keys: [Int64], _ constants: [(slot: Int, value: StoredValue)],
        _ computed: BatchComputation, _ transaction: any BatchTransaction
    ) throws {
        let model = transaction.model
        let values =
            try assignments.expressions.isEmpty ? [:] : computed.values(keys)
        let writer = RecordWriter()
        let checks = model.families[request.entity.index].reduce(into: [:]) {
            $0[$1] = BatchRowCheck(
                model.entities[$1], assignments.slots, assignments.dates,
                largestValue: assignments.largestValue)
        }
        var groups = [Int: [PlacedRecord]]()
        for (entity, row) in try transaction.lookup.rows(keys, root: request.entity.rootIndex) {
            var placed = row
            for (slot, value) in constants { writer.set(value, slot, of: &placed, entity.shape) }
            for (number, value) in (values[placed.record.key] ?? []).enumerated() {
                let slot = assignments.computedSlots[number]
                do {
                    let rounded = try entity.rounded(value, computed.types[number], slot)
                    writer.set(
                        try entity.fitting(rounded, slot), slot, of: &placed, entity.shape)
                } catch {
                    throw RefusedRow(entity: entity, key: placed.record.key, underlying: error)
                }
            }
            assignments.dates?.round(
                placed.record, entity.dateSlots.intersection(assignments.slots))
            if let error = checks[entity.index]?.error(in: placed.record) {
                throw RefusedRow(entity: entity, key: placed.record.key, underlying: error)
            }
            groups[entity.index, default: []].append(placed)
        }
        try write(groups, transaction)
    }

    private func write(
        _ groups: [Int: [PlacedRecord]], _ transaction: any BatchTransaction
    ) throws {
        let model = transaction.model
        let slots = assignments.slots
        var request = SaveRequest()
        for (entity, rows) in groups.ordered(by: { $0.key < $1.key }) {
            request.updates.append(
                .init(entity: model.entities[entity], slots: slots, records: rows.map { $0.record })
            )
        }
        try withExtendedLifetime(groups) {
            if transaction.isPlanned {
                try transaction.writePlanned(
                    request, BatchArbiter(store: transaction.identifier))
            } else {
                try transaction.write(request, from: .batch)
            }
        }
        for (entity, rows) in groups.ordered(by: { $0.key < $1.key }) {
            for row in rows { row.record.version += 1 }
            transaction.changes.update(rows, slots, model.entities[entity])
        }
    }
}

/// Prevents a batch operation from taking unique values that other rows keep.
struct BatchArbiter: ConflictArbiter {
    let store: StoreIdentifier

    var strategy: ConflictStrategy? { nil }
    // The store's foreign keys reject them.
    var checksKeys: Bool { false }

    // All rows were read in the same transaction.
    func judge(_ conflicts: [RowConflict]) -> [Verdict] { [] }

    func judge(_ collisions: [UniqueCollision]) throws -> [ConflictStrategy] {
        throw refusal(of: collisions)
    }

    func refusal(of collisions: [UniqueCollision]) -> any Error {
        ConstraintConflictError(
            conflicts: collisions.map { collision in
                func id(_ claim: UniqueCollision.Claim) -> ObjectID {
                    ObjectID(claim.entity, key: claim.id.key, store: store)
                }
                return ConstraintConflict(
                    constraint: collision.key.properties,
                    databaseObjectID: collision.claims.first { $0.kind == .stored }.map(id),
                    conflictingObjectIDs: collision.claims.filter { $0.kind != .stored }.map(id),
                    policy: .error, database: nil, conflicting: [])
            })
    }

    func refuse(_ keys: [DanglingKey], in plan: SavePlan) {}
}

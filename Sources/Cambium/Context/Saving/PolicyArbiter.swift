import CambiumRecords

/// Decides the conflicts of one save by the context's merge policy, and describes the conflicts
/// that the policy rejects or passes to the program. It changes nothing in memory: the outcome is
/// merged when the save has succeeded.
struct PolicyArbiter: ConflictArbiter {
    let policy: MergePolicy
    let context: ManagedObjectContext

    var checksKeys: Bool { true }

    var strategy: ConflictStrategy? { initialPolicy.strategy }

    /// The policy that conflicts start with.
    private var initialPolicy: MergePolicy {
        if case .custom(let custom) = policy { custom.base } else { policy }
    }

    // MARK: Rows

    func judge(_ conflicts: [RowConflict]) throws -> [Verdict] {
        let cache = context.coordinator.rowCache
        let conflicts = conflicts.map { conflict in
            var conflict = conflict
            conflict.cached = cache.entry(conflict.id)?.placed
            return conflict
        }
        // From now on, a fault shows the rows that are in the store now.
        cache.note(conflicts)
        if let strategy = policy.strategy {
            return conflicts.map { _ in Verdict(strategy: strategy) }
        }
        var described = conflicts.map { describe($0) }
        if case .custom(let custom) = policy {
            for index in described.indices { try custom.resolve(&described[index]) }
        }
        let unresolved = described.filter { $0.policy.strategy == nil }
        guard unresolved.isEmpty else { throw ConflictError(conflicts: unresolved) }
        return described.compactMap { conflict in
            conflict.policy.strategy.map { Verdict(strategy: $0, chosen: kept(conflict)) }
        }
    }

    /// The values that the program has chosen, with dates as the store keeps them.
    private func kept(_ conflict: MergeConflict) -> [Int: StoredValue] {
        guard let dates = context.coordinator.datePrecision else { return conflict.chosen }
        let slots = conflict.objectID.entity.dateSlots
        return conflict.chosen.reduce(into: conflict.chosen) { chosen, entry in
            if slots.contains(entry.key), case .real(let seconds) = entry.value {
                chosen[entry.key] = .real(dates.rounded(seconds))
            }
        }
    }

    /// Checks for conflicts with newer rows in the row cache, before the save accesses the store.
    ///
    /// It does so only if a conflict makes the save fail. Otherwise the conflict is resolved
    /// against the store, which has the latest rows.
    ///
    /// - Throws: ``ConflictError`` with conflicts that have no persisted snapshot.
    func checkRowCache(for request: SaveRequest) throws {
        guard policy == .error, !context.coordinator.rowCache.isEmpty else { return }
        var conflicts: [RowConflict] = []
        @inline(never)
        func compare(_ entity: EntityDescription, _ records: [Record], isDeletion: Bool = false) {
            let cached = context.coordinator.rowCache.rows(root: entity.rootIndex)
            if cached.isEmpty { return }
            for record in records {
                guard let entry = cached[record.key], entry.placed.record.version > record.version
                else { continue }
                conflicts.append(
                    RowConflict(
                        entity: entity, key: record.key, theirs: entry.placed,
                        isDeletion: isDeletion, cached: entry.placed, isFoundInCache: true))
            }
        }
        for check in request.checks { compare(check.entity, check.records) }
        for update in request.updates { compare(update.entity, update.records) }
        for deletion in request.deletions {
            compare(deletion.entity, deletion.records, isDeletion: true)
        }
        guard conflicts.isEmpty else {
            throw ConflictError(conflicts: conflicts.sortedByRow().map { describe($0) })
        }
    }

    /// - Parameter properties: The properties in conflict, if they are not the ones that both sides
    ///   have changed.
    private func describe(_ conflict: RowConflict, properties: [String]? = nil) -> MergeConflict {
        let entity = conflict.entity
        let object = object(conflict.id)
        // A draft may be changed after the error was thrown.
        let ours = object?.record.map { RecordWriter.compactCopy($0, entity.shape) }
        // A row that is to be inserted again has no base.
        let base =
            object?.lifecycle == .inserted ? nil : object?.extras?.snapshot ?? object?.placed
        return MergeConflict(
            objectID: id(conflict.id, entity),
            isDeletion: conflict.isDeletion, isRowDeleted: conflict.theirs == nil,
            properties: properties
                ?? bothChanged(conflict).map { entity.layout.slots[$0].property },
            oldVersion: base?.record.version ?? 0,
            newVersion: conflict.theirs?.record.version ?? 0, policy: initialPolicy,
            object: snapshot(ours, entity), base: snapshot(base, entity),
            cached: snapshot(conflict.cached, entity),
            persisted: conflict.isFoundInCache ? nil : snapshot(conflict.theirs, entity))
    }

    private func bothChanged(_ conflict: RowConflict) -> [Int] {
        let entity = conflict.entity
        guard let theirs = conflict.theirs?.record, let object = object(conflict.id) else {
            return []
        }
        if object.lifecycle == .inserted, let ours = object.record {
            return entity.writtenSlots.slots.filter {
                !theirs.isEqual($0, entity.shape.kinds[$0], to: ours)
            }
        }
        guard let extras = object.extras, let base = extras.snapshot?.record else { return [] }
        return extras.changedSlots.intersection(entity.storedSlots).slots.filter { slot in
            !theirs.isEqual(slot, entity.shape.kinds[slot], to: base)
        }
    }

    // MARK: Unique values and partners

    func judge(_ collisions: [UniqueCollision]) throws -> [ConflictStrategy] {
        if let strategy = policy.strategy { return collisions.map { _ in strategy } }
        var described = collisions.map { describe($0) }
        if case .custom(let custom) = policy {
            for index in described.indices { try custom.resolveConstraint(&described[index]) }
        }
        let unresolved = described.filter { $0.policy.strategy == nil }
        guard unresolved.isEmpty else { throw ConstraintConflictError(conflicts: unresolved) }
        return described.compactMap { $0.policy.strategy }
    }

    func refusal(of collisions: [UniqueCollision]) -> any Error {
        ConstraintConflictError(conflicts: collisions.map { describe($0) })
    }

    private func describe(_ collision: UniqueCollision) -> ConstraintConflict {
        func copy(_ claim: UniqueCollision.Claim) -> RowSnapshot? {
            snapshot(RecordWriter.compactCopy(claim.record, claim.entity.shape), claim.entity)
        }
        let stored = collision.claims.first { $0.kind == .stored }
        let ours = collision.claims.filter { $0.kind != .stored }
        return ConstraintConflict(
            constraint: collision.key.properties,
            databaseObjectID: stored.map { id($0.id, $0.entity) },
            conflictingObjectIDs: ours.map { id($0.id, $0.entity) }, policy: initialPolicy,
            database: stored.flatMap(copy), conflicting: ours.compactMap(copy))
    }

    // MARK: Keys

    func refuse(_ keys: [DanglingKey], in plan: SavePlan) throws {
        // If this save itself references a missing row, the store's error reports it.
        let leftBehind = keys.filter { $0.rule != nil }
        let denials = leftBehind.compactMap { denial(of: $0, in: plan) }
        if !denials.isEmpty { throw ValidationErrors.combined(denials) }
        guard !leftBehind.isEmpty else { return }
        var error = ConflictError(conflicts: leftBehind.compactMap { conflict(of: $0, in: plan) })
        error.refusedDeletions = leftBehind.compactMap { plan.target(of: $0) }
        throw error
    }

    /// The error if an object cannot be deleted because other objects reference it, even with their
    /// unsaved changes.
    private func denial(of key: DanglingKey, in plan: SavePlan) -> ValidationError? {
        let relationship = key.relationship.relationship
        guard key.rule == .deny || (key.rule == .nullify && !relationship.isOptional),
            let entity = plan.rows[key.row]?.entity, let target = plan.target(of: key)
        else { return nil }
        let name = "\(plan.model.entities[target.root].name)/\(target.key)"
        return ValidationError(
            code: key.rule == .deny ? .deleteDenied : .missing, entityName: entity.name,
            objectID: id(key.row, entity), property: relationship.name,
            message: "\(relationship.name) references \(name), which is being deleted. "
                + "Set it to another object, or delete this one too.")
    }

    /// The conflict with a row of another context that references a row to be deleted.
    private func conflict(of key: DanglingKey, in plan: SavePlan) -> MergeConflict? {
        guard let row = plan.rows[key.row] else { return nil }
        return describe(
            RowConflict(
                entity: row.entity, key: key.row.key, theirs: row.theirs, isDeletion: false),
            properties: [key.relationship.relationship.name])
    }

    // MARK: Parts

    private func object(_ id: RowIdentity) -> ManagedObject? {
        context.registry.roots[id.root].map[id.key]
    }

    private func id(_ row: RowIdentity, _ entity: EntityDescription) -> ObjectID {
        ObjectID(entity, key: row.key, store: context.coordinator.storeIdentifier(ofRoot: row.root))
    }

    private func snapshot(_ placed: PlacedRecord?, _ entity: EntityDescription) -> RowSnapshot? {
        placed.map {
            RowSnapshot(
                placed: $0, entity: entity,
                store: context.coordinator.store(ofRoot: entity.rootIndex))
        }
    }
}

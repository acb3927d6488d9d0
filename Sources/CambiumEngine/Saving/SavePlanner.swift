import CambiumModel
import CambiumRecords

/// Plans the writes of a save that has conflicts. It reads everything before anything is written.
package struct SavePlanner<Lookup: SaveLookup> {
    package let lookup: Lookup
    package let model: ModelDescription

    package init(lookup: Lookup, model: ModelDescription) {
        self.lookup = lookup
        self.model = model
    }

    /// - Throws: The error of the arbiter about unresolved conflicts.
    package func plan(_ request: SaveRequest, _ arbiter: any ConflictArbiter) throws -> SavePlan {
        var plan = SavePlan(request, model: model)
        try lookup.prepare(for: questions(in: plan, of: request, arbiter))
        var conflicts = try conflicts(of: request)
        for conflict in conflicts { plan.note(conflict.theirs, of: conflict.id) }
        // A row that is deleted already is no conflict: both deleted it.
        for conflict in conflicts where conflict.isDeletion && conflict.theirs == nil {
            plan.keepStored(conflict.id, to: nil)
        }
        conflicts.removeAll { $0.isDeletion && $0.theirs == nil }
        if !conflicts.isEmpty { plan.resolve(conflicts, by: try arbiter.judge(conflicts)) }
        plan.settle()
        if !plan.memberships.isEmpty {
            try lookup.prepare(for: questions(in: plan, arbiter, plan.memberships))
            for members in plan.memberships { plan.add(try pairs(for: members)) }
        }
        // Each round settles at least one row, for good: a row is discarded, loses its value, or is
        // reverted, once.
        for _ in 0...plan.rows.count * 4 {
            let revision = plan.revision
            try lookup.prepare(for: questions(in: plan, arbiter))
            if arbiter.checksKeys {
                let dangling = try danglingKeys(in: &plan)
                if !dangling.isEmpty { plan.resolve(dangling, by: arbiter.strategy) }
                plan.settle()
            }
            let collisions = try collisions(in: &plan)
            if !collisions.isEmpty {
                let refused = plan.resolve(collisions, by: try arbiter.judge(collisions))
                if !refused.isEmpty { throw arbiter.refusal(of: refused) }
            }
            plan.settle()
            try settleOwnInverses(in: &plan, arbiter)
            if plan.revision == revision { break }
        }
        if arbiter.checksKeys {
            let left = try danglingKeys(in: &plan)
            if !left.keys.isEmpty { try arbiter.refuse(left.keys, in: plan) }
            plan.willBeRejected = !left.isEmpty
        }
        return plan
    }

    /// The first questions about a save, before any decision.
    package func questions(
        about request: SaveRequest, _ arbiter: any ConflictArbiter
    ) -> SaveQuestions {
        questions(in: SavePlan(request, model: model), of: request, arbiter)
    }

    private func questions(
        in plan: SavePlan, of request: SaveRequest, _ arbiter: any ConflictArbiter
    ) -> SaveQuestions {
        var questions = questions(in: plan, arbiter)
        questions.read =
            request.checks.map { ($0.entity, $0.records) }
            + request.updates.map { ($0.entity, $0.records) }
            + request.deletions.map { ($0.entity, $0.records) }
        return questions
    }

    /// The next questions, as far as they are known.
    private func questions(
        in plan: SavePlan, _ arbiter: any ConflictArbiter,
        _ memberships: [SavePlan.Membership] = []
    ) -> SaveQuestions {
        var questions = SaveQuestions()
        questions.memberships = memberships
        if arbiter.checksKeys {
            questions.targets = targets(in: plan)
            questions.deletions = deletedKeys(in: plan)
            for membership in memberships {
                let root =
                    membership.isSource
                    ? membership.links.destinationRoot : membership.links.sourceRoot
                questions.targets[root, default: []].formUnion(membership.members)
            }
        }
        for key in model.uniqueKeys {
            for (entity, records) in groups(claims(key, in: plan)) {
                questions.claims.append((key, model.entities[entity], records))
            }
        }
        return questions
    }

    private func conflicts(of request: SaveRequest) throws -> [RowConflict] {
        var conflicts: [RowConflict] = []
        for check in request.checks {
            conflicts += try lookup.conflicts(check.entity, check.records, isDeletion: false)
        }
        for update in request.updates {
            conflicts += try lookup.conflicts(update.entity, update.records, isDeletion: false)
        }
        for deletion in request.deletions {
            conflicts += try lookup.conflicts(deletion.entity, deletion.records, isDeletion: true)
        }
        for insertion in request.insertions { conflicts += try returned(insertion) }
        return conflicts.sortedByRow()
    }

    /// The rows that the save is to insert again, and that others have inserted again before.
    private func returned(_ insertion: SaveRequest.Insertion) throws -> [RowConflict] {
        let keys = insertion.records.filter { RowVersion.mayBeOfReinsertion($0.version) }
            .map(\.key)
        if keys.isEmpty { return [] }
        return try lookup.rows(keys, root: insertion.entity.rootIndex).map { entity, placed in
            RowConflict(entity: entity, key: placed.record.key, theirs: placed, isDeletion: false)
        }
    }

    /// The pairs that are to be written and to be removed, so that a row has these members.
    private func pairs(for members: SavePlan.Membership) throws -> SaveRequest.Links {
        var links = members.links
        func pair(_ other: Int64) -> (source: Int64, destination: Int64) {
            members.isSource ? (members.key, other) : (other, members.key)
        }
        let wanted = Set(members.members)
        for other in try lookup.pairedKeys(of: members) where !wanted.contains(other) {
            links.removed.append(pair(other))
        }
        links.added = members.members.map(pair)
        return links
    }

    // Keys that would dangle, because one context deletes an object that another one links to. The
    // store's foreign keys reject them at the end; here they are found before.

    package func danglingKeys(
        in plan: inout SavePlan
    ) throws -> DanglingKeys {
        var found = DanglingKeys()
        let targets = targets(in: plan)
        for root in targets.keys.sorted() {
            let keys = targets[root] ?? []
            for key in try lookup.missingKeys(keys, root: root) {
                found.missing.insert(RowIdentity(root: root, key: key))
            }
            for key in keys {
                let id = RowIdentity(root: root, key: key)
                if case .delete? = plan.rows[id]?.write { found.missing.insert(id) }
            }
        }
        if !found.missing.isEmpty {
            forEachKey(in: plan) { row, relationship, target in
                guard found.missing.contains(target) else { return }
                found.keys.append(DanglingKey(row: row, relationship: relationship, rule: nil))
            }
        }
        found.keys += try keysLeftBehind(by: &plan)
        return found
    }

    /// The rows that the plan's keys and pairs reference and that it does not insert, by root.
    private func targets(in plan: SavePlan) -> [Int: Set<Int64>] {
        var targets: [Int: Set<Int64>] = [:]
        func note(_ id: RowIdentity) {
            if case .insert? = plan.rows[id]?.write { return }
            targets[id.root, default: []].insert(id.key)
        }
        forEachKey(in: plan) { _, _, target in note(target) }
        for links in plan.links {
            for pair in links.added {
                note(RowIdentity(root: links.sourceRoot, key: pair.source))
                note(RowIdentity(root: links.destinationRoot, key: pair.destination))
            }
        }
        return targets
    }

    private func forEachKey(
        in plan: SavePlan, _ body: (RowIdentity, RelationshipDescription, RowIdentity) -> Void
    ) {
        for (id, row) in plan.sortedRows where row.isWritten {
            for relationship in row.entity.relationships {
                guard let slot = relationship.slot, row.record.hasValue(slot),
                    row.sets(SlotSet(slot))
                else { continue }
                let root = model.entities[relationship.destination].rootIndex
                body(id, relationship, RowIdentity(root: root, key: row.record.integer(slot)))
            }
        }
    }

    /// The keys in rows of others that reference rows that the plan deletes.
    private func keysLeftBehind(
        by plan: inout SavePlan
    ) throws -> [DanglingKey] {
        let deleted = deletedKeys(in: plan)
        guard !deleted.isEmpty else { return [] }
        var found: [DanglingKey] = []
        for entity in model.entities {
            for relationship in entity.keptRelationships {
                let destination = model.entities[relationship.destination]
                guard let keys = deleted[destination.rootIndex], let slot = relationship.slot else {
                    continue
                }
                let rows = try lookup.keysReferring(
                    to: keys, by: relationship, of: entity
                ).sorted().filter { key in
                    guard let row = plan.rows[RowIdentity(root: entity.rootIndex, key: key)] else {
                        return true
                    }
                    if case .delete = row.write { return false }
                    return !row.sets(SlotSet(slot)) && !row.isMissing
                }
                let unknown = rows.filter {
                    plan.rows[RowIdentity(root: entity.rootIndex, key: $0)] == nil
                }
                for (entity, placed) in try lookup.rows(unknown, root: entity.rootIndex) {
                    plan.add(placed, of: entity)
                }
                let rule = relationship.inverse.map {
                    destination.relationships[$0].relationship.deleteRule
                }
                found += rows.map {
                    DanglingKey(
                        row: RowIdentity(root: entity.rootIndex, key: $0),
                        relationship: relationship,
                        rule: rule ?? .nullify)
                }
            }
        }
        return found
    }

    private func deletedKeys(in plan: SavePlan) -> [Int: Set<Int64>] {
        var deleted: [Int: Set<Int64>] = [:]
        for (id, row) in plan.rows {
            if case .delete = row.write { deleted[id.root, default: []].insert(id.key) }
        }
        return deleted
    }

    // Unique values that two rows would have, and partners in one-to-ones.

    /// The rows of the plan that set a key's slots, and who holds their values in the store.
    private func claimants(
        _ key: UniqueKey, in plan: SavePlan
    ) throws -> (claims: [Claim], holders: [UniqueHolder]) {
        let claims = claims(key, in: plan)
        var holders: [UniqueHolder] = []
        for (entity, records) in groups(claims) {
            holders += try lookup.holders(of: key, records, model.entities[entity])
        }
        return (claims, holders)
    }

    private typealias Claim = (RowIdentity, SavePlan.Row, [StoredValue])

    private func claims(_ key: UniqueKey, in plan: SavePlan) -> [Claim] {
        var claims: [Claim] = []
        let family = model.families[key.declarer]
        for (id, row) in plan.sortedRows
        where family.contains(row.entity.index) && row.sets(key.writtenSlots) {
            guard let values = key.values(of: row.record, row.entity.shape) else { continue }
            claims.append((id, row, values))
        }
        return claims
    }

    /// The records of claims, by the number of the entity.
    private func groups(_ claims: [Claim]) -> [(entity: Int, records: [Record])] {
        var records: [Int: [Record]] = [:]
        for (_, row, _) in claims { records[row.entity.index, default: []].append(row.record) }
        return records.keys.sorted().map { ($0, records[$0] ?? []) }
    }

    package func collisions(
        in plan: inout SavePlan
    ) throws -> [UniqueCollision] {
        var collisions: [UniqueCollision] = []
        for key in model.uniqueKeys {
            let (claims, holders) = try claimants(key, in: plan)
            guard !claims.isEmpty else { continue }
            let root = model.entities[key.declarer].rootIndex
            var rows = Set<Int64>()
            for holder in holders
            where keepsValues(RowIdentity(root: root, key: holder.row), key, plan) {
                rows.insert(holder.row)
            }
            let unknown = rows.filter { plan.rows[RowIdentity(root: root, key: $0)] == nil }
            for (entity, placed) in try lookup.rows(unknown, root: root) {
                plan.add(placed, of: entity)
            }
            var groups: [[StoredValue]: [UniqueCollision.Claim]] = [:]
            for (id, row, values) in claims {
                groups[values, default: []].append(.init(id: id, row))
            }
            for key64 in rows {
                let id = RowIdentity(root: root, key: key64)
                guard let row = plan.rows[id],
                    let values = key.values(of: row.record, row.entity.shape)
                else { continue }
                groups[values]?.append(.init(id: id, row, kind: .stored))
            }
            for claims in groups.values where claims.count > 1 {
                collisions.append(
                    UniqueCollision(
                        key: key,
                        claims: claims.ordered {
                            ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id)
                        }))
            }
        }
        return collisions.ordered { $0.claims[0].id < $1.claims[0].id }
    }

    /// The rows of the plan with swapped unique values: they hold values that other rows of the
    /// plan get, and get other ones.
    package func rowsWithSwappedValues(in plan: SavePlan) throws -> Set<RowIdentity> {
        var swapped: Set<RowIdentity> = []
        for key in model.uniqueKeys where !key.isPartner {
            let root = model.entities[key.declarer].rootIndex
            for holder in try claimants(key, in: plan).holders {
                let id = RowIdentity(root: root, key: holder.row)
                guard let row = plan.rows[id], case .update = row.write else { continue }
                swapped.insert(id)
            }
        }
        return swapped
    }

    /// Whether a row of the store has its values after the save too.
    private func keepsValues(_ id: RowIdentity, _ key: UniqueKey, _ plan: SavePlan) -> Bool {
        guard let row = plan.rows[id] else { return true }
        if case .delete = row.write { return false }
        return !row.sets(key.writtenSlots)
    }

    // One-to-ones that are their own inverse: each row of a pair keeps the key of the other one.

    /// Makes the rows at the other ends agree with the rows that the save writes. Another context
    /// may have changed them since this one read them.
    private func settleOwnInverses(
        in plan: inout SavePlan, _ arbiter: any ConflictArbiter
    ) throws {
        for key in model.uniqueKeys where key.isOwnInverse {
            let declarer = model.entities[key.declarer]
            let root = declarer.rootIndex
            let family = model.families[key.declarer]
            guard
                let relationship = declarer.relationships.first(where: { $0.slot == key.slots[0] })
            else { continue }
            let changed = plan.sortedRows.filter { _, row in
                family.contains(row.entity.index) && (row.isDeleted || row.sets(key.writtenSlots))
            }.map { $0.0.key }
            guard !changed.isEmpty else { continue }
            var ends = Set(changed.compactMap { destination(of: $0, key, root, plan) })
            ends.formUnion(
                try lookup.keysReferring(to: Set(changed), by: relationship, of: declarer))
            let unknown = ends.filter { plan.rows[RowIdentity(root: root, key: $0)] == nil }
            for (entity, placed) in try lookup.rows(unknown.sorted(), root: root) {
                plan.add(placed, of: entity)
            }
            let isChanged = Set(changed)
            for row in changed + ends.subtracting(changed).sorted() {
                guard let other = destination(of: row, key, root, plan),
                    destination(of: other, key, root, plan) != row,
                    isChanged.contains(row) || isChanged.contains(other)
                else { continue }
                let ids = [row, other].map { RowIdentity(root: root, key: $0) }
                // A missing row is a dangling key.
                guard let end = plan.rows[ids[1]], !end.isMissing, !end.isDeleted else { continue }
                if case .unrequested = end.origin, !isChanged.contains(other) {
                    plan.set(relationship, of: ids[1], to: ids[0])
                } else if key.isRequired {
                    throw arbiter.refusal(of: [
                        UniqueCollision(
                            key: key,
                            claims: ids.compactMap { id in plan.rows[id].map { .init(id: id, $0) } }
                        )
                    ])
                } else {
                    plan.clear(key.writtenSlots, of: ids[0])
                }
            }
        }
    }

    /// The key that a row has after the save.
    private func destination(
        of row: Int64, _ key: UniqueKey, _ root: Int, _ plan: SavePlan
    ) -> Int64? {
        guard let row = plan.rows[RowIdentity(root: root, key: row)], !row.isMissing,
            !row.isDeleted,
            model.families[key.declarer].contains(row.entity.index),
            row.record.hasValue(key.slots[0])
        else { return nil }
        return row.record.integer(key.slots[0])
    }
}

/// The questions of a save's planning to the store, about its rows.
package protocol SaveLookup {
    /// Called with the next questions before the planner asks them: a remote store can answer all
    /// of them at once. By default, it does nothing.
    func prepare(for questions: @autoclosure () -> SaveQuestions) throws

    /// Returns conflicts for the records with another version than their rows, or without a row.
    func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool
    ) throws -> [RowConflict]

    /// The rows of a hierarchy that have these keys, with their own entities.
    func rows(
        _ keys: some Sequence<Int64>, root: Int
    ) throws -> [(EntityDescription, PlacedRecord)]

    /// The keys that no row of a hierarchy has.
    func missingKeys(_ keys: Set<Int64>, root: Int) throws -> [Int64]

    /// Returns the rows that reference one of the keys by a relationship with the key in the row.
    ///
    /// - Parameter entity: The entity that declares the relationship.
    func keysReferring(
        to keys: Set<Int64>, by relationship: RelationshipDescription, of entity: EntityDescription
    ) throws -> [Int64]

    /// For the records, all of one entity, the other rows that hold the same unique values.
    func holders(
        of key: UniqueKey, _ records: [Record], _ entity: EntityDescription
    ) throws -> [UniqueHolder]

    /// The keys at the other ends of a row's pairs.
    func pairedKeys(of members: SavePlan.Membership) throws -> [Int64]
}

extension SaveLookup {
    package func prepare(for questions: @autoclosure () -> SaveQuestions) throws {}
}

/// The next questions of a save's planning.
package struct SaveQuestions {
    /// Rows as a context has read them: have they changed?
    package var read: [(entity: EntityDescription, records: [Record])] = []
    /// Keys without a row, by the number of the root?
    package var targets: [Int: Set<Int64>] = [:]
    /// Rows that reference one of these keys, by the number of the root?
    package var deletions: [Int: Set<Int64>] = [:]
    /// Rows that hold the unique values of these records?
    package var claims: [(key: UniqueKey, entity: EntityDescription, records: [Record])] = []
    /// Records that set a one-to-one that is its own inverse: which rows do not agree with them?
    package var ownInverses: [(key: UniqueKey, entity: EntityDescription, records: [Record])] = []
    /// Rows that are linked to these by pairs?
    package var memberships: [SavePlan.Membership] = []

    package init() {}
}

extension EntityDescription {
    /// The relationships with keys in the entity's rows that the entity itself declares.
    package var keptRelationships: [RelationshipDescription] {
        relationships.filter { relationship in
            relationship.slot != nil
                && entity.relationships.contains { $0.name == relationship.relationship.name }
        }
    }
}

/// A row that holds the unique values of a record.
package struct UniqueHolder {
    /// The record's key.
    package let record: Int64
    /// The row's key.
    package let row: Int64

    package init(record: Int64, row: Int64) {
        self.record = record
        self.row = row
    }
}

/// Decides the conflicts of a save: a merge policy, or a custom one. It is called inside the
/// transaction, before anything is written, and changes nothing.
package protocol ConflictArbiter {
    /// The strategy for conflicts without a policy of the program; nil if conflicts are not
    /// resolved.
    var strategy: ConflictStrategy? { get }

    /// Whether to find keys that reference no row. Otherwise the store rejects them.
    var checksKeys: Bool { get }

    /// Returns a verdict for each conflict.
    ///
    /// - Throws: The error of the rejected save.
    func judge(_ conflicts: [RowConflict]) throws -> [Verdict]

    /// Returns a strategy for each collision.
    ///
    /// - Throws: The error of the rejected save.
    func judge(_ collisions: [UniqueCollision]) throws -> [ConflictStrategy]

    /// The error for collisions that the strategies do not resolve.
    func refusal(of collisions: [UniqueCollision]) -> any Error

    /// Throws an error about keys that still reference deleted rows. If it does not throw, the
    /// store rejects them.
    func refuse(_ keys: [DanglingKey], in plan: SavePlan) throws
}

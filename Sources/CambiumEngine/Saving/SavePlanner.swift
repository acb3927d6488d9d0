import CambiumRecords

/// Works out what a save writes instead of what was wanted, when it meets others. It looks at
/// everything before anything is written.
package struct SavePlanner<Lookup: SaveLookup> {
    package let lookup: Lookup
    package let model: ModelDescription

    package init(lookup: Lookup, model: ModelDescription) {
        self.lookup = lookup
        self.model = model
    }

    /// - Throws: What the arbiter throws about conflicts that are not resolved.
    package func plan(_ request: SaveRequest, _ arbiter: any ConflictArbiter) throws -> SavePlan {
        var plan = SavePlan(request, model: model)
        var conflicts = try conflicts(of: request)
        for conflict in conflicts { plan.note(conflict.theirs, of: conflict.id) }
        // A row that is gone already is no conflict: both wanted it gone.
        for conflict in conflicts where conflict.isDeletion && conflict.theirs == nil {
            plan.yield(conflict.id, to: nil)
        }
        conflicts.removeAll { $0.isDeletion && $0.theirs == nil }
        if !conflicts.isEmpty { plan.resolve(conflicts, by: try arbiter.judge(conflicts)) }
        plan.settle()
        for members in plan.memberships { plan.add(try pairs(for: members)) }
        // Each round settles one row at least, and none comes back: a row is given up, gives up its
        // value, or is taken back, once.
        for _ in 0...plan.rows.count * 4 {
            let revision = plan.revision
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
            if plan.revision == revision { break }
        }
        if arbiter.checksKeys {
            let left = try danglingKeys(in: &plan).keys
            if !left.isEmpty { try arbiter.refuse(left, in: plan) }
        }
        return plan
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
        return conflicts
    }

    /// The pairs that are to be written and to be taken away, so that a row has these members.
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
}

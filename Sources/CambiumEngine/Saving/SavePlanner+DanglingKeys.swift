import CambiumRecords

// Keys that would lead nowhere, because somebody deletes what somebody else links to. The store's
// foreign keys refuse them when all else is done; here they are found before.
extension SavePlanner {
    package func danglingKeys(
        in plan: inout SavePlan
    ) throws -> DanglingKeys {
        var found = DanglingKeys()
        let targets = targets(in: plan)
        for (root, keys) in targets.sorted(by: { $0.key < $1.key }) {
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

    /// The rows that the plan's keys and pairs lead to and that it does not insert, by root.
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

    /// The keys in rows of others that lead to what the plan deletes.
    private func keysLeftBehind(
        by plan: inout SavePlan
    ) throws -> [DanglingKey] {
        var deleted: [Int: Set<Int64>] = [:]
        for (id, row) in plan.rows {
            if case .delete = row.write { deleted[id.root, default: []].insert(id.key) }
        }
        guard !deleted.isEmpty else { return [] }
        var found: [DanglingKey] = []
        for entity in model.entities {
            for relationship in entity.relationships where relationship.slot != nil {
                let destination = model.entities[relationship.destination]
                // Once for each: the entity that declares it.
                guard let keys = deleted[destination.rootIndex], let slot = relationship.slot,
                    entity.entity.relationships.contains(where: {
                        $0.name == relationship.relationship.name
                    })
                else { continue }
                let rows = try lookup.keysReferring(
                    to: keys, by: relationship, of: entity
                ).filter { key in
                    guard let row = plan.rows[RowIdentity(root: entity.rootIndex, key: key)] else {
                        return true
                    }
                    if case .delete = row.write { return false }
                    return !row.sets(SlotSet(slot)) && !row.isGone
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
}

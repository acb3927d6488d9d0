import CambiumEngine
import CambiumModel
import CambiumRecords

/// Checks the to-ones that rows keep: whether their objects exist, and are of the right entity.
struct LinkCheck {
    let store: any SharedStore
    let model: ModelDescription

    /// Returns the findings about the links of some rows.
    func findings(in rows: [(entity: EntityDescription, record: Record)]) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        var wanted: [Int: Set<Int64>] = [:]
        for (entity, record) in rows {
            for relationship in entity.relationships {
                guard let slot = relationship.slot, !relationship.isTransient else { continue }
                if record.hasValue(slot) {
                    wanted[relationship.destinationRoot, default: []].insert(record.integer(slot))
                }
            }
        }
        var found: [RowIdentity: Int] = [:]
        for root in wanted.keys.sorted() {
            var request = RowRequest(
                entity: model.entities[root], selection: .keys((wanted[root] ?? []).sorted()))
            request.readsKeysOnly = true
            try store.fetch(request) { found[RowIdentity(root: root, key: $0.key)] = $0.entity }
        }
        for (entity, record) in rows {
            for relationship in entity.relationships {
                guard let slot = relationship.slot, !relationship.isTransient else { continue }
                if let (kind, message) = fault(relationship, slot, record, found) {
                    findings.append(
                        StoreFinding(
                            kind, entityName: entity.name, key: record.key,
                            property: relationship.relationship.name, message))
                }
            }
        }
        return try findings + oneSided(rows, found)
    }

    private func fault(
        _ relationship: RelationshipDescription, _ slot: Int, _ record: Record,
        _ found: [RowIdentity: Int]
    ) -> (StoreFinding.Kind, String)? {
        guard record.hasValue(slot) else {
            if !relationship.relationship.isOptional {
                return (.missingValue, "it is required and references no object")
            }
            if let entitySlot = relationship.entitySlot, record.hasValue(entitySlot) {
                return (.linkEntityDiffers, "it names an entity and references no object")
            }
            return nil
        }
        let key = record.integer(slot)
        let destination = model.entities[relationship.destination]
        let identity = RowIdentity(root: relationship.destinationRoot, key: key)
        guard let number = found[identity] else {
            return (
                .danglingLink, "it references \(destination.name)/\(key), which does not exist"
            )
        }
        let name = model.entities[number].name
        guard model.families[destination.index].contains(number) else {
            return (
                .wrongEntity, "it references \(name)/\(key), which is not a \(destination.name)"
            )
        }
        guard let entitySlot = relationship.entitySlot,
            !record.holds(Array(name.utf8), entitySlot)
        else { return nil }
        return (.linkEntityDiffers, "it references \(name)/\(key) and names another entity for it")
    }

    /// Objects of a one-to-one that is its own inverse and that do not reference each other.
    private func oneSided(
        _ rows: [(entity: EntityDescription, record: Record)], _ found: [RowIdentity: Int]
    ) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for (entity, rows) in Dictionary(grouping: rows, by: \.entity.index) {
            for relationship in model.entities[entity].relationships
            where !relationship.isToMany && relationship.isOwnInverse {
                guard let slot = relationship.slot else { continue }
                let owners = rows.map(\.record).filter { $0.hasValue(slot) }
                let destination = model.entities[relationship.destinationRoot]
                let writer = RecordWriter()
                var returned: [Int64: Int64] = [:]
                let keys = Set(owners.map { $0.integer(slot) }).sorted()
                if keys.isEmpty { continue }
                try store.fetch(RowRequest(entity: destination, selection: .keys(keys))) { row in
                    let member = model.entities[row.entity]
                    guard
                        let back = member.relationships.first(where: {
                            $0.identity == relationship.identity
                        })?.slot
                    else { return }
                    let placed = try row.record(in: writer)
                    withExtendedLifetime(placed) {
                        if placed.record.hasValue(back) {
                            returned[row.key] = placed.record.integer(back)
                        }
                    }
                }
                for owner in owners where returned[owner.integer(slot)] != owner.key {
                    let key = owner.integer(slot)
                    let identity = RowIdentity(root: destination.index, key: key)
                    // Missing rows are reported already.
                    guard let number = found[identity],
                        model.families[relationship.destination].contains(number)
                    else { continue }
                    findings.append(
                        StoreFinding(
                            .oneSidedLink, entityName: model.entities[entity].name,
                            key: owner.key, property: relationship.relationship.name,
                            "it references \(model.entities[number].name)/\(key), which does not "
                                + "reference it"))
                }
            }
        }
        return findings
    }
}

import CambiumRecords

/// Puts together what a context read while somebody counted.
struct ReadReporting: ContextAccess {
    let context: ManagedObjectContext

    /// What a log tells. Which relationship led to a fault is found out afterwards, from the
    /// objects that are there, so that following one costs nothing while nobody counts.
    func report(on log: ReadLog) -> ReadReport {
        var tallies: [RelationshipName: Int] = [:]
        let faults = log.events.compactMap { event in
            if case .fault(let root, let key) = event {
                RowIdentity(root: root.rootIndex, key: key)
            } else {
                nil
            }
        }
        let ways = waysTo(Set(faults))
        for fault in faults {
            if let way = ways[fault] { tallies[way, default: 0] += 1 }
        }
        for case .links(let owner, let relationship) in log.events {
            tallies[RelationshipName(owner, relationship), default: 0] += 1
        }
        let repetitions = tallies.filter { $0.value > 1 }
            .sorted { ($1.value, $0.key.text) < ($0.value, $1.key.text) }
            .map { name, count in
                ReadReport.Repetition(
                    entityName: name.entity, relationshipName: name.relationship, count: count)
            }
        return ReadReport(reads: log.events.map { describe($0, ways) }, repetitions: repetitions)
    }

    private func describe(_ event: ReadLog.Event, _ ways: [RowIdentity: RelationshipName]) -> String
    {
        switch event {
        case .fetch(let entity, let what): return "\(what) of \(entity.name), by a condition"
        case .fault(let root, let key):
            let way = ways[RowIdentity(root: root.rootIndex, key: key)]
            return "\(root.name)/\(key) alone" + (way.map { ", which \($0.text) leads to" } ?? "")
        case .faults(let entity, let count): return "\(count) objects of \(entity.name) together"
        case .links(let owner, let relationship):
            return "\(RelationshipName(owner, relationship).text) of one object"
        case .allLinks(let relationship, let count):
            return "\(relationship.relationship.name) of \(count) objects together"
        }
    }

    /// The relationships that reference rows, as far as objects tell whose values are there.
    private func waysTo(_ rows: Set<RowIdentity>) -> [RowIdentity: RelationshipName] {
        guard !rows.isEmpty else { return [:] }
        var ways: [RowIdentity: [RelationshipName: Int]] = [:]
        registry.forEach { object in
            guard let record = object.record else { return }
            for relationship in object.entityDescription.relationships {
                let name = RelationshipName(object.entityDescription, relationship)
                if let slot = relationship.slot {
                    guard record.hasValue(slot) else { continue }
                    let root = coordinator.model.entities[relationship.destination].rootIndex
                    let id = RowIdentity(root: root, key: record.integer(slot))
                    if rows.contains(id) { ways[id, default: [:]][name, default: 0] += 1 }
                } else if let links = object.extras?.links[relationship.ordinal],
                    links.stored != nil
                {
                    for member in links.members {
                        let root = coordinator.model.entities[member.entity].rootIndex
                        let id = RowIdentity(root: root, key: member.key)
                        if rows.contains(id) { ways[id, default: [:]][name, default: 0] += 1 }
                    }
                }
            }
        }
        // Where several lead to a row, that which leads to most of them: it was followed.
        var totals: [RelationshipName: Int] = [:]
        for names in ways.values {
            for name in names.keys { totals[name, default: 0] += 1 }
        }
        return ways.compactMapValues { names in
            names.keys.max { one, other in
                (totals[one] ?? 0, other.text) < (totals[other] ?? 0, one.text)
            }
        }
    }
}

/// A relationship, as people write it.
private struct RelationshipName: Hashable {
    let entity: String
    let relationship: String

    init(_ owner: EntityDescription, _ relationship: RelationshipDescription) {
        entity = owner.name
        self.relationship = relationship.relationship.name
    }

    var text: String { "\(entity).\(relationship)" }
}

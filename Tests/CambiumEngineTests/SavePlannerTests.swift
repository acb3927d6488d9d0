import CambiumEngine
import CambiumModel
import CambiumRecords
import Testing

/// What a save comes to that meets others, planned over rows in memory: every small mix of what the
/// save does and what others did to two nodes and the target that they may reference.
///
/// Whatever is decided, the rows that result have no code twice, no key that references nothing, and
/// every statement fits the row that it is for. Where nobody was in the way, the request is written
/// as it is.
struct SavePlannerTests {
    /// What the relationship between node and target is like.
    enum Link: CaseIterable {
        case nullify, cascade, deny, required, oneWay
    }

    /// What others have done to a row since it was read.
    fileprivate enum Theirs: CaseIterable {
        case nothing, changed, deleted
    }

    /// What the save does to the first node.
    fileprivate enum Deed: CaseIterable {
        case nothing, lock, setCode, setLink, clearLink, delete
    }

    fileprivate struct Situation {
        let theirs: Theirs
        /// Whether the node references the target, as the store has it.
        let isLinked: Bool
        let targetIsDeletedThere: Bool
        let deed: Deed
        /// Whether the save deletes the target.
        let deletesTarget: Bool
        /// Whether the save inserts a node with the code of the second one, or with a link.
        let insertion: Insertion
    }

    fileprivate enum Insertion: CaseIterable {
        case none, sameCode, linked
    }

    @Test(arguments: Link.allCases)
    func `the rows that result fit each other, in every small case`(_ link: Link) throws {
        let world = PlannedWorld(link)
        var counts: [String: Int] = [:]
        for strategy in ConflictStrategy.allCases.map(Optional.some) + [nil] {
            for theirs in Theirs.allCases {
                for deed in Deed.allCases {
                    for insertion in Insertion.allCases {
                        for flags in 0..<8 {
                            let one = Situation(
                                theirs: theirs, isLinked: flags & 1 != 0,
                                targetIsDeletedThere: flags & 2 != 0, deed: deed,
                                deletesTarget: flags & 4 != 0, insertion: insertion)
                            let result = try world.check(one, strategy)
                            counts[result, default: 0] += 1
                        }
                    }
                }
            }
        }
        // All kinds of results occur.
        for kind in ["as requested", "decided", "refused"] { #expect(counts[kind] != nil) }
    }
}

/// Rows in memory, and saves that are planned over them.
private struct PlannedWorld {
    let model: ModelDescription
    let node: EntityDescription
    let target: EntityDescription
    let link: SavePlannerTests.Link
    let code: Int
    let reference: Int
    let writer = RecordWriter()

    init(_ link: SavePlannerTests.Link) {
        self.link = link
        let rule: DeleteRule =
            switch link {
            case .cascade: .cascade
            case .deny: .deny
            case .nullify, .required, .oneWay: .nullify
            }
        let value = Model(
            name: "Planned", version: "1",
            entities: [
                Entity(
                    name: "Node",
                    attributes: [Attribute(name: "code", type: .int64, isOptional: true)],
                    relationships: [
                        Relationship(
                            name: "target", destination: "Target",
                            inverse: link == .oneWay ? nil : "nodes",
                            isOptional: link != .required)
                    ],
                    uniqueConstraints: [UniqueConstraint(properties: ["code"])]),
                Entity(
                    name: "Target",
                    attributes: [Attribute(name: "number", type: .int64, isOptional: true)],
                    relationships: link == .oneWay
                        ? []
                        : [
                            Relationship(
                                name: "nodes", destination: "Node", inverse: "target",
                                isToMany: true, deleteRule: rule)
                        ]),
            ])
        model = ModelDescription(value, types: [:], common: Rows.self)
        node = model.entities[0]
        target = model.entities[1]
        code = node.layout.slot(of: "code") ?? 0
        reference = node.relationships[0].slot ?? 0
    }

    func row(
        _ entity: EntityDescription, _ key: Int64, version: Int64, code: Int64? = nil,
        target: Int64? = nil
    ) -> PlacedRecord {
        let placed = writer.makeRecord(entity.shape)
        placed.record.key = key
        placed.record.version = version
        if let code { placed.record.setInteger(self.code, code) }
        if let target { placed.record.setInteger(reference, target) }
        return placed
    }
}

/// The rows of a store in memory.
private final class Rows: SaveLookup {
    let model: ModelDescription
    private(set) var rows: [RowIdentity: (EntityDescription, PlacedRecord)] = [:]

    init(_ model: ModelDescription) { self.model = model }

    func put(_ placed: PlacedRecord, _ entity: EntityDescription) {
        rows[RowIdentity(root: entity.rootIndex, key: placed.record.key)] = (entity, placed)
    }

    func remove(_ id: RowIdentity) { rows[id] = nil }

    func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool
    ) -> [RowConflict] {
        records.compactMap { record in
            let row = rows[RowIdentity(root: entity.rootIndex, key: record.key)]
            if row?.1.record.version == record.version { return nil }
            return RowConflict(
                entity: entity, key: record.key, theirs: row?.1, isDeletion: isDeletion)
        }
    }

    func rows(_ keys: some Sequence<Int64>, root: Int) -> [(EntityDescription, PlacedRecord)] {
        keys.compactMap { rows[RowIdentity(root: root, key: $0)] }
    }

    func missingKeys(_ keys: Set<Int64>, root: Int) -> [Int64] {
        keys.sorted().filter { rows[RowIdentity(root: root, key: $0)] == nil }
    }

    func keysReferring(
        to keys: Set<Int64>, by relationship: RelationshipDescription, of entity: EntityDescription
    ) -> [Int64] {
        rows.sorted { $0.key < $1.key }.filter { id, row in
            guard id.root == entity.rootIndex, let slot = relationship.slot else { return false }
            return row.1.record.hasValue(slot) && keys.contains(row.1.record.integer(slot))
        }.map(\.key.key)
    }

    func holders(
        of key: UniqueKey, _ records: [Record], _ entity: EntityDescription
    ) -> [UniqueHolder] {
        records.flatMap { record in
            rows.filter { id, row in
                id.root == entity.rootIndex && id.key != record.key
                    && key.values(of: row.1.record, row.0.shape) != nil
                    && key.values(of: row.1.record, row.0.shape)
                        == key.values(of: record, entity.shape)
            }.map { UniqueHolder(record: record.key, row: $0.key.key) }
        }
    }

    func pairedKeys(of members: SavePlan.Membership) -> [Int64] { [] }
}

/// Refuses what no strategy decides, and keeps quiet about nothing.
private struct PlainArbiter: ConflictArbiter {
    struct Refusal: Error {}

    let strategy: ConflictStrategy?
    var checksKeys: Bool { true }

    func judge(_ conflicts: [RowConflict]) throws -> [Verdict] {
        guard let strategy else { throw Refusal() }
        return conflicts.map { _ in Verdict(strategy: strategy) }
    }

    func judge(_ collisions: [UniqueCollision]) throws -> [ConflictStrategy] {
        guard let strategy else { throw Refusal() }
        return collisions.map { _ in strategy }
    }

    func refusal(of collisions: [UniqueCollision]) -> any Error { Refusal() }

    func refuse(_ keys: [DanglingKey], in plan: SavePlan) throws { throw Refusal() }
}

extension PlannedWorld {
    /// Plans one save and checks what comes of it.
    ///
    /// - Returns: What kind of result it is.
    fileprivate func check(
        _ one: SavePlannerTests.Situation, _ strategy: ConflictStrategy?
    ) throws -> String {
        // A required key always references the target.
        let isLinked = one.isLinked || link == .required
        let key: Int64? = isLinked ? 1 : nil
        if one.targetIsDeletedThere, isLinked, one.theirs != .deleted { return "impossible" }
        let base = row(node, 1, version: 1, code: 1, target: key)
        let second = row(node, 2, version: 1, code: 2, target: link == .required ? 2 : nil)
        let store = Rows(model)
        store.put(second, node)
        if !one.targetIsDeletedThere { store.put(row(target, 1, version: 1), target) }
        store.put(row(target, 2, version: 1), target)
        switch one.theirs {
        case .nothing: store.put(base, node)
        case .changed: store.put(row(node, 1, version: 2, code: 7, target: key), node)
        case .deleted: break
        }

        let request = self.request(for: one, base)
        let planner = SavePlanner(lookup: store, model: model)
        let plan: SavePlan
        do {
            plan = try planner.plan(request, PlainArbiter(strategy: strategy))
        } catch is PlainArbiter.Refusal {
            try expectReason(for: one, strategy, isLinked)
            return "refused"
        }
        let wanted = [request.updates.count, request.insertions.count, request.deletions.count]
        withExtendedLifetime((plan, base, request)) {
            apply(plan.request, to: store, "\(link), \(one), \(String(describing: strategy))")
        }
        let codes = store.rows.values.filter { $0.0 === node && $0.1.record.hasValue(code) }
            .map { $0.1.record.integer(code) }
        if Set(codes).count != codes.count { Issue.record("codes \(codes): \(one), \(link)") }
        for (entity, row) in store.rows.values where entity === node {
            guard row.record.hasValue(reference) else {
                if link == .required { Issue.record("no target: \(one)") }
                continue
            }
            let id = RowIdentity(root: target.rootIndex, key: row.record.integer(reference))
            if store.rows[id] == nil {
                Issue.record("dangling: \(link), \(one), \(String(describing: strategy))")
            }
        }
        // Nobody is in the way of a save that touches what is as it was.
        let isFree =
            one.theirs == .nothing && !one.targetIsDeletedThere && !one.deletesTarget
            && one.insertion != .sameCode && one.deed != .setCode
        guard isFree else { return "decided" }
        let written = plan.request
        let counts = [written.updates.count, written.insertions.count, written.deletions.count]
        #expect(wanted == counts, "\(one)")
        return "as requested"
    }

    /// The save, as a context would ask for it.
    private func request(
        for one: SavePlannerTests.Situation, _ base: PlacedRecord
    ) -> SaveRequest {
        var request = SaveRequest()
        func update(_ slot: Int, _ value: Int64?) {
            let ours = writer.copy(base.record, node.shape)
            if let value {
                ours.record.setInteger(slot, value)
            } else {
                ours.record.setNull(slot)
            }
            request.pages.append(ours.page)
            request.updates = [
                .init(
                    entity: node, slots: SlotSet(slot), records: [ours.record],
                    bases: [base.record])
            ]
        }
        switch one.deed {
        case .nothing: break
        case .lock:
            var check = SaveRequest.Check(entity: node)
            check.add(base.record, nil)
            request.checks = [check]
        // The code of the second node.
        case .setCode: update(code, 2)
        case .setLink: update(reference, 1)
        case .clearLink: update(reference, link == .required ? 2 : nil)
        case .delete: request.deletions = [.init(entity: node, records: [base.record])]
        }
        if one.deletesTarget {
            let gone = row(target, 1, version: 1)
            request.pages.append(gone.page)
            request.deletions.append(.init(entity: target, records: [gone.record]))
        }
        let new: PlacedRecord? =
            switch one.insertion {
            case .none: nil
            case .sameCode: row(node, 3, version: 0, code: 2, target: link == .required ? 2 : nil)
            case .linked: row(node, 3, version: 0, code: 3, target: 1)
            }
        if let new {
            request.pages.append(new.page)
            request.insertions = [.init(entity: node, records: [new.record])]
        }
        return request
    }

    /// Writes what was planned; each statement has to fit its row.
    private func apply(_ request: SaveRequest, to store: Rows, _ title: String) {
        for deletion in request.deletions {
            for record in deletion.records {
                let id = RowIdentity(root: deletion.entity.rootIndex, key: record.key)
                if store.rows[id]?.1.record.version != record.version {
                    Issue.record("deletes another row: \(title)")
                }
                store.remove(id)
            }
        }
        for update in request.updates {
            for record in update.records {
                let id = RowIdentity(root: update.entity.rootIndex, key: record.key)
                guard let row = store.rows[id]?.1, row.record.version == record.version else {
                    Issue.record("updates another row: \(title)")
                    continue
                }
                var placed = writer.copy(row.record, update.entity.shape)
                update.slots.forEach {
                    writer.copySlot($0, from: record, to: &placed, update.entity.shape)
                }
                store.put(placed, update.entity)
            }
        }
        for insertion in request.insertions {
            for record in insertion.records {
                let id = RowIdentity(root: insertion.entity.rootIndex, key: record.key)
                if store.rows[id] != nil { Issue.record("inserts a row twice: \(title)") }
                store.put(writer.copy(record, insertion.entity.shape), insertion.entity)
            }
        }
    }

    /// A save is refused only where a strategy may not decide.
    private func expectReason(
        for one: SavePlannerTests.Situation, _ strategy: ConflictStrategy?, _ isLinked: Bool
    ) throws {
        guard let strategy else { return }
        // Both codes are in the store, and the first node is to have the second one's.
        let takesCode = one.deed == .setCode && strategy.keepsOurs
        // The target is to be deleted, or was, and something has to reference it.
        let isReferenced =
            (one.deletesTarget || one.targetIsDeletedThere)
            && (isLinked || one.deed == .setLink || one.insertion == .linked)
        if !takesCode, !isReferenced {
            Issue.record("refused: \(link), \(one), \(strategy)")
        }
    }
}

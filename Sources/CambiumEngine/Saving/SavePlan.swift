import CambiumModel
import CambiumRecords

/// The rows that a save with conflicts will write, while they are decided. The plan is complete
/// before the first write.
package struct SavePlan {
    /// The write of a row.
    package enum Write {
        case insert
        case update(SlotSet)
        case delete
        case nothing
    }

    /// The origin of a row.
    package enum Origin {
        case inserted
        case updated
        case deleted
        /// The save did not want to change it.
        case unrequested
    }

    package struct Row {
        package let entity: EntityDescription
        package fileprivate(set) var origin: Origin
        /// The intention of the save for the row.
        package let intent: ConflictingRow.Intent
        /// The row on which the change is based, if there is a change. For a row to be deleted, the
        /// row as the context has read it.
        package fileprivate(set) var base: Record?
        /// The slots that the context has set.
        package fileprivate(set) var changed = SlotSet()
        /// The generated defaults of a new row, by slot.
        package fileprivate(set) var defaults: [Int: StoredValue] = [:]
        package fileprivate(set) var write: Write
        /// The row as it will be; the version is the one before.
        package fileprivate(set) var record: Record
        /// The record with its page, if the plan created or read it.
        package fileprivate(set) var placed: PlacedRecord?
        /// The row in the store, if it was read.
        package fileprivate(set) var theirs: PlacedRecord?
        /// Whether the row was deleted from the store, and stays deleted.
        package fileprivate(set) var isMissing = false

        package var isWritten: Bool {
            switch write {
            case .insert, .update: true
            case .delete, .nothing: false
            }
        }

        package var isInserted: Bool {
            if case .insert = write { true } else { false }
        }

        package var isDeleted: Bool {
            if case .delete = write { true } else { false }
        }

        /// The row as the store has it, as far as that is known.
        package var former: Record? { theirs?.record ?? base }

        /// The row as the store has it, with its page.
        package var formerPlaced: PlacedRecord? {
            theirs ?? base.map { RecordWriter.compactCopy($0, entity.shape) }
        }

        /// The slots that are written of an updated row when others are written too.
        package func written(with slots: SlotSet) -> SlotSet {
            guard case .update(var all) = write else { return slots }
            all.formUnion(slots)
            return all
        }

        /// Whether the save sets one of the slots.
        package func sets(_ slots: SlotSet) -> Bool {
            switch write {
            case .insert: true
            case .update(let written): !written.intersection(slots).isEmpty
            case .delete, .nothing: false
            }
        }
    }

    package let model: ModelDescription
    package private(set) var rows: [RowIdentity: Row] = [:]
    package private(set) var links: [SaveRequest.Links]
    package private(set) var orders: [SaveRequest.Order]
    package let members: [RowIdentity: [SaveRequest.Members]]
    private var replacements: [RowIdentity: RowIdentity] = [:]
    private var unsettled: Set<RowIdentity> = []
    private var unlinked: Set<RowIdentity> = []
    package private(set) var memberships: [Membership] = []
    /// The pairs that are not written or removed, though the context wanted it.
    package private(set) var droppedPairs: [DroppedPair] = []
    /// Whether there are still keys or pairs that reference no row. The store will reject them.
    package internal(set) var willBeRejected = false
    /// The number of decisions, so that nothing is decided twice for the same reason.
    package private(set) var revision = 0
    /// The rows with decisions, and the revision of each.
    private var touched: [RowIdentity: Int] = [:]
    /// The writer of the plan's records. Its first page is small, because objects keep the pages of
    /// a few conflicts.
    package let writer = RecordWriter(capacity: 2048)

    package init(_ request: SaveRequest, model: ModelDescription) {
        self.model = model
        links = request.links
        orders = request.orders
        members = request.members
        func add(_ row: Row) {
            rows[RowIdentity(root: row.entity.rootIndex, key: row.record.key)] = row
        }
        for check in request.checks {
            for (index, record) in check.records.enumerated() {
                let change = index < check.changes.count ? check.changes[index] : nil
                add(
                    Row(
                        entity: check.entity, origin: .updated,
                        intent: change == nil ? .check : .update, base: change?.base,
                        changed: change?.slots ?? SlotSet(), write: .nothing, record: record))
            }
        }
        for update in request.updates {
            for (index, record) in update.records.enumerated() {
                add(
                    Row(
                        entity: update.entity, origin: .updated, intent: .update,
                        base: index < update.bases.count ? update.bases[index] : nil,
                        changed: update.slots, write: .update(update.slots), record: record))
            }
        }
        for deletion in request.deletions {
            for record in deletion.records {
                add(
                    Row(
                        entity: deletion.entity, origin: .deleted, intent: .deletion,
                        base: record, write: .delete, record: record))
            }
        }
        for insertion in request.insertions {
            for (index, record) in insertion.records.enumerated() {
                let defaults = index < insertion.defaults.count ? insertion.defaults[index] : [:]
                add(
                    Row(
                        entity: insertion.entity, origin: .inserted, intent: .update,
                        defaults: defaults, write: .insert, record: record))
            }
        }
    }

    /// All rows in a fixed order.
    package var sortedRows: [(id: RowIdentity, row: Row)] {
        rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether something was decided about one of the rows since.
    package func isTouched(_ ids: some Sequence<RowIdentity>, since revision: Int) -> Bool {
        ids.contains { (touched[$0] ?? 0) > revision }
    }

    private mutating func touch(_ id: RowIdentity) {
        revision += 1
        touched[id] = revision
    }

    // MARK: Decisions

    /// Adds a row of the store to the plan that the save did not want to change.
    package mutating func add(_ placed: PlacedRecord, of entity: EntityDescription) {
        let id = RowIdentity(root: entity.rootIndex, key: placed.record.key)
        guard rows[id] == nil else { return }
        rows[id] = Row(
            entity: entity, origin: .unrequested, intent: .check, write: .nothing,
            record: placed.record, placed: placed, theirs: placed)
    }

    /// Notes how the store has a row of the plan.
    package mutating func note(_ theirs: PlacedRecord?, of id: RowIdentity) {
        guard var row = rows[id] else { return }
        row.theirs = theirs
        // An existing row is not inserted, but updated in all its slots.
        if theirs != nil, row.isInserted {
            row.origin = .updated
            row.changed = row.entity.writtenSlots
            row.write = .update(row.changed)
        }
        rows[id] = row
    }

    /// Writes other values into a row. The record's version is the one that the row has now.
    package mutating func write(_ placed: PlacedRecord, _ slots: SlotSet, to id: RowIdentity) {
        guard var row = rows[id] else { return }
        row.record = placed.record
        row.placed = placed
        switch row.write {
        case .insert: break
        case .update, .nothing, .delete: row.write = slots.isEmpty ? .nothing : .update(slots)
        }
        rows[id] = row
        touch(id)
    }

    /// Inserts a row again that was deleted.
    package mutating func reinsert(_ placed: PlacedRecord, as id: RowIdentity) {
        placed.record.version = RowVersion.ofReinsertion
        rows[id]?.record = placed.record
        rows[id]?.placed = placed
        rows[id]?.write = .insert
        touch(id)
    }

    /// Deletes a row that is in the store like this.
    package mutating func delete(_ id: RowIdentity, _ placed: PlacedRecord) {
        rows[id]?.record = placed.record
        rows[id]?.placed = placed
        rows[id]?.write = .delete
        touch(id)
    }

    /// Leaves a row as it is in the store; nil if it was deleted.
    package mutating func keepStored(_ id: RowIdentity, to theirs: PlacedRecord?) {
        guard rows[id] != nil else { return }
        rows[id]?.write = .nothing
        if let theirs {
            rows[id]?.record = theirs.record
            rows[id]?.placed = theirs
        } else {
            rows[id]?.isMissing = true
            dropLinks(of: id)
        }
        touch(id)
    }

    /// Does not insert a new row: references to it reference another one, as soon as the decisions
    /// are ``settle()``d.
    package mutating func replace(_ id: RowIdentity, with survivor: RowIdentity) {
        rows[id]?.write = .nothing
        replacements[id] = survivor
        unsettled.insert(id)
        touch(id)
    }

    /// Redirects references from discarded rows to their replacements, and discards links: once for
    /// all decisions of a round.
    package mutating func settle() {
        removeDroppedLinks()
        guard !unsettled.isEmpty else { return }
        defer { unsettled = [] }
        let roots = Set(unsettled.map(\.root))
        for (id, row) in rows where row.isWritten {
            for relationship in row.entity.relationships {
                let root = model.entities[relationship.destination].rootIndex
                guard let slot = relationship.slot, roots.contains(root) else { continue }
                redirect(id, slot, relationship.entitySlot, root)
            }
        }
        for index in links.indices {
            let ends = (links[index].sourceRoot, links[index].destinationRoot)
            guard roots.contains(ends.0) || roots.contains(ends.1) else { continue }
            links[index].added = links[index].added.map { pair in
                (
                    survivor(of: RowIdentity(root: ends.0, key: pair.source))?.key ?? pair.source,
                    survivor(of: RowIdentity(root: ends.1, key: pair.destination))?.key
                        ?? pair.destination
                )
            }
        }
        for index in orders.indices { redirect(&orders[index]) }
    }

    private mutating func redirect(_ id: RowIdentity, _ slot: Int, _ entitySlot: Int?, _ root: Int)
    {
        guard let row = rows[id], row.record.hasValue(slot),
            let survivor = survivor(of: RowIdentity(root: root, key: row.record.integer(slot))),
            let target = rows[survivor]
        else { return }
        var placed = writer.copy(row.record, row.entity.shape)
        placed.record.setInteger(slot, survivor.key)
        if let entitySlot {
            writer.set(.text(target.entity.name), entitySlot, of: &placed, row.entity.shape)
        }
        rows[id]?.record = placed.record
        rows[id]?.placed = placed
        touch(id)
    }

    /// Merges the members of a discarded row into those of its replacement.
    private func redirect(_ order: inout SaveRequest.Order) {
        var kept: [SaveRequest.Order.List] = []
        var moved: [SaveRequest.Order.List] = []
        for var list in order.lists {
            for member in unsettled where member.root == order.memberRoot {
                guard let survivor = survivor(of: member) else { continue }
                list.order.replace(member.key, with: survivor.key)
            }
            if let survivor = survivor(of: RowIdentity(root: order.ownerRoot, key: list.owner)) {
                moved.append(.init(owner: survivor.key, order: list.order))
            } else {
                kept.append(list)
            }
        }
        guard !moved.isEmpty else { return order.lists = kept }
        var places = Dictionary(
            kept.indices.map { (kept[$0].owner, $0) }, uniquingKeysWith: { one, _ in one })
        for list in moved {
            if let place = places[list.owner] {
                kept[place].order.append(list.order)
            } else {
                places[list.owner] = kept.count
                kept.append(list)
            }
        }
        order.lists = kept
    }

    /// The row that replaced a new one, in the end.
    package func survivor(of id: RowIdentity) -> RowIdentity? {
        guard var survivor = replacements[id] else { return nil }
        while let next = replacements[survivor] { survivor = next }
        return survivor
    }

    // MARK: Links

    /// Leaves the pairs of join tables alone that end at a row, as soon as the decisions are
    /// ``settle()``d.
    package mutating func dropLinks(of id: RowIdentity) {
        unlinked.insert(id)
    }

    private mutating func removeDroppedLinks() {
        guard !unlinked.isEmpty else { return }
        let unlinked = unlinked
        dropLinks(endingAt: unlinked.contains, removals: true)
        for index in orders.indices {
            let root = orders[index].ownerRoot
            orders[index].lists.removeAll {
                unlinked.contains(RowIdentity(root: root, key: $0.owner))
            }
        }
        self.unlinked = []
    }

    /// Adds and removes pairs of a join table, in both directions if the table keeps both.
    package mutating func add(_ new: SaveRequest.Links) {
        var new = new
        if new.relationship.isOwnInverse {
            new.added += new.added.map { ($0.destination, $0.source) }
            new.removed += new.removed.map { ($0.destination, $0.source) }
        }
        let identity = new.relationship.identity
        guard let index = links.firstIndex(where: { $0.relationship.identity == identity }) else {
            return links.append(new)
        }
        links[index].added += new.added
        links[index].removed += new.removed
    }

    /// Notes that the pairs of a row are to be exactly these.
    package mutating func fix(_ members: Membership) {
        memberships.append(members)
    }

    /// The pairs of a row as they are to be.
    package struct Membership {
        package let links: SaveRequest.Links
        package let key: Int64
        /// Whether the row is the source of the pairs.
        package let isSource: Bool
        package let members: [Int64]
    }

    /// Discards the additions of pairs that end at one of the rows, and optionally the removals,
    /// too.
    package mutating func dropLinks(
        endingAt isEnd: (RowIdentity) -> Bool, removals: Bool = false
    ) {
        for index in links.indices {
            let all = links[index]
            func isDropped(_ pair: (source: Int64, destination: Int64)) -> Bool {
                isEnd(RowIdentity(root: all.sourceRoot, key: pair.source))
                    || isEnd(RowIdentity(root: all.destinationRoot, key: pair.destination))
            }
            let dropped =
                all.added.filter(isDropped) + (removals ? all.removed.filter(isDropped) : [])
            if dropped.isEmpty { continue }
            droppedPairs += dropped.map { pair in
                DroppedPair(
                    relationship: all.relationship,
                    source: RowIdentity(root: all.sourceRoot, key: pair.source),
                    destination: RowIdentity(root: all.destinationRoot, key: pair.destination))
            }
            links[index].added.removeAll(where: isDropped)
            if removals { links[index].removed.removeAll(where: isDropped) }
        }
    }

    // MARK: The outcome

    /// The request to write. It has no conflicts any more.
    package var request: SaveRequest {
        var request = SaveRequest()
        var insertions: [Int: SaveRequest.Insertion] = [:]
        var deletions: [Int: SaveRequest.Deletion] = [:]
        var updates: [SaveRequest.Update] = []
        var groups: [UpdateGroup: Int] = [:]
        for (_, row) in sortedRows {
            let entity = row.entity
            if let page = row.placed?.page { request.pages.append(page) }
            switch row.write {
            case .insert:
                insertions[entity.index, default: .init(entity: entity, records: [])]
                    .records.append(row.record)
            case .delete:
                deletions[entity.index, default: .init(entity: entity, records: [])]
                    .records.append(row.record)
            case .update(let slots):
                let group = UpdateGroup(entity: entity.index, slots: slots)
                if let place = groups[group] {
                    updates[place].records.append(row.record)
                } else {
                    groups[group] = updates.count
                    updates.append(.init(entity: entity, slots: slots, records: [row.record]))
                }
            case .nothing:
                break
            }
        }
        request.insertions = insertions.keys.sorted().compactMap { insertions[$0] }
        request.deletions = deletions.keys.sorted().compactMap { deletions[$0] }
        request.updates = updates
        request.links = links
        request.orders = orders
        return request
    }

    private struct UpdateGroup: Hashable {
        package let entity: Int
        package let slots: SlotSet
    }

    /// The resolutions for the context after everything was written.
    package var resolutions: [ConflictResolution] {
        sortedRows.compactMap { id, row in
            resolution(of: row, id).map {
                ConflictResolution(
                    entity: row.entity, key: id.key, action: $0, theirs: row.theirs,
                    isUnrequested: row.origin == .unrequested)
            }
        }
    }

    private func resolution(of row: Row, _ id: RowIdentity) -> ConflictResolution.Action? {
        if let survivor = survivor(of: id), let target = rows[survivor] {
            return .replace(target.entity, survivor.key, target.theirs)
        }
        switch (row.write, row.origin) {
        case (.insert, .inserted): return row.placed.map { .insert($0) }
        case (.insert, _): return row.placed.map { .reinsert($0) }
        case (.update(let slots), _): return row.placed.map { .update($0, slots) }
        case (.delete, .deleted): return row.theirs == nil ? nil : .delete
        case (.delete, _): return .delete
        case (.nothing, .deleted): return row.isMissing ? nil : .keepStored(row.placed)
        case (.nothing, .updated):
            return row.isMissing ? .keepStored(nil) : row.placed.map { .keepStored($0) }
        case (.nothing, .unrequested), (.nothing, .inserted): return nil
        }
    }
}

extension ModelDescription {
    /// The links of a relationship in a join table, without any pairs; nil if it has no join table.
    /// The source is the side that writes the pairs.
    package func pairs(
        of relationship: RelationshipDescription, _ entity: EntityDescription
    ) -> SaveRequest.Links? {
        guard relationship.isJoinTable else { return nil }
        let (owner, destination) = (entity.rootIndex, entities[relationship.destination].rootIndex)
        if relationship.ownsPairs {
            return .init(
                relationship: relationship, sourceRoot: owner, destinationRoot: destination)
        }
        guard let inverse = relationship.inverse else { return nil }
        return .init(
            relationship: entities[relationship.destination].relationships[inverse],
            sourceRoot: destination, destinationRoot: owner)
    }
}

import CambiumRecords

/// A link that cannot be set.
struct RefusedLink: Error {
    /// The key of the object whose relationship was to be set.
    let owner: Int64
    let underlying: any Error
}

/// Sets one relationship of many objects at once to the given destinations, however it is stored.
struct ImportLinkWriter {
    typealias Link = (owner: Int64, targets: [Int64])

    let transaction: any BatchTransaction
    let entity: EntityDescription
    let relationship: RelationshipDescription
    var model: ModelDescription { transaction.model }
    var destination: EntityDescription { model.entities[relationship.destination] }

    /// - Throws: ``RefusedLink``
    func write(_ links: [Link]) throws {
        // If several links are for one object, the last one is used.
        var last: [Int64: Int] = [:]
        for (index, link) in links.enumerated() { last[link.owner] = index }
        // An object of another branch of the hierarchy does not have the relationship.
        let family = model.families[entity.index]
        let owners = try rowKeys(last.keys.sorted(), entity).filter { family.contains($0.entity) }
        guard !owners.isEmpty else { return }
        // In the order of the input: if several want the same object, the last one gets it.
        let wanted = owners.compactMap { head in last[head.key].map { (head: head, index: $0) } }
            .sorted { $0.index < $1.index }
            .map { Owner(head: $0.head, targets: unique(links[$0.index].targets)) }
        switch relationship.place {
        // This is a change of the row itself, and recorded as such.
        case .ownRow: return try writeKeys(wanted)
        case .farRow: try writeFarKeys(wanted)
        case .pairs: try writePairs(wanted)
        case .memory: break
        }
        if relationship.keepsOrder {
            let lists = wanted.filter { !$0.targets.isEmpty }.map { owner in
                var order = LinkOrder()
                order.place(Set(owner.targets), in: owner.targets)
                return SaveRequest.Order.List(owner: owner.head.key, order: order)
            }
            var request = SaveRequest()
            request.orders = [
                .init(
                    relationship: relationship, ownerRoot: entity.rootIndex,
                    memberRoot: destination.rootIndex, lists: lists)
            ]
            try transaction.write(request, from: .batch)
        }
        recordChanges(relationship.relationship.name, owners)
    }

    /// Records changed links of rows, or their changed order.
    private func recordChanges(_ name: String, _ rows: [RowKey]) {
        for (number, rows) in Dictionary(grouping: rows, by: \.entity) {
            transaction.changes.link(name, rows.map(\.key), model.entities[number])
        }
    }

    struct Owner {
        let head: RowKey
        /// The destinations in the requested order, each of them once.
        let targets: [Int64]
    }

    private func unique(_ keys: [Int64]) -> [Int64] {
        var seen: Set<Int64> = []
        return keys.filter { seen.insert($0).inserted }
    }

    func rowKeys(_ keys: [Int64], _ entity: EntityDescription) throws -> [RowKey] {
        guard !keys.isEmpty else { return [] }
        return try transaction.rowKeys(
            RowRequest(entity: model.entities[entity.rootIndex], selection: .keys(keys)))
    }

    // MARK: Kept by this side

    private func writeKeys(_ owners: [Owner]) throws {
        guard let slot = relationship.slot else { return }
        let targets = Dictionary(
            try rowKeys(owners.flatMap(\.targets), destination).map { ($0.key, $0) },
            uniquingKeysWith: { one, _ in one })
        try update(
            owners.map { owner in
                Change(
                    row: owner.head, target: owner.targets.first.flatMap { targets[$0] },
                    owner: owner.head.key)
            }, slot, relationship.entitySlot)
    }

    // MARK: Kept by the other side

    private func writeFarKeys(_ owners: [Owner]) throws {
        guard let number = relationship.inverse else { return }
        let inverse = destination.relationships[number]
        guard let slot = inverse.slot else { return }
        var changes: [Int64: Change] = [:]
        var wanted: [Int64: RowKey] = [:]
        for owner in owners {
            for target in owner.targets { wanted[target] = owner.head }
        }
        let current = try transaction.related(relationship, of: entity, owners.map(\.head.key))
        var isLinked: Set<Int64> = []
        for (source, row) in current {
            if wanted[row.key]?.key == source {
                isLinked.insert(row.key)
            } else if wanted[row.key] == nil {
                changes[row.key] = Change(row: row, target: nil, owner: source)
            }
        }
        for row in try rowKeys(wanted.keys.sorted(), destination)
        where !isLinked.contains(row.key) {
            guard let owner = wanted[row.key] else { continue }
            changes[row.key] = Change(row: row, target: owner, owner: owner.key)
        }
        if !inverse.relationship.isOptional,
            let lost = changes.values.filter({ $0.target == nil }).map(\.owner).min()
        {
            throw RefusedLink(
                owner: lost,
                underlying: ValidationError(
                    code: .missing, entityName: entity.name, objectID: nil,
                    property: relationship.relationship.name,
                    message: "\(relationship.relationship.name) leaves out an object whose "
                        + "\(inverse.relationship.name) is required. Set that one to another "
                        + "object first, or list it."))
        }
        try update(
            changes.values.sorted { $0.row.key < $1.row.key }, slot, inverse.entitySlot)
    }

    // MARK: Writing keys

    /// A row whose key changes to another destination.
    private struct Change {
        let row: RowKey
        let target: RowKey?
        /// The object to which the link belongs.
        let owner: Int64
    }

    private func update(_ changes: [Change], _ slot: Int, _ entitySlot: Int?) throws {
        var slots = SlotSet(slot)
        if let entitySlot { slots.insert(entitySlot) }
        let owners = Dictionary(
            changes.map { ($0.row.key, $0.owner) }, uniquingKeysWith: { one, _ in one })
        for (number, changes) in Dictionary(grouping: changes, by: \.row.entity)
            .sorted(by: { $0.key < $1.key })
        {
            let owner = model.entities[number]
            let writer = RecordWriter()
            let placed = changes.map { record($0, slot, entitySlot, owner.shape, writer) }
            var request = SaveRequest()
            request.updates = [
                .init(entity: owner, slots: slots, records: placed.map(\.record))
            ]
            let keys = changes.map(\.row.key)
            do {
                try withExtendedLifetime(placed) {
                    try transaction.write(request, from: .batch)
                }
            } catch let refused as RefusedRow {
                throw RefusedLink(
                    owner: owners[refused.key] ?? refused.key, underlying: refused.underlying)
            }
            transaction.changes.clear(slots, keys, owner)
        }
    }

    private func record(
        _ change: Change, _ slot: Int, _ entitySlot: Int?, _ shape: RecordShape,
        _ writer: RecordWriter
    ) -> PlacedRecord {
        var placed = writer.makeRecord(shape, room: 64)
        placed.record.key = change.row.key
        placed.record.version = change.row.version
        if let target = change.target {
            placed.record.setInteger(slot, target.key)
            if let entitySlot {
                writer.set(
                    .text(model.entities[target.entity].name), entitySlot, of: &placed, shape)
            }
        }
        return placed
    }

    // MARK: Kept in a table of pairs

    private func writePairs(_ owners: [Owner]) throws {
        var links = SaveRequest.Links(
            relationship: relationship, sourceRoot: entity.rootIndex,
            destinationRoot: destination.rootIndex)
        let current = try transaction.related(relationship, of: entity, owners.map(\.head.key))
        var members: [Int64: Set<Int64>] = [:]
        for (owner, row) in current { members[owner, default: []].insert(row.key) }
        var touched: Set<Int64> = []
        for owner in owners {
            let known = members[owner.head.key] ?? []
            let wanted = Set(owner.targets)
            for target in owner.targets where !known.contains(target) {
                links.added.append((owner.head.key, target))
                touched.insert(target)
            }
            for member in known.subtracting(wanted).sorted() {
                links.removed.append((owner.head.key, member))
                touched.insert(member)
            }
        }
        var request = SaveRequest()
        request.links = [links]
        if !links.added.isEmpty || !links.removed.isEmpty {
            try transaction.write(request, from: .batch)
        }
        if let inverse = relationship.relationship.inverse {
            recordChanges(inverse, try rowKeys(touched.sorted(), destination))
        }
    }
}

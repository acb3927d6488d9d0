import CambiumSQLite

/// Works out what goes with rows that are deleted, and which others lose a link.
struct DeletePropagation {
    private let transaction: BatchTransaction
    private var model: RuntimeModel { transaction.model }
    /// The rows that are deleted, by root and key.
    private var deleted: [[Int64: RowHead]]
    /// The rows that lose links, with the slots, by root and key.
    private var cleared: [[Int64: (head: RowHead, slots: SlotSet)]]
    private var pairs: [SaveRequest.Links] = []

    init(_ transaction: BatchTransaction) {
        self.transaction = transaction
        let count = transaction.model.entities.count
        deleted = Array(repeating: [:], count: count)
        cleared = Array(repeating: [:], count: count)
    }

    // MARK: Cascades

    /// Deletes rows, and all that cascades reach from them.
    mutating func delete(_ heads: [RowHead]) throws {
        var wave = note(heads)
        while !wave.isEmpty {
            try Task.checkCancellation()
            var reached: [RowHead] = []
            for (entity, keys) in grouped(wave) {
                for relationship in entity.relationships
                where relationship.relationship.deleteRule == .cascade {
                    reached += try transaction.related(relationship, of: entity, keys).map(\.head)
                }
            }
            wave = note(reached)
        }
    }

    /// Those of the rows that were not deleted yet.
    private mutating func note(_ heads: [RowHead]) -> [RowHead] {
        heads.filter { head in
            let root = model.entities[head.entity].rootIndex
            return deleted[root].updateValue(head, forKey: head.key) == nil
        }
    }

    /// The keys by entity, in a fixed order.
    private func grouped(_ heads: [RowHead]) -> [(EntityDescription, [Int64])] {
        Dictionary(grouping: heads, by: \.entity).sorted { $0.key < $1.key }
            .map { (model.entities[$0.key], $0.value.map(\.key).sorted()) }
    }

    private func isDeleted(_ head: RowHead) -> Bool {
        deleted[model.entities[head.entity].rootIndex][head.key] != nil
    }

    // MARK: Links of others

    /// Everything that is to be written.
    ///
    /// - Throws: ``ValidationError`` where a relationship denies the delete, or a row cannot be
    ///   without what is deleted.
    mutating func finish() throws -> (request: SaveRequest, records: [PlacedRecord]) {
        let groups = grouped(deleted.flatMap { $0.values })
        for (entity, keys) in groups {
            for relationship in entity.relationships where !relationship.isTransient {
                try release(relationship, of: entity, keys)
            }
        }
        for entity in model.entities {
            for relationship in entity.relationships
            where relationship.inverse == nil && isDeclared(relationship, by: entity) {
                try release(toOwnersOf: relationship, of: entity)
            }
        }
        return request(groups)
    }

    private func isDeclared(
        _ relationship: RelationshipDescription, by entity: EntityDescription
    ) -> Bool {
        entity.entity.relationships.contains { $0.name == relationship.relationship.name }
    }

    /// Looks at the other ends of a relationship of deleted rows.
    private mutating func release(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ keys: [Int64]
    ) throws {
        let denies = relationship.relationship.deleteRule == .deny
        // The key goes with the row, and the pairs of a join table too.
        if !denies {
            guard case .inverseKey = relationship.storage else { return }
        }
        let others = try transaction.related(relationship, of: entity, keys)
            .filter { !isDeleted($0.head) }
        guard let first = others.first else { return }
        if denies {
            throw refusal(
                .deleteDenied, relationship, entity, first.source,
                "\(relationship.relationship.name) still leads to objects, and denies that the "
                    + "object is deleted.")
        }
        guard let number = relationship.inverse else { return }
        let inverse = model.entities[relationship.destination].relationships[number]
        try clear(inverse, others.map(\.head))
    }

    /// Looks at rows that lead to deleted ones by a relationship that does not lead back.
    private mutating func release(
        toOwnersOf relationship: RelationshipDescription, of entity: EntityDescription
    ) throws {
        let destination = model.entities[relationship.destination]
        let keys = deleted[destination.rootIndex].keys.sorted()
        guard !keys.isEmpty else { return }
        let far = model.entities[destination.rootIndex]
        let root = model.entities[entity.rootIndex]
        switch relationship.storage {
        case .key(let column, _):
            let owners = try transaction.related(
                .inverseKey(column: column), from: far, to: root, keys)
            try clear(relationship, owners.map(\.head).filter { !isDeleted($0) })
        case .joinTable(let table, let source, let end):
            let owners = try transaction.related(
                .joinTable(name: table, sourceColumn: end, destinationColumn: source), from: far,
                to: root, keys)
            pairs.append(
                .init(
                    relationship: relationship, table: table, sourceColumn: source,
                    destinationColumn: end, sourceRoot: root.index, destinationRoot: far.index,
                    removed: owners.filter { !isDeleted($0.head) }
                        .map { (source: $0.head.key, destination: $0.source) }))
        case .inverseKey, .transient:
            break
        }
    }

    /// Takes a link from rows that stay.
    private mutating func clear(
        _ relationship: RelationshipDescription, _ heads: [RowHead]
    ) throws {
        guard let head = heads.first, let slot = relationship.slot else { return }
        guard relationship.relationship.isOptional else {
            throw refusal(
                .missing, relationship, model.entities[head.entity], head.key,
                "\(relationship.relationship.name) is required, and leads to an object that is to "
                    + "be deleted. Delete this one too, or lead it elsewhere first.")
        }
        for head in heads {
            let root = model.entities[head.entity].rootIndex
            var slots = cleared[root][head.key]?.slots ?? SlotSet()
            slots.insert(slot)
            if let entitySlot = relationship.entitySlot { slots.insert(entitySlot) }
            cleared[root][head.key] = (head, slots)
        }
    }

    private func refusal(
        _ code: ValidationError.Code, _ relationship: RelationshipDescription,
        _ entity: EntityDescription, _ key: Int64, _ message: String
    ) -> ValidationError {
        ValidationError(
            code: code, entityName: entity.name,
            objectID: ObjectID(entity, key: key, store: transaction.store.identifier),
            property: relationship.relationship.name, message: message)
    }

    // MARK: Writing

    private func request(
        _ groups: [(EntityDescription, [Int64])]
    ) -> (request: SaveRequest, records: [PlacedRecord]) {
        var request = SaveRequest()
        var records: [PlacedRecord] = []
        let writer = RecordWriter()
        func record(_ head: RowHead, _ shape: RecordShape) -> Record {
            let placed = writer.makeRecord(shape, room: 0)
            placed.record.key = head.key
            placed.record.version = head.version
            records.append(placed)
            return placed.record
        }
        let bare = RecordShape(kinds: [])
        for (entity, keys) in groups {
            let rows = deleted[entity.rootIndex]
            request.deletions.append(
                .init(
                    entity: entity,
                    records: keys.compactMap { rows[$0].map { record($0, bare) } }))
        }
        var updates: [Group: [RowHead]] = [:]
        for (head, slots) in cleared.flatMap({ $0.values }) {
            updates[Group(entity: head.entity, slots: slots), default: []].append(head)
        }
        let sorted = updates.sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
        for (group, heads) in sorted {
            let entity = model.entities[group.entity]
            request.updates.append(
                .init(
                    entity: entity, slots: group.slots,
                    records: heads.sorted { $0.key < $1.key }.map { record($0, entity.shape) }))
        }
        request.links = pairs.filter { !$0.removed.isEmpty }
        return (request, records)
    }

    private struct Group: Hashable {
        let entity: Int
        let slots: SlotSet

        var order: [Int] { [entity] + slots.slots }
    }
}

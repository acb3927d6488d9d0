import CambiumRecords

/// Deletes the rows that a request finds, and follows the delete rules set by set.
struct BatchDeletion: BatchWork {
    let request: RowRequest
    let resultType: BatchResultType
    let canPlan = false
    let canRunAgain = true
    /// The number of rows that are read and written at once.
    var chunkSize = 10_000

    func run(in transaction: any BatchTransaction) throws {
        var propagation = DeletePropagation(transaction, chunkSize: chunkSize)
        propagation.add(try transaction.rowKeys(request, counting: resultType))
        try propagation.followCascades()
        try propagation.releaseLinks()
        try propagation.write()
    }
}

/// Finds the rows that are deleted by delete rules, and the rows that lose a link.
///
/// Only the key and the version of a deleted row are kept, so that a million rows can be deleted.
/// Everything else is done in pieces.
struct DeletePropagation {
    let transaction: any BatchTransaction
    /// The number of rows that are read and written at once.
    let chunkSize: Int
    /// The rows that are deleted, by entity.
    private(set) var rows: [[(key: Int64, version: Int64)]]
    /// The rows that lose links, with the slots, by root and key.
    private(set) var cleared: [[Int64: (row: RowKey, slots: SlotSet)]]
    /// The pairs of join tables that are deleted although their rows remain.
    private(set) var pairs: [SaveRequest.Links] = []
    /// The keys of the rows that are deleted, by root.
    private var deleted: [Set<Int64>]

    var model: ModelDescription { transaction.model }

    init(_ transaction: any BatchTransaction, chunkSize: Int) {
        self.transaction = transaction
        self.chunkSize = chunkSize
        let count = transaction.model.entities.count
        rows = Array(repeating: [], count: count)
        cleared = Array(repeating: [:], count: count)
        deleted = Array(repeating: [], count: count)
    }

    // MARK: Rows

    /// Adds rows to delete, unless they are in the list.
    mutating func add(_ keys: [RowKey]) {
        for row in keys {
            let root = model.entities[row.entity].rootIndex
            guard deleted[root].insert(row.key).inserted else { continue }
            rows[row.entity].append((row.key, row.version))
        }
    }

    /// Deletes all rows that cascades find, in waves.
    mutating func followCascades() throws {
        var done = rows.map { _ in 0 }
        while done != rows.map(\.count) {
            let start = done
            done = rows.map { $0.count }
            for entity in model.entities {
                try followCascades(of: entity, start[entity.index]..<done[entity.index])
            }
        }
    }

    private mutating func followCascades(
        of entity: EntityDescription, _ wave: Range<Int>
    ) throws {
        let cascades = entity.relationships.filter { $0.relationship.deleteRule == .cascade }
        guard !cascades.isEmpty, !wave.isEmpty else { return }
        let keys = rows[entity.index][wave].map { $0.key }.sorted()
        for relationship in cascades {
            for piece in keys.pieces(of: chunkSize) {
                try Task.checkCancellation()
                add(try transaction.related(relationship, of: entity, piece).map { $0.row })
            }
        }
    }

    private func isDeleted(_ row: RowKey) -> Bool {
        deleted[model.entities[row.entity].rootIndex].contains(row.key)
    }

    // MARK: Links of others

    /// The key of one end, and the row at the other one.
    private typealias Link = (source: Int64, row: RowKey)

    /// The link that an error names. Stores find them in any order.
    private static func first(of links: [Link]) -> Link? {
        links.min { ($0.source, $0.row.key) < ($1.source, $1.row.key) }
    }

    /// Finds the links of remaining rows to deleted ones.
    ///
    /// - Throws: ``ValidationError`` if a relationship denies the delete, or a required
    ///   relationship references a deleted row.
    mutating func releaseLinks() throws {
        for entity in model.entities where !rows[entity.index].isEmpty {
            let keys = rows[entity.index].map { $0.key }.sorted()
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
        // The key is deleted with the row, and so are the pairs of a join table.
        if !denies {
            guard relationship.place == .farRow || relationship.isOwnInverse else { return }
        }
        for piece in keys.pieces(of: chunkSize) {
            try Task.checkCancellation()
            let others = try transaction.related(relationship, of: entity, piece)
                .filter { !isDeleted($0.row) }
            if denies, let first = Self.first(of: others) {
                throw refusal(
                    .deleteDenied, relationship, entity, first.source,
                    "\(relationship.relationship.name) still has objects, and its delete rule "
                        + "denies the deletion.")
            }
            guard let number = relationship.inverse else { continue }
            let inverse = model.entities[relationship.destination].relationships[number]
            try clear(inverse, others)
        }
    }

    /// Clears the one-way references of remaining rows to deleted ones.
    private mutating func release(
        toOwnersOf relationship: RelationshipDescription, of entity: EntityDescription
    ) throws {
        let far = model.entities[relationship.destination].rootIndex
        guard relationship.place == .ownRow || relationship.isJoinTable else { return }
        var removed: [(source: Int64, destination: Int64)] = []
        for piece in deleted[far].sorted().pieces(of: chunkSize) {
            let owners = try transaction.owners(of: relationship, entity, piece)
                .filter { !isDeleted($0.row) }
            if relationship.isJoinTable {
                removed += owners.map { (source: $0.row.key, destination: $0.source) }
            } else {
                try clear(relationship, owners)
            }
        }
        guard !removed.isEmpty else { return }
        var links = SaveRequest.Links(
            relationship: relationship, sourceRoot: entity.rootIndex, destinationRoot: far)
        links.removed = removed
        pairs.append(links)
    }

    /// Takes a link from rows that stay.
    private mutating func clear(
        _ relationship: RelationshipDescription, _ links: [Link]
    ) throws {
        guard !links.isEmpty, let slot = relationship.slot else { return }
        if !relationship.relationship.isOptional, let row = Self.first(of: links)?.row {
            throw refusal(
                .missing, relationship, model.entities[row.entity], row.key,
                "\(relationship.relationship.name) is required, and references an object that is "
                    + "being deleted. Delete this one too, or set it to another object first.")
        }
        for (_, row) in links {
            let root = model.entities[row.entity].rootIndex
            var slots = cleared[root][row.key]?.slots ?? SlotSet()
            slots.insert(slot)
            if let entitySlot = relationship.entitySlot { slots.insert(entitySlot) }
            cleared[root][row.key] = (row, slots)
        }
    }

    private func refusal(
        _ code: ValidationError.Code, _ relationship: RelationshipDescription,
        _ entity: EntityDescription, _ key: Int64, _ message: String
    ) -> ValidationError {
        ValidationError(
            code: code, entityName: entity.name,
            objectID: ObjectID(entity, key: key, store: transaction.identifier),
            property: relationship.relationship.name, message: message)
    }
}

extension DeletePropagation {
    /// Writes everything, and notes it: first the deletes, then the cleared links.
    func write() throws {
        // Values that are derived from deleted rows are computed once, with all of them known.
        let isWhole = transaction.derivesValues
        let bare = RecordShape(kinds: [])
        var piece = Piece()
        for entity in model.entities {
            let sorted = rows[entity.index].sorted(byKey: { $0.key })
            for rows in sorted.pieces(of: chunkSize) {
                let records = rows.map { piece.record($0.key, $0.version, bare) }
                piece.request.deletions.append(.init(entity: entity, records: records))
                if !isWhole { try write(&piece) }
            }
        }
        for (group, rowKeys) in clearings() {
            let entity = model.entities[group.entity]
            for rowKeys in rowKeys.pieces(of: chunkSize) {
                let records = rowKeys.map { piece.record($0.key, $0.version, entity.shape) }
                piece.request.updates.append(
                    .init(entity: entity, slots: group.slots, records: records))
                if !isWhole { try write(&piece) }
            }
        }
        piece.request.links = pairs
        try write(&piece)
    }

    private func write(_ piece: inout Piece) throws {
        let request = piece.request
        try withExtendedLifetime(piece.records) { try transaction.write(request, from: .deletion) }
        for part in request.deletions {
            transaction.changes.delete(part.records.map { $0.key }, part.entity)
        }
        for part in request.updates {
            transaction.changes.clear(part.slots, part.records.map { $0.key }, part.entity)
        }
        piece = Piece()
    }

    /// Rows that are written together.
    private struct Piece {
        var request = SaveRequest()
        /// Keeps the records of the request alive.
        private(set) var records: [PlacedRecord] = []
        private let writer = RecordWriter()

        mutating func record(_ key: Int64, _ version: Int64, _ shape: RecordShape) -> Record {
            let placed = writer.makeRecord(shape, room: 0)
            placed.record.key = key
            placed.record.version = version
            records.append(placed)
            return placed.record
        }
    }

    // MARK: Links

    /// The rows that lose the same links, in a fixed order.
    private func clearings() -> [(Group, [RowKey])] {
        var groups = [Group: [RowKey]]()
        for (head, slots) in cleared.flatMap({ $0.values }) {
            groups[Group(entity: head.entity, slots: slots), default: []].append(head)
        }
        return groups.ordered { $0.key.order.lexicographicallyPrecedes($1.key.order) }
            .map { group, rowKeys in (group, rowKeys.sorted(byKey: { $0.key })) }
    }

    private struct Group: Hashable {
        let entity: Int
        let slots: SlotSet

        var order: [Int] { [entity] + slots.slots }
    }
}

extension BatchTransaction {
    /// Finds the rows to change, and stores their number or their ids in the result.
    func rowKeys(_ request: RowRequest, counting resultType: BatchResultType) throws -> [RowKey] {
        let rowKeys = try rowKeys(request)
        changes.count = rowKeys.count
        if resultType == .objectIDs {
            changes.objectIDs = rowKeys.map {
                ObjectID(model.entities[$0.entity], key: $0.key, store: identifier)
            }
        }
        return rowKeys
    }
}

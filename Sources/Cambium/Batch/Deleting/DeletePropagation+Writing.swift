import CambiumRecords

extension DeletePropagation {
    /// Writes everything, and notes it: the deletes first, then what others lose.
    func write() throws {
        // What is derived from rows that go is computed once, by who knows all of them.
        let isWhole = transaction.derivesValues
        let bare = RecordShape(kinds: [])
        var piece = Piece()
        for entity in model.entities {
            let sorted = rows[entity.index].sorted { $0.key < $1.key }
            for rows in sorted.pieces(of: chunkSize) {
                let records = rows.map { piece.record($0.key, $0.version, bare) }
                piece.request.deletions.append(.init(entity: entity, records: records))
                if !isWhole { try write(&piece) }
            }
        }
        for (group, keys) in clearings() {
            let entity = model.entities[group.entity]
            for keys in keys.pieces(of: chunkSize) {
                let records = keys.map { piece.record($0.key, $0.version, entity.shape) }
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
            transaction.changes.delete(part.records.map(\.key), part.entity)
        }
        for part in request.updates {
            transaction.changes.clear(part.slots, part.records.map(\.key), part.entity)
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
        var groups: [Group: [RowKey]] = [:]
        for (row, slots) in cleared.flatMap({ $0.values }) {
            groups[Group(entity: row.entity, slots: slots), default: []].append(row)
        }
        return groups.sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
            .map { group, keys in (group, keys.sorted { $0.key < $1.key }) }
    }

    private struct Group: Hashable {
        let entity: Int
        let slots: SlotSet

        var order: [Int] { [entity] + slots.slots }
    }
}

extension Array {
    /// The elements in arrays of at most so many.
    func pieces(of size: Int) -> some Sequence<[Element]> {
        stride(from: 0, to: count, by: size).lazy.map { start in
            Array(self[start..<Swift.min(start + size, count)])
        }
    }
}

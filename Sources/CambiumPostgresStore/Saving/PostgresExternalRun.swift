import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// Moves the large values of written rows to their table, and deletes the values that rows lose.
struct PostgresExternalRun {
    private let layout: PostgresLayout
    /// The statements that insert and delete values, before the rows are written.
    private(set) var statements: [PostgresStatement] = []
    private var values = LargeValues()
    /// The names that the rows hold instead of the values, for the objects.
    var moved: [DerivedRow] { values.moved }
    private var waiting: [(name: Data, record: Record, slot: Int)] = []
    private var waitingBytes = 0

    /// The number of bytes that a statement inserts at once, unless one value has more.
    private static let bytesAtOnce = 1 << 24

    init(_ layout: PostgresLayout) {
        self.layout = layout
    }

    /// The request with names in place of large values.
    mutating func prepare(_ request: SaveRequest) throws -> SaveRequest {
        var request = request
        for deletion in request.deletions {
            remove(
                of: deletion.records, deletion.entity.externalSlots, deletion.entity, kept: [])
        }
        for index in request.updates.indices {
            let update = request.updates[index]
            let slots = update.slots.intersection(update.entity.externalSlots)
            guard !slots.isEmpty else { continue }
            remove(
                of: update.records, slots, update.entity, kept: names(in: update.records, slots))
            request.updates[index].records = try move(update.records, slots, of: update.entity)
        }
        for index in request.insertions.indices {
            let insertion = request.insertions[index]
            let slots = insertion.entity.externalSlots
            guard !slots.isEmpty else { continue }
            request.insertions[index].records = try move(
                insertion.records, slots, of: insertion.entity)
        }
        insertWaiting()
        return request
    }

    /// The names that records hold already.
    private func names(in records: [Record], _ slots: SlotSet) -> [Data] {
        records.flatMap { record in
            slots.slots.compactMap { slot in
                guard record.hasValue(slot), record.bytes(slot).first == ExternalForm.file else {
                    return nil
                }
                return Data(record.bytes(slot).dropFirst())
            }
        }
    }

    /// Deletes the values of rows, which are locked.
    private mutating func remove(
        of records: [Record], _ slots: SlotSet, _ entity: EntityDescription, kept: [Data]
    ) {
        guard !records.isEmpty else { return }
        for slot in slots.slots {
            guard let name = entity.layout.slots[slot].column else { continue }
            let column = PostgresTable.column(name)
            var parameters = PostgresParameters()
            parameters.appendArray(of: records.map(\.key))
            parameters.append(.blob(Data([ExternalForm.file])), as: .bytea)
            parameters.appendArray(of: .bytea, count: kept.count) {
                $1.append(kept[$0])
                return true
            }
            statements.append(
                PostgresStatement(
                    """
                    DELETE FROM \(layout.external.table) AS e USING \
                    \(layout.table(of: entity.entity)) AS \(PostgresTable.alias) \
                    WHERE t."_id" = ANY($1) AND substring(\(column) FROM 1 FOR 1) = $2 \
                    AND e."name" = substring(\(column) FROM 2) AND e."name" <> ALL($3)
                    """, parameters))
        }
    }

    private mutating func move(
        _ records: [Record], _ slots: SlotSet, of entity: EntityDescription
    ) throws -> [Record] {
        var values = LargeValues()
        swap(&values, &self.values)
        defer { swap(&values, &self.values) }
        return try values.move(records, slots, of: entity) { record, slot in
            let name = Data(try UUID.random().uuidString.utf8)
            insert(name, record, slot)
            return name
        }
    }

    private mutating func insert(_ name: Data, _ record: Record, _ slot: Int) {
        let count = record.bytes(slot).count
        if waitingBytes + count > Self.bytesAtOnce { insertWaiting() }
        waiting.append((name, record, slot))
        waitingBytes += count
    }

    private mutating func insertWaiting() {
        guard !waiting.isEmpty else { return }
        let values = waiting
        (waiting, waitingBytes) = ([], 0)
        var parameters = PostgresParameters()
        if values.count == 1 {
            // In an array it would be copied once more.
            parameters.append(.blob(values[0].name), as: .bytea)
            // Safety: the request keeps the record, and the bytes are copied now.
            parameters.append(
                UnsafeRawBufferPointer(rebasing: values[0].record.bytes(values[0].slot).dropFirst())
            )
            statements.append(
                PostgresStatement(
                    "INSERT INTO \(layout.external.table) (\"name\", \"data\") VALUES ($1, $2)",
                    parameters))
            return
        }
        parameters.appendArray(of: .bytea, count: values.count) {
            $1.append(values[$0].name)
            return true
        }
        parameters.appendArray(of: .bytea, count: values.count) {
            // Safety: as above.
            $1.append(
                contentsOf: UnsafeRawBufferPointer(
                    rebasing: values[$0].record.bytes(values[$0].slot).dropFirst()))
            return true
        }
        statements.append(
            PostgresStatement(
                """
                INSERT INTO \(layout.external.table) ("name", "data") SELECT * FROM unnest($1, $2)
                """, parameters))
    }
}

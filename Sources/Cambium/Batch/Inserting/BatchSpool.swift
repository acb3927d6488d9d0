import CambiumSQL
import CambiumSQLite

/// Rows that wait until a sequence has ended: in memory as long as they are few, then in a
/// temporary database, which goes with the spool.
final class BatchSpool {
    private let entity: EntityDescription
    /// The entity's slots, and one for the slots that were set.
    private let shape: RecordShape
    private let sql: SpoolSQL
    private let reader: RowReader
    private var waiting: [BatchRow] = []
    private var connection: Connection?
    /// How many rows were appended, and how many were read.
    private var count = 0
    private var position = 0

    /// So many rows are kept in memory, and read at once.
    private static let capacity = 4096

    init(_ entity: EntityDescription) {
        self.entity = entity
        shape = RecordShape(kinds: entity.shape.kinds + [.blob])
        sql = SpoolSQL(slotCount: shape.kinds.count)
        reader = RowReader(
            shape: shape, columns: shape.kinds.indices.map { $0 + 1 },
            columnNames: shape.kinds.indices.map { "c\($0)" })
    }

    func append(_ row: BatchRow) throws {
        waiting.append(row)
        count += 1
        if waiting.count >= Self.capacity { try flush() }
    }

    /// The next rows in the order in which they were appended; none at the end.
    func next(_ count: Int) throws -> [BatchRow] {
        guard let connection else {
            let rows = Array(waiting.prefix(count))
            waiting.removeFirst(rows.count)
            return rows
        }
        if !waiting.isEmpty { try flush() }
        let statement = try connection.statement(sql.read)
        defer { statement.reset() }
        try statement.bind([.integer(Int64(position)), .integer(Int64(position + count))])
        let writer = RecordWriter()
        var rows: [BatchRow] = []
        while try statement.step() {
            let key = statement.integer(at: 0)
            let spooled = try reader.read(statement.row, key: key, version: 0, into: writer)
            rows.append(unpack(spooled.record, writer))
        }
        position += rows.count
        return rows
    }

    private func flush() throws {
        let connection = try self.connection ?? makeConnection()
        self.connection = connection
        let writer = RecordWriter()
        let records = waiting.map { pack($0, writer) }
        try withExtendedLifetime(records) {
            _ = try connection.runPending(sql.append, over: records.map(\.record), shape: shape)
        }
        waiting = []
    }

    private func makeConnection() throws -> Connection {
        // A database without a name is a temporary file of SQLite's.
        let connection = try Connection(path: "")
        try connection.execute(sql.create)
        return connection
    }

    private func pack(_ row: BatchRow, _ writer: RecordWriter) -> PlacedRecord {
        var placed = writer.makeRecord(shape)
        for slot in entity.shape.kinds.indices {
            writer.copySlot(slot, from: row.placed.record, to: &placed, shape)
        }
        let slots = Data(row.slots.slots.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8 & 0xff)] })
        writer.set(.blob(slots), entity.shape.kinds.count, of: &placed, shape)
        placed.record.key = Int64(row.index)
        return placed
    }

    private func unpack(_ record: Record, _ writer: RecordWriter) -> BatchRow {
        var placed = writer.makeRecord(entity.shape)
        for slot in entity.shape.kinds.indices {
            writer.copySlot(slot, from: record, to: &placed, entity.shape)
        }
        var slots = SlotSet()
        let bytes = record.bytes(entity.shape.kinds.count)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            slots.insert(Int(bytes[index]) | Int(bytes[index + 1]) << 8)
        }
        return BatchRow(index: Int(record.key), placed: placed, slots: slots)
    }
}

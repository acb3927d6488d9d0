import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The tables of a store, as a transaction on a connection sees them.
final class PostgresTables: MovedTables {
    private let connection: PostgresConnection
    private let layout: PostgresLayout

    init(_ connection: PostgresConnection, _ layout: PostgresLayout) {
        self.connection = connection
        self.layout = layout
    }

    private var model: ModelDescription { layout.model }

    func count(of table: MovedTable) throws -> Int {
        let rows = try connection.run("SELECT count(*) FROM \(layout.qualified(table.name))")
        return Int(rows.integer(0, 0))
    }

    func scan(_ table: MovedTable, _ receive: ([Record]) throws -> Void) throws {
        let types = table.columns.map { PostgresType(of: $0, in: model.model) }
        var batch = RecordBatch(table.shape)
        let query = "SELECT \(layout.columns(of: table)) FROM \(layout.qualified(table.name))"
        try connection.stream(PostgresStatement(query), endsEarly: true) { bytes in
            let writer = batch.writer
            var placed = writer.makeRecord(table.shape)
            var row = CopiedRow(bytes)
            for slot in types.indices {
                guard let bytes = row?.next() else { continue }
                types[slot].read(bytes, into: &placed, slot, writer, table.shape)
                guard !placed.record.hasValue(slot) else { continue }
                throw unreadable(placed.record, table, slot)
            }
            try batch.add(placed, receive)
        }
        try batch.handOn(to: receive)
    }

    /// The error for a number that no attribute can have. Another program has written it.
    private func unreadable(_ record: Record, _ table: MovedTable, _ slot: Int) -> StoreError {
        let key = table.keySlot.map { "/\(record.integer($0))" } ?? ""
        return StoreError(
            code: .corrupt,
            message: "\(table.name)\(key).\(table.columns[slot].name) holds a number that is no "
                + "value of the attribute: another program has written it.",
            remedy: "Set another value.")
    }

    func size(ofLargeValue name: String) throws -> Int? { nil }

    func scanLargeValues(
        of tables: [MovedTable],
        _ receive: (_ name: String, _ value: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let query = "SELECT \"name\", \"data\" FROM \(layout.external.table)"
        try connection.stream(PostgresStatement(query), endsEarly: true) { bytes in
            var row = CopiedRow(bytes)
            guard let name = row?.next(), let value = row?.next() else { return }
            try receive(String(decoding: name, as: UTF8.self), value)
        }
    }

    func nextKeys() throws -> [String: Int64] {
        let rows = try connection.run("SELECT \"entity\", \"next\" FROM \(layout.keys)")
        return Dictionary(
            (0..<rows.count).map { (rows.text($0, 0), rows.integer($0, 1)) },
            uniquingKeysWith: { one, _ in one })
    }

    func historyContent() throws -> HistorySettings.Content? {
        let settings = try connection.run([PostgresHistorySQL(layout).settings])[0]
        return HistorySettings(settings)?.content
    }
}

extension PostgresLayout {
    /// The columns of a table that is moved, in the order of its slots.
    func columns(of table: MovedTable) -> String {
        table.columns.map { PostgresName.identifier($0.name) }.joined(separator: ", ")
    }
}

extension PostgresType {
    /// The type of a column that is moved.
    init(of column: MovedTable.Column, in model: Model) {
        self.init(of: column.content, column.attribute, in: model)
    }
}

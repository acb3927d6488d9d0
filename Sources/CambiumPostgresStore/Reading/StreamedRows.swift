import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// Rows that are read into records while the server is sending them, and delivered afterwards.
struct StreamedRows {
    private struct Row {
        let key: Int64
        let version: Int64
        let entity: Int32
        /// The position of its record, which one of the pages keeps.
        let page: Int32
        let record: Record?
    }

    /// The layout for reading the rows of an entity.
    private final class Reader {
        let entity: Int
        /// The value of the rows in the column of the entity, if the table has one.
        let name: [UInt8]
        let shape: RecordShape
        /// The field of each column after the system columns; nil for a column of other entities.
        let fields: [PostgresTable.Field?]

        init(
            _ entity: EntityDescription, named name: [UInt8], _ fields: [PostgresTable.Field],
            of table: PostgresTable
        ) {
            self.entity = entity.index
            self.name = name
            shape = entity.shape
            var byColumn = [PostgresTable.Field?](repeating: nil, count: table.columns.count)
            for field in fields {
                byColumn[Int(field.column) - table.systemColumns.count] = field
            }
            self.fields = byColumn
        }
    }

    private let table: PostgresTable
    private let model: ModelDescription
    private let readsKeysOnly: Bool
    private let hasEntityColumn: Bool
    private let columnCount: Int
    private let writer = RecordWriter()
    private var rows: [Row] = []
    private var pages: [RowPage] = []
    private var lastPage: ObjectIdentifier?
    /// The one of the last row: the next row is mostly of the same entity.
    private var reader: Reader
    /// The readers of all entities that occurred so far.
    private var readers: [Reader]

    var count: Int { rows.count }

    init(_ table: PostgresTable, _ model: ModelDescription, readsKeysOnly: Bool) {
        self.table = table
        self.model = model
        self.readsKeysOnly = readsKeysOnly
        hasEntityColumn = table.entity.hasEntityColumn
        columnCount = table.systemColumns.count + (readsKeysOnly ? 0 : table.columns.count)
        reader = Reader(
            table.entity, named: Array(table.entity.name.utf8),
            table.fields[table.entity.index] ?? [], of: table)
        readers = [reader]
    }

    // MARK: Reading

    /// Reads a row.
    ///
    /// - Throws: ``StoreError`` if it does not have the form of the request.
    mutating func add(_ bytes: UnsafeRawBufferPointer) throws {
        guard var row = CopiedRow(bytes), row.count == columnCount else { throw unreadable }
        let key = row.next()?.wholeNumber ?? 0
        let version = row.next()?.wholeNumber ?? 0
        if hasEntityColumn, let name = row.next(), !name.elementsEqual(reader.name) {
            try chooseReader(ofRow: key, named: name)
        }
        var record: Record?
        if !readsKeysOnly {
            // Safety: this value keeps the reader, and does not replace it meanwhile.
            let placed = uncounted(reader).use { Self.read(&row, key, version, $0, into: writer) }
            record = placed.record
            if lastPage != ObjectIdentifier(placed.page) {
                lastPage = ObjectIdentifier(placed.page)
                pages.append(placed.page)
            }
        }
        guard row.isAtEnd else { throw unreadable }
        rows.append(
            Row(
                key: key, version: version, entity: Int32(reader.entity),
                page: Int32(pages.count - 1), record: record))
    }

    @inline(__always)
    private static func read(
        _ row: inout CopiedRow, _ key: Int64, _ version: Int64, _ reader: Reader,
        into writer: RecordWriter
    ) -> PlacedRecord {
        // Safety: the reader keeps the shape.
        uncounted(reader.shape).use { shape in
            var placed = writer.makeRecord(shape)
            placed.record.key = key
            placed.record.version = version
            // By address: each element of an array would be checked to be inside.
            reader.fields.withUnsafeBufferPointer { fields in
                for field in fields {
                    guard let value = row.next(), let field else { continue }
                    field.type.read(value, into: &placed, field.slot, writer, shape)
                }
            }
            return placed
        }
    }

    private mutating func chooseReader(
        ofRow key: Int64, named name: UnsafeRawBufferPointer
    ) throws {
        if let known = readers.first(where: { name.elementsEqual($0.name) }) {
            reader = known
            return
        }
        // An unknown name is read as everywhere.
        let entity =
            model.index(named: String(decoding: name, as: UTF8.self)) ?? table.entity.index
        guard let fields = table.fields[entity] else { throw PostgresTable.otherEntity(ofRow: key) }
        reader = Reader(model.entities[entity], named: Array(name), fields, of: table)
        readers.append(reader)
    }

    private var unreadable: StoreError {
        StoreError(
            code: .corrupt,
            message: "The server has sent a row of \(table.name) in another form than requested.",
            remedy: "See what is between the program and the server.")
    }

    // MARK: Delivering

    /// The limit up to which rows are copied: otherwise a page would be kept for few rows.
    private static let few = 100

    /// Delivers the rows in the server's order.
    func deliver(_ receive: (StoreRow) throws -> Void) throws {
        let values = Values(self)
        let row = StoreRow(values: readsKeysOnly ? nil : values)
        for index in rows.indices {
            let next = rows[index]
            values.index = index
            row.move(to: next.key, version: next.version, entity: Int(next.entity))
            try receive(row)
        }
    }

    private func placed(_ index: Int) -> PlacedRecord? {
        let row = rows[index]
        return row.record.map { PlacedRecord(page: pages[Int(row.page)], record: $0) }
    }

    /// The values of one of them.
    private final class Values: RowValues {
        private let rows: StreamedRows
        // Safety: set only between the calls that read it.
        @exclusivity(unchecked) fileprivate var index = 0

        init(_ rows: StreamedRows) {
            self.rows = rows
        }

        func record(of row: StoreRow, in writer: RecordWriter) throws -> PlacedRecord? {
            guard let placed = rows.placed(index) else { return nil }
            return rows.count > StreamedRows.few
                ? placed : writer.copy(placed.record, rows.model.entities[row.entity].shape)
        }
    }
}

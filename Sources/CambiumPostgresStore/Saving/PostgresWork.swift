import CambiumEngine
import CambiumModel
import CambiumRecords

/// Statements that are sent together, with the required number of written rows for some of them.
struct PostgresWork {
    var statements: [PostgresStatement] = []
    private var expected: [Int: Int] = [:]

    mutating func add(_ sql: String, _ parameters: PostgresParameters, rows: Int? = nil) {
        add(PostgresStatement(sql, parameters), rows: rows)
    }

    mutating func add(_ statement: PostgresStatement, rows: Int? = nil) {
        expected[statements.count] = rows
        statements.append(statement)
    }

    /// - Throws: ``SaveConflict`` if a statement has written fewer rows.
    @discardableResult
    mutating func run(_ connection: PostgresConnection) throws -> [PostgresRows] {
        let results = try connection.run(statements)
        for (index, count) in expected where results[index].changes != count {
            throw SaveConflict()
        }
        self = PostgresWork()
        return results
    }
}

/// Records in the parts that a statement writes at once.
enum PostgresParts {
    /// The number of new rows in a part: more take longer. Tests set it lower.
    @TaskLocal static var insertedRows = 4_096
    /// The number of rows in a part that are found by their keys: for each part, the server may
    /// read the complete table.
    static let foundRows = 1 << 17
    /// The number of bytes of strings and data in a part, unless one row has more. The server reads
    /// a statement as a unit.
    private static let bytes = 1 << 26

    static func of<Element>(_ all: [Element], atMost count: Int = Self.insertedRows) -> [[Element]]
    {
        stride(from: 0, to: all.count, by: count).map {
            Array(all[$0..<min($0 + count, all.count)])
        }
    }

    /// The parts of records.
    ///
    /// - Parameter slots: The slots that are sent.
    static func of(
        _ records: [Record], _ slots: [Int], of entity: EntityDescription,
        atMost count: Int = Self.insertedRows
    ) -> [[Record]] {
        let slots = slots.filter { [.text, .blob].contains(entity.shape.kinds[$0]) }
        if slots.isEmpty { return of(records, atMost: count) }
        return of(records, atMost: count).flatMap { records -> [[Record]] in
            var parts: [[Record]] = []
            var start = 0
            var bytes = 0
            for (index, record) in records.enumerated() {
                let own = slots.reduce(0) {
                    $0 + (record.hasValue($1) ? record.bytes($1).count : 0)
                }
                if bytes + own > Self.bytes, index > start {
                    parts.append(Array(records[start..<index]))
                    (start, bytes) = (index, 0)
                }
                bytes += own
            }
            return start == 0 ? [records] : parts + [Array(records[start...])]
        }
    }
}

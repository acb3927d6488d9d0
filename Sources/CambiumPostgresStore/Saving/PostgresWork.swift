import CambiumEngine
import CambiumModel
import CambiumRecords

/// Statements that are sent in one go, with how many rows some of them must write.
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

    /// - Throws: ``SaveConflict`` where a statement has written fewer rows.
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
    /// So many new rows: more take longer. Tests set it lower.
    @TaskLocal static var insertedRows = 4_096
    /// So many rows that are found by their keys: for each part, the server may read the whole table.
    static let foundRows = 1 << 17
    /// So many bytes of texts and data, unless one row has more: the server reads a statement as a
    /// whole.
    private static let bytes = 1 << 26

    static func of<Element>(_ all: [Element], atMost count: Int = Self.insertedRows) -> [[Element]]
    {
        stride(from: 0, to: all.count, by: count).map {
            Array(all[$0..<min($0 + count, all.count)])
        }
    }

    /// Those of records whose values are sent.
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

import CSQLite
import CambiumRecords

/// A virtual table over records in memory, so that one statement saves them all:
/// `INSERT INTO t SELECT … FROM pending`. It is a quarter faster than a prepared statement per row.
enum PendingTable {
    /// The number of slot columns that the table offers: SQLite's default limit of 2000 columns
    /// less the two fixed ones.
    static let slotColumns = 1998

    /// - Returns: SQLite's result code.
    static func register(_ rows: PendingRows, on database: OpaquePointer) -> Int32 {
        let rows = Unmanaged.passUnretained(rows).toOpaque()
        return sqlite3_create_module_v2(database, "pending", module, rows, nil)
    }

    private struct Table {
        var base = sqlite3_vtab()
        // Safety: the connection owns the rows, and outlives its tables.
        var rows: Unmanaged<PendingRows>
    }

    private struct Cursor {
        var base = sqlite3_vtab_cursor()
        var rows: Unmanaged<PendingRows>
        var index = 0
        /// The current record; nil after the last.
        var record: Record?

        mutating func move(to index: Int) {
            self.index = index
            record = rows._withUnsafeGuaranteedRef { rows in
                index < rows.records.count ? rows.records[index] : nil
            }
        }
    }

    private static let declaration =
        "CREATE TABLE x(key INTEGER, version INTEGER, "
        + (0..<slotColumns).map { "c\($0)" }.joined(separator: ", ") + ")"

    // Safety: written once, before its first use, and read by SQLite afterwards.
    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        module.initialize(to: sqlite3_module())
        // No xCreate: the table exists in every connection without a CREATE statement.
        module.pointee.xConnect = { handle, rows, _, _, table, _ in
            let code = sqlite3_declare_vtab(handle, declaration)
            guard code == SQLITE_OK, let rows else { return code }
            let created = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            created.initialize(to: Table(rows: Unmanaged.fromOpaque(rows)))
            table?.pointee = UnsafeMutableRawPointer(created)
                .assumingMemoryBound(to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        module.pointee.xDisconnect = { table in
            UnsafeMutableRawPointer(table)?.deallocate()
            return SQLITE_OK
        }
        module.pointee.xBestIndex = { table, info in
            let rows = UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self)
            let count = rows?.pointee.rows._withUnsafeGuaranteedRef { $0.records.count } ?? 0
            info?.pointee.estimatedRows = Int64(max(1, count))
            info?.pointee.estimatedCost = Double(max(1, count))
            return SQLITE_OK
        }
        module.pointee.xOpen = { table, cursor in
            guard let rows = UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self)
            else { return SQLITE_ERROR }
            let opened = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            opened.initialize(to: Cursor(rows: rows.pointee.rows))
            cursor?.pointee = UnsafeMutableRawPointer(opened)
                .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.pointee.xClose = { cursor in
            UnsafeMutableRawPointer(cursor)?.deallocate()
            return SQLITE_OK
        }
        module.pointee.xFilter = { cursor, _, _, _, _ in
            at(cursor)?.pointee.move(to: 0)
            return SQLITE_OK
        }
        module.pointee.xNext = { cursor in
            if let cursor = at(cursor) { cursor.pointee.move(to: cursor.pointee.index + 1) }
            return SQLITE_OK
        }
        module.pointee.xEof = { cursor in
            at(cursor)?.pointee.record == nil ? 1 : 0
        }
        module.pointee.xRowid = { cursor, id in
            id?.pointee = Int64(at(cursor)?.pointee.index ?? 0)
            return SQLITE_OK
        }
        module.pointee.xColumn = { cursor, context, column in
            guard let cursor = at(cursor), let record = cursor.pointee.record else {
                return SQLITE_ERROR
            }
            switch column {
            case 0: sqlite3_result_int64(context, record.key)
            case 1: sqlite3_result_int64(context, record.version)
            default:
                cursor.pointee.rows._withUnsafeGuaranteedRef { rows in
                    record.setResult(of: context, Int(column) - 2, rows.shape.kinds)
                }
            }
            return SQLITE_OK
        }
        return UnsafePointer(module)
    }()

    private static func at(
        _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
    ) -> UnsafeMutablePointer<Cursor>? {
        UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: Cursor.self)
    }
}

/// The records that the next statement over the `pending` table sees.
package final class PendingRows {
    // Safety: the connection fills them before each statement and empties them after it, and its
    // caller retains the pages meanwhile.
    @exclusivity(unchecked) var records: [Record] = []
    @exclusivity(unchecked) var shape = RecordShape(kinds: [])
    /// The range of records with consecutive keys.
    @exclusivity(unchecked) var run = 0..<0

    /// Returns the record of a key in the run.
    @inline(__always)
    func record(of key: Int64) -> Record? {
        guard !run.isEmpty else { return nil }
        let place = key &- records[run.lowerBound].key
        guard place >= 0, place < run.count else { return nil }
        return records[run.lowerBound &+ Int(place)]
    }
}

/// The function `pending_value(key, slot)`. It returns the value of a pending record's slot, for
/// statements that scan the rows of a table (see ``Connection/runPending(_:over:in:shape:)``).
enum PendingValue {
    /// - Returns: SQLite's result code.
    static func register(_ rows: PendingRows, on database: OpaquePointer) -> Int32 {
        // Safety: the connection owns the rows, and outlives its functions.
        let rows = Unmanaged.passUnretained(rows).toOpaque()
        return sqlite3_create_function_v2(
            database, "pending_value", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, rows,
            { context, _, values in
                guard let values, let rows = sqlite3_user_data(context) else { return }
                let key = sqlite3_value_int64(values[0])
                let slot = Int(sqlite3_value_int64(values[1]))
                Unmanaged<PendingRows>.fromOpaque(rows)._withUnsafeGuaranteedRef { rows in
                    guard let record = rows.record(of: key) else {
                        return sqlite3_result_error(context, "no record of that key", -1)
                    }
                    record.setResult(of: context, slot, rows.shape.kinds)
                }
            }, nil, nil, nil)
    }
}

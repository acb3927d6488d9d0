import CambiumSQLite
import Foundation

/// A copy of a store that a test may change.
struct StoreCopy {
    let folder: URL

    var path: String { folder.appendingPathComponent("store.sqlite").path }

    /// A file: its bytes, and when it was written.
    struct FileState: Equatable {
        let bytes: Data
        let date: Date?
    }

    /// Every file in the folder, but those in which SQLite keeps no data: the shared memory of the
    /// log, and a log with nothing in it.
    func files() throws -> [String: FileState] {
        var states: [String: FileState] = [:]
        let names = FileManager.default.enumerator(atPath: folder.path)
        for case let name as String in names ?? .init() {
            let url = folder.appendingPathComponent(name)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            let bytes = try Data(contentsOf: url)
            if name.hasSuffix("-shm") || name.hasSuffix("-wal") && bytes.isEmpty { continue }
            states[name] = FileState(
                bytes: bytes, date: attributes[.modificationDate] as? Date)
        }
        return states
    }

    /// Every row of every table, and the statements that made them. What a store says of the model
    /// that it was written with is left out: earlier editions did not know of it.
    func rows() throws -> [String] {
        let connection = try Connection(path: path, mode: .readOnly)
        var lines = try connection.rows("SELECT type, name, sql FROM sqlite_schema").map { "\($0)" }
        for table in try names(of: "table", in: connection) {
            lines += try connection.rows("SELECT * FROM \"\(table)\"").map { "\(table): \($0)" }
                .filter { !$0.contains("\"definition\"") && !$0.contains("\"frozenVersion\"") }
        }
        return lines.sorted()
    }

    // MARK: What another program may do

    /// A change that another program makes to each table where it can be made.
    enum Change: String, CaseIterable {
        case columnAdded
        case columnRenamed
        case columnOfAnotherType
        case indexDropped
        case indexOverAnotherColumn
        case checkRemoved
        case checkLoosened
    }

    /// Makes a change, as the command line of SQLite would.
    ///
    /// - Returns: The names of the tables and indexes that are others now.
    func make(_ change: Change) throws -> [String] {
        let connection = try Connection(path: path)
        let tables = try names(of: "table", in: connection).filter { !$0.hasPrefix("_") }
        return try tables.compactMap { table in
            switch change {
            case .columnAdded:
                try connection.execute("ALTER TABLE \"\(table)\" ADD COLUMN of_another TEXT")
                return table
            case .columnRenamed:
                guard let column = try columns(of: table, in: connection).first else { return nil }
                try connection.execute(
                    "ALTER TABLE \"\(table)\" RENAME COLUMN \"\(column)\" TO of_another")
                return table
            case .columnOfAnotherType:
                guard let column = try columns(of: table, in: connection).first else { return nil }
                return try rewrite(table, in: connection) { sql in
                    guard let name = sql.range(of: "\"\(column)\" "),
                        let end = sql[name.upperBound...].firstIndex(where: { " ,\n".contains($0) })
                    else { return }
                    sql.replaceSubrange(name.upperBound..<end, with: "ANY")
                }
            case .indexDropped, .indexOverAnotherColumn:
                let indexes = try texts(
                    "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL "
                        + "AND tbl_name = '\(table)' ORDER BY name", in: connection)
                guard let index = indexes.first else { return nil }
                let isOfObjects = try texts(
                    "SELECT name FROM pragma_table_info('\(table)') WHERE name = '_version'",
                    in: connection)
                if change == .indexOverAnotherColumn, isOfObjects.isEmpty { return nil }
                try connection.execute("DROP INDEX \"\(index)\"")
                if change == .indexOverAnotherColumn {
                    try connection.execute("CREATE INDEX \"\(index)\" ON \"\(table)\" (_version)")
                }
                return index
            case .checkRemoved:
                return try rewrite(table, in: connection) { sql in
                    guard let word = sql.range(of: " CHECK (") else { return }
                    var depth = 1
                    let end = sql[word.upperBound...].firstIndex { letter in
                        depth += letter == "(" ? 1 : letter == ")" ? -1 : 0
                        return depth == 0
                    }
                    guard let end else { return }
                    sql.replaceSubrange(word.lowerBound...end, with: " CHECK (1)")
                }
            case .checkLoosened:
                return try rewrite(table, in: connection) { sql in
                    guard let word = sql.range(of: " CHECK (") else { return }
                    sql.replaceSubrange(word, with: " CHECK (1 OR ")
                }
            }
        }
    }

    /// Writes the statement of a table anew, in SQLite's own table of them.
    private func rewrite(
        _ table: String, in connection: Connection, _ edit: (inout String) -> Void
    ) throws -> String? {
        let found = try texts(
            "SELECT sql FROM sqlite_schema WHERE name = '\(table)'", in: connection)
        guard let sql = found.first else { return nil }
        var edited = sql
        edit(&edited)
        guard edited != sql else { return nil }
        let literal = edited.replacing("'", with: "''")
        try connection.withoutDefense {
            try connection.execute(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = '\(literal)' WHERE name = '\(table)';
                PRAGMA writable_schema = RESET
                """)
        }
        return table
    }

    private func columns(of table: String, in connection: Connection) throws -> [String] {
        try texts(
            "SELECT name FROM pragma_table_info('\(table)') WHERE name NOT LIKE '\\_%' ESCAPE '\\'",
            in: connection)
    }

    private func names(of kind: String, in connection: Connection) throws -> [String] {
        try texts(
            "SELECT name FROM sqlite_schema WHERE type = '\(kind)' AND name NOT LIKE 'sqlite%' "
                + "ORDER BY name", in: connection)
    }

    private func texts(_ sql: String, in connection: Connection) throws -> [String] {
        try connection.rows(sql).compactMap { row in
            guard case .text(let text)? = row.first else { return nil }
            return text
        }
    }
}

import CambiumModel

/// The tables and indexes of a store as SQLite describes them, comparable with those of a model.
package struct Catalogue: Sendable, Hashable {
    /// The text of each table and index, in a normal form, by its name.
    package let entries: [String: String]
    /// What a store says about its tables, word by word.
    let tables: [String: String]

    /// The query whose rows ``init(rows:)`` reads. What SQLite makes for itself has no text.
    package static let query =
        "SELECT \"name\", \"sql\" FROM \"sqlite_schema\" WHERE \"sql\" IS NOT NULL"

    /// The query of the names alone, a row for each.
    package static let namesQuery =
        "SELECT \"name\" FROM \"sqlite_schema\" WHERE \"sql\" IS NOT NULL"

    init(entries: [String: String], tables: [String: String]) {
        self.entries = entries
        self.tables = tables
    }

    /// Reads the catalogue of a store.
    package init(rows: [[StoredValue]]) {
        var entries: [String: String] = [:]
        var tables: [String: String] = [:]
        for row in rows {
            if case .text(let name) = row.first, case .text(let sql) = row.last {
                entries[name] = Self.normalized(sql)
                if sql.hasPrefix("CREATE TABLE") { tables[name] = sql }
            }
        }
        self.entries = entries
        self.tables = tables
    }

    /// The catalogue of a fresh store.
    package init(of schema: Schema) {
        var entries: [String: String] = [:]
        for table in schema.tables {
            entries[table.name] = Self.normalized(table.createStatement())
            for index in table.indexes {
                entries[index.name] = Self.normalized(index.createStatement)
            }
        }
        self.entries = entries
        tables = [:]
    }

    /// The names of what differs from another catalogue, sorted.
    package func differences(from other: Catalogue) -> [String] {
        Set(entries.keys).union(other.entries.keys)
            .filter { entries[$0] != other.entries[$0] }.sorted()
    }

    /// The text without what ALTER TABLE changes about it: white space between words, and the order
    /// of columns, which no statement of ours depends on.
    package static func normalized(_ sql: String) -> String {
        let text = withoutSpace(sql)
        guard let table = TableText(text) else { return text }
        return table.head + table.parts.sorted().joined(separator: ",") + table.tail
    }

    static func withoutSpace(_ sql: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(sql.utf8.count)
        var quote: UInt8?
        var hasSpace = false
        for byte in sql.utf8 {
            if let open = quote {
                result.append(byte)
                if byte == open { quote = nil }
                continue
            }
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                hasSpace = true
                continue
            }
            if hasSpace, let last = result.last, !isOpening(last), !isClosing(byte) {
                result.append(0x20)
            }
            hasSpace = false
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isOpening(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "(") || byte == UInt8(ascii: ",")
    }

    private static func isClosing(_ byte: UInt8) -> Bool {
        isOpening(byte) || byte == UInt8(ascii: ")")
    }
}

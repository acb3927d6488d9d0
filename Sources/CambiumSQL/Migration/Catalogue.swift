import CambiumModel

/// The tables and indexes of a store as SQLite describes them. They can be compared with the ones
/// of a model.
package struct Catalogue: Sendable {
    /// The text of each table and index, in a normal form, by its name.
    package let entries: [String: String]
    /// The statements that create a store's tables, verbatim.
    let tables: [String: String]

    /// The query for ``init(rows:)``. Objects that SQLite creates for itself have no text.
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

    /// Returns the names of the differences from another catalogue, sorted.
    package func differences(from other: Catalogue) -> [String] {
        Set(entries.keys).union(other.entries.keys)
            .filter { entries[$0] != other.entries[$0] }.sorted()
    }

    /// Returns the text without the parts that ALTER TABLE changes: white space between words, and
    /// the order of columns. No statement of Cambium depends on these.
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

    /// The query of the columns of all tables: the table's name, the column's.
    package static let columnsQuery = """
        SELECT t."name", c."name" FROM "sqlite_schema" AS t, pragma_table_xinfo(t."name") AS c
        WHERE t."type" = 'table'
        """

    /// The beginning of a hash of the definition of each table and index, by its name. It is short
    /// enough to be kept for each version that a model ever had, and long enough to detect a manual
    /// change.
    package var fingerprints: [String: String] {
        entries.mapValues(Self.fingerprint)
    }

    static func fingerprint(of text: String) -> String {
        String(SHA256.hexadecimal(of: text).prefix(8))
    }

    fileprivate init(of tables: [Table]) {
        self.init(
            rows: tables.flatMap { table in
                [[.text(table.name), .text(table.createStatement())]]
                    + table.indexes.map { [.text($0.name), .text($0.createStatement)] }
            })
    }

    /// A column of a table, or a constraint over several.
    package final class Part: Sendable, Equatable {
        /// The name of the part, or the first word of a constraint without a name.
        package let name: String
        /// Whether the part is a column.
        package let isColumn: Bool
        /// The definition of the part in the table's statement, in a normal form.
        package let definition: String

        /// Reads a part of a CREATE TABLE statement.
        fileprivate init(_ definition: String) {
            var rest = definition[...]
            let isQuoted = rest.first.map { "\"`[".contains($0) } ?? false
            let word = Self.name(at: &rest)
            isColumn = isQuoted || !Self.constraintWords.contains(word.uppercased())
            self.definition = definition
            guard !isColumn, word.uppercased() == "CONSTRAINT" else {
                name = word
                return
            }
            rest = rest.drop { $0 == " " }
            name = Self.name(at: &rest)
        }

        package static func == (left: Part, right: Part) -> Bool {
            // The rest is read from it.
            left.definition == right.definition
        }
    }

    /// Returns the parts of a table, in the order of its statement; nil if there is no such table.
    package func parts(of table: String) -> [Part]? {
        (tables[table] ?? entries[table]).flatMap { TableText(Self.withoutSpace($0)) }?
            .parts.map(Part.init)
    }

    /// Returns the external columns of a table: without them, the table has the fingerprint. The
    /// result is empty if the table differs in another way.
    package func columnsAdded(to table: String, ofFingerprint fingerprint: String) -> [Part] {
        guard let text = tables[table].map(Self.withoutSpace).flatMap(TableText.init) else {
            return []
        }
        let parts = text.parts.map(Part.init)
        let columns = parts.indices.filter { parts[$0].isColumn }
        func isRest(without added: [Int]) -> Bool {
            let rest = parts.indices.filter { !added.contains($0) }
            let sorted = rest.map { parts[$0].definition }.sorted().joined(separator: ",")
            return Self.fingerprint(of: text.head + sorted + text.tail) == fingerprint
        }
        // One or two columns anywhere, or more at the position of ALTER TABLE.
        let pairs = columns.flatMap { first in columns.filter { $0 > first }.map { [first, $0] } }
        let ends = columns.indices.dropLast().map { Array(columns[($0 + 1)...]) }.reversed()
        let found = (columns.map { [$0] } + pairs + ends.filter { $0.count > 2 })
            .first(where: isRest)
        return (found ?? []).map { parts[$0] }
    }

    /// Returns the catalogue without external columns of tables.
    package func without(columns: [String: Set<String>]) -> Catalogue {
        var entries = entries
        var tables = tables
        for (table, names) in columns {
            guard let statement = tables[table], let text = TableText(statement) else { continue }
            let parts = text.parts.filter { definition in
                let part = Part(definition)
                return !(part.isColumn && names.contains(part.name))
            }
            let rest =
                text.head + "\n    " + parts.joined(separator: ",\n    ") + "\n" + text.tail
            tables[table] = rest
            entries[table] = Self.normalized(rest)
        }
        return Catalogue(entries: entries, tables: tables)
    }
}

extension Schema {
    /// Returns the fingerprints of tables and indexes that differ from the previous version. An
    /// empty text means that the table or index was deleted.
    package func fingerprints(besides former: Schema?) -> [String: String] {
        var old: [String: Table] = [:]
        for table in former?.tables ?? [] { old[table.name] = table }
        var changed: [Table] = []
        var kept: Set<String> = []
        for table in tables {
            // An index may have moved from one table to another.
            kept.insert(table.name)
            for index in table.indexes { kept.insert(index.name) }
            if old[table.name] == table { old[table.name] = nil } else { changed.append(table) }
        }
        let oldFingerprints = Catalogue(of: Array(old.values)).fingerprints
        var fingerprints = Catalogue(of: changed).fingerprints
        for (name, fingerprint) in oldFingerprints {
            if fingerprints[name] == fingerprint {
                fingerprints[name] = nil
            } else if !kept.contains(name) {
                fingerprints[name] = ""
            }
        }
        return fingerprints
    }
}

extension Catalogue.Part {
    fileprivate static let constraintWords: Set = [
        "CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "FOREIGN",
    ]

    /// Reads a name with or without quotes, and removes it from the text.
    fileprivate static func name(at text: inout Substring) -> String {
        guard let first = text.first, "\"`[".contains(first) else {
            let name = text.prefix { !" (\n\t".contains($0) }
            text = text.dropFirst(name.count)
            return String(name)
        }
        let close: Character = first == "[" ? "]" : first
        var name = ""
        text = text.dropFirst()
        while let character = text.popFirst() {
            if character == close {
                guard first != "[", text.first == close else { break }
                text = text.dropFirst()
            }
            name.append(character)
        }
        return name
    }
}

/// The parts of a CREATE TABLE statement: the text before the parenthesis, the columns and
/// constraints within, and the options after it.
struct TableText {
    /// The text up to and including the opening parenthesis.
    let head: String
    /// The columns and constraints in order, without the white space around them.
    let parts: [String]
    /// From the closing parenthesis.
    let tail: String

    /// Splits a statement; nil if it does not create a table.
    init?(_ sql: String) {
        guard sql.hasPrefix("CREATE TABLE"), let open = sql.utf8.firstIndex(of: UInt8(ascii: "("))
        else { return nil }
        let bytes = sql.utf8
        head = String(sql[...open])
        var parts: [String] = []
        var start = bytes.index(after: open)
        var end: String.Index?
        var depth = 1
        var quote: UInt8?
        var index = start
        while index < bytes.endIndex, end == nil {
            let byte = bytes[index]
            if let mark = quote {
                if byte == mark { quote = nil }
            } else {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                case UInt8(ascii: "("): depth += 1
                case UInt8(ascii: ")"):
                    depth -= 1
                    if depth == 0 { end = index }
                case UInt8(ascii: ",") where depth == 1:
                    parts.append(Self.trimmed(sql[start..<index]))
                    start = bytes.index(after: index)
                default: break
                }
            }
            index = bytes.index(after: index)
        }
        guard let end else { return nil }
        parts.append(Self.trimmed(sql[start..<end]))
        self.parts = parts
        tail = String(sql[end...])
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let rest = text.utf8.drop(while: isSpace)
        let count = rest.reversed().prefix(while: isSpace).count
        return String(Substring(rest.dropLast(count)))
    }
}

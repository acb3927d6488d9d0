/// Which tables a statement of a migration reads and writes, as far as its text says. It knows the
/// forms of our own statements; of any other it says nothing, so that an estimate is too low and
/// nothing worse.
package struct StatementReach: Sendable, Hashable {
    /// What a statement does to a table.
    package enum Effect: Sendable, Hashable {
        /// Makes it.
        case makes(String)
        /// Puts rows into it.
        case fills(String)
        /// Gives all or some of its rows other values.
        case changes(String)
        /// Removes some of its rows.
        case thins(String)
        /// Makes an index of it.
        case indexes(String)
        /// Gives it another name.
        case renames(String, to: String)
        /// Removes it.
        case drops(String)
        /// None of these.
        case other
    }

    /// What it does.
    package let effect: Effect
    /// The tables whose rows it looks at, each once, in the order of the text.
    package let reads: [String]

    /// Reads a statement.
    package init(of sql: String) {
        effect = Self.effect(of: sql)
        var reads: [String] = []
        for word in ["FROM ", "JOIN "] {
            for name in Self.names(after: word, in: sql) where !reads.contains(name) {
                reads.append(name)
            }
        }
        self.reads = reads
    }

    /// Whether it only looks whether the rows fit.
    package var isCheck: Bool {
        switch effect {
        case .makes("_refusal"), .fills("_refusal"), .drops("_refusal"): true
        default: false
        }
    }

    private static func effect(of sql: String) -> Effect {
        func name(after start: String) -> String? {
            sql.hasPrefix(start) ? names(after: start, in: sql).first : nil
        }
        if let table = name(after: "CREATE TABLE ") { return .makes(table) }
        if let table = name(after: "INSERT INTO ") ?? name(after: "INSERT OR IGNORE INTO ") {
            return .fills(table)
        }
        if let table = name(after: "UPDATE ") ?? name(after: "UPDATE OR IGNORE ") {
            return .changes(table)
        }
        if let table = name(after: "DELETE FROM ") { return .thins(table) }
        if let table = name(after: "DROP TABLE ") { return .drops(table) }
        if let table = name(after: "ALTER TABLE ") {
            return names(after: " RENAME TO ", in: sql).first.map { .renames(table, to: $0) }
                ?? .other
        }
        if sql.hasPrefix("CREATE INDEX ") || sql.hasPrefix("CREATE UNIQUE INDEX ") {
            // The name of the index comes first.
            return names(after: " ON ", in: sql).first.map { .indexes($0) } ?? .other
        }
        return .other
    }

    /// The name of the index that a statement makes.
    static func indexName(in sql: String) -> String? { names(after: "INDEX ", in: sql).first }

    /// The quoted names that follow a word, wherever it stands.
    private static func names(after word: String, in sql: String) -> [String] {
        let (text, start) = (Array(sql.utf8), Array(word.utf8) + [quote])
        var names: [String] = []
        var index = 0
        while index + start.count <= text.count {
            guard text[index] == start[0],
                text[index..<index + start.count].elementsEqual(start)
            else {
                index += 1
                continue
            }
            let first = index + start.count
            guard let end = text[first...].firstIndex(of: quote) else { break }
            names.append(String(decoding: text[first..<end], as: UTF8.self))
            index = end + 1
            // One row of a table is not the table.
            if text[index...].starts(with: " LIMIT 1)".utf8) { names.removeLast() }
        }
        return names
    }

    private static let quote = UInt8(ascii: "\"")
}

import CambiumModel

/// What the statements of a chain tell about the tables that a version had of which no more than
/// fingerprints are known: those that lead to it have made some of them, those that lead on read
/// columns of others.
package struct FormerTables: Sendable {
    /// The statements that would make them, by their names.
    package private(set) var statements: [String: String] = [:]
    /// The columns that are read of a table afterwards, so that it must have had them.
    private let later: [String]

    /// Follows the statements of a chain.
    ///
    /// - Parameters:
    ///   - earlier: Those that lead to the version.
    ///   - later: Those that lead on.
    ///   - expected: The fingerprints of its tables: what is not the same is not told.
    package init(after earlier: [String], before later: [String], _ expected: [String: String]) {
        self.later = later
        for statement in earlier {
            switch StatementReach(of: statement).effect {
            case .makes(let table): statements[table] = statement
            case .drops(let table): statements[table] = nil
            case .renames(let old, let new):
                let text = statements.removeValue(forKey: old).flatMap(TableText.init)
                statements[new] = text.map { text in
                    "CREATE TABLE \(SQLText.identifier(new)) (" + Self.inner(text.parts) + text.tail
                }
            default: add(statement)
            }
        }
        statements = statements.filter { name, statement in
            expected[name] == Catalogue.fingerprint(of: Catalogue.normalized(statement))
        }
    }

    private mutating func add(_ statement: String) {
        let mark = " ADD COLUMN "
        guard statement.hasPrefix("ALTER TABLE \""), let range = statement.firstRange(of: mark),
            let table = TableText.names(in: String(statement[..<range.lowerBound])).first,
            let text = statements[table].flatMap(TableText.init)
        else { return }
        statements[table] =
            text.head + Self.inner(text.parts + [String(statement[range.upperBound...])])
            + text.tail
    }

    private static func inner(_ parts: [String]) -> String { parts.joined(separator: ", ") }

    /// The columns that the table must have had, sorted: those that are read of it by the statements
    /// that lead on, until it is another table.
    package func columnsRead(of table: String) -> [String] {
        let source = "FROM \(SQLText.identifier(table)) AS old"
        var columns: Set<String> = []
        var added: Set<String> = []
        let addition = "ALTER TABLE \(SQLText.identifier(table)) ADD COLUMN \""
        for statement in later {
            if statement.hasPrefix(addition) {
                added.insert(String(statement.dropFirst(addition.count).prefix { $0 != "\"" }))
            }
            switch StatementReach(of: statement).effect {
            case .drops(table), .renames(table, to: _): return columns.sorted()
            default: break
            }
            guard statement.contains(source), statement.ranges(of: " AS old").count == 1 else {
                continue
            }
            let mark = "old.\""
            for range in statement.ranges(of: mark) {
                let name = String(statement[range.upperBound...].prefix { $0 != "\"" })
                if !added.contains(name) { columns.insert(name) }
            }
        }
        return columns.sorted()
    }
}

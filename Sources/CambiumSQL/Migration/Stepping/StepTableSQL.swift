import CambiumModel

/// The tables that the program's steps work on, between the statements that fill them and those
/// that ask of their rows what the new version asks.
package enum StepTableSQL {
    /// The name of the table that has the new rows of a root entity meanwhile. It asks nothing of
    /// them, so that values may come one after the other.
    package static func workingName(of root: String) -> String { "_step_" + root }
    /// The next free key of each root entity that steps write.
    package static let keys = "_code_keys"
    /// What each old entity is now, and how far its keys were moved.
    package static let entities = "_code_entities"
    /// What the program said about which new object an old one became.
    package static let successors = "_code_successors"
    /// The keys of the new objects that were deleted again.
    package static let deletions = "_code_deletions"

    /// Makes a working table.
    static func create(_ table: Table) -> String {
        let columns = table.columns.filter { !$0.isGenerated && $0.name != "_id" }
            .map { SQLText.identifier($0.name) }
        return "CREATE TABLE \(SQLText.identifier(workingName(of: table.name))) ("
            + (["\"_id\" INTEGER PRIMARY KEY"] + columns).joined(separator: ", ") + ")"
    }

    /// Makes the tables that help the steps, and fills them.
    static func prepare(_ match: ModelMatch, _ coverage: StepCoverage) -> [String] {
        let oldRoots = match.oldRoots
        let keys = coverage.roots.sorted().map { root in
            let names = oldRoots[root] ?? []
            let next = names.isEmpty ? "1" : "1 + coalesce(\(ModelMatch.keyCount(of: names)), 0)"
            return "INSERT INTO \(quoted(Self.keys)) (\"entity\", \"next\") "
                + "VALUES (\(literal(root)), \(next))"
        }
        let entities = match.old.entities.compactMap { entity -> String? in
            guard let successor = match.newEntity(of: entity) else { return nil }
            let shift = match.keyShift(of: entity).map { "coalesce(\($0), 0)" } ?? "0"
            return "INSERT INTO \(quoted(Self.entities)) (\"entity\", \"successor\", \"shift\") "
                + "VALUES (\(literal(entity.name)), \(literal(successor.name)), \(shift))"
        }
        return [
            "CREATE TABLE \(quoted(Self.keys)) "
                + "(\"entity\" TEXT PRIMARY KEY, \"next\" INTEGER NOT NULL) STRICT",
            "CREATE TABLE \(quoted(Self.entities)) (\"entity\" TEXT PRIMARY KEY, "
                + "\"successor\" TEXT NOT NULL, \"shift\" INTEGER NOT NULL) STRICT",
            "CREATE TABLE \(quoted(successors)) (\"root\" TEXT, \"key\" INTEGER, "
                + "\"newRoot\" TEXT, \"newKey\" INTEGER NOT NULL, "
                + "PRIMARY KEY (\"root\", \"key\", \"newRoot\")) STRICT, WITHOUT ROWID",
            "CREATE TABLE \(quoted(deletions)) (\"root\" TEXT, \"key\" INTEGER, "
                + "PRIMARY KEY (\"root\", \"key\")) STRICT, WITHOUT ROWID",
        ] + keys + entities
    }

    /// Brings the key table up to what the steps have given, and removes what has helped them.
    static func finish(_ coverage: StepCoverage) -> [String] {
        coverage.roots.sorted().map { root in
            "UPDATE \"_keys\" SET \"next\" = max(\"next\", (SELECT given.\"next\" FROM "
                + "\(quoted(keys)) AS given WHERE given.\"entity\" = \(literal(root)))) "
                + "WHERE \"entity\" = \(literal(root))"
        } + [keys, entities, successors, deletions].map { "DROP TABLE \(quoted($0))" }
    }

    /// Gives a new table, which is there, the rows that the steps have left. From here on they meet
    /// the conditions of the new version.
    static func settle(_ table: Table, into name: String) -> [String] {
        let columns = table.columns.filter { !$0.isGenerated }
            .map { SQLText.identifier($0.name) }.joined(separator: ", ")
        let working = quoted(workingName(of: table.name))
        return [
            "INSERT INTO \(quoted(name)) (\(columns))\nSELECT \(columns)\nFROM \(working)",
            "DROP TABLE \(working)",
        ]
    }

    /// Where a statement is one that gives a new table its rows: the same for one row, and the
    /// working table.
    package static func settlement(of statement: String) -> (ofOne: String, working: String)? {
        let mark = "\nFROM \"_step_"
        guard statement.hasPrefix("INSERT INTO "), let range = statement.firstRange(of: mark) else {
            return nil
        }
        let working = "_step_" + statement[range.upperBound...].dropLast()
        return (statement + " WHERE \"_id\" = ?", working.replacing("\"\"", with: "\""))
    }

    static func quoted(_ name: String) -> String { SQLText.identifier(name) }

    static func literal(_ text: String) -> String { SQLText.literal(.text(text)) }
}

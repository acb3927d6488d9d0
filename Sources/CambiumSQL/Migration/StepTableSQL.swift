import CambiumModel
import CambiumPlan

extension StepCoverage {
    /// Whether the steps may write a table of the new version.
    package func covers(_ table: Table, in model: Model) -> Bool {
        switch table.content {
        case .system: return false
        case .objects(let root): return roots.contains(root)
        case .links(let entity, let name):
            guard let source = model.entity(named: entity),
                let relationship = model.relationship(name, of: source)
            else { return false }
            return [entity, relationship.destination].compactMap(model.entity(named:))
                .contains { roots.contains(model.root(of: $0).name) }
        }
    }
}

/// The working tables of the program's steps. They exist between the statements that fill them and
/// the statements that check the conditions of the new version.
package enum StepTableSQL {
    /// The next free key of each root entity that steps write.
    package static let keys = "_code_keys"
    /// The new entity of each old one, and the shift of its keys.
    package static let entities = "_code_entities"
    /// The new objects that old objects became, as the program noted.
    package static let successors = "_code_successors"
    /// The keys of the new objects that were deleted again.
    package static let deletions = "_code_deletions"

    /// Creates a working table. It has no constraints, so that a step can set one value after the
    /// other.
    static func create(_ table: Table, _ dialect: any MigrationDialect) -> MigrationStatement {
        let columns = table.columns.filter { !$0.isGenerated && $0.name != "_id" }
            .map(dialect.workingColumn)
        let key = "\"_id\" \(dialect.integer) PRIMARY KEY"
        return .create(
            TableCopies.workingName(of: table.name),
            "(" + ([key] + columns).joined(separator: ", ") + ")")
    }

    /// Makes the tables that help the steps, and fills them.
    static func prepare(_ match: ModelMatch, _ coverage: StepCoverage) -> [MigrationStatement] {
        let dialect = match.dialect
        let (integer, options) = (dialect.integer, dialect.tableOptions)
        let oldRoots = match.oldRoots
        let keys = coverage.roots.sorted().map { root in
            let names = oldRoots[root] ?? []
            let next = names.isEmpty ? "1" : "1 + coalesce(\(ModelMatch.keyCount(of: names)), 0)"
            return MigrationStatement.insert(
                into: Self.keys, "(\"entity\", \"next\") VALUES (\(literal(root)), \(next))")
        }
        let entities = match.old.entities.compactMap { entity -> MigrationStatement? in
            guard let successor = match.newEntity(of: entity) else { return nil }
            let shift = match.keyShift(of: entity).map { "coalesce(\($0), 0)" } ?? "0"
            return .insert(
                into: Self.entities,
                """
                ("entity", "successor", "shift") \
                VALUES (\(literal(entity.name)), \(literal(successor.name)), \(shift))
                """)
        }
        return [
            .create(
                Self.keys,
                "(\"entity\" TEXT PRIMARY KEY, \"next\" \(integer) NOT NULL)\(options)"),
            .create(
                Self.entities,
                """
                ("entity" TEXT PRIMARY KEY, \
                "successor" TEXT NOT NULL, "shift" \(integer) NOT NULL)\(options)
                """),
            .create(
                successors,
                """
                ("root" TEXT, "key" \(integer), "newRoot" TEXT, "newKey" \(integer) NOT NULL, \
                PRIMARY KEY ("root", "key", "newRoot"))\(dialect.keyedTableOptions)
                """),
            .create(
                deletions,
                """
                ("root" TEXT, "key" \(integer), \
                PRIMARY KEY ("root", "key"))\(dialect.keyedTableOptions)
                """),
        ] + keys + entities
    }

    /// Updates the key table with the keys that the steps have used, and removes the helper tables.
    static func finish(
        _ coverage: StepCoverage, _ dialect: any MigrationDialect
    ) -> [MigrationStatement] {
        coverage.roots.sorted().map { root in
            let given = """
                (SELECT given."next" FROM \
                \(quoted(keys)) AS given WHERE given."entity" = \(literal(root)))
                """
            return .update(
                KeySQL.table, set: "\"next\" = \(dialect.greater("\"next\"", given))",
                where: "\"entity\" = \(literal(root))", from: [keys])
        } + [keys, entities, successors, deletions].map { .drop($0) }
    }

    /// Inserts the rows that the steps have produced into an existing new table. From here on they
    /// meet the conditions of the new version.
    static func settle(_ table: Table, into name: String) -> [MigrationStatement] {
        let columns = SQLText.identifiers(table.columns.filter { !$0.isGenerated }.names)
        let working = TableCopies.workingName(of: table.name)
        return [
            MigrationStatement(
                .settleRows(root: table.name, into: name),
                "INSERT INTO \(quoted(name)) (\(columns))\n",
                "SELECT \(columns)\nFROM \(quoted(working))"),
            .drop(working),
        ]
    }

    /// Returns the same for one row of a statement that settles rows, with its key as the
    /// parameter.
    package static func settlementOfOne(_ statement: MigrationStatement) -> String {
        statement.sql + " WHERE \"_id\" = ?"
    }

    static func quoted(_ name: String) -> String { SQLText.identifier(name) }

    static func literal(_ text: String) -> String { SQLText.literal(text) }
}

/// A statement with which the program's steps read or write rows.
package struct StepStatement: Sendable {
    /// The action.
    package enum Work: Sendable, Hashable {
        /// A statement with the same SQL on all engines.
        case statement(String)
        /// Inserts a row. It replaces an existing row with the same key.
        ///
        /// - Parameters:
        ///   - row: The columns in parentheses, and the values.
        ///   - former: The condition that selects the replaced row.
        case replacement(table: String, row: String, former: String)
        /// Inserts a row, unless a row with its key exists.
        case insertionOfNew(table: String, row: String)
    }

    /// The action of the statement. A parameter is a `?`; its number may follow.
    package let work: Work
    /// The table whose columns the parameters are for.
    package var table = ""
    /// The column of each parameter. If a parameter has no column, its value is a key, a number of
    /// rows, a position or a name.
    package var columns: [String] = []

    init(_ work: Work) {
        self.work = work
    }

    init(_ text: String, table: String = "", columns: [String] = []) {
        self.init(.statement(text))
        (self.table, self.columns) = (table, columns)
    }

    /// The text that SQLite reads.
    package var sqliteText: String {
        switch work {
        case .statement(let text): text
        case .replacement(let table, let row, _): "INSERT OR REPLACE INTO \(table) \(row)"
        case .insertionOfNew(let table, let row): "INSERT OR IGNORE INTO \(table) \(row)"
        }
    }
}

/// Statements that read and write the rows of one entity for a step of the program.
package struct StepRowSQL: Sendable {
    /// The table that has the rows: of a store of the old version, or a working one.
    package let table: String
    private let names: [String]
    private let columns: [String]
    private let condition: String?
    private let entity: String?

    /// Describes the rows.
    ///
    /// - Parameters:
    ///   - columns: The columns that are read and written, besides the key.
    ///   - entity: The entity, if the table has objects of several.
    ///   - family: It and the entities that inherit from it.
    package init(table: String, columns: [String], entity: String?, family: [String]) {
        self.table = table
        names = columns
        self.columns = columns.map(SQLText.identifier)
        self.entity = entity
        condition = entity.map { _ in
            return "\"_entity\" IN (\(SQLText.literals(family)))"
        }
    }

    private var quoted: String { SQLText.identifier(table) }

    private var selection: String {
        "SELECT \((["\"_id\""] + columns).joined(separator: ", ")) FROM \(quoted) WHERE "
    }

    /// Selects rows after a key, in the order of their keys. Parameters: the key, the number of
    /// rows.
    package var batch: StepStatement {
        StepStatement(
            selection + "\"_id\" > ?" + (condition.map { " AND \($0)" } ?? "")
                + " ORDER BY \"_id\" LIMIT ?")
    }

    /// A row. Parameter: the key.
    package var one: StepStatement {
        StepStatement(selection + "\"_id\" = ?" + (condition.map { " AND \($0)" } ?? ""))
    }

    /// The number of rows.
    package var count: StepStatement {
        StepStatement(
            "SELECT count(*) FROM \(quoted)" + (condition.map { " WHERE \($0)" } ?? ""))
    }

    /// Inserts a row. Parameters: the key, then the columns.
    package var insertion: StepStatement {
        let list =
            ["\"_id\"", "\"_version\""] + (entity == nil ? [] : ["\"_entity\""]) + columns
        let values =
            ["?", "1"] + (entity.map { [SQLText.literal($0)] } ?? [])
            + columns.map { _ in "?" }
        return StepStatement(
            """
            INSERT INTO \(quoted) (\(list.joined(separator: ", "))) \
            VALUES (\(values.joined(separator: ", ")))
            """, table: table, columns: [SystemColumn.key] + names)
    }

    /// Gives a row other values. Parameters: the columns, then the key.
    package var update: StepStatement {
        let list = columns.isEmpty ? ["\"_id\" = \"_id\""] : columns.map { "\($0) = ?" }
        return StepStatement(
            "UPDATE \(quoted) SET \(list.joined(separator: ", ")) WHERE \"_id\" = ?",
            table: table, columns: names)
    }

    /// Deletes a row. Parameter: the key.
    package var deletion: StepStatement {
        StepStatement("DELETE FROM \(quoted) WHERE \"_id\" = ?")
    }

    // MARK: The steps' own tables

    /// Takes the next key of a root entity. Parameter: its name.
    package static let nextKey = StepStatement(
        """
        UPDATE "\(StepTableSQL.keys)" SET "next" = "next" + 1 WHERE "entity" = ? \
        RETURNING "next" - 1
        """)
    /// The new entities of the old ones: the old name, the new one, the shift of the keys.
    package static let entities = StepStatement(
        "SELECT \"entity\", \"successor\", \"shift\" FROM \"\(StepTableSQL.entities)\"")
    /// Notes the new object of an old one. Parameters: the old root entity and key, the new ones.
    package static let note = StepStatement(
        .replacement(
            table: "\"\(StepTableSQL.successors)\"",
            row: "(\"root\", \"key\", \"newRoot\", \"newKey\") VALUES (?, ?, ?, ?)",
            former: "\"root\" = ? AND \"key\" = ? AND \"newRoot\" = ?"))
    /// Reads the noted new object of an old one. Parameters: the old root entity and key, the new
    /// root entity.
    package static let noted = StepStatement(
        """
        SELECT "newKey" FROM "\(StepTableSQL.successors)" \
        WHERE "root" = ? AND "key" = ? AND "newRoot" = ?
        """)
    /// Notes that a new object was deleted. Parameters: its root entity and key.
    package static let noteDeletion = StepStatement(
        .insertionOfNew(
            table: "\"\(StepTableSQL.deletions)\"", row: "(\"root\", \"key\") VALUES (?, ?)"))

    /// The keys of a table's rows, in their order.
    package static func keys(of table: String) -> String {
        "SELECT \"_id\" FROM \(SQLText.identifier(table)) ORDER BY 1"
    }

    /// The entity of a row. Parameter: the key.
    package static func entity(in table: String) -> StepStatement {
        StepStatement("SELECT \"_entity\" FROM \(SQLText.identifier(table)) WHERE \"_id\" = ?")
    }

    /// Returns the keys of rows without a value in a column. If the table has several entities,
    /// only rows of a family are included.
    package static func missing(
        _ column: String, in table: String, family: [String]
    ) -> StepStatement {
        StepStatement(
            """
            SELECT "_id" FROM \(SQLText.identifier(table)) \
            WHERE \(SQLText.identifier(column)) IS NULL
            """
                + (family.isEmpty ? "" : " AND \"_entity\" IN (\(SQLText.literals(family)))")
                + " ORDER BY 1")
    }

    /// Sets a column of a row. Parameters: the value, the key.
    package static func set(_ column: String, in table: String) -> StepStatement {
        StepStatement(
            """
            UPDATE \(SQLText.identifier(table)) SET \(SQLText.identifier(column)) = ? \
            WHERE "_id" = ?
            """, table: table, columns: [column])
    }
}

/// Statements that read and write the links of a to-many relationship for a step of the program.
package struct StepLinkSQL: Sendable {
    private let table: String
    private let source: String
    private let destination: String
    private let position: String?
    /// Whether links are pairs in a table of their own, and not keys in the destinations' rows.
    private let isPairs: Bool

    /// Describes links.
    ///
    /// - Parameters:
    ///   - table: The table that has them: pairs, or the destinations' rows.
    ///   - source: The column of the keys of sources.
    ///   - destination: The column of the keys of destinations; `_id` if the table has their rows.
    ///   - position: The column of the positions in the sources' lists, if they are ordered.
    package init(table: String, source: String, destination: String, position: String?) {
        self.table = SQLText.identifier(table)
        self.source = SQLText.identifier(source)
        self.destination = SQLText.identifier(destination)
        self.position = position.map(SQLText.identifier)
        isPairs = destination != "_id"
    }

    /// The keys of the destinations of a source, in the order of the list. Parameter: the source.
    package var destinations: StepStatement {
        StepStatement(
            "SELECT \(destination) FROM \(table) WHERE \(source) = ? ORDER BY "
                + (position.map { "\($0) NULLS LAST, " } ?? "") + destination)
    }

    /// Adds a link, or gives it another position. Parameters: source, destination, and the position
    /// if there is one.
    package var addition: StepStatement {
        guard isPairs else {
            return StepStatement(
                "UPDATE \(table) SET \(source) = ?1"
                    + (position.map { ", \($0) = ?3" } ?? "") + " WHERE \"_id\" = ?2")
        }
        return StepStatement(
            .replacement(
                table: table,
                row: "(\(source), \(destination)"
                    + (position.map { ", \($0)) VALUES (?1, ?2, ?3)" } ?? ") VALUES (?1, ?2)"),
                former: pair))
    }

    /// The condition of a pair. Parameters: source, destination.
    private var pair: String { "\(source) = ?1 AND \(destination) = ?2" }

    /// Takes a link away. Parameters: source, destination.
    package var removal: StepStatement {
        StepStatement(
            isPairs
                ? "DELETE FROM \(table) WHERE \(pair)"
                : "UPDATE \(table) SET \(source) = NULL WHERE \(source) = ?1 AND \"_id\" = ?2")
    }
}

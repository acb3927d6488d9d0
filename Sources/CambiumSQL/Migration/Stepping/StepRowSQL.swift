/// Statements that read and write the rows of one entity for a step of the program.
package struct StepRowSQL: Sendable {
    /// The table that has the rows: of a store of the old version, or a working one.
    package let table: String
    private let columns: [String]
    private let condition: String?
    private let entity: String?

    /// Describes the rows.
    ///
    /// - Parameters:
    ///   - columns: The columns that are read and written, besides the key.
    ///   - entity: The entity, where the table has objects of several.
    ///   - family: It and the entities that inherit from it.
    package init(table: String, columns: [String], entity: String?, family: [String]) {
        self.table = table
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

    /// Some rows after a key, in the order of their keys. Parameters: the key, how many.
    package var batch: String {
        selection + "\"_id\" > ?" + (condition.map { " AND \($0)" } ?? "")
            + " ORDER BY \"_id\" LIMIT ?"
    }

    /// A row. Parameter: the key.
    package var one: String {
        selection + "\"_id\" = ?" + (condition.map { " AND \($0)" } ?? "")
    }

    /// How many rows there are.
    package var count: String {
        "SELECT count(*) FROM \(quoted)" + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// Inserts a row. Parameters: the key, then the columns.
    package var insertion: String {
        let names =
            ["\"_id\"", "\"_version\""] + (entity == nil ? [] : ["\"_entity\""]) + columns
        let values =
            ["?", "1"] + (entity.map { [SQLText.literal($0)] } ?? [])
            + columns.map { _ in "?" }
        return """
            INSERT INTO \(quoted) (\(names.joined(separator: ", "))) \
            VALUES (\(values.joined(separator: ", ")))
            """
    }

    /// Gives a row other values. Parameters: the columns, then the key.
    package var update: String {
        let list = columns.isEmpty ? ["\"_id\" = \"_id\""] : columns.map { "\($0) = ?" }
        return "UPDATE \(quoted) SET \(list.joined(separator: ", ")) WHERE \"_id\" = ?"
    }

    /// Deletes a row. Parameter: the key.
    package var deletion: String { "DELETE FROM \(quoted) WHERE \"_id\" = ?" }

    // MARK: The steps' own tables

    /// The names of all tables.
    package static let tables =
        "SELECT \"name\" FROM \"sqlite_schema\" WHERE \"type\" = 'table'"
    /// Takes the next key of a root entity. Parameter: its name.
    package static let nextKey =
        """
        UPDATE "\(StepTableSQL.keys)" SET "next" = "next" + 1 WHERE "entity" = ? \
        RETURNING "next" - 1
        """
    /// What the old entities are now: the old name, the new one, how far keys were moved.
    package static let entities =
        "SELECT \"entity\", \"successor\", \"shift\" FROM \"\(StepTableSQL.entities)\""
    /// Notes what an old object became. Parameters: the old root entity and key, the new ones.
    package static let note =
        """
        INSERT OR REPLACE INTO "\(StepTableSQL.successors)" \
        ("root", "key", "newRoot", "newKey") VALUES (?, ?, ?, ?)
        """
    /// What an old object became, as was noted. Parameters: the old root entity and key, the new
    /// root entity.
    package static let noted =
        """
        SELECT "newKey" FROM "\(StepTableSQL.successors)" \
        WHERE "root" = ? AND "key" = ? AND "newRoot" = ?
        """
    /// Notes that a new object was deleted. Parameters: its root entity and key.
    package static let noteDeletion =
        "INSERT OR IGNORE INTO \"\(StepTableSQL.deletions)\" (\"root\", \"key\") VALUES (?, ?)"

    /// The keys of a table's rows, in their order.
    package static func keys(of table: String) -> String {
        "SELECT \"_id\" FROM \(SQLText.identifier(table)) ORDER BY 1"
    }

    /// The entity of a row. Parameter: the key.
    package static func entity(in table: String) -> String {
        "SELECT \"_entity\" FROM \(SQLText.identifier(table)) WHERE \"_id\" = ?"
    }

    /// The keys of rows without a value in a column; with an entity's own where there are several.
    package static func missing(_ column: String, in table: String, family: [String]) -> String {
        """
        SELECT "_id" FROM \(SQLText.identifier(table)) \
        WHERE \(SQLText.identifier(column)) IS NULL
        """
            + (family.isEmpty ? "" : " AND \"_entity\" IN (\(SQLText.literals(family)))")
            + " ORDER BY 1"
    }

    /// Sets a column of a row. Parameters: the value, the key.
    package static func set(_ column: String, in table: String) -> String {
        """
        UPDATE \(SQLText.identifier(table)) SET \(SQLText.identifier(column)) = ? \
        WHERE "_id" = ?
        """
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
    ///   - destination: That of the destinations; `_id` where the table has their rows.
    ///   - position: The column of the places in the sources' lists, where they are ordered.
    package init(table: String, source: String, destination: String, position: String?) {
        self.table = SQLText.identifier(table)
        self.source = SQLText.identifier(source)
        self.destination = SQLText.identifier(destination)
        self.position = position.map(SQLText.identifier)
        isPairs = destination != "_id"
    }

    /// The keys of the destinations of a source, in the order of the list. Parameter: the source.
    package var destinations: String {
        "SELECT \(destination) FROM \(table) WHERE \(source) = ? ORDER BY "
            + (position.map { "\($0) NULLS LAST, " } ?? "") + destination
    }

    /// Adds a link, or gives it another place. Parameters: source, destination, and the place
    /// where there is one.
    package var addition: String {
        guard isPairs else {
            return "UPDATE \(table) SET \(source) = ?1"
                + (position.map { ", \($0) = ?3" } ?? "") + " WHERE \"_id\" = ?2"
        }
        return "INSERT OR REPLACE INTO \(table) (\(source), \(destination)"
            + (position.map { ", \($0)) VALUES (?1, ?2, ?3)" } ?? ") VALUES (?1, ?2)")
    }

    /// Takes a link away. Parameters: source, destination.
    package var removal: String {
        isPairs
            ? "DELETE FROM \(table) WHERE \(source) = ?1 AND \(destination) = ?2"
            : "UPDATE \(table) SET \(source) = NULL WHERE \(source) = ?1 AND \"_id\" = ?2"
    }
}

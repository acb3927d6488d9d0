import CambiumModel
import CambiumSQL

/// The statements that save objects of one entity. Each writes a set of objects at once from the
/// `pending` table (`key`, `version`, `c0`, `c1`, … in the order of the entity's slots).
///
/// A failed save is rolled back completely. `OR ROLLBACK` tells SQLite so. Otherwise it copies each
/// page to a temporary file first, to be able to roll back the statement alone.
final class SaveSQL: Sendable {
    private let table: String
    private let entity: String?
    private let columns: [(slot: Int, name: String)]
    /// The slots of derived attributes. The program never sets them.
    private let derived: Set<Int>
    /// The position columns of ordered relationships, by the slot of the key that references the
    /// owner.
    private let positions: [Int: String]

    init(_ entity: Entity, layout: RecordLayout, in model: Model) {
        let root = model.root(of: entity)
        table = SQLText.identifier(root.name)
        self.entity = model.hasSubentities(root) ? SQLText.literal(.text(entity.name)) : nil
        columns = layout.slots.enumerated().compactMap { slot, place in
            place.column.map { (slot, SQLText.identifier($0)) }
        }
        let derivedNames = Set(
            model.attributes(of: entity).filter { $0.derivation != nil }.map(\.name))
        derived = Set(
            layout.slots.indices.filter { derivedNames.contains(layout.slots[$0].property) })
        var positions: [Int: String] = [:]
        for relationship in model.relationships(of: entity) {
            let declarer = model.declarer(of: relationship.name, in: entity) ?? entity
            guard let slot = layout.slot(of: relationship.name),
                let column = model.inversePositionColumn(of: relationship, of: declarer)
            else { continue }
            positions[slot] = SQLText.identifier(column)
        }
        self.positions = positions
    }

    private static let key = SQLText.identifier(SystemColumn.key)
    private static let version = SQLText.identifier(SystemColumn.version)
    private static let entity = SQLText.identifier(SystemColumn.entity)

    /// The effect of a rejected row on its statement and transaction.
    enum Refusal: String, Sendable {
        /// The transaction is rolled back completely.
        case rollback = "ROLLBACK"
        /// The statement stops, and its earlier writes are kept: their number identifies the
        /// rejected row. The caller rolls the transaction back.
        case stop = "FAIL"
    }

    /// Inserts rows with the version of their records plus 1.
    func insert(onRefusal refusal: Refusal = .rollback) -> String {
        var names = [Self.key, Self.version]
        var values = ["key", "version + 1"]
        if let entity {
            names.append(Self.entity)
            values.append(entity)
        }
        for column in columns where !derived.contains(column.slot) {
            names.append(column.name)
            values.append("c\(column.slot)")
        }
        return """
            INSERT OR \(refusal.rawValue) INTO \(table) (\(names.joined(separator: ", "))) \
            SELECT \(values.joined(separator: ", ")) FROM pending
            """
    }

    /// Updates the columns of some slots, and the version, in rows that still have the record's
    /// version.
    func update(slots: [Int], onRefusal refusal: Refusal = .rollback) -> String {
        """
        UPDATE OR \(refusal.rawValue) \(table) \
        SET \(assignments(of: slots, version: "p.version") { "p.c\($0)" }) FROM pending AS p \
        WHERE \(table).\(Self.key) = p.key AND \(table).\(Self.version) = p.version
        """
    }

    /// Updates rows as ``update(slots:onRefusal:)`` does, from one key (parameter 1) to another
    /// (2), if they have the version in parameter 3. There is a pending record for each row.
    ///
    /// SQLite scans the table and reads a record's values at each row. An update with a join would
    /// first collect all its writes.
    func updateRange(slots: [Int]) -> String {
        """
        UPDATE OR ROLLBACK \(table) \
        SET \(assignments(of: slots, version: Self.version) { "pending_value(\(Self.key), \($0))" }) \
        WHERE \(Self.key) BETWEEN ? AND ? AND \(Self.version) = ?
        """
    }

    /// - Parameter value: Returns the SQL expression for a slot's value.
    private func assignments(
        of slots: [Int], version: String, value: (Int) -> String
    ) -> String {
        let wanted = Set(slots)
        var sets = ["\(Self.version) = \(version) + 1"]
        for column in columns where wanted.contains(column.slot) {
            sets.append("\(column.name) = \(value(column.slot))")
            // A position belongs to the owner of the list.
            guard let position = positions[column.slot] else { continue }
            sets.append(
                "\(position) = CASE WHEN \(table).\(column.name) IS \(value(column.slot)) "
                    + "THEN \(position) END")
        }
        return sets.joined(separator: ", ")
    }

    /// Deletes rows by key, if they have the version in parameter 1.
    var delete: String {
        """
        DELETE FROM \(table) WHERE \(Self.key) IN (SELECT key FROM pending) \
        AND \(Self.version) = ?
        """
    }

    /// Deletes the rows from one key (parameter 1) to another (2), if they have the version in
    /// parameter 3.
    var deleteRange: String {
        "DELETE FROM \(table) WHERE \(Self.key) BETWEEN ? AND ? AND \(Self.version) = ?"
    }

    /// Finds the records with a changed or deleted row. Returns the key, whether the row exists,
    /// then the row as ``SelectSQL`` reads it.
    var conflicts: String {
        var names = ["p.key", "t.\(Self.key) IS NOT NULL", "t.\(Self.version)"]
        if entity != nil { names.append("t.\(Self.entity)") }
        names += columns.map { "t.\($0.name)" }
        return """
            SELECT \(names.joined(separator: ", ")) FROM pending AS p \
            LEFT JOIN \(table) AS t ON t.\(Self.key) = p.key \
            WHERE t.\(Self.version) IS NOT p.version
            """
    }

    /// Returns the column of each slot in a row of ``conflicts``; nil for a transient one.
    func conflictColumns(slotCount: Int) -> [Int?] {
        let first = entity == nil ? 3 : 4
        var places = [Int?](repeating: nil, count: slotCount)
        for (index, column) in columns.enumerated() { places[column.slot] = first + index }
        return places
    }
}

/// The query for the rows with unique values that records of the `pending` table will have. There
/// is one for each unique constraint, and one for each to-one relationship with at most one partner
/// for its destination.
struct UniqueSQL: Sendable {
    /// For each record (`key`) with a value in all of the columns, the keys of the other rows with
    /// the same values: the record's key, the row's key.
    let holders: String
    /// For each record that one end of a one-to-one references and the other does not: the record's
    /// key, the key of the row at the other end. For relationships that are their own inverse.
    let oneSided: String

    /// - Parameters:
    ///   - columns: The columns, with the slots of their values in `pending`.
    ///   - entity: The entity that declares the properties; its family's rows count.
    init(_ columns: [(slot: Int, name: String)], of entity: Entity, in model: Model) {
        let root = model.root(of: entity)
        var conditions = columns.map { column in
            "t.\(SQLText.identifier(column.name)) = p.c\(column.slot)"
        }
        if entity.parent != nil {
            let names = model.family(of: entity).map { SQLText.literal(.text($0.name)) }
            let column = "t.\(SQLText.identifier(SystemColumn.entity))"
            // The condition has the form of the partial index, so that SQLite uses the index.
            conditions.append(
                names.count == 1
                    ? "\(column) = \(names[0])" : "\(column) IN (\(names.joined(separator: ", ")))")
        }
        let key = "t.\(SQLText.identifier(SystemColumn.key))"
        holders = """
            SELECT p.key, \(key) FROM pending AS p \
            CROSS JOIN \(SQLText.identifier(root.name)) AS t \
            WHERE \(conditions.joined(separator: " AND ")) AND \(key) <> p.key
            """
        let source = "pending AS p CROSS JOIN \(SQLText.identifier(root.name)) AS t"
        oneSided =
            columns.first.map { slot, name in
                let column = "t.\(SQLText.identifier(name))"
                return """
                    SELECT p.key, \(key) FROM \(source) WHERE \(column) = p.key \
                    AND \(key) IS NOT p.c\(slot) UNION ALL \
                    SELECT p.key, \(key) FROM \(source) WHERE \(key) = p.c\(slot) \
                    AND \(column) IS NOT p.key
                    """
            } ?? ""
    }
}

/// The statements that remove a complete row from its table and insert it again with other values,
/// for rows that swap unique values. Without them, each row would conflict with the other's old
/// value.
///
/// A temporary value such as NULL might violate a CHECK constraint. A removed row violates none,
/// and foreign keys are checked when the transaction ends.
struct RowCopySQL: Sendable {
    /// The writable columns, in the order of the table.
    let columns: [String]
    /// The generated columns.
    let generatedColumns: [String]
    /// For a key column, the column of its list position.
    let positions: [String: String]
    private let table: String

    init(root: Entity, in model: Model) {
        table = SQLText.identifier(root.name)
        let all = Schema.table(of: root, in: model).columns
        columns = all.filter { !$0.isGenerated }.map(\.name)
        generatedColumns = all.filter(\.isGenerated).map(\.name)
        var positions: [String: String] = [:]
        for entity in model.family(of: root) {
            for relationship in entity.relationships {
                guard case .key(let key, _) = model.storage(of: relationship, of: entity),
                    let position = model.inversePositionColumn(of: relationship, of: entity)
                else { continue }
                positions[key] = position
            }
        }
        self.positions = positions
    }

    /// Reads the columns of the row with the key in parameter 1, and then its generated columns.
    var select: String {
        """
        SELECT \(Self.list(columns + generatedColumns)) FROM \(table) \
        WHERE \(SQLText.identifier(SystemColumn.key)) = ?
        """
    }

    /// Removes the row with the key in parameter 1.
    var delete: String {
        "DELETE FROM \(table) WHERE \(SQLText.identifier(SystemColumn.key)) = ?"
    }

    /// Inserts a row; the values are parameters.
    var insert: String {
        let values = columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(Self.list(columns))) VALUES (\(values))"
    }

    private static func list(_ columns: [String]) -> String {
        columns.map(SQLText.identifier).joined(separator: ", ")
    }
}

/// The statements that change the pairs of a join table, a set at once from the `pending` table:
/// `key` has this side's key, `c0` the other's.
struct LinkSQL: Sendable {
    private let table: String
    private let source: String
    private let destination: String

    init(table: String, sourceColumn: String, destinationColumn: String) {
        self.table = SQLText.identifier(table)
        source = SQLText.identifier(sourceColumn)
        destination = SQLText.identifier(destinationColumn)
    }

    /// Adds pairs. A pair that exists already (a sibling context has added it too) is kept.
    var insert: String {
        "INSERT OR IGNORE INTO \(table) (\(source), \(destination)) SELECT key, c0 FROM pending"
    }

    /// Removes pairs.
    var delete: String {
        """
        DELETE FROM \(table) WHERE (\(source), \(destination)) IN (SELECT key, c0 FROM pending)
        """
    }

    /// Selects the destinations of the pairs with a source (parameter 1).
    var destinations: String {
        "SELECT \(destination) FROM \(table) WHERE \(source) = ?"
    }

    /// Selects the sources of the pairs with a destination (parameter 1).
    var sources: String {
        "SELECT \(source) FROM \(table) WHERE \(destination) = ?"
    }

    /// Removes all pairs of the keys.
    var deleteAll: String {
        "DELETE FROM \(table) WHERE \(source) IN (SELECT key FROM pending)"
    }
}

/// The statements that write the order of an ordered relationship, for a set of owners at once from
/// the `pending` table. A change of a position does not change the member's version.
final class OrderSQL: Sendable {
    private let table: String
    private let owner: String
    private let member: String
    private let position: String

    /// - Returns: Nil if the relationship has no stored order.
    init?(_ relationship: Relationship, of entity: Entity, in model: Model) {
        guard let position = model.positionColumn(of: relationship, of: entity) else { return nil }
        switch model.storage(of: relationship, of: entity) {
        case .inverseKey(let column):
            guard let destination = model.entity(named: relationship.destination) else {
                return nil
            }
            table = SQLText.identifier(model.root(of: destination).name)
            owner = SQLText.identifier(column)
            member = SQLText.identifier(SystemColumn.key)
        case .joinTable(let name, let source, let destination):
            table = SQLText.identifier(name)
            owner = SQLText.identifier(source)
            member = SQLText.identifier(destination)
        case .key, .transient:
            return nil
        }
        self.position = SQLText.identifier(position)
    }

    /// For each owner (`key`): its key, the greatest position (NULL if there is none), and the
    /// number of members without a position.
    var ends: String {
        """
        SELECT p.key, (SELECT max(\(position)) FROM \(table) WHERE \(owner) = p.key), \
        (SELECT count(*) FROM \(table) WHERE \(owner) = p.key AND \(position) IS NULL) \
        FROM pending AS p
        """
    }

    /// For each owner (`key`), its members in their order: the owner's key, the member's key, the
    /// position.
    var members: String {
        """
        SELECT p.key, m.\(member), m.\(position) FROM pending AS p \
        CROSS JOIN \(table) AS m ON m.\(owner) = p.key \
        ORDER BY 1, 3 NULLS LAST, 2
        """
    }

    /// Sets the positions (`c1`) of members (`key`) of owners (`c0`). If a member no longer belongs
    /// to that owner, it gets none.
    var place: String {
        """
        UPDATE OR ROLLBACK \(table) SET \(position) = p.c1 FROM pending AS p \
        WHERE \(table).\(member) = p.key AND \(table).\(owner) = p.c0
        """
    }
}

/// Queries for dangling keys that a save would leave.
enum ReferenceSQL {
    /// The keys of the `pending` table without a row in a root entity's table.
    static func missing(root: Entity) -> String {
        let key = "t.\(SQLText.identifier(SystemColumn.key))"
        return """
            SELECT p.key FROM pending AS p \
            LEFT JOIN \(SQLText.identifier(root.name)) AS t ON \(key) = p.key WHERE \(key) IS NULL
            """
    }

    /// The keys of the rows of a root entity's table that reference, in a column, a key of the
    /// `pending` table.
    static func referring(root: Entity, column: String) -> String {
        """
        SELECT t.\(SQLText.identifier(SystemColumn.key)) FROM pending AS p \
        CROSS JOIN \(SQLText.identifier(root.name)) AS t \
        ON t.\(SQLText.identifier(column)) = p.key
        """
    }
}

/// The query of the rows that a relationship references from rows with keys in `pending`. It
/// returns the key in `pending`, then the key, the version and, if the table has that column, the
/// entity of the referenced row.
enum RelatedSQL {
    /// - Returns: Nil for links that are not in the store.
    static func rowKeys(
        of storage: RelationshipStorage, from source: Entity, to destination: Entity,
        in model: Model
    ) -> String? {
        let far = SQLText.identifier(destination.name)
        let key = SQLText.identifier(SystemColumn.key)
        var names = ["p.key", "t.\(key)", "t.\(SQLText.identifier(SystemColumn.version))"]
        if model.hasSubentities(destination) {
            names.append("t.\(SQLText.identifier(SystemColumn.entity))")
        }
        let select = "SELECT \(names.joined(separator: ", ")) FROM pending AS p"
        switch storage {
        case .key(let column, _):
            return "\(select) CROSS JOIN \(SQLText.identifier(source.name)) AS s "
                + "ON s.\(key) = p.key "
                + "CROSS JOIN \(far) AS t ON t.\(key) = s.\(SQLText.identifier(column))"
        case .inverseKey(let column):
            return "\(select) CROSS JOIN \(far) AS t ON t.\(SQLText.identifier(column)) = p.key"
        case .joinTable(let name, let near, let end):
            return "\(select) CROSS JOIN \(SQLText.identifier(name)) AS j "
                + "ON j.\(SQLText.identifier(near)) = p.key "
                + "CROSS JOIN \(far) AS t ON t.\(key) = j.\(SQLText.identifier(end))"
        case .transient:
            return nil
        }
    }
}

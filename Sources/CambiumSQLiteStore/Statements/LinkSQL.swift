import CambiumModel
import CambiumSQL

/// The statements that change the pairs of a join table, a whole set at once out of the `pending`
/// table: `key` holds this side's key, `c0` the other's.
struct LinkSQL: Sendable {
    private let table: String
    private let source: String
    private let destination: String

    init(table: String, sourceColumn: String, destinationColumn: String) {
        self.table = SQLText.identifier(table)
        source = SQLText.identifier(sourceColumn)
        destination = SQLText.identifier(destinationColumn)
    }

    /// Adds pairs; one that exists already (a sibling added it too) stays.
    var insert: String {
        "INSERT OR IGNORE INTO \(table) (\(source), \(destination)) SELECT key, c0 FROM pending"
    }

    /// Removes pairs.
    var delete: String {
        """
        DELETE FROM \(table) WHERE (\(source), \(destination)) IN (SELECT key, c0 FROM pending)
        """
    }

    /// The other ends of the pairs of the key that is parameter 1.
    var destinations: String {
        "SELECT \(destination) FROM \(table) WHERE \(source) = ?"
    }

    /// The same from the other side.
    var sources: String {
        "SELECT \(source) FROM \(table) WHERE \(destination) = ?"
    }

    /// Removes all pairs of the keys.
    var deleteAll: String {
        "DELETE FROM \(table) WHERE \(source) IN (SELECT key FROM pending)"
    }
}

/// The statements that keep the order of an ordered to-many, for a whole set of owners at once out
/// of the `pending` table. Changing a place does not count as a change of the member's row.
struct OrderSQL: Sendable {
    private let table: String
    private let owner: String
    private let member: String
    private let position: String

    /// - Returns: Nil where the relationship has no stored order.
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

    /// For each owner (`key`): its key, the greatest place (NULL where there is none), and how many
    /// members have no place.
    var ends: String {
        """
        SELECT p.key, (SELECT max(\(position)) FROM \(table) WHERE \(owner) = p.key), \
        (SELECT count(*) FROM \(table) WHERE \(owner) = p.key AND \(position) IS NULL) \
        FROM pending AS p
        """
    }

    /// For each owner (`key`) its members in their order: the owner's key, the member's, the place.
    var members: String {
        """
        SELECT p.key, m.\(member), m.\(position) FROM pending AS p \
        CROSS JOIN \(table) AS m ON m.\(owner) = p.key \
        ORDER BY 1, 3 NULLS LAST, 2
        """
    }

    /// Gives members (`key`) of owners (`c0`) places (`c1`). Who is not with that owner any more
    /// gets none.
    var place: String {
        """
        UPDATE OR ROLLBACK \(table) SET \(position) = p.c1 FROM pending AS p \
        WHERE \(table).\(member) = p.key AND \(table).\(owner) = p.c0
        """
    }
}

/// Queries about dangling keys, which a save asks before it would leave some behind.
enum ReferenceSQL {
    /// The keys of the `pending` table that no row of a root entity's table has.
    static func missing(root: Entity) -> String {
        let key = "t.\(SQLText.identifier(SystemColumn.key))"
        return """
            SELECT p.key FROM pending AS p \
            LEFT JOIN \(SQLText.identifier(root.name)) AS t ON \(key) = p.key WHERE \(key) IS NULL
            """
    }

    /// The keys of the rows of a root entity's table whose column references a key of the `pending`
    /// table.
    static func referring(root: Entity, column: String) -> String {
        """
        SELECT t.\(SQLText.identifier(SystemColumn.key)) FROM pending AS p \
        CROSS JOIN \(SQLText.identifier(root.name)) AS t \
        ON t.\(SQLText.identifier(column)) = p.key
        """
    }
}

/// The query of the row keys that a relationship references from the rows whose keys are in
/// `pending`: that key, then the key, the version and, where the table has that column, the entity
/// of the row at the other end.
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

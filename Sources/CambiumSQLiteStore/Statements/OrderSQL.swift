import CambiumModel
import CambiumSQL

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

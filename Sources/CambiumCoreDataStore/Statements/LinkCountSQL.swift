import CambiumModel
import CambiumSQL

/// The query that finds objects with fewer or more objects at a to-many than there may be.
struct LinkCountSQL: Sendable {
    /// The relationship.
    let relationship: Relationship
    /// Key, entity and number of destinations of the objects with too few or too many.
    let query: String

    /// All to-manys of a model that have limits.
    static func all(in model: Model) -> [LinkCountSQL] {
        model.entities.flatMap { entity in
            entity.relationships.compactMap { LinkCountSQL($0, of: entity, in: model) }
        }
    }

    private init?(_ relationship: Relationship, of entity: Entity, in model: Model) {
        guard relationship.isToMany,
            relationship.minimumCount != nil || relationship.maximumCount != nil,
            let (table, column) = Self.place(of: relationship, entity, model)
        else { return nil }
        self.relationship = relationship
        let key = SQLText.identifier(column)
        let rows = EntityRows(of: entity, in: model)
        let number = "coalesce(c.\"n\", 0)"
        let limits = [
            relationship.minimumCount.map { "\(number) < \($0)" },
            relationship.maximumCount.map { "\(number) > \($0)" },
        ].compactMap(\.self)
        // An optional one may be empty.
        query =
            "SELECT t.\"_id\", \(rows.entity), \(number) FROM \(rows.table) AS t LEFT JOIN "
            + "(SELECT \(key) AS \"k\", count(*) AS \"n\" FROM \(SQLText.identifier(table)) "
            + "WHERE \(key) IS NOT NULL GROUP BY 1) AS c ON c.\"k\" = t.\"_id\" "
            + "WHERE \(rows.isOfEntity)(\(limits.joined(separator: " OR ")))"
            + (relationship.isOptional ? " AND \(number) > 0" : "")
    }

    /// The table and column in which each link has the key of its owner.
    private static func place(
        of relationship: Relationship, _ entity: Entity, _ model: Model
    ) -> (table: String, column: String)? {
        switch model.storage(of: relationship, of: entity) {
        case .joinTable(let name, let source, _): (name, source)
        case .inverseKey(let column):
            model.inverse(of: relationship).map { (model.root(of: $0.entity).name, column) }
        case .key, .transient: nil
        }
    }

    /// The problem of an object with this number of destinations.
    func words(_ count: Int64) -> String {
        let limit =
            if let minimum = relationship.minimumCount, count < minimum {
                "at least \(minimum) are needed"
            } else {
                "at most \(relationship.maximumCount ?? 0) are allowed"
            }
        return "\(count) object\(count == 1 ? "" : "s"); \(limit)"
    }
}

import CambiumModel
import CambiumSQL

/// The statements that find rows without a link of a to-one that is required and whose keys our
/// store keeps at the other side.
struct RequiredInverseSQL: Sendable {
    /// The relationship.
    let relationship: Relationship
    /// The entity whose objects have the keys.
    let owner: Entity
    /// Whether there are any.
    let hasFaults: String
    /// Key and entity of the rows.
    let missing: String
    /// Takes a row away (parameter 1).
    let remove: String

    /// - Parameter entity: The entity that declares the relationship.
    /// - Returns: nil for other relationships.
    init?(_ relationship: Relationship, of entity: Entity, in model: Model) {
        guard !relationship.isToMany, !relationship.isOptional,
            case .inverseKey(let column) = model.storage(of: relationship, of: entity),
            let owner = model.entity(named: relationship.destination)
        else { return nil }
        self.relationship = relationship
        self.owner = owner
        let all = EntityRows(of: entity, in: model)
        let rows =
            "FROM \(all.table) AS t WHERE \(all.isMeant)NOT EXISTS (SELECT 1 FROM "
            + "\(SQLText.identifier(model.root(of: owner).name)) AS o "
            + "WHERE o.\(SQLText.identifier(column)) = t.\"_id\")"
        hasFaults = "SELECT EXISTS (SELECT 1 \(rows))"
        missing = "SELECT t.\"_id\", \(all.entity) \(rows)"
        remove = all.remove
    }
}

import CambiumModel
import CambiumSQL

// Links of a one-to-one that only one of both rows of Core Data's has.
extension ObjectAdoptionSQL {
    /// The links of a one-to-one that our store keeps at the other side, and that only this side
    /// of Core Data's has: key, entity number, target, and whether the object, the target and an object
    /// of whatever entity that has the target's key are in our store. Nil for other relationships.
    func oneSided(_ key: CoreDataLayout.KeySource) -> String? {
        let model = layout.model
        guard let column = key.column,
            case .inverseKey(let owner) = model.storage(of: key.relationship, of: key.entity),
            let destination = model.entity(named: key.relationship.destination)
        else { return nil }
        let target = KeyCheckSQL.object(
            of: destination, key: "s.\(SQLText.identifier(column))", in: model)
        return "SELECT s.\"Z_PK\", s.\"Z_ENT\", s.\(SQLText.identifier(column)), "
            + "EXISTS (SELECT 1 FROM \(SQLText.identifier(table.name)) AS t "
            + "WHERE t.\"_id\" = s.\"Z_PK\"), EXISTS (\(target)), EXISTS (SELECT 1 FROM "
            + "\(SQLText.identifier(model.root(of: destination).name)) AS o "
            + "WHERE o.\"_id\" = s.\(SQLText.identifier(column))) FROM \(from) "
            + "WHERE s.\(SQLText.identifier(column)) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
            + "\(SQLText.identifier(model.root(of: destination).name)) AS o "
            + "WHERE o.\"_id\" = s.\(SQLText.identifier(column)) "
            + "AND o.\(SQLText.identifier(owner)) = s.\"Z_PK\")"
    }

    /// The objects without a link of a one-to-one that have one in our store, as the other side has
    /// it: key, entity number, and the key of the other object. Nil for other relationships.
    func completed(_ key: CoreDataLayout.KeySource) -> String? {
        let model = layout.model
        guard let column = key.column, let inverse = model.inverse(of: key.relationship),
            !inverse.relationship.isToMany
        else { return nil }
        let objects: String
        switch model.storage(of: key.relationship, of: key.entity) {
        case .inverseKey(let owner):
            objects =
                "JOIN \(SQLText.identifier(model.root(of: inverse.entity).name)) AS o "
                + "ON o.\(SQLText.identifier(owner)) = s.\"Z_PK\""
        case .key(let own, _)
        where (inverse.relationship, inverse.entity) == (key.relationship, key.entity):
            objects =
                "JOIN (SELECT \"_id\" AS \"k\", \(SQLText.identifier(own)) AS \"_id\" FROM "
                + "\(SQLText.identifier(table.name)) WHERE \(SQLText.identifier(own)) IS NOT NULL) AS o "
                + "ON o.\"k\" = s.\"Z_PK\""
        default: return nil
        }
        return "SELECT s.\"Z_PK\", s.\"Z_ENT\", o.\"_id\" FROM \(from) \(objects) "
            + "WHERE s.\(SQLText.identifier(column)) IS NULL"
    }
}

import CambiumModel

// What can be told from the statements while they run.
extension ObjectRemoval {
    /// Counts the objects that were chosen and are still there, by their entities.
    ///
    /// - Parameter number: The number of the removal.
    static func chosen(of entity: Entity, in model: Model, by number: Int = 0) -> String {
        let root = model.root(of: entity)
        let name =
            model.hasSubentities(root) ? "object.\"_entity\"" : SQLText.literal(.text(root.name))
        return "SELECT \(name), count(*) FROM \(pairs(number)) AS pair JOIN "
            + "\(SQLText.identifier(root.name)) AS object ON object.\"_id\" = pair.\"old\" GROUP BY 1"
    }
}

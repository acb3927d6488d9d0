import CambiumModel
import CambiumSQL

/// The rows of an entity's objects, in the table that its whole family has.
struct EntityRows {
    /// The table, quoted.
    let table: String
    /// SQL for the entity of a row, whose table is called `t`.
    let entity: String
    /// The condition, with what joins it to the next one, that a row is of the entity; empty where all
    /// rows are.
    let isMeant: String
    /// Takes a row away (parameter 1).
    var remove: String { "DELETE FROM \(table) WHERE \"_id\" = ?1" }

    init(of entity: Entity, in model: Model) {
        let root = model.root(of: entity)
        let family = model.family(of: entity).map { SQLText.literal(.text($0.name)) }
        table = SQLText.identifier(root.name)
        self.entity =
            model.hasSubentities(root) ? "t.\"_entity\"" : SQLText.literal(.text(root.name))
        isMeant =
            entity.parent == nil ? "" : "t.\"_entity\" IN (\(family.joined(separator: ", "))) AND "
    }
}

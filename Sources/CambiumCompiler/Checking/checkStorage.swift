import CambiumModel
import CambiumSQL

extension ModelChecker {
    /// Reports tables that SQLite could not make. Only a model without other errors has tables to
    /// speak of.
    mutating func checkStorage(of model: Model, _ drafts: [EntityDraft]) {
        for (root, draft) in zip(model.entities, drafts) where root.parent == nil {
            let isHierarchy = model.hasSubentities(root)
            // The key, the version, and in a hierarchy the entity.
            let count =
                (isHierarchy ? 3 : 2)
                + model.family(of: root).reduce(0) { $0 + columnCount(of: $1, in: model) }
            guard count > Self.maximumColumns else { continue }
            report(
                .unprovenMigration,
                "The table of '\(root.name)'\(isHierarchy ? " and what inherits from it" : "") has "
                    + "\(count) columns, and SQLite has \(Self.maximumColumns) at most",
                at: draft.element["name"]?.valueOffset ?? draft.element.offset,
                notes: [
                    "Move some attributes to an entity of their own, with a to-one relationship to "
                        + "it"
                ])
        }
    }

    /// How many columns SQLite lets a table have.
    private static let maximumColumns = 2000

    /// How many columns an entity's own properties have.
    private func columnCount(of entity: Entity, in model: Model) -> Int {
        let attributes = entity.attributes.count { !$0.isTransient }
        return entity.relationships.reduce(attributes) { count, relationship in
            guard
                case .key(_, let entityColumn) = model.storage(of: relationship, of: entity)
            else { return count }
            let position = model.inversePositionColumn(of: relationship, of: entity)
            return count + 1 + [entityColumn, position].compactMap(\.self).count
        }
    }
}

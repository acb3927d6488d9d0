import CambiumModel
import CambiumSQL

extension ModelChecker {
    /// Reports tables that SQLite could not make. Only a model without other errors has tables to
    /// speak of.
    func checkStorage(of model: Model, _ drafts: [EntityDraft]) {
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

    /// Says of which properties the columns have other names, because SQLite does not tell upper from
    /// lower case: whoever looks into the store has to know.
    func warnAboutCase(of model: Model, _ drafts: [EntityDraft]) {
        let byName = drafts.byName
        for root in model.entities where root.parent == nil {
            var first: [String: (name: String, owner: Entity)] = [:]
            for entity in model.family(of: root) {
                let names =
                    entity.attributes.filter { !$0.isTransient && !$0.isPart }.map(\.name)
                    + entity.relationships.filter {
                        if case .key = model.storage(of: $0, of: entity) { true } else { false }
                    }.map(\.name)
                for name in names {
                    let other = first[name.lowercased()] ?? (name, entity)
                    first[name.lowercased()] = other
                    guard other.name != name,
                        let declaration = byName[entity.name]?.declaration(of: name)
                    else { continue }
                    let columns = [
                        model.column(of: other.name, in: other.owner),
                        model.column(of: name, in: entity),
                    ]
                    report(
                        .xcodeMeaning,
                        "'\(entity.name).\(name)' and '\(other.owner.name).\(other.name)' differ in "
                            + "case only: their columns are '\(columns[1])' and '\(columns[0])'",
                        at: declaration["name"]?.valueOffset ?? declaration.offset)
                }
            }
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

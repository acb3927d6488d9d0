import CambiumModel

extension ModelChecker {
    /// Reports declarations that need a table or column whose name another one has already. Only a
    /// model without other errors has tables to speak of.
    mutating func checkStorage(of model: Model, _ drafts: [EntityDraft]) {
        var tables = Dictionary(
            model.roots.map { ($0.name.lowercased(), StorageOwner(entity: $0.name)) },
            uniquingKeysWith: { one, _ in one })
        var columns: [String: [String: StorageOwner]] = [:]
        for (entity, draft) in zip(model.entities, drafts) {
            let root = model.root(of: entity).name
            var taken = columns[root] ?? [:]
            // Out of the way while it grows.
            columns[root] = nil
            for attribute in entity.attributes where !attribute.isTransient {
                let column = model.column(of: attribute.name, in: entity)
                take(column, for: attribute.name, draft, from: &taken)
            }
            for relationship in entity.relationships {
                switch model.storage(of: relationship, of: entity) {
                case .key(let column, let entityColumn):
                    let positionColumn = model.inversePositionColumn(of: relationship, of: entity)
                    for column in [column, entityColumn, positionColumn].compactMap(\.self) {
                        take(column, for: relationship.name, draft, from: &taken)
                    }
                case .joinTable(let name, "_source", _):
                    take(name, for: relationship.name, draft, from: &tables)
                case .joinTable, .inverseKey, .transient:
                    break
                }
            }
            columns[root] = taken
        }
        for (root, draft) in zip(model.entities, drafts) where root.parent == nil {
            let count = (columns[root.name]?.count ?? 0) + Self.systemColumns(of: root, in: model)
            guard count > Self.maximumColumns else { continue }
            let isHierarchy = model.hasSubentities(root)
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

    /// The key, the version, and in a hierarchy the entity.
    private static func systemColumns(of root: Entity, in model: Model) -> Int {
        model.hasSubentities(root) ? 3 : 2
    }

    private mutating func take(
        _ name: String, for property: String, _ draft: EntityDraft,
        from taken: inout [String: StorageOwner]
    ) {
        let owner = StorageOwner(entity: draft.name, property: property)
        if let other = taken.updateValue(owner, forKey: name.lowercased()),
            let declaration = draft.declaration(of: property)?["name"]
        {
            report(
                .storageNameTaken,
                "'\(draft.name).\(property)' is stored under the name '\(name)', "
                    + "which '\(other.name)' has",
                at: declaration, notes: ["Rename one of them"])
        }
    }
}

/// What a table or a column is for.
private struct StorageOwner {
    let entity: String
    var property: String?

    var name: String { property.map { "\(entity).\($0)" } ?? entity }
}

import CambiumModel

extension ModelChecker {
    /// Reports declarations that need a table or column whose name another one has already. Only a
    /// model without other errors has tables to speak of.
    mutating func checkStorage(of model: Model, _ drafts: [EntityDraft]) {
        let drafts = drafts.byName
        var tables = Dictionary(
            model.roots.map { ($0.name.lowercased(), $0.name) }, uniquingKeysWith: { one, _ in one }
        )
        var columns: [String: [String: String]] = [:]
        for entity in model.entities {
            guard let draft = drafts[entity.name] else { continue }
            let root = model.root(of: entity).name
            for attribute in entity.attributes where !attribute.isTransient {
                let column = model.column(of: attribute.name, in: entity)
                take(column, for: attribute.name, draft, from: &columns[root, default: [:]])
            }
            for relationship in entity.relationships {
                switch model.storage(of: relationship, of: entity) {
                case .key(let column, let entityColumn):
                    let positionColumn = model.inversePositionColumn(of: relationship, of: entity)
                    for column in [column, entityColumn, positionColumn].compactMap(\.self) {
                        take(
                            column, for: relationship.name, draft,
                            from: &columns[root, default: [:]])
                    }
                case .joinTable(let name, "_source", _):
                    take(name, for: relationship.name, draft, from: &tables)
                case .joinTable, .inverseKey, .transient:
                    break
                }
            }
        }
    }

    private mutating func take(
        _ name: String, for property: String, _ draft: EntityDraft,
        from taken: inout [String: String]
    ) {
        if let other = taken.updateValue("\(draft.name).\(property)", forKey: name.lowercased()),
            let declaration = draft.declaration(of: property)?["name"]
        {
            report(
                .storageNameTaken,
                "'\(draft.name).\(property)' is stored under the name '\(name)', "
                    + "which '\(other)' has",
                at: declaration, notes: ["Rename one of them"])
        }
    }
}

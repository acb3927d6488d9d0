import CambiumModel

/// Plans how a migration takes the history of a store along.
struct HistoryPlanner {
    private let difference: ModelDifference
    private let match: ModelMatch
    private let oldSchema: Schema
    private let newSchema: Schema
    private let translation: HistoryTranslation

    init(_ difference: ModelDifference, _ oldSchema: Schema, _ newSchema: Schema) {
        self.difference = difference
        match = difference.match
        self.oldSchema = oldSchema
        self.newSchema = newSchema
        translation = HistoryTranslation(match, oldSchema, newSchema)
    }

    var history: MigrationHistory {
        if StepCoverage(difference) != nil {
            return MigrationHistory(
                obstacle: "The program's own steps change objects, and nobody can say which")
        }
        return MigrationHistory(
            before: translation.statements + [Self.mark] + (deletesObjects ? deletions : []),
            after: (deletesObjects ? survivors : []) + updates)
    }

    /// A change of no object, so that the migration is a transaction in any case.
    private static let mark =
        "INSERT INTO \(HistorySQL.changes) (\"kind\", \"entity\", \"key\") VALUES (1, '', 0)"

    // MARK: Deletions

    private var deletesObjects: Bool {
        difference.changes.contains { change in
            switch change {
            case .entityDropped, .objectsDropped, .duplicatesDropped: true
            default: false
            }
        }
    }

    /// Says of all objects that they are deleted, under their new keys and names.
    private var deletions: [String] {
        match.old.entities.compactMap { entity in
            let root = match.old.root(of: entity)
            guard !entity.isAbstract, let name = translation.name(of: entity) else { return nil }
            let key = "\"_id\"" + (match.keyShift(of: entity).map { " + \($0)" } ?? "")
            return "INSERT INTO \(HistorySQL.changes) (\"kind\", \"entity\", \"key\") "
                + "SELECT \(HistoryKind.delete.rawValue), \(SQLText.literal(.text(name))), \(key) "
                + "FROM \(SQLText.identifier(root.name))\(condition(entity, in: match.old))"
        }
    }

    /// Takes that back of those that are there in the end.
    private var survivors: [String] {
        match.new.roots.map { root in
            let names = match.new.family(of: root).map { SQLText.literal(.text($0.name)) }
            return "DELETE FROM \(HistorySQL.changes) "
                + "WHERE \"kind\" = \(HistoryKind.delete.rawValue) "
                + "AND \"number\" > (SELECT coalesce(max(\"last\"), 0) "
                + "FROM \(HistorySQL.transactions)) "
                + "AND \"entity\" IN (\(names.joined(separator: ", "))) "
                + "AND \"key\" IN (SELECT \"_id\" FROM \(SQLText.identifier(root.name)))"
        }
    }

    // MARK: Updates

    /// Says which properties the objects of each entity may have other values of.
    private var updates: [String] {
        let changed = changedProperties
        return match.new.entities.compactMap { entity in
            guard !entity.isAbstract, match.oldEntity(of: entity) != nil else { return nil }
            let names = match.new.lineage(of: entity).flatMap { changed[$0.name] ?? [] }
            guard !names.isEmpty else { return nil }
            let list = names.map { " " + $0 }.joined()
            let root = match.new.root(of: entity)
            return "INSERT INTO \(HistorySQL.changes) "
                + "(\"kind\", \"entity\", \"key\", \"properties\") "
                + "SELECT \(HistoryKind.update.rawValue), \(SQLText.literal(.text(entity.name))), "
                + "\"_id\", \(SQLText.literal(.text(list))) "
                + "FROM \(SQLText.identifier(root.name))\(condition(entity, in: match.new))"
        }
    }

    /// By the entities that declare them, in the order of the declarations.
    private var changedProperties: [String: [String]] {
        var found: [String: Set<String>] = [:]
        var cases: Set<String> = []
        for change in difference.changes {
            switch change {
            case .attributeAdded(let entity, let name, _), .attributeFilled(let entity, let name),
                .attributeConverted(let entity, let name, _, _),
                .attributeBecameRequired(let entity, let name),
                .attributeRevised(let entity, let name), .attributeStored(let entity, let name),
                .derivationAdded(let entity, let name), .derivationChanged(let entity, let name),
                .relationshipAdded(let entity, let name),
                .relationshipChanged(let entity, let name),
                .relationshipBecameRequired(let entity, let name),
                .linksDropped(let entity, let name), .orderChanged(let entity, let name, _):
                found[entity, default: []].insert(name)
            case .caseDropped(let enumeration, _, _), .caseRenamed(let enumeration, _, _):
                cases.insert(enumeration)
            default: break
            }
        }
        for entity in match.new.entities {
            for attribute in entity.attributes {
                if case .enumeration(let name) = attribute.type, cases.contains(name) {
                    found[entity.name, default: []].insert(attribute.name)
                }
            }
            // What led to objects that are gone leads elsewhere, or nowhere.
            if deletesObjects {
                found[entity.name, default: []].formUnion(entity.relationships.map(\.name))
            }
        }
        return Dictionary(
            uniqueKeysWithValues: match.new.entities.map { entity in
                let names = found[entity.name] ?? []
                let declared =
                    entity.attributes.filter { !$0.isTransient }.map(\.name)
                    + entity.relationships.filter { !$0.isTransient }.map(\.name)
                return (entity.name, declared.filter(names.contains))
            })
    }

    /// Which rows of its table are objects of an entity.
    private func condition(_ entity: Entity, in model: Model) -> String {
        model.hasSubentities(model.root(of: entity))
            ? " WHERE \"_entity\" = \(SQLText.literal(.text(entity.name)))" : ""
    }
}

import CambiumModel
import CambiumPlan

/// Plans how a migration takes the history of a store along.
final class HistoryPlanner {
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

    private var deletesObjects: Bool { difference.deletesObjects }

    /// The part of the history after the last transaction.
    private static let isOfMigration =
        "> (SELECT coalesce(max(\"last\"), 0) FROM \(HistorySQL.transactions))"

    /// Says of all objects that they are deleted, under their new keys and names.
    private var deletions: [String] {
        match.old.entities.flatMap { entity -> [String] in
            let root = match.old.root(of: entity)
            guard !entity.isAbstract, let heir = translation.heir(of: entity)?.new else {
                return []
            }
            let shift = translation.keyShift(of: entity)
            let (table, name) = (SQLText.identifier(root.name), SQLText.literal(heir.name))
            let condition = condition(entity, in: match.old)
            let deletion =
                """
                INSERT INTO \(HistorySQL.changes) ("kind", "entity", "key") \
                SELECT \(HistoryKind.delete.rawValue), \(name), \
                "_id"\(shift.map { " + \($0)" } ?? "") FROM \(table)\(condition)
                """
            let tombstones = preservedColumns(of: entity, as: heir).map { old, new in
                let (value, condition) = (
                    SQLText.identifier(old), condition + (condition.isEmpty ? " WHERE " : " AND ")
                )
                return """
                    INSERT INTO \(HistorySQL.values) ("change", "column", "old") \
                    SELECT "number", \(SQLText.literal(new)), \(value) \
                    FROM \(HistorySQL.changes) JOIN \(table) \
                    ON "_id" = "key"\(shift.map { " - \($0)" } ?? "")\(condition)\
                    "number" \(Self.isOfMigration) AND "kind" = \(HistoryKind.delete.rawValue) \
                    AND "entity" = \(name) AND \(value) IS NOT NULL
                    """
            }
            return [deletion] + tombstones
        }
    }

    /// Returns the columns that tombstones keep, by their old and new names in order.
    private func preservedColumns(of oldEntity: Entity, as heir: Entity) -> [(String, String)] {
        let root = match.old.root(of: oldEntity).name
        guard let table = oldSchema.tables.first(where: { $0.content == .objects(root: root) })
        else { return [] }
        let names = translation.columns(of: oldEntity, in: table)
        let preserved = match.new.attributes(of: heir).filter {
            $0.isPreservedAfterDeletion && !$0.usesExternalForm
        }
        return table.columns.compactMap { column in
            guard case .attribute = column.content, let new = names[column.name],
                preserved.contains(where: { attribute in
                    match.new.declarer(of: attribute.name, in: heir).map {
                        match.new.column(of: attribute.name, in: $0) == new
                    } ?? false
                })
            else { return nil }
            return (column.name, new)
        }
    }

    /// Removes the deletions of objects that exist in the end.
    private var survivors: [String] {
        match.new.roots.map { root in
            """
            DELETE FROM \(HistorySQL.changes) \
            WHERE "kind" = \(HistoryKind.delete.rawValue) \
            AND "number" \(Self.isOfMigration) \
            AND "entity" IN (\(SQLText.literals(match.new.family(of: root).names))) \
            AND "key" IN (SELECT "_id" FROM \(SQLText.identifier(root.name)))
            """
        } + [
            """
            DELETE FROM \(HistorySQL.values) WHERE "change" \(Self.isOfMigration) \
            AND "change" NOT IN (SELECT "number" FROM \(HistorySQL.changes))
            """
        ]
    }

    // MARK: Updates

    /// Records the properties that may have other values, for the objects of each entity.
    private var updates: [String] {
        let changed = ChangedProperties(difference)
        return match.new.entities.compactMap { entity in
            guard !entity.isAbstract, match.oldEntity(of: entity) != nil else { return nil }
            let names = changed.names(of: entity)
            guard !names.isEmpty else { return nil }
            let list = names.map { " " + $0 }.joined()
            let root = match.new.root(of: entity)
            return """
                INSERT INTO \(HistorySQL.changes) \
                ("kind", "entity", "key", "properties") \
                SELECT \(HistoryKind.update.rawValue), \(SQLText.literal(entity.name)), \
                "_id", \(SQLText.literal(list)) \
                FROM \(SQLText.identifier(root.name))\(condition(entity, in: match.new))
                """
        }
    }

    /// Returns the condition for the rows of a table that are objects of an entity.
    private func condition(_ entity: Entity, in model: Model) -> String {
        model.hasSubentities(model.root(of: entity))
            ? " WHERE \"_entity\" = \(SQLText.literal(entity.name))" : ""
    }
}

/// The properties that may have other values after a migration. These are properties that are
/// filled, converted or linked again, the other ends of such links, and properties derived from any
/// of them.
struct ChangedProperties {
    private let model: Model
    /// The properties by the entity of the objects that have them. The entity declares or inherits
    /// them.
    private var found: [String: Set<String>] = [:]

    init(_ difference: ModelDifference) {
        model = difference.new
        for change in difference.changes { add(change) }
        addDeclared(difference)
        if difference.deletesObjects {
            // References to deleted objects reference other objects, or none.
            for entity in model.entities {
                found[entity.name, default: []].formUnion(entity.relationships.map { $0.name })
            }
        }
        addOtherEnds()
        addDerived()
    }

    /// The properties that an entity's objects have, in the order of their declarations.
    func names(of entity: Entity) -> [String] {
        let names = model.lineage(of: entity).reduce(into: Set<String>()) {
            $0.formUnion(found[$1.name] ?? [])
        }
        return model.lineage(of: entity).flatMap { owner in
            let attributes = owner.attributes.filter { !$0.isTransient }.map { $0.name }
            let relationships = owner.relationships.filter { !$0.isTransient }.map { $0.name }
            return (attributes + relationships).filter(names.contains)
        }
    }

    // MARK: Stored properties

    private mutating func add(_ change: ModelChange) {
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
            for entity in model.entities {
                for attribute in entity.attributes where attribute.type == .enumeration(enumeration)
                {
                    found[entity.name, default: []].insert(attribute.name)
                }
            }
        default: break
        }
    }

    /// Adds the properties that declarations set, and properties that objects newly inherit.
    private mutating func addDeclared(_ difference: ModelDifference) {
        for fill in model.migration?.fills ?? [] {
            found[fill.entity, default: []].insert(fill.attribute)
        }
        for link in model.migration?.links ?? [] {
            found[link.entity, default: []].insert(link.relationship)
        }
        for case .parentChanged(let name, _, _) in difference.changes {
            guard let parent = model.entity(named: name) else { continue }
            for entity in model.family(of: parent)
            where difference.match.oldEntity(of: entity) != nil {
                let names =
                    model.attributes(of: entity).map { $0.name }
                    + model.relationships(of: entity).map { $0.name }
                found[entity.name, default: []].formUnion(
                    names.filter { difference.match.origin(of: $0, in: entity) == nil })
            }
        }
    }

    /// A link has changed the objects at both of its ends.
    private mutating func addOtherEnds() {
        for entity in model.entities {
            for name in found[entity.name] ?? [] {
                guard let relationship = model.relationship(name, of: entity),
                    let inverse = model.inverse(of: relationship)
                else { continue }
                found[inverse.entity.name, default: []].insert(inverse.relationship.name)
            }
        }
    }

    // MARK: Derived attributes

    /// Adds the attributes that are derived from changed properties, until no more are found.
    private mutating func addDerived() {
        var open: [(entity: Entity, name: String, sources: DerivationSources)] = []
        for entity in model.entities {
            for attribute in entity.attributes where !attribute.isTransient {
                guard let expression = attribute.derivation else { continue }
                let sources = DerivationSources(of: expression, entity: entity, in: model)
                if !sources.usesNow { open.append((entity, attribute.name, sources)) }
            }
        }
        while let index = open.firstIndex(where: { reads($0.sources) }) {
            let derived = open.remove(at: index)
            found[derived.entity.name, default: []].insert(derived.name)
        }
    }

    private func reads(_ sources: DerivationSources) -> Bool {
        sources.nodes.contains { node in
            node.properties.contains { hasChanged($0, in: node.entity) }
                || node.path.contains { hasChanged($0.relationship.name, in: $0.source) }
        }
    }

    /// Whether any object that is at least of an entity may have another value.
    private func hasChanged(_ name: String, in entity: Entity) -> Bool {
        (model.lineage(of: entity) + model.family(of: entity)).contains {
            found[$0.name]?.contains(name) ?? false
        }
    }
}

extension ModelDifference {
    /// Whether objects are deleted.
    var deletesObjects: Bool {
        changes.contains { change in
            switch change {
            case .entityDropped, .objectsDropped, .duplicatesDropped: true
            default: false
            }
        }
    }
}

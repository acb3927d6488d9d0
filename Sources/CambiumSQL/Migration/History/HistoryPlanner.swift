import CambiumModel
import CambiumPlan

/// Plans the migration of a store's history.
final class HistoryPlanner {
    private let difference: ModelDifference
    private let match: ModelMatch
    private let oldSchema: Schema
    private let newSchema: Schema
    private let translation: HistoryTranslation
    private let dialect: any HistoryDialect

    init(_ difference: ModelDifference, _ oldSchema: Schema, _ newSchema: Schema) {
        self.difference = difference
        match = difference.match
        self.oldSchema = oldSchema
        self.newSchema = newSchema
        dialect = match.dialect.history(match)
        translation = HistoryTranslation(match, oldSchema, newSchema, dialect)
    }

    var history: MigrationHistory {
        if StepCoverage(difference) != nil {
            return MigrationHistory(
                obstacle: "The program's own steps change objects, and nobody can say which")
        }
        return MigrationHistory(
            before: translation.statements + [dialect.mark] + (deletesObjects ? deletions : []),
            after: (deletesObjects ? survivors : []) + updates)
    }

    // MARK: Deletions

    private var deletesObjects: Bool { difference.deletesObjects }

    /// Says of all objects that they are deleted, under their new keys and names.
    private var deletions: [String] {
        match.old.entities.flatMap { entity -> [String] in
            guard !entity.isAbstract, let successor = translation.successor(of: entity)?.new else {
                return []
            }
            return dialect.deletions(
                of: rows(of: entity, in: match.old, named: successor.name),
                shift: translation.keyShift(of: entity),
                preserved: preservedColumns(of: entity, as: successor))
        }
    }

    /// Returns the columns that tombstones keep, in order.
    private func preservedColumns(of oldEntity: Entity, as successor: Entity) -> [CarriedColumn] {
        let root = match.old.root(of: oldEntity).name
        guard let table = oldSchema.tables.first(where: { $0.content == .objects(root: root) })
        else { return [] }
        let carried = translation.columns(of: oldEntity, in: table)
        let preserved = match.new.attributes(of: successor).filter {
            $0.isPreservedAfterDeletion && !$0.usesExternalForm
        }
        return table.columns.compactMap { column in
            guard case .attribute = column.content, let found = carried[column.name],
                preserved.contains(where: { attribute in
                    match.new.declarer(of: attribute.name, in: successor).map {
                        match.new.column(of: attribute.name, in: $0) == found.new
                    } ?? false
                })
            else { return nil }
            return found
        }
    }

    /// Removes the deletions of objects that exist in the end.
    private var survivors: [String] {
        dialect.survivors(match.new.roots.map { ($0.name, match.new.family(of: $0).names) })
    }

    // MARK: Updates

    /// Records the properties that may have other values, for the objects of each entity.
    private var updates: [String] {
        let changed = ChangedProperties(difference)
        return match.new.entities.compactMap { entity in
            guard !entity.isAbstract, match.oldEntity(of: entity) != nil else { return nil }
            let names = changed.names(of: entity)
            guard !names.isEmpty else { return nil }
            return dialect.update(of: rows(of: entity, in: match.new, named: entity.name), names)
        }
    }

    /// Returns the rows of an entity's objects.
    private func rows(
        of entity: Entity, in model: Model, named name: String
    ) -> RecordedRows {
        let root = model.root(of: entity)
        return RecordedRows(
            name: name, table: root.name,
            entity: model.hasSubentities(root) ? entity.name : nil)
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

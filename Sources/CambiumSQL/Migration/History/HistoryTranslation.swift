import CambiumModel
import CambiumPlan

/// The statements that translate older changes of a history to the names of a new version.
///
/// A change that cannot be translated is omitted: a deleted property, or a value of another type
/// than before. If the entity of an object was deleted, the history shows the object as an object
/// of its nearest ancestor that still exists, with its name, its keys and its properties. If there
/// is no such ancestor, the change is omitted.
final class HistoryTranslation {
    private let match: ModelMatch
    private let oldSchema: Schema
    private let newSchema: Schema
    private let dialect: any HistoryDialect

    init(
        _ match: ModelMatch, _ oldSchema: Schema, _ newSchema: Schema,
        _ dialect: any HistoryDialect
    ) {
        (self.match, self.oldSchema, self.newSchema) = (match, oldSchema, newSchema)
        self.dialect = dialect
    }

    var statements: [String] {
        valueStatements + propertyStatements + keyStatements + entityStatements
    }

    /// Returns the entity that the history shows for the objects of an old entity, in the old and
    /// in the new version; nil if the objects are omitted.
    func successor(of oldEntity: Entity) -> (old: Entity, new: Entity)? {
        match.old.lineage(of: oldEntity).reversed().lazy
            .compactMap { old in self.match.newEntity(of: old).map { (old, $0) } }.first
    }

    /// Returns SQL for the number that is added to the keys of an old entity's objects in the
    /// history; nil if they stay.
    func keyShift(of oldEntity: Entity) -> String? {
        successor(of: oldEntity).flatMap { match.keyShift(of: $0.old) }
    }

    private func name(of oldEntity: Entity) -> String? { successor(of: oldEntity)?.new.name }

    // MARK: Entities and keys

    private var entityStatements: [String] {
        let renamed = match.old.entities.filter { name(of: $0) != $0.name }
        if renamed.isEmpty { return [] }
        return [dialect.renaming(entities: renamed.map { ($0.name, name(of: $0) ?? "") })]
    }

    private var keyStatements: [String] {
        let shifts = match.old.entities.compactMap { entity in
            keyShift(of: entity).map { (entity, $0) }
        }
        return Dictionary(grouping: shifts, by: \.1).ordered { $0.key < $1.key }.map {
            shift, found in dialect.shift(keysOf: found.map(\.0.name), by: shift)
        }
    }

    // MARK: Properties

    /// The new names of an entity's properties by the old ones, without the deleted ones.
    private func properties(of oldEntity: Entity) -> [String: String] {
        guard let entity = successor(of: oldEntity)?.new else { return [:] }
        let names =
            match.new.attributes(of: entity).map { $0.name }
            + match.new.relationships(of: entity).map { $0.name }
        var found: [String: String] = [:]
        for name in names {
            if let origin = match.origin(of: name, in: entity) { found[origin.property] = name }
        }
        return found
    }

    /// Renames the properties in the lists of changed properties.
    private var propertyStatements: [String] {
        let old = match.old
        var groups: [(changes: [RenamedProperty], entities: [Entity])] = []
        for entity in old.entities where !match.settled.contains(entity.name) {
            let successors = properties(of: entity)
            let names =
                old.attributes(of: entity).map { $0.name }
                + old.relationships(of: entity).map { $0.name }
            let changes = names.filter { successors[$0] != $0 }
                .map { RenamedProperty(from: $0, to: successors[$0]) }
            if changes.isEmpty { continue }
            if let index = groups.firstIndex(where: { $0.changes == changes }) {
                groups[index].entities.append(entity)
            } else {
                groups.append((changes, [entity]))
            }
        }
        return groups.ordered { $0.entities[0].name < $1.entities[0].name }
            .flatMap { changes, entities in
                let areAllDeleted =
                    changes.allSatisfy { $0.to == nil }
                    && entities.allSatisfy { successor(of: $0) == nil }
                return dialect.renaming(
                    properties: areAllDeleted ? nil : changes, of: entities.names)
            }
    }

    // MARK: Values

    /// Gives values the names of their new columns, and removes values without a new column.
    private var valueStatements: [String] {
        let tables = oldSchema.tables.compactMap { table -> (Table, Entity)? in
            guard case .objects(let name) = table.content else { return nil }
            return match.old.entity(named: name).map { (table, $0) }
        }
        var statements: [String] = []
        for (table, root) in tables {
            for entity in match.old.family(of: root) where !match.settled.contains(entity.name) {
                statements += valueStatements(of: entity, in: table)
            }
        }
        return statements.isEmpty ? [] : statements + dialect.afterValues
    }

    private func valueStatements(of oldEntity: Entity, in table: Table) -> [String] {
        let successors = columns(of: oldEntity, in: table)
        let owned = table.columns.filter { column in
            column.content.declarer.flatMap(match.old.entity(named:))
                .map { match.old.entity(oldEntity, isKindOf: $0) } ?? false
        }
        return dialect.values(
            of: oldEntity.name, owned.compactMap { successors[$0.name] },
            areRenamed: owned.contains { successors[$0.name]?.new != $0.name })
    }

    /// Returns the change of the values of a column that contains the reference of a to-one. The
    /// result is nil if the values stay the same, or if the column has other values.
    private func reference(
        of content: Table.Column.Content, in oldEntity: Entity
    ) -> CarriedColumn.Reference? {
        guard let name = content.property,
            let destination = match.old.relationship(name, of: oldEntity)
                .flatMap({ match.old.entity(named: $0.destination) })
        else { return nil }
        if case .entityOfKey = content {
            let cases = match.old.family(of: destination).compactMap { member in
                self.name(of: member).flatMap { successor in
                    successor == member.name ? nil : (old: member.name, new: successor)
                }
            }
            return cases.isEmpty ? nil : .renamed(cases)
        }
        return keyShift(of: destination).map { .shifted($0) }
    }

    /// The columns that have the values of an old entity's columns.
    func columns(of oldEntity: Entity, in table: Table) -> [String: CarriedColumn] {
        guard let entity = successor(of: oldEntity)?.new,
            let newTable = newSchema.tables.first(where: {
                $0.content == .objects(root: match.new.root(of: entity).name)
            })
        else { return [:] }
        let successors = properties(of: oldEntity)
        var found: [String: CarriedColumn] = [:]
        for column in table.columns {
            guard let declarer = column.content.declarer.flatMap(match.old.entity(named:)),
                match.old.entity(oldEntity, isKindOf: declarer),
                let name = column.content.property.flatMap({ successors[$0] }),
                let newDeclarer = match.new.declarer(of: name, in: entity),
                keepsValues(column.content, in: oldEntity, as: name, in: entity),
                let content = column.content.named(name, in: newDeclarer),
                let newColumn = newTable.columns.first(where: { $0.content == content })
            else { continue }
            var carried = CarriedColumn(old: column.name, new: newColumn.name)
            carried.reference = reference(of: column.content, in: oldEntity)
            if case .attribute(_, let oldName) = column.content,
                let old = match.old.attribute(oldName, of: oldEntity),
                let new = match.new.attribute(name, of: entity)
            {
                carried.attributes = (old, new)
            }
            found[column.name] = carried
        }
        return found
    }

    /// Whether the values of a column for an old entity's objects are still correct.
    private func keepsValues(
        _ content: Table.Column.Content, in oldEntity: Entity, as name: String, in entity: Entity
    ) -> Bool {
        switch content {
        case .attribute(_, let oldName):
            guard let old = match.old.attribute(oldName, of: oldEntity),
                let new = match.new.attribute(name, of: entity),
                let conversion = AttributeConversion(
                    from: old, in: match.old, to: new, in: match.new)
            else { return false }
            return conversion.keepsValues
        case .key(_, let oldName), .entityOfKey(_, let oldName):
            guard let old = match.old.relationship(oldName, of: oldEntity),
                let new = match.new.relationship(name, of: entity),
                let oldDestination = match.old.entity(named: old.destination),
                let destination = match.newEntity(of: oldDestination),
                destination.name == new.destination
            else { return false }
            // A key is meaningless without its table.
            return match.old.family(of: oldDestination).allSatisfy { member in
                successor(of: member).map { match.new.entity($0.new, isKindOf: destination) }
                    ?? false
            }
        case .system, .entity, .position: return false
        }
    }
}

extension Table.Column.Content {
    /// The entity that declares the property that the column belongs to.
    fileprivate var declarer: String? {
        switch self {
        case .attribute(let entity, _), .key(let entity, _), .entityOfKey(let entity, _): entity
        case .system, .entity, .position: nil
        }
    }

    /// The property that changes with the column. It is nil for the runtime's own columns and for
    /// positions, because positions belong to the owner's list.
    var property: String? {
        switch self {
        case .attribute(_, let name), .key(_, let name), .entityOfKey(_, let name): name
        case .system, .entity, .position: nil
        }
    }

    /// Returns the same kind of content for another property.
    fileprivate func named(_ name: String, in entity: Entity) -> Table.Column.Content? {
        switch self {
        case .attribute: .attribute(entity: entity.name, name: name)
        case .key: .key(entity: entity.name, relationship: name)
        case .entityOfKey: .entityOfKey(entity: entity.name, relationship: name)
        case .system, .entity, .position: nil
        }
    }
}

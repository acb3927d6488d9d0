import CambiumModel
import CambiumPlan

/// The rows of an old table that go to one new table, and what they have of its columns.
struct RowOrigin {
    /// The old table.
    let table: Table
    let origin: TableOrigin
    let match: ModelMatch

    /// An old column that has the values of a new attribute, for some of the rows.
    struct Source {
        /// The old attribute.
        let attribute: Attribute
        /// The old column.
        let column: String
        /// How its values become those of the new attribute.
        let conversion: AttributeConversion
        /// The old entities whose rows it is for.
        let entities: [String]
        /// The same where the column has values of others too; else nil.
        let owners: [String]?
    }

    private var hasEntities: Bool { table.columns.contains { $0.content == .entity } }

    /// A condition on the rows that are taken; nil where all are.
    var filter: String? {
        let names = Set(origin.members.map(\.old.name))
        let others = match.old.family(of: origin.oldRoot).filter { !names.contains($0.name) }
        guard hasEntities, !others.isEmpty else { return nil }
        guard others.allSatisfy({ match.newEntity(of: $0) == nil }) else {
            return isOf(origin.members.map(\.old.name))
        }
        return "old.\"_entity\" NOT IN (\(SQLText.literals(others.map(\.name))))"
    }

    /// SQL for the rows' keys; nil where they stay.
    var newKey: String? {
        origin.members.first.flatMap { match.keyShift(of: $0.old) }.map { "old.\"_id\" + \($0)" }
    }

    /// The old root entities whose keys come before those of the rows.
    var precedingRoots: [String] {
        origin.members.first.map { match.precedingRoots(of: $0.old) } ?? []
    }

    /// The columns that ``isOf(_:)`` reads.
    var columnsOfEntity: [String] { hasEntities ? [SystemColumn.entity] : [] }

    /// The rows' entities.
    var entity: TableCopy.Origin {
        guard hasEntities else {
            let name = origin.members.first?.new.name ?? origin.oldRoot.name
            return .sql(SQLText.literal(name), of: [])
        }
        return match.renamedEntity("old.\"_entity\"", in: table.name)
            .map { .sql($0, of: columnsOfEntity) } ?? .column(SystemColumn.entity)
    }

    /// A condition that a row is of one of some old entities.
    func isOf(_ entities: [String]) -> String {
        guard hasEntities else { return "1" }
        return "old.\"_entity\" IN (\(SQLText.literals(entities)))"
    }

    /// Where the rows have the values of an attribute.
    func sources(of attribute: Attribute, in entity: Entity) -> [Source] {
        match.sources(of: attribute.name, in: entity).compactMap { source in
            let found = match.old.entity(named: source.old.entity)
            guard let owner = found, match.old.root(of: owner).name == table.name,
                let old = owner.attributes.first(where: { $0.name == source.old.property }),
                !old.isTransient,
                let conversion = AttributeConversion(
                    from: old, in: match.old, to: attribute, in: match.new)
            else { return nil }
            let members = origin.members.filter { source.entities.contains($0.new.name) }
            // Other objects that are migrated with such values, which do not belong to them any
            // more.
            let strangers = origin.members.contains { member in
                match.old.entity(member.old, isKindOf: owner)
                    && !source.entities.contains(member.new.name)
            }
            let names = members.map(\.old.name)
            return Source(
                attribute: old, column: match.old.column(of: old.name, in: owner),
                conversion: conversion, entities: names, owners: strangers ? names : nil)
        }
    }

    /// The new entities, of those that inherit from one, whose rows have no such value.
    func members(of entity: Entity, without sources: [Source]) -> [String] {
        let covered = Set(sources.flatMap(\.entities))
        return origin.members.filter {
            match.new.entity($0.new, isKindOf: entity) && !covered.contains($0.old.name)
                && !$0.old.isAbstract
        }.map(\.new.name)
    }
}

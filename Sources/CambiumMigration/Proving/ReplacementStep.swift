import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// Stands in for the program's steps in a proof: gives every object that lacks a value which only
/// the program knows a sample of it.
struct ReplacementStep: Sendable {
    let model: Model
    let schema: Schema
    let supplied: [SuppliedValue]

    /// How far it goes to make objects for the links of objects that it makes.
    private static let greatestDepth = 3

    func run(_ run: StepRun) throws {
        var number = 0
        for value in supplied {
            guard let entity = model.entity(named: value.entity) else { continue }
            if value.isRelationship {
                guard let relationship = model.relationship(value.property, of: entity) else {
                    continue
                }
                try fill(relationship, of: entity, run, &number)
            } else if let attribute = model.attribute(value.property, of: entity) {
                try fill(attribute, of: entity, run, &number)
            }
        }
    }

    private func family(of entity: Entity) -> [String] {
        model.hasSubentities(model.root(of: entity)) ? model.family(of: entity).map(\.name) : []
    }

    private func missing(
        _ column: String, of entity: Entity, _ run: StepRun
    ) throws -> [StoredValue] {
        guard let table = run.workingTable(model.root(of: entity).name) else { return [] }
        return try run.connection.rows(
            StepRowSQL.missing(column, in: table, family: family(of: entity))
        ).compactMap(\.first)
    }

    private func set(
        _ column: String, of entity: Entity, _ value: StoredValue, _ key: StoredValue,
        _ run: StepRun
    ) throws {
        guard let table = run.workingTable(model.root(of: entity).name) else { return }
        _ = try run.connection.rows(StepRowSQL.set(column, in: table), [value, key])
    }

    private func fill(
        _ attribute: Attribute, of entity: Entity, _ run: StepRun, _ number: inout Int
    ) throws {
        let column = model.column(of: attribute.name, in: entity)
        for key in try missing(column, of: entity, run) {
            number += 1
            let value = model.sampleValue(of: attribute, number: number)
            try set(column, of: entity, value, key, run)
        }
    }

    // MARK: Links

    private func fill(
        _ relationship: Relationship, of entity: Entity, _ run: StepRun, _ number: inout Int
    ) throws {
        guard case .key(let column, _) = model.storage(of: relationship, of: entity),
            let destination = model.entity(named: relationship.destination)
        else { return }
        let isShared = model.inverse(of: relationship)?.relationship.isToMany ?? true
        for key in try missing(column, of: entity, run) {
            let other =
                try isShared ? first(of: destination, run) : nil
            let found = try other ?? make(destination, run, &number, depth: 0)
            guard let found else { continue }
            try set(column, of: entity, found, key, run)
        }
    }

    private func first(of entity: Entity, _ run: StepRun) throws -> StoredValue? {
        let root = model.root(of: entity).name
        let sql = StepRowSQL(
            table: run.newTable(root), columns: [],
            entity: family(of: entity).isEmpty ? nil : entity.name, family: family(of: entity))
        return try run.connection.rows(sql.batch, [.integer(.min), .integer(1)]).first?.first
    }

    /// Makes an object with all that it must have.
    private func make(
        _ entity: Entity, _ run: StepRun, _ number: inout Int, depth: Int
    ) throws -> StoredValue? {
        let root = model.root(of: entity).name
        let concrete = model.family(of: entity).first { !$0.isAbstract }
        guard depth < Self.greatestDepth, let concrete, let table = run.workingTable(root),
            let key = try run.connection.rows(StepRowSQL.nextKey, [.text(root)]).first?.first
        else { return nil }
        var columns: [String] = []
        var values: [StoredValue] = []
        for owner in model.lineage(of: concrete) {
            for attribute in owner.attributes
            where !attribute.isTransient && !attribute.isOptional && attribute.derivation == nil {
                number += 1
                columns.append(model.column(of: attribute.name, in: owner))
                values.append(model.sampleValue(of: attribute, number: number))
            }
            for relationship in owner.relationships
            where !relationship.isToMany && !relationship.isOptional {
                guard case .key(let column, _) = model.storage(of: relationship, of: owner),
                    let destination = model.entity(named: relationship.destination)
                else { continue }
                let other =
                    try first(of: destination, run)
                    ?? make(destination, run, &number, depth: depth + 1)
                columns.append(column)
                values.append(other ?? .null)
            }
        }
        let sql = StepRowSQL(
            table: table, columns: columns,
            entity: family(of: entity).isEmpty ? nil : concrete.name, family: [])
        _ = try run.connection.rows(sql.insertion, [key] + values)
        return key
    }
}

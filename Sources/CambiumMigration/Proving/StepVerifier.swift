import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// The versions on both sides of a migration with custom steps. Created by generated code.
@_spi(Generated)
public struct StepProof: Sendable {
    package let old: Model
    package let new: Model

    /// Creates a value for two versions.
    public init(from old: Model, to new: Model) {
        self.old = old
        self.new = new
    }
}

/// Proves the custom steps in the program that supplies them. The compiler has proven everything
/// else.
package struct StepVerifier {
    private let runner: MigrationRunner
    private let proofs: [StepProof]

    /// Creates a verifier.
    ///
    /// - Parameter runner: The runner with the current version, all migrations and the steps.
    package init(_ runner: MigrationRunner, _ proofs: [StepProof]) {
        self.runner = runner
        self.proofs = proofs
    }

    /// The results of the proofs: of each migration with steps, and of the chain from the version
    /// before the first step to the current version.
    package var report: VerifyReport {
        let steps = proofs.map(step)
        return VerifyReport(
            model: runner.model.name, version: runner.model.version,
            steps: steps + (steps.allSatisfy { $0.failure == nil } ? chain : []))
    }

    private func step(_ proof: StepProof) -> VerifyReport.Step {
        let (from, to) = (proof.old.version, proof.new.version)
        guard let migration = runner.migrations.first(where: { $0.from == from && $0.to == to })
        else {
            return VerifyReport.Step(
                from: from, to: to, kind: .needsCode, losesData: true, rowsIn: 0, rowsOut: 0,
                failure: "The program has no such migration")
        }
        return measured(from, to, migration.codeSteps) {
            let proof = try MigrationProver.prove(
                from: proof.old, to: proof.new, migration: migration, code: runner.code)
            guard proof.rows > 0 || proof.refusals == 0 else {
                throw MigrationProver.Failure(
                    description: "All stores with sample rows were rejected: the result of the "
                        + "steps does not meet the conditions of version \(to)")
            }
            return proof
        }
    }

    /// The chain from the version before the first step to the current version, if there are
    /// further versions.
    private var chain: [VerifyReport.Step] {
        guard let first = proofs.first, first.new.version != runner.model.version else { return [] }
        let (from, to) = (first.old.version, runner.model.version)
        return [
            measured(from, to, proofs.count > 1 ? runner.migrations.flatMap(\.codeSteps) : []) {
                var proof = MigrationProver.Proof()
                for seed in UInt64(0)..<3 {
                    let connection = try MigrationProver.makeStore(of: first.old, seed: seed)
                    let before = try Self.count(connection, Schema(of: first.old))
                    do {
                        _ = try runner.open(connection)
                    } catch MigrationError.refused {
                        // Generated rows may violate constraints of later versions.
                        proof.refusals += 1
                        continue
                    }
                    guard try runner.open(connection) == .current else {
                        throw MigrationProver.Failure(
                            description: "The store does not have version \(to)")
                    }
                    proof.rows += before
                    proof.newRows += try Self.count(connection, runner.schema)
                }
                return proof
            }
        ]
    }

    private func measured(
        _ from: String, _ to: String, _ codeSteps: [String],
        _ body: () throws -> MigrationProver.Proof
    ) -> VerifyReport.Step {
        let start = ContinuousClock.now
        var proof = MigrationProver.Proof()
        var failure: String?
        do {
            proof = try body()
        } catch {
            failure = "\(error)"
        }
        var step = VerifyReport.Step(
            from: from, to: to, kind: .needsCode, losesData: true, codeSteps: codeSteps,
            rowsIn: proof.rows,
            rowsOut: proof.newRows, refusals: proof.refusals, rowless: proof.scarce,
            seconds: (ContinuousClock.now - start) / .seconds(1), failure: failure)
        step.isCodeProven = true
        return step
    }

    private static func count(_ connection: Connection, _ schema: Schema) throws -> Int {
        try schema.tables.filter { $0.content != .system }.reduce(0) { sum, table in
            let count = try connection.rows(MigrationSQL.count(of: table)).first?.first
            return if case .integer(let count)? = count { sum + Int(count) } else { sum }
        }
    }
}

/// The properties of a migration's custom steps that a proof needs.
struct SteppedProof {
    /// The program's own steps, or their replacements.
    let code: [CodeStep]
    /// Whether the steps are replaced by steps with sample values.
    let isReplacement: Bool
    /// The tables of the new version with rows that may differ from the model's rules, because
    /// steps write them.
    let writtenTables: Set<String>

    /// Prepares the proof of a migration; nil if the migration has no custom steps.
    init?(
        _ match: ModelMatch, _ migration: Migration, _ schema: Schema, _ code: [CodeStep]?
    ) {
        guard !migration.codeSteps.isEmpty,
            let coverage = StepCoverage(ModelDifference(from: match.old, to: match.new))
        else { return nil }
        isReplacement = code == nil
        let model = match.new
        if let code {
            self.code = code
            writtenTables = Set(
                schema.tables.filter { coverage.covers($0, in: model) }.map(\.name))
        } else {
            let step = ReplacementStep(model: model, schema: schema, supplied: coverage.supplied)
            // The first step fills all values, and the others find nothing to do.
            self.code = migration.codeSteps.map { name in
                CodeStep(name, from: migration.from, step.run)
            }
            // If a link is missing, the step sets one, and may create an object for it.
            let entities = coverage.supplied.filter(\.isRelationship).flatMap { value in
                let entity = model.entity(named: value.entity)
                let relationship = entity.flatMap { model.relationship(value.property, of: $0) }
                return [entity, relationship.flatMap { model.entity(named: $0.destination) }]
            }
            writtenTables = Set(entities.compactMap(\.self).map { model.root(of: $0).name })
        }
    }
}

extension Migration {
    /// The replacements for the program's custom steps in a proof.
    package func replacementSteps(from old: Model, to new: Model) -> [CodeStep] {
        let match = ModelMatch(old: old, new: new)
        return SteppedProof(match, self, Schema(of: new), nil)?.code ?? []
    }
}

/// Replaces the program's custom steps in a proof: it sets sample values for objects that need a
/// value from the program.
struct ReplacementStep: Sendable {
    let model: Model
    let schema: Schema
    let supplied: [SuppliedValue]

    /// The number of objects that are created at most along a path of required links.
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

    /// Creates an object with all required values.
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

import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// Proves a migration on a real SQLite in memory, with the code that runs on users' machines.
package enum MigrationProver {
    /// Why a migration is not what it should be: a mistake of ours, or of whoever wrote its steps.
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong.
        package let description: String
    }

    /// Changes with what a proof looks at, so that what an earlier prover found is not believed.
    static let revision = 7

    /// The prover and the SQLite that it proves on: what a verdict holds for.
    package static var identity: String {
        "prover \(revision), SQLite \(SQLiteLibrary.version) \(SQLiteLibrary.build)"
    }

    /// Runs the migration over an empty store and over stores with generated rows: such as any
    /// program might write, and the extremes of every type.
    ///
    /// - Parameters:
    ///   - schemas: The tables of both versions, where they are laid out already.
    ///   - match: What is what in the two versions, where that is known already.
    ///   - trials: How often to run it in search of rows that it accepts, where it refuses those
    ///     of every seed.
    ///   - code: The steps that the program supplies. Without them, sample values stand in for what
    ///     they have to fill, so that everything around them is proven.
    ///   - isBrief: Leaves out the tables that the migration does not reach, and the empty store
    ///     where rows were migrated.
    /// - Returns: How many rows took part.
    /// - Throws: ``Failure``, ``MigrationError`` or `SQLiteError`.
    @discardableResult
    package static func prove(
        from old: Model, to new: Model, schemas: (old: Schema, new: Schema)? = nil,
        match: ModelMatch? = nil, migration: Migration, seeds: Range<UInt64> = 0..<3,
        trials: Int = 96, isBrief: Bool = false, code: [CodeStep]? = nil
    ) throws -> Proof {
        let match = match ?? ModelMatch(old: old, new: new)
        var oldSchema = schemas?.old ?? Schema(of: old)
        var newSchema = schemas?.new ?? Schema(of: new)
        // Derived values are computed from any tables.
        let stepped = SteppedProof(match, migration, newSchema, code)
        if isBrief, stepped == nil, old.derivations.isEmpty, new.derivations.isEmpty {
            let scope = ProofScope(of: migration.operations, from: oldSchema, to: newSchema)
            (oldSchema, newSchema) = (scope.old, scope.new)
        }
        let step = ProvenStep(match, oldSchema, newSchema, migration, stepped)
        var proof = step.proof
        if !isBrief { _ = try step.run(over: []) }
        var refused: [[SampleRows.Row]] = []
        for seed in seeds {
            let rows = SampleRows(of: old, oldSchema, for: match, seed: seed).rows
            do {
                proof.add(try step.run(over: rows.map { .init(row: $0) }))
            } catch MigrationError.refused where migration.kind > .reversible {
                // The generator does not know all conditions that the new version adds.
                proof.refusals += 1
                refused.append(rows)
            }
        }
        if proof.rows == 0, let rows = refused.first, trials > 0 {
            let found = try AcceptableRows(among: rows, trials: trials, isAccepted: step.accepts)
            proof.add(try step.run(over: found.candidates))
        }
        if isBrief, proof.rows == 0 { _ = try step.run(over: []) }
        try proveExtremes(step, migration.kind, &proof) { content in
            SampleRows(
                of: old, oldSchema, for: match, seed: seeds.lowerBound, content: content
            ).rows
        }
        return proof
    }

    /// The extremes of every type; where a type changes and the new one does not hold them, of
    /// the others.
    private static func proveExtremes(
        _ step: ProvenStep, _ kind: MigrationKind, _ proof: inout Proof,
        rows: (SampleRows.Content) -> [SampleRows.Row]
    ) throws {
        for content in [SampleRows.Content.extremes, .extremesWhereTypesStay] {
            guard let store = step.makeStore(with: rows(content).map { .init(row: $0) }) else {
                continue
            }
            do {
                return proof.add(try step.run(on: store))
            } catch MigrationError.refused where kind > .reversible {
                proof.refusals += 1
            } catch MigrationError.statementFailed(_, let error)
                where kind > .reversible && error.isOverflow
            {
                // The author's arithmetic, not ours.
                proof.refusals += 1
            }
        }
    }

    /// A store of a model in memory with generated rows.
    package static func makeStore(of model: Model, seed: UInt64?) throws -> Connection {
        try makeStore(of: model, Schema(of: model), seed: seed)
    }

    static func makeStore(
        of model: Model, _ schema: Schema, seed: UInt64?
    ) throws -> Connection {
        let rows = seed.map { SampleRows(of: model, schema, seed: $0).rows } ?? []
        return try SampleStore(of: model, schema).make(with: rows.map { .init(row: $0) })
    }

    /// Runs all parts of the proof that a version's store can be made, at the same time.
    ///
    /// - Throws: ``Failure``, ``MigrationError`` or `SQLiteError`.
    package static func prove(_ schema: Schema, of model: Model) throws {
        let outcomes = try SchemaProof.parts(of: schema, model).concurrentMap { part in
            Result { try part.run() }
        }
        for outcome in outcomes { try outcome.get() }
    }
}

extension SQLiteError {
    /// Whether a whole number became too great.
    fileprivate var isOverflow: Bool { message.contains("integer overflow") }
}

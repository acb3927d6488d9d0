import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// Proves a migration on a real SQLite in memory, with the code that runs on users' machines.
package enum MigrationProver {
    /// The fault of a migration: an error of Cambium, or of the author of its steps.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The problem.
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// Changes with the extent of a proof, so that results of an earlier prover are not reused.
    static let revision = 7

    /// The prover and the SQLite that it uses. A verdict is valid for these only.
    package static var identity: String {
        "prover \(revision), SQLite \(SQLiteLibrary.version) \(SQLiteLibrary.build)"
    }

    /// Runs the migration over an empty store and over stores with generated rows: ordinary rows,
    /// and the extremes of every type.
    ///
    /// - Parameters:
    ///   - schemas: The tables of both versions, if they are already computed.
    ///   - match: The match of the two versions, if it is already known.
    ///   - trials: The maximum number of runs that search for accepted rows, if the migration
    ///     rejects the rows of every seed.
    ///   - code: The steps that the program supplies. Without them, sample values replace their
    ///     results, so that everything around them is proven.
    ///   - isBrief: Whether to skip the tables that the migration does not touch, and the empty
    ///     store if rows were migrated.
    /// - Returns: The number of migrated rows.
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
                // The generator does not consider all conditions that the new version adds.
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

    /// Uses the extremes of every type. If the new type of a value cannot hold them, uses only the
    /// extremes of the other values.
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
                // The author's expression fails, not the migration.
                proof.refusals += 1
            }
        }
    }

    /// A store of a model in memory with generated rows.
    package static func makeStore(of model: Model, seed: UInt64?) throws -> Connection {
        try makeStore(of: model, Schema(of: model), seed: seed)
    }

    /// A store of a model in memory with rows.
    package static func makeStore(of model: Model, with rows: SampleRows) throws -> Connection {
        try SampleStore(of: model, Schema(of: model)).make(with: rows.rows.map { .init(row: $0) })
    }

    static func makeStore(
        of model: Model, _ schema: Schema, seed: UInt64?
    ) throws -> Connection {
        let rows = seed.map { SampleRows(of: model, schema, seed: $0).rows } ?? []
        return try SampleStore(of: model, schema).make(with: rows.map { .init(row: $0) })
    }

    /// The results of a proof.
    package struct Proof: Sendable, Equatable {
        /// The number of migrated rows.
        package var rows = 0
        /// The number of rows afterwards.
        package var newRows = 0
        /// The number of sets of rows that were correctly rejected, because they violated a new
        /// condition.
        package var refusals = 0
        /// For each entity that the migration changes, the greatest number of objects that a store
        /// had afterwards.
        private var objects: [String: Int]
        /// The entities with objects that drops by condition delete.
        private let reduced: Set<String>

        /// The number of objects of an entity that a store must have had. A single object does not
        /// test constraints across objects, such as a unique value.
        package static let enough = 2

        /// The entities with too few objects in every store afterwards, because the generated ones
        /// were rejected.
        package var refused: [String] { scarce.filter { !reduced.contains($0) } }

        /// The entities with too few objects in every store afterwards, because drops by condition
        /// deleted the generated ones.
        package var dropped: [String] { scarce.filter(reduced.contains) }

        /// The entities with too few objects in every store afterwards, for either reason.
        package var scarce: [String] {
            objects.filter { $0.value < Self.enough }.keys.sorted()
        }

        /// Whether all generated rows were refused.
        package var isEmpty: Bool { rows == 0 && refusals > 0 }

        /// Creates the results of a proof.
        ///
        /// - Parameters:
        ///   - refused: As for ``refused``.
        ///   - dropped: As for ``dropped``.
        package init(
            rows: Int = 0, newRows: Int = 0, refusals: Int = 0, refused: [String] = [],
            dropped: [String] = []
        ) {
            self.init(entities: refused + dropped, reduced: Set(dropped))
            self.rows = rows
            self.newRows = newRows
            self.refusals = refusals
        }

        /// Creates the results of a proof that has not begun.
        ///
        /// - Parameters:
        ///   - entities: The entities that should have objects afterwards.
        ///   - reduced: The entities with objects that drops by condition delete.
        init(entities: [String], reduced: Set<String>) {
            objects = Dictionary(entities.map { ($0, 0) }, uniquingKeysWith: max)
            self.reduced = reduced
        }

        /// Adds the results of one store.
        mutating func add(_ run: Run) {
            rows += run.rows
            newRows += run.newRows
            for (name, count) in run.objects { objects[name] = max(objects[name] ?? 0, count) }
        }
    }

    /// The results of one migration of a store.
    struct Run {
        /// The number of rows before.
        let rows: Int
        /// The number of rows afterwards.
        let newRows: Int
        /// The number of these that are objects of each checked entity.
        let objects: [(name: String, count: Int)]
    }
}

extension SQLiteError {
    /// Whether an integer has overflowed.
    fileprivate var isOverflow: Bool { message.contains("integer overflow") }
}

/// Makes stores of a model in memory with generated rows.
struct SampleStore {
    private let runner: MigrationRunner
    private let repairs: [String]

    init(of model: Model, _ schema: Schema) {
        runner = MigrationRunner(model: model, schema: schema)
        repairs = model.derivations.compactMap { $0.updateOfAll?.sql } + schema.keyRepairs
    }

    /// A new store, with the same random values in each run. Rules may involve several columns, so
    /// a row that fails is tried again with other values.
    func make(with rows: [AcceptableRows.Candidate]) throws -> Connection {
        let connection = try Connection(path: ":memory:")
        try connection.seedRandomFunctions()
        _ = try runner.open(connection)
        guard !rows.isEmpty else { return connection }
        try connection.execute(MigrationSQL.foreignKeysOff)
        try connection.transaction {
            for row in rows {
                try insert(row, into: connection)
            }
            while true {
                let violations = try connection.rows(MigrationSQL.foreignKeyCheck)
                if violations.isEmpty { break }
                for statement in Set(violations.compactMap(SampleRows.repair)) {
                    try connection.execute(statement)
                }
            }
            for statement in repairs {
                try connection.execute(statement)
            }
        }
        try connection.execute(MigrationSQL.foreignKeysOn)
        return connection
    }

    private func insert(
        _ candidate: AcceptableRows.Candidate, into connection: Connection
    ) throws {
        let first = candidate.firstAttempt
        for attempt in first..<first + AcceptableRows.attemptsPerRow {
            do {
                return try connection.execute(candidate.row.statement(attempt))
            } catch {
                let constraintCode: Int32 = 19
                if error.primaryCode != constraintCode { throw error }
            }
        }
    }
}

/// Finds generated rows that a migration accepts, if it rejects the complete set. It halves the set
/// until the rejected rows are found, and tries other values for them.
struct AcceptableRows {
    /// A row, and its first attempt at values.
    struct Candidate {
        let row: SampleRows.Row
        var firstAttempt = 0
    }

    /// The number of attempts to insert a row that use the same first number for its values.
    static let attemptsPerRow = 30
    private static let valuesPerRow = 3

    private(set) var candidates: [Candidate] = []
    private var rejected: [SampleRows.Row] = []
    private var trials: Int
    private let isAccepted: ([Candidate]) throws -> Bool

    /// Searches among rows.
    ///
    /// - Parameters:
    ///   - trials: The maximum number of runs of the migration.
    ///   - isAccepted: Runs it.
    init(
        among rows: [SampleRows.Row], trials: Int,
        isAccepted: @escaping ([Candidate]) throws -> Bool
    ) throws {
        self.trials = trials
        self.isAccepted = isAccepted
        // All together are known to be refused.
        try split(rows)
        guard !candidates.isEmpty else { return }
        // Some may need rows that did not exist yet.
        let again = rejected
        rejected = []
        for row in again { try add([row]) }
    }

    private mutating func split(_ rows: [SampleRows.Row]) throws {
        let middle = rows.count / 2
        try add(Array(rows[..<middle]))
        try add(Array(rows[middle...]))
    }

    private mutating func add(_ rows: [SampleRows.Row]) throws {
        guard !rows.isEmpty, !(try accept(rows.map { Candidate(row: $0) })) else { return }
        guard rows.count == 1, let row = rows.first else { return try split(rows) }
        for number in 1..<Self.valuesPerRow {
            let candidate = Candidate(row: row, firstAttempt: number * Self.attemptsPerRow)
            if try accept([candidate]) { return }
        }
        rejected.append(row)
    }

    private mutating func accept(_ more: [Candidate]) throws -> Bool {
        guard trials > 0 else { return false }
        trials -= 1
        guard try isAccepted(candidates + more) else { return false }
        candidates += more
        return true
    }
}

/// A part of the proof that a version's store can be created. The parts are independent of each
/// other.
package struct SchemaProof: Sendable {
    private let step: Step

    private indirect enum Step: Sendable {
        case store(Schema, Model)
        case statements([String])
    }

    /// The maximum number of tables in a store of a proof.
    private static let tablesPerStore = 50

    /// Every statement of a new store, to be run on SQLite in memory. If there are few tables, rows
    /// are generated, so that the checks are computed too.
    ///
    /// For each statement that creates a table or an index, SQLite reads its complete catalogue, so
    /// the time for thousands of them would grow with the square of their number. Therefore they
    /// are created in several stores, and this checks that no two have the same name.
    ///
    /// - Throws: ``MigrationProver/Failure``.
    package static func parts(
        of schema: Schema, _ model: Model
    ) throws(MigrationProver.Failure) -> [SchemaProof] {
        guard schema.tables.count > tablesPerStore else {
            return [SchemaProof(step: .store(schema, model))]
        }
        try requireDifferentNames(schema)
        let statements = schema.statements
        var nextIndex = schema.tables.count
        return stride(from: 0, to: schema.tables.count, by: tablesPerStore).map { start in
            let tables = start..<min(start + tablesPerStore, schema.tables.count)
            let count = schema.tables[tables].reduce(0) { $0 + $1.indexes.count }
            defer { nextIndex += count }
            // The runtime's own tables, with the records, come first.
            let records = start == 0 ? statements.suffix(schema.recordCount) : []
            return SchemaProof(
                step: .statements(
                    statements[tables] + statements[nextIndex..<nextIndex + count] + records))
        }
    }

    /// Makes the store.
    ///
    /// - Throws: ``MigrationProver/Failure``, ``MigrationError`` or `SQLiteError`.
    package func run() throws {
        switch step {
        case .store(let schema, let model):
            _ = try MigrationProver.makeStore(of: model, schema, seed: 0)
        case .statements(let statements):
            let connection = try Connection(path: ":memory:")
            try connection.transaction {
                for statement in statements { try connection.execute(statement) }
            }
        }
    }

    /// SQLite ignores the case of ASCII letters in names.
    private static func requireDifferentNames(
        _ schema: Schema
    ) throws(MigrationProver.Failure) {
        var names: Set<[UInt8]> = []
        for name in schema.tables.map(\.name) + schema.tables.flatMap(\.indexes).map(\.name) {
            let folded = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            guard names.insert(folded).inserted else {
                throw MigrationProver.Failure(
                    description: "There are two tables or indexes named \(name)")
            }
        }
    }
}

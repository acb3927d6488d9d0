import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Makes a database a store of the program's version of a model: creates it, leaves it, or runs
/// the chain of migrations that leads there.
///
/// The prover in the build runs the same code as a user's machine. All of a chain is one
/// transaction: whatever happens, the store is exactly old or exactly new.
package struct MigrationRunner {
    /// The model of the program.
    package let model: Model
    /// The migrations that the program knows.
    package let migrations: [Migration]
    /// Told before each statement.
    package var progress: (MigrationProgress) -> Void = { _ in }
    /// Asked before each statement; true stops the migration.
    package var isCancelled: () -> Bool = { Task.isCancelled }
    /// Whether a store of another version is migrated; if not, it is an error.
    package var allowsMigration = true

    private let schema: Schema
    private let target: StoreMetadata
    private let creation: [String]

    /// Makes a runner.
    ///
    /// - Parameter statements: The statements of a fresh store, as the compiler printed them; nil
    ///   lays them out now.
    package init(model: Model, statements: [String]? = nil, migrations: [Migration] = []) {
        self.init(
            model: model, schema: Schema(of: model), statements: statements,
            migrations: migrations)
    }

    /// Makes a runner for a model whose tables are laid out already.
    package init(
        model: Model, schema: Schema, statements: [String]? = nil, migrations: [Migration] = []
    ) {
        self.model = model
        self.migrations = migrations
        self.schema = schema
        creation = statements ?? schema.statements
        target = schema.metadata
    }

    /// Brings the database to the model's version.
    ///
    /// - Parameter backupPath: Where a copy goes before data is lost, without the suffix
    ///   `.backup-<version>`; nil makes none (in memory).
    /// - Throws: ``MigrationError`` or `SQLiteError`; the database is as it was.
    package func open(
        _ connection: Connection, backupPath: String? = nil
    ) throws -> MigrationOutcome {
        guard let metadata = try readMetadata(connection) else {
            return try createStore(connection, backupPath: backupPath)
        }
        guard let chain = try chain(from: metadata) else {
            return .current
        }
        guard allowsMigration else {
            // What differs are checks, defaults or indexes: the rows can be read and written.
            if chain.migrations.isEmpty { return .current }
            throw MigrationError.migrationIsOff(store: metadata.version, program: model.version)
        }
        return try withoutForeignKeys(connection) {
            try migrate(connection, metadata, chain, backupPath: backupPath)
        }
    }

    /// Makes the tables of a fresh store in an empty database.
    package func createStore(
        _ connection: Connection, backupPath: String? = nil
    ) throws -> MigrationOutcome {
        try connection.transaction {
            // Another process may have been faster.
            if try readMetadata(connection) == nil {
                for statement in creation {
                    try connection.execute(statement)
                }
            }
        }
        guard let metadata = try readMetadata(connection),
            metadata == target
        else { return try open(connection, backupPath: backupPath) }
        return .created
    }

    /// What the store says about itself, or nil where the database is empty.
    private func readMetadata(_ connection: Connection) throws -> StoreMetadata? {
        let names = try connection.rows(Catalogue.namesQuery)
        if names.isEmpty { return nil }
        guard names.contains([.text("_metadata")]),
            let metadata = StoreMetadata(rows: try connection.rows(StoreMetadata.query))
        else { throw MigrationError.notAStore }
        return metadata
    }

    /// The way to the program's version; nil where the store has it already.
    private func chain(from store: StoreMetadata) throws(MigrationError) -> MigrationChain? {
        guard store.model == model.name else {
            throw .otherModel(store: store.model, program: model.name)
        }
        guard store.format == String(Schema.formatVersion) else {
            throw .newerFormat(store: store.format, program: String(Schema.formatVersion))
        }
        if store == target { return nil }
        guard let chain = MigrationChain(from: store, to: target, among: migrations) else {
            if let stored = Int(store.version), let current = Int(model.version), stored > current {
                throw .newerVersion(store: store.version, program: model.version)
            }
            let known = migrations.map { "\($0.from) (\($0.fromHash))" }
            throw .unknownVersion(
                store: store.version, hash: store.versionHash,
                known: known + ["\(target.version) (\(target.versionHash))"])
        }
        return chain
    }

    // MARK: Running a chain

    /// SQLite switches foreign keys only outside of a transaction.
    private func withoutForeignKeys<Result>(
        _ connection: Connection, _ body: () throws -> Result
    ) throws -> Result {
        try connection.execute(MigrationSQL.foreignKeysOff)
        defer {
            connection.forgetStatements()
            // Only a statement that is still running could prevent it, and there is none.
            try? connection.execute(MigrationSQL.foreignKeysOn)
        }
        return try body()
    }

    private func migrate(
        _ connection: Connection, _ metadata: StoreMetadata, _ chain: MigrationChain,
        backupPath: String?
    ) throws -> MigrationOutcome {
        var state = metadata
        var chain = chain
        while true {
            let dataVersion = try connection.rows(PragmaSQL.dataVersion)
            let backup = try backUp(connection, state, chain, path: backupPath)
            let isDone = try connection.transaction {
                // Another process may have migrated since, or written what the copy lacks.
                guard try readMetadata(connection) == state,
                    try connection.rows(PragmaSQL.dataVersion) == dataVersion
                else { return false }
                try connection.withoutDefense { try run(chain, on: connection) }
                return true
            }
            if isDone {
                return chain.migrations.isEmpty
                    ? .refreshed
                    : .migrated(
                        from: state.version, to: model.version,
                        steps: chain.migrations.flatMap(\.steps), backup: backup)
            }
            guard let newState = try readMetadata(connection) else { return .current }
            guard let newChain = try self.chain(from: newState) else { return .current }
            (state, chain) = (newState, newChain)
        }
    }

    private func run(_ chain: MigrationChain, on connection: Connection) throws {
        let steps = chain.migrations.flatMap(\.steps)
        let total = steps.reduce(0) { $0 + $1.sql.count }
        var completed = 0
        let others = try SetAsideObjects(of: connection)
        for step in steps {
            for statement in step.sql {
                try execute(statement, of: step.summary, on: connection, completed, total)
                completed += 1
            }
        }
        let expected = Catalogue(of: schema)
        var catalogue = Catalogue(rows: try connection.rows(Catalogue.query))
        // What cannot be restated is made anew.
        for mayRestate in [true, false] {
            let refresh = SchemaRefresh(
                from: catalogue, to: schema, expected, mayRestate: mayRestate)
            if refresh.statements.isEmpty { break }
            for statement in refresh.statements {
                try execute(
                    statement, of: "Bring checks, defaults and indexes up to date",
                    on: connection, completed, total)
            }
            catalogue = Catalogue(rows: try connection.rows(Catalogue.query))
        }
        // Rows that nobody has written lead where they led.
        let isAdditive = steps.allSatisfy { $0.kind == .additive }
        if !isAdditive { try verifyLinks(connection) }
        try verify(catalogue, expected)
        // What is new in the model is in no history; anything else may have another meaning now.
        try others.putBack(
            in: schema, model, keepsHistory: isAdditive)
        for statement in target.updateStatements {
            try connection.execute(statement)
        }
        if isCancelled() { throw MigrationError.cancelled }
    }

    private func execute(
        _ statement: String, of step: String, on connection: Connection, _ completed: Int,
        _ total: Int
    ) throws {
        if isCancelled() { throw MigrationError.cancelled }
        progress(MigrationProgress(completed: completed, total: total, summary: step))
        do {
            try connection.execute(statement)
        } catch {
            let constraintCode: Int32 = 19
            throw error.primaryCode == constraintCode
                ? MigrationError.refused(step: step, constraint: error.message)
                : MigrationError.statementFailed(step: step, error)
        }
    }

    private func verifyLinks(_ connection: Connection) throws {
        let broken = try connection.rows(MigrationSQL.foreignKeyCheck)
        if let first = broken.first, case .text(let table) = first.first {
            throw MigrationError.brokenLinks(table: table, count: broken.count)
        }
    }

    private func verify(_ catalogue: Catalogue, _ expected: Catalogue) throws(MigrationError) {
        let different = catalogue.differences(from: expected)
            .filter { expected.entries[$0] != nil }
        guard different.isEmpty else { throw .storeDiffers(names: different) }
    }

    // MARK: Backup

    private func backUp(
        _ connection: Connection, _ state: StoreMetadata, _ chain: MigrationChain, path: String?
    ) throws -> String? {
        let steps = chain.migrations.flatMap(\.steps)
        guard let path, steps.contains(where: \.losesData) else { return nil }
        let base = "\(path).backup-\(state.version)"
        var copy = base
        var number = 2
        while FileManager.default.fileExists(atPath: copy) {
            copy = "\(base)-\(number)"
            number += 1
        }
        do {
            try connection.backup(to: copy)
        } catch {
            throw MigrationError.backupFailed(path: copy, error)
        }
        do {
            try StoreFiles.linkExternalFiles(ofStore: path, to: copy)
        } catch {
            throw MigrationError.backupOfFilesFailed(path: copy, reason: "\(error)")
        }
        return copy
    }
}

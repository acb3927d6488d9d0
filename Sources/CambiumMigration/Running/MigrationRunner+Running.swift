import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

extension MigrationRunner {
    /// Migrates a store to the program's version, in one transaction.
    func migrate(
        _ connection: Connection, storePath: String?
    ) throws -> MigrationOutcome {
        var backup: MigrationBackup?
        var currentMeter: MigrationMeter?
        let files = storePath.map { ExternalFiles(ofStore: $0) }
        var journal: String?
        var isComplete = false
        var known: [StoreDifference] = []
        var draft: DraftStep?
        var origin: (store: StoreMetadata, definition: StoreDefinition)?
        do {
            let outcome: MigrationOutcome = try connection.transaction {
                // Another process may have migrated before this one had the lock.
                let state: StoreMetadata
                let chain: MigrationChain
                let changed: [StoreDifference]
                switch try situation(of: connection) {
                case .empty, .current: return .current
                case .behind(let metadata, let path, let differences):
                    (state, chain, changed) = (metadata, path, differences)
                case .changed(let metadata, let differences):
                    (state, chain, changed) = (metadata, .refresh, differences)
                }
                known = changed
                draft = chain.draft
                let kept = try keptDefinition(of: state, in: connection)
                origin = kept.map { (state, $0) }
                try chain.requireCode(in: code)
                let added = try addedColumns(changed, on: connection, chain)
                // The migration may delete columns that another program has added.
                let needsBackup = makesBackup && (chain.needsBackup || !changed.isEmpty)
                let path = needsBackup || backupPath != nil ? storePath : nil
                let meter = try meter(for: chain, on: connection, makesBackup: path != nil)
                currentMeter = meter
                if let path {
                    backup = try backUp(connection, state, path, meter)
                }
                try connection.asking(every: MigrationMeter.instructionsPerTick, meter.tick) {
                    try connection.withoutDefense {
                        try run(
                            chain, on: connection, meter, added, writtenAs: kept,
                            repairing: {
                                try repair(changed, of: state, chain, on: connection, meter)
                            },
                            files: files)
                    }
                    try note(state, after: chain, keeping: kept, in: connection)
                }
                try backup?.finish()
                try meter.checkCancellation()
                // If the journal cannot be written, the files cannot be removed either.
                journal = try? files?.announce()
                isComplete = true
                return chain.migrations.isEmpty
                    ? .refreshed(backup: backup?.path)
                    : .migrated(
                        from: state.version, to: model.version, steps: chain.steps,
                        backup: backup?.path)
            }
            if let draft {
                log(
                    draft.words(
                        of: connection.fileName, model.name,
                        backup: backup.map { StoreFiles.name(of: $0.path) }))
            }
            return outcome
        } catch {
            // A failed commit may still be in the log. Then the copy is needed.
            if !isComplete { backup?.remove() }
            if let journal { files?.finish(journal, removing: []) }
            throw explanation(
                of: error, known, isDraft: draft != nil, origin, currentMeter, connection)
        }
    }

    /// Returns the error of a migration, with more details if they are known.
    ///
    /// - Parameters:
    ///   - known: The changes of another program.
    ///   - origin: The store's metadata and definition before the migration.
    private func explanation(
        of error: any Error, _ known: [StoreDifference], isDraft: Bool,
        _ origin: (store: StoreMetadata, definition: StoreDefinition)?, _ meter: MigrationMeter?,
        _ connection: Connection
    ) -> any Error {
        if let error = error as? SQLiteError {
            if meter?.isCancellation(error) == true { return MigrationError.cancelled }
            return error.isDamage ? MigrationError.storeIsDamaged(finding: error.message) : error
        }
        guard let error = error as? MigrationError else { return error }
        switch error.noticingDamage() {
        case .refused(let refusal):
            guard let origin, isDraft || origin.store.version == model.version,
                let draft = draft(
                    refusedFor: refusal, origin.store, origin.definition, in: connection)
            else { return error }
            return MigrationError.otherDraft(draft)
        case .statementFailed(let step, let failure) where !known.isEmpty && failure.isAboutSchema:
            let need = "the step \(step) needs it (\(failure.message))"
            return MigrationError.storeDiffers(
                driftPolicy == .report ? known.needed(because: need) : known.adding(need))
        case let noticed: return noticed
        }
    }

    private func meter(
        for chain: MigrationChain, on connection: Connection, makesBackup: Bool
    ) throws(SQLiteError) -> MigrationMeter {
        let work = progress == nil ? nil : try ExpectedWork.estimated(in: connection)
        return MigrationMeter(
            of: chain, work, makesBackup: makesBackup, progress: progress ?? { _ in },
            isCancelled: isCancelled)
    }

    private func backUp(
        _ connection: Connection, _ state: StoreMetadata, _ path: String, _ meter: MigrationMeter
    ) throws(MigrationError) -> MigrationBackup {
        let copy = backupPath ?? "\(path).backup-\(state.version)"
        do throws(SQLiteError) {
            return try MigrationBackup(
                of: connection, at: path, to: copy, meter.copied)
        } catch {
            if meter.isCancellation(error) { throw .cancelled }
            throw .backupFailed(path: copy, error)
        }
    }

    private func run(
        _ chain: MigrationChain, on connection: Connection, _ meter: MigrationMeter,
        _ added: AddedColumns, writtenAs kept: StoreDefinition?,
        repairing repair: () throws -> Void, files: ExternalFiles?
    ) throws {
        var added = added
        let old = chain.migrations.isEmpty ? kept.flatMap { Model(definition: $0.definition) } : nil
        let links = try ExternalObjectLinks(in: connection, chain, schema)
        let others = try SetAsideObjects(of: connection)
        let history = try CarriedHistory(in: connection, chain, exists: others.history != nil)
        try repair()
        try runSteps(of: chain, on: connection, meter, added, history, files: files)
        let expected = Catalogue(of: schema)
        let catalogue = try refresh(
            after: chain, from: old.map { Schema(of: $0) }, to: expected, &added, on: connection,
            meter)
        meter.verifies()
        // If no rows were rewritten, their references have not changed.
        let isAdditive = chain.steps.allSatisfy { $0.kind == .additive }
        if !isAdditive { try verifyLinks(connection, besides: links) }
        try verify(catalogue, expected)
        try others.putBack(in: schema, model)
        for statement in target.updateStatements {
            try connection.execute(statement)
        }
    }

    /// Runs the migrations, each with its custom steps.
    private func runSteps(
        of chain: MigrationChain, on connection: Connection, _ meter: MigrationMeter,
        _ added: AddedColumns, _ history: CarriedHistory, files: ExternalFiles?
    ) throws {
        for migration in chain.migrations {
            try history.begin(migration)
            for step in migration.steps {
                for statement in step.statements {
                    try carry(added, before: statement, of: step.summary, connection, meter)
                    try watch?(.before(statement))
                    try execute(
                        statement, of: step.summary, in: migration, on: connection, meter
                    ) {
                        try refusedRow(by: statement, of: migration, on: connection)
                    }
                    try watch?(.after(statement))
                    meter.ended()
                }
                guard let name = step.code else { continue }
                try meter.begins(step.summary)
                try run(name, of: migration, on: connection, meter, files: files)
                meter.ended()
            }
            try history.end(migration)
        }
    }

    /// Updates checks, defaults and indexes.
    ///
    /// - Returns: The catalogue of the store afterwards.
    private func refresh(
        after chain: MigrationChain, from old: Schema?, to expected: Catalogue,
        _ added: inout AddedColumns, on connection: Connection, _ meter: MigrationMeter
    ) throws -> Catalogue {
        var catalogue = Catalogue(rows: try connection.rows(Catalogue.query))
        try leaveOrRefuse(&added, in: catalogue)
        catalogue = catalogue.without(columns: added.names)
        // A table whose schema cannot be updated in place is rebuilt.
        for mayRestate in [true, false] {
            let refresh = SchemaRefresh(
                from: catalogue, of: old, to: schema, expected,
                mayRestate: mayRestate)
            if refresh.statements.isEmpty { break }
            if !chain.migrations.isEmpty {
                try refuseRest?(catalogue.differences(from: expected))
            }
            let summary = "Bring checks, defaults and indexes up to date"
            for statement in refresh.statements {
                try carry(added, before: statement, of: summary, connection, meter)
                try execute(statement, of: summary, on: connection, meter)
            }
            catalogue = Catalogue(rows: try connection.rows(Catalogue.query))
                .without(columns: added.names)
        }
        return catalogue
    }

    /// - Parameter isOfOthers: Whether the statement contains SQL of another program.
    @inline(never)
    func execute(
        _ statement: MigrationStatement, of step: String, in migration: Migration? = nil,
        on connection: Connection, _ meter: MigrationMeter, isOfOthers: Bool = false,
        explaining: () throws -> MigrationStepError? = { nil }
    ) throws {
        try meter.begins(step)
        do {
            try isOfOthers
                ? connection.executeAlone(statement.sql) : connection.execute(statement.sql)
        } catch {
            if meter.isCancellation(error) { throw MigrationError.cancelled }
            let constraintCode: Int32 = 19
            guard error.primaryCode == constraintCode else {
                throw MigrationError.statementFailed(step: step, error)
            }
            if let error = try explaining() { throw error }
            throw MigrationError.refused(
                refusal(
                    by: statement, of: step, in: migration?.statements ?? [], error,
                    on: connection))
        }
    }

    private func verifyLinks(_ connection: Connection, besides others: ExternalObjectLinks) throws {
        for table in schema.tables {
            let broken = try connection.rows(MigrationSQL.foreignKeyCheck(of: table.name))
            guard let first = broken.first else { continue }
            throw MigrationError.brokenLinks(
                table: table.name, count: broken.count,
                object: first.count > 1 ? first[1].integer : nil)
        }
        try others.verify(in: connection)
    }

    private func verify(_ catalogue: Catalogue, _ expected: Catalogue) throws(MigrationError) {
        let different = catalogue.differences(from: expected)
            .filter { expected.entries[$0] != nil }
        guard different.isEmpty else {
            throw .storeDiffers(
                different.map { name in
                    StoreDifference(
                        name: name, kind: catalogue.entries[name] == nil ? .missing : .changed,
                        expected: expected.entries[name], actual: catalogue.entries[name])
                })
        }
    }

    /// Adds the columns of other programs to a new table, before the old table is dropped.
    @inline(never)
    func carry(
        _ added: AddedColumns, before statement: MigrationStatement, of step: String,
        _ connection: Connection, _ meter: MigrationMeter
    ) throws {
        for addition in added.statements(before: statement.operation) {
            try execute(addition, of: step, on: connection, meter, isOfOthers: true)
        }
    }
}

extension SQLiteError {
    /// Whether a statement failed because a table or column does not exist.
    fileprivate var isAboutSchema: Bool { primaryCode == 1 }
}

/// The history of a store during its migration. Older changes are reported under the new names, and
/// each migration is a transaction of the history. If the changes of a migration are not known, the
/// history restarts.
package struct CarriedHistory {
    /// The author of the transactions.
    package static let author = "migration"

    /// The name of the context of a migration's transaction.
    package static func context(of migration: Migration) -> String {
        "from version \(migration.from) to version \(migration.to)"
    }

    private let connection: Connection
    private let isCarried: Bool

    /// - Parameter exists: Whether the store has a history.
    init(
        in connection: Connection, _ chain: MigrationChain, exists: Bool
    ) throws(SQLiteError) {
        self.connection = connection
        isCarried = exists && chain.historyRestartReason == nil
        if isCarried { try record() }
        if exists, !isCarried { try connection.expireHistory() }
    }

    /// Called before the first step of a migration.
    func begin(_ migration: Migration) throws(SQLiteError) {
        guard isCarried else { return }
        for statement in migration.history?.before ?? [] { try connection.execute(statement) }
    }

    /// Called after the last step of a migration.
    func end(_ migration: Migration) throws(SQLiteError) {
        guard isCarried, let history = migration.history else { return }
        for statement in history.after { try connection.execute(statement) }
        try record(author: Self.author, context: Self.context(of: migration))
    }

    /// Creates a transaction for the changes that have none yet.
    private func record(author: String? = nil, context: String? = nil) throws(SQLiteError) {
        let texts = [author, context].map { $0.map { StoredValue.text($0) } ?? .null }
        _ = try connection.rows(
            HistorySQL.record,
            [.real(Date.now.timeIntervalSinceReferenceDate)] + texts + [.null, .null, .null])
    }
}

extension Connection {
    /// Removes the complete history, so that requests with an earlier token throw. Call it in a
    /// transaction.
    package func expireHistory() throws(SQLiteError) {
        // Changes without a transaction are assigned to one that is deleted below.
        _ = try rows(HistorySQL.record, [.real(0)] + Array(repeating: .null, count: 5))
        guard let last = try rows(HistorySQL.bounds).first?.first?.integer, last > 0 else { return }
        for statement in HistorySQL.purge { _ = try rows(statement, [.integer(last)]) }
    }
}

/// The program's custom steps.
extension MigrationRunner {
    /// Runs a custom step, in the transaction of the chain.
    func run(
        _ step: String, of migration: Migration, on connection: Connection,
        _ meter: MigrationMeter, files: ExternalFiles?
    ) throws {
        let store = try SQLiteStepConnection(connection, files: files, meter)
        try migration.run(step, of: code, on: store, meter)
    }

    /// Finds the row of a custom step that violates a constraint, by trying one row after the
    /// other.
    ///
    /// - Returns: Nil if the statement does not check rows of custom steps.
    func refusedRow(
        by statement: MigrationStatement, of migration: Migration, on connection: Connection
    ) throws -> MigrationStepError? {
        guard case .settleRows(let root, _) = statement.operation else {
            return refusedIndex(by: statement, of: migration, on: connection)
        }
        let working = TableCopies.workingName(of: root)
        let ofOne = StepTableSQL.settlementOfOne(statement)
        let keys = try connection.statement(StepRowSQL.keys(of: working))
        defer { keys.reset() }
        while try keys.step() {
            guard case .integer(let key) = keys.value(at: 0) else { continue }
            do throws(SQLiteError) {
                _ = try connection.rows(ofOne, [.integer(key)])
            } catch {
                let names = try? connection.rows(
                    StepRowSQL.entity(in: working).sqliteText, [.integer(key)])
                let entity = names?.first?.first?.text ?? root
                return MigrationStepError(
                    step: migration.codeSteps.joined(separator: ", "), entity: entity, row: key,
                    MigrationStepMistake.missingValue(
                        entity: entity, row: key,
                        constraint: Self.reason(of: error, constraint(of: error))))
            }
        }
        return nil
    }

    /// The error for custom steps that have set equal values in unique columns.
    private func refusedIndex(
        by statement: MigrationStatement, of migration: Migration, on connection: Connection
    ) -> MigrationStepError? {
        guard case .createIndex(_, let table, _) = statement.operation,
            migration.steps.contains(where: { $0.code != nil && $0.tables.contains(table) })
        else { return nil }
        let search = RefusalSQL.search(after: statement)
        let pair = search.flatMap { try? connection.rows($0.query).first } ?? []
        let keys = pair.compactMap(\.integer)
        return MigrationStepError(
            step: migration.codeSteps.joined(separator: ", "), entity: table, row: keys.first,
            MigrationStepMistake.notUnique(
                entity: table, columns: search?.columns ?? [], rows: keys))
    }
}

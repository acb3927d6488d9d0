import CambiumModel
import CambiumSQL
import CambiumSQLite

/// What people do with a store file by hand, before or instead of letting a program open it: ask
/// what it is, what a migration would do, migrate it, or try that on a copy.
package struct StoreMaintenance {
    /// What knows the program's model and its migrations.
    package let runner: MigrationRunner
    /// The store's path.
    package let path: String

    /// Prepares for a store.
    package init(_ runner: MigrationRunner, storeAt path: String) {
        self.runner = runner
        self.path = path
    }

    private var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// What the store is to the program. Reads no rows, those of tables that another program has
    /// changed excepted; changes nothing.
    ///
    /// - Throws: `SQLiteError` where the file cannot be read. A store that the program cannot open
    ///   is no error: the report says why.
    package func status() throws -> StatusReport {
        guard exists else { return report(.none) }
        let connection = try Connection.reading(path: path)
        do {
            let found = try connection.transaction(.deferred) {
                try connection.withBudget { try situation(connection) }
            }
            return found ?? report(.none)
        } catch let error as MigrationError {
            let report = report(.refused)
            report.version = error.storeVersion
            report.problem = error.description
            return report
        }
    }

    private func report(_ state: StatusReport.State) -> StatusReport {
        StatusReport(
            store: path, model: runner.model.name, programVersion: runner.model.version,
            state: state)
    }

    private func situation(_ connection: Connection) throws -> StatusReport? {
        guard let metadata = try MigrationRunner.readMetadata(connection) else { return nil }
        let chain = try runner.chain(from: metadata, in: connection)
        try runner.requireOwnTables(in: connection, metadata, chain)
        let report = report(chain.map { $0.migrations.isEmpty ? .outdated : .behind } ?? .current)
        report.version = metadata.version
        if let chain, !chain.migrations.isEmpty {
            report.versions = chain.versions
            report.class = chain.steps.map(\.kind).max()?.rawValue
            report.losesData = chain.steps.contains(where: \.losesData)
            report.codeSteps = chain.steps.compactMap(\.code)
            report.history = try runner.historyFate(on: chain, in: connection)?.words
        }
        let expected = runner.expectedObjects(of: metadata, chain)
        let differences = try runner.weighed(
            expected.differences(in: connection).filter { $0.kind != .external }, in: connection,
            expected)
        report.differences = differences.map(StatusReport.Difference.init)
        report.repair = differences.repairWords
        if chain != nil || !differences.isEmpty {
            report.inTheWay = try runner.externalObjects(
                inWayOf: chain, from: metadata, differences, in: connection
            ).map(StatusReport.ExternalObject.init)
        }
        return report
    }

    /// What a migration would do. Goes through the tables to count their rows and through all of the
    /// file to see that it is whole, changes nothing.
    ///
    /// - Throws: ``MigrationError`` where the program cannot open the store, or where its file is
    ///   damaged; `SQLiteError`.
    package func plan() throws -> PlanReport {
        guard exists else { return PlanReport(store: path, nil) }
        let connection = try Connection.reading(path: path)
        let status = try status()
        if [.behind, .outdated].contains(status.state) || !status.differences.isEmpty {
            try connection.requireWhole(runner.isCancelled)
        }
        return PlanReport(store: path, try runner.forecast(connection, at: path))
    }

    /// Migrates the store, after it was made sure that all of its file can be read. A program that
    /// opens a store does not take the time, and finds the damage that its migration comes upon.
    ///
    /// - Parameter announce: Notified of what a repair is about to do, before anything is done.
    /// - Throws: ``MigrationError``, `SQLiteError`, and what the program's steps throw; the store
    ///   is as it was.
    package func apply(announcing announce: (String) -> Void = { _ in }) throws -> ApplyReport {
        let status = try status()
        let repair = runner.driftPolicy == .repair ? status.repair : nil
        if let repair, status.inTheWay.isEmpty,
            !status.differences.contains(where: { !$0.obstacles.isEmpty })
        {
            announce("\(path): the repair, after a copy was made: \(repair)\n")
        }
        if [.behind, .outdated].contains(status.state) || repair != nil {
            try Connection.reading(path: path).requireWhole(runner.isCancelled)
        }
        let start = ContinuousClock.now
        let outcome = try runner.open(fileAt: path)
        return ApplyReport(
            store: path, version: runner.model.version, outcome, differences: status.differences,
            repair: repair, history: status.history, seconds: start.seconds)
    }

    /// Migrates a copy of the store, which is removed afterwards.
    ///
    /// - Parameter folder: Where the copy is made; it must have room for it.
    /// - Throws: `SQLiteError` where the store cannot be copied, ``MigrationError`` where its file is
    ///   damaged. That its migration fails is no error: the report says why.
    package func rehearse(in folder: String) throws -> RehearsalReport {
        let copy = "\(folder)/rehearsal-\(try UUID.random().uuidString).sqlite"
        defer { Self.remove(copy) }
        let connection = try Connection.reading(path: path)
        try connection.withCancellation(runner.isCancelled) { () throws(SQLiteError) in
            try connection.backUp(path, to: copy) { _, _ in !runner.isCancelled() }
        }
        try ExternalFiles(ofStore: path).link(into: ExternalFiles(ofStore: copy))
        try Connection(path: copy, mode: .readOnly).requireWhole(runner.isCancelled)
        let before = try counts(of: copy)
        var versions: [String] = []
        var kind: String?
        var failure: String?
        let sizeBefore = Self.size(of: copy)
        var start = ContinuousClock.now
        do {
            let forecast = try runner.forecast(Connection(path: copy, mode: .readOnly), at: copy)
            versions = forecast?.versions ?? []
            kind = forecast?.kind.rawValue
            start = ContinuousClock.now
            // The copy is the backup.
            var settings = ConnectionSettings()
            settings.pragmas = PragmaSQL.ofMigration
            _ = try runner.open(Connection(path: copy, settings: settings))
        } catch MigrationError.cancelled {
            throw MigrationError.cancelled
        } catch {
            failure =
                StoreFailure(error, storeAt: path)?.reason ?? StoreFiles.reason(for: error)
        }
        let seconds = start.seconds
        let after = try counts(of: copy)
        let names = Set(before.keys).union(after.keys).sorted()
        return RehearsalReport(
            store: path, versions: versions, class: kind,
            tables: names.map { .init(name: $0, before: before[$0], after: after[$0]) },
            sizeBefore: sizeBefore, sizeAfter: Self.size(of: copy), seconds: seconds,
            failure: failure)
    }

    private func counts(of path: String) throws -> [String: Int] {
        let connection = try Connection.reading(path: path)
        var counts: [String: Int] = [:]
        for object in try connection.storeObjects()
        where object.isOrdinaryTable && !object.name.hasPrefix("_") {
            counts[object.name] = connection.count(ForecastSQL.count(of: object.name))
        }
        return counts
    }

    private static func size(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int ?? 0
    }

    private static func remove(_ path: String) {
        ExternalFiles(ofStore: path).removeAll()
        StoreFiles.removeDatabase(path)
    }

    /// Makes sure that no step of code is needed, which only the program itself has.
    ///
    /// - Throws: ``MigrationError`` where one is, or where the program cannot open the store;
    ///   `SQLiteError`.
    package func requireNoCode() throws {
        guard runner.code.isEmpty else { return }
        let report = try status()
        guard !report.codeSteps.isEmpty else { return }
        throw MigrationError.codeIsMissing(steps: report.codeSteps)
    }
}

extension MigrationError {
    /// The version of the store that the error is about, where it says so.
    fileprivate var storeVersion: String? {
        switch self {
        case .newerVersion(let store, _), .unknownVersion(let store, _, _),
            .migrationIsOff(let store, _), .noWayBack(let store, _):
            store
        case .otherDraft(let draft): draft.version
        default: nil
        }
    }
}

extension ContinuousClock.Instant {
    /// How many seconds have passed since.
    fileprivate var seconds: Double {
        (ContinuousClock.now - self) / .seconds(1)
    }
}

/// Why nothing could be done with a store file, for people.
package struct StoreFailure: Error, Sendable {
    /// What is in the way.
    package enum Cause: Sendable {
        /// The file, its folder or its disk.
        case file
        /// What the store is, or what is in it.
        case store
    }

    /// What is in the way.
    package let cause: Cause
    /// What is wrong and what to do about it.
    package let reason: String
    private let path: String
    /// The same with the store before it.
    package var message: String { "\(path): \(reason)" }

    /// Explains an error; nil where it is none of a store.
    package init?(_ error: any Error, storeAt path: String) {
        self.path = path
        switch error {
        case let error as MigrationError:
            switch error {
            case .statementFailed(let step, let failure) where failure.isOfFile:
                cause = .file
                reason =
                    "The migration failed in the step: \(step). "
                    + failure.remedy(of: path)
            case .backupFailed(_, let failure) where failure.isOfFile:
                cause = .file
                reason = error.description
            case .storeIsDamaged(let finding):
                cause = .file
                reason = "The file is damaged (\(finding)). " + FileTrouble.remedyOfDamage(to: path)
            case .storeDiffers(let differences):
                cause = .store
                reason =
                    "Another program has changed what is the model's: \(differences.list). "
                    + differences.remedy(repair: "--drift repair", report: "--drift report")
            case .columnsHaveNoPlace(let differences):
                cause = .store
                reason =
                    "The migration leaves no place for columns that another program has added: "
                    + differences.map(\.description).joined(separator: ", ")
                    + ". Save what is in them elsewhere, or let them go with --drift repair: a copy "
                    + "has them then"
            case .refused(let refusal):
                cause = .store
                reason = MigrationError.words(for: refusal, refusal.descriptionWithValue)
            default:
                cause = .store
                reason = error.description
            }
        case let error as MigrationStepError:
            cause = .store
            reason = error.description
        case let error as SQLiteError:
            cause = .file
            reason = error.remedy(of: path)
        default:
            return nil
        }
    }
}

extension SQLiteError {
    /// Whether the disk or the rights to the file are the reason.
    fileprivate var isOfFile: Bool { [8, 10, 13, 14].contains(primaryCode) }

    /// What is wrong with a file, and what to do about it.
    fileprivate func remedy(of path: String) -> String {
        if StoreFiles.isFolder(path) { return "It is a folder; name the store file in it" }
        if isOfMovedFile {
            return "\(message) while it was open. Nothing was written there. Put the file back, or "
                + "try again with what is there now"
        }
        guard let trouble = FileTrouble(self, with: path) else { return description }
        return "\(trouble.problem.prefix(1).uppercased())\(trouble.problem.dropFirst()). "
            + trouble.remedy
    }
}

/// What is wrong with the file of a store, its folder or its disk, and what to do about it, for
/// people.
package struct FileTrouble: Sendable {
    /// What is wrong, as a part of a sentence: `the disk is full`.
    package let problem: String
    /// What to do, as a sentence without its full stop.
    package let remedy: String

    /// Explains an error; nil where SQLite complains of something else than the file.
    package init?(_ error: SQLiteError, with path: String) {
        let folder = StoreFiles.words(forFolder: StoreFiles.folder(of: path))
        switch error.primaryCode {
        case 5, 6:
            problem = "another program is writing it"
            remedy = "Close that program, or try again later"
        case 8:
            problem = "it cannot be written"
            remedy = "See that the program may write the file and \(folder)"
        case 10:
            problem = "the disk could not be read or written (\(error.message))"
            remedy = "See that the disk is available and works, and try again"
        case 11:
            problem = "the file is damaged (\(error.message))"
            remedy = Self.remedyOfDamage(to: path)
        case 13:
            problem = "the disk is full"
            remedy = "The store is as it was. Make room, and try again"
        case 14, 23:
            problem = "it cannot be opened, or the files that SQLite needs beside it cannot be made"
            remedy =
                "See that the program may read the file and write \(folder), or copy the file, and "
                + "its -wal if there is one, to another folder"
        case 26:
            problem = "the file is not an SQLite database"
            remedy = "Give the path of a store, or of a file that does not exist yet"
        default:
            return nil
        }
    }

    /// What to do about a file that is not as SQLite has written it.
    static func remedyOfDamage(to path: String) -> String {
        "It is as it was. Put a copy from before in its place, or save what can still be read: "
            + "sqlite3 '\(path)' .recover"
    }
}

extension Connection {
    /// Makes sure that the file is whole. Goes through all of it.
    ///
    /// - Throws: ``MigrationError/storeIsDamaged(finding:)``, ``MigrationError/cancelled``;
    ///   `SQLiteError` where it cannot be read.
    func requireWhole(_ isCancelled: () -> Bool) throws {
        // Conditions are about values; those of other programs may not come to an end.
        try execute(MigrationSQL.checksOff)
        defer { try? execute(MigrationSQL.checksOn) }
        let rows = try withCancellation(isCancelled) { () throws(SQLiteError) in
            try self.rows(MigrationSQL.quickCheck)
        }
        let findings = rows.compactMap { $0.first?.text }
        guard let finding = findings.first(where: MigrationSQL.isDamage) else { return }
        // The first line of several names the database, which is the only one.
        let lines = finding.split(separator: "\n").filter { !$0.hasPrefix("***") }
        throw MigrationError.storeIsDamaged(finding: String(lines.first ?? finding[...]))
    }

    /// Runs a body that goes through the file, and whose statements end where that was asked for.
    ///
    /// - Throws: ``MigrationError/cancelled``, ``MigrationError/storeIsDamaged(finding:)``, and what
    ///   the body throws.
    func withCancellation<Result>(
        _ isCancelled: () -> Bool, _ body: () throws(SQLiteError) -> Result
    ) throws -> Result {
        do {
            return try asking(every: MigrationMeter.instructionsPerTick, { !isCancelled() }, body)
        } catch let error as SQLiteError where error.isInterruption && isCancelled() {
            throw MigrationError.cancelled
        } catch let error as SQLiteError where error.isDamage {
            throw MigrationError.storeIsDamaged(finding: error.message)
        }
    }
}

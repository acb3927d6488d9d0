import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The manual operations on a store file: show its status, plan a migration, run it, or try it on a
/// copy. They are for the time before a program opens the store, or for a store that no program
/// opens.
package struct StoreMaintenance {
    /// Runs the program's migrations, to its model.
    package let runner: MigrationRunner
    /// The store's path.
    package let path: String

    /// Prepares for a store.
    package init(_ runner: MigrationRunner, storeAt path: String) {
        self.runner = runner
        self.path = path
    }

    private var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Returns the status of the store for the program. It reads no rows, except those of tables
    /// that another program has changed. It changes nothing.
    ///
    /// - Throws: `SQLiteError` if the file cannot be read. If the program cannot open the store, no
    ///   error is thrown: the report contains the reason.
    package func status() throws -> StatusReport {
        guard exists else { return StatusReport(store: path, of: runner.model, nil) }
        let connection = try Connection.reading(path: path)
        do {
            let survey = try connection.transaction(.deferred) {
                try connection.withBudget { try runner.survey(of: connection) }
            }
            return StatusReport(store: path, of: runner.model, survey)
        } catch let error as MigrationError {
            return StatusReport(store: path, of: runner.model, refusedFor: error)
        }
    }

    /// Returns the effects of a migration. It reads the tables to count their rows, and the
    /// complete file to check it for damage. It changes nothing.
    ///
    /// - Throws: ``MigrationError`` if the program cannot open the store, or if its file is
    ///   damaged; `SQLiteError`.
    package func plan() throws -> PlanReport {
        guard exists else { return PlanReport(store: path, nil) }
        let connection = try Connection.reading(path: path)
        let status = try status()
        if [.behind, .outdated].contains(status.state) || !status.differences.isEmpty {
            try connection.requireIntact(runner.isCancelled)
        }
        return PlanReport(store: path, try runner.forecast(connection, at: path))
    }

    /// Migrates the store, after a check that its complete file can be read. A program that opens a
    /// store skips this check, and finds damage only if the migration reads the damaged part.
    ///
    /// - Parameter announce: Called with a description of a repair before anything is done.
    /// - Throws: ``MigrationError``, `SQLiteError`, and the errors of the program's steps. After an
    ///   error, the store is unchanged.
    package func apply(announcing announce: (String) -> Void = { _ in }) throws -> ApplyReport {
        let status = try status()
        let repair = runner.driftPolicy == .repair ? status.repair : nil
        if let repair, status.inTheWay.isEmpty,
            !status.differences.contains(where: { !$0.obstacles.isEmpty })
        {
            announce("\(path): the repair, after a copy was made: \(repair)\n")
        }
        if [.behind, .outdated].contains(status.state) || repair != nil {
            try Connection.reading(path: path).requireIntact(runner.isCancelled)
        }
        let start = ContinuousClock.now
        let outcome = try runner.open(fileAt: path)
        return ApplyReport(
            store: path, version: runner.model.version, outcome, differences: status.differences,
            repair: repair, history: status.history, seconds: start.seconds)
    }

    /// Migrates a copy of the store, and removes the copy afterwards.
    ///
    /// - Parameter folder: The folder of the copy; it must have room for it.
    /// - Throws: `SQLiteError` if the store cannot be copied, ``MigrationError`` if its file is
    ///   damaged. If the migration fails, no error is thrown: the report contains the reason.
    package func rehearse(in folder: String) throws -> RehearsalReport {
        let copy = "\(folder)/rehearsal-\(try UUID.random().uuidString).sqlite"
        defer { Self.remove(copy) }
        let connection = try Connection.reading(path: path)
        try connection.withCancellation(runner.isCancelled) { () throws(SQLiteError) in
            try connection.backUp(path, to: copy) { _, _ in !runner.isCancelled() }
        }
        try ExternalFiles(ofStore: path).link(into: ExternalFiles(ofStore: copy))
        try Connection(path: copy, mode: .readOnly).requireIntact(runner.isCancelled)
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
        return RehearsalReport(
            store: path, versions: versions, class: kind, before: before,
            after: try counts(of: copy), sizeBefore: sizeBefore, sizeAfter: Self.size(of: copy),
            seconds: seconds, failure: failure)
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

    /// Checks that the migration needs no custom step, because only the program itself has these.
    ///
    /// - Throws: ``MigrationError`` if it needs one, or if the program cannot open the store;
    ///   `SQLiteError`.
    package func requireNoCode() throws {
        guard runner.code.isEmpty else { return }
        let report = try status()
        guard !report.codeSteps.isEmpty else { return }
        throw MigrationError.codeIsMissing(steps: report.codeSteps)
    }
}

extension ContinuousClock.Instant {
    /// The number of seconds since this instant.
    fileprivate var seconds: Double {
        (ContinuousClock.now - self) / .seconds(1)
    }
}

extension Connection {
    /// Checks the complete file for damage.
    ///
    /// - Throws: ``MigrationError/storeIsDamaged(finding:)``, ``MigrationError/cancelled``;
    ///   `SQLiteError` if it cannot be read.
    func requireIntact(_ isCancelled: () -> Bool) throws {
        // Check constraints are not checked: they concern values, and those of other programs may
        // run forever.
        try execute(MigrationSQL.checksOff)
        defer { try? execute(MigrationSQL.checksOn) }
        let rows = try withCancellation(isCancelled) { () throws(SQLiteError) in
            try self.rows(MigrationSQL.quickCheck)
        }
        let findings = rows.compactMap { $0.first?.text }
        guard let finding = findings.first(where: MigrationSQL.isDamage) else { return }
        // If there are several lines, the first one names the database. There is only one.
        let lines = finding.split(separator: "\n").filter { !$0.hasPrefix("***") }
        throw MigrationError.storeIsDamaged(finding: String(lines.first ?? finding[...]))
    }

    /// Runs a body that reads the file. If cancellation is requested, its statements are
    /// interrupted.
    ///
    /// - Throws: ``MigrationError/cancelled``, ``MigrationError/storeIsDamaged(finding:)``, and the
    ///   errors of the body.
    func withCancellation<Result>(
        _ isCancelled: () -> Bool, _ body: () throws(SQLiteError) -> Result
    ) throws -> Result {
        do {
            return try asking(every: 10_000, { !isCancelled() }, body)
        } catch let error as SQLiteError where error.isInterruption && isCancelled() {
            throw MigrationError.cancelled
        } catch let error as SQLiteError where error.isDamage {
            throw MigrationError.storeIsDamaged(finding: error.message)
        }
    }
}

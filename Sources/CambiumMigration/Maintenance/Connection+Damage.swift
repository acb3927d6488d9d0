import CambiumModel
import CambiumSQL
import CambiumSQLite

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
}

extension Connection {
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

extension Connection {
    /// Runs a body that looks at a store which nobody knows yet: its statements end after some seconds
    /// in all. The catalogue of a store takes some milliseconds.
    ///
    /// - Throws: ``MigrationError/storeIsDamaged(finding:)`` where they have not come to an end; what
    ///   the body throws.
    package func withBudget<Result>(_ body: () throws -> Result) throws -> Result {
        var questions = 500
        do {
            return try asking(
                every: 100_000,
                {
                    questions -= 1
                    return questions > 0
                }, body)
        } catch let error as SQLiteError where error.isInterruption && questions <= 0 {
            throw MigrationError.storeIsDamaged(
                finding: "what it says about its tables does not come to an end")
        }
    }
}

extension SQLiteError {
    /// Whether the file is not what SQLite has written.
    var isDamage: Bool { [11, 26].contains(primaryCode) }
}

extension MigrationError {
    /// The same as damage, where that is the reason.
    func noticingDamage() -> MigrationError {
        switch self {
        case .statementFailed(let step, let error) where error.isDamage:
            .storeIsDamaged(finding: "\(error.message), found in the step: \(step)")
        case .backupFailed(_, let error) where error.isDamage:
            .storeIsDamaged(finding: "\(error.message), found while the store was copied")
        default: self
        }
    }
}

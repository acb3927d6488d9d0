import CambiumModel
import CambiumSQL
import CambiumSQLite

extension Connection {
    /// Makes sure that the file is whole. Goes through all of it.
    ///
    /// - Throws: ``MigrationError/storeIsDamaged(finding:)``, ``MigrationError/cancelled``;
    ///   `SQLiteError` where it cannot be read.
    func requireWhole(_ isCancelled: () -> Bool) throws {
        let rows = try withCancellation(isCancelled) { () throws(SQLiteError) in
            try self.rows(MigrationSQL.quickCheck)
        }
        let findings = rows.compactMap { row -> String? in
            if case .text(let finding)? = row.first { finding } else { nil }
        }
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

extension SQLiteError {
    /// Whether a statement, or a copy, was ended because somebody asked for it.
    var isInterruption: Bool { primaryCode == 9 }

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

import CambiumModel
import CambiumSQL
import CambiumSQLite

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

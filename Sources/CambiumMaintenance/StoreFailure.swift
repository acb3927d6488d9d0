import CambiumEngine
import CambiumMigration
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
        case let error as StoreError:
            cause = .store
            let words = error.remedy.isEmpty ? error.message : "\(error.message) \(error.remedy)"
            reason = words.hasSuffix(".") ? String(words.dropLast()) : words
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

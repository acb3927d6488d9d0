import CambiumEngine
import CambiumMigration
import CambiumSQLite

/// The reason why an operation on a store file failed, for a person.
package struct StoreFailure: Error, Sendable {
    /// The cause of the failure.
    package enum Cause: Sendable {
        /// The file, its folder or its disk.
        case file
        /// The kind of the store, or its content.
        case store
    }

    /// The cause of the failure.
    package let cause: Cause
    /// The problem and its remedy.
    package let reason: String
    private let path: String
    /// The reason with the path of the store before it.
    package var message: String { "\(path): \(reason)" }

    /// Explains an error; nil if it is not about a store.
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
                reason = "The file is damaged (\(finding)). " + FileProblem.remedyOfDamage(to: path)
            case .storeDiffers(let differences):
                cause = .store
                reason =
                    "Another program has changed tables or indexes of the model: \(differences.list). "
                    + remedy(of: differences, error)
            case .columnsHaveNoPlace(let differences):
                cause = .store
                reason =
                    "The migration would delete columns that another program has added: "
                    + differences.map(\.description).joined(separator: ", ")
                    + ". Save their data elsewhere, or delete them with --drift repair, which makes "
                    + "a copy first"
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

/// The remedy of differences. No command repairs a store on a server, so a program has to.
private func remedy(of differences: [StoreDifference], _ error: MigrationError) -> String {
    let ofPrograms = differences.areOnServer ? error.remedy : nil
    return ofPrograms
        ?? differences.remedy(repair: "--drift repair", report: "--drift report")
}

extension SQLiteError {
    /// Whether the disk or the rights to the file are the reason.
    fileprivate var isOfFile: Bool { [8, 10, 13, 14].contains(primaryCode) }

    /// The problem of a file, and its remedy.
    fileprivate func remedy(of path: String) -> String {
        if StoreFiles.isFolder(path) { return "It is a folder; name the store file in it" }
        if isOfMovedFile {
            return "\(message) while it was open. Nothing was written there. Put the file back, or "
                + "try again with the current file"
        }
        guard let fileProblem = FileProblem(self, with: path) else { return description }
        return "\(fileProblem.problem.prefix(1).uppercased())\(fileProblem.problem.dropFirst()). "
            + fileProblem.remedy
    }
}

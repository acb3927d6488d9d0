import CambiumEngine
import CambiumMigration
import CambiumSQLite

/// Stores that another draft of the program's version has written.
extension SQLiteOpener {
    /// Moves the file of such a store aside, where the options say so.
    ///
    /// - Returns: Whether the store can be opened now.
    /// - Throws: ``StoreError`` with `busy` where the store is open elsewhere; what moving the file
    ///   throws.
    func setAside(_ draft: OtherDraft, at path: String) throws -> Bool {
        guard runner.draftPolicy == .recreate, draft.frozenVersion == nil else { return false }
        do {
            let moved = try reportingFiles {
                try StoreSetAside(path, of: draft, runner).move(
                    settings: ConnectionSettings(options))
            }
            // Another process was faster.
            guard let moved else { return true }
            didMoveAside(path)
            StandardError.note(
                "The store '\(StoreFiles.name(of: path))' was written with another draft of version "
                    + "\(draft.version) of \(draft.model), and is at '\(moved)' now. A new one was "
                    + "made in its place")
            return true
        } catch let error as SQLiteError {
            guard [5, 6].contains(error.primaryCode) else { throw error }
            throw StoreError(
                code: .busy,
                message:
                    "The store '\(StoreFiles.name(of: path))' was written with another draft of "
                    + "version \(draft.version) of \(draft.model), and cannot be moved aside while "
                    + "another process or container has it open.",
                remedy: "Close it there, and open it here again.",
                underlying: error)
        }
    }
}

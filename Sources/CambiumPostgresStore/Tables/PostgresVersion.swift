import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The version of the program's model, to be compared with that of the store.
///
/// Each transaction of an open store holds a lock on the table of metadata. A migration takes that
/// lock exclusively: it waits for the transactions that began before it, and later ones wait for
/// it. A transaction that writes reads the version after it has the lock, and stops if the version
/// has changed.
struct PostgresVersion: Sendable {
    private let model: Model
    private let hash: String
    private let layout: PostgresLayout

    init(_ layout: PostgresLayout) {
        self.layout = layout
        model = layout.model.model
        hash = model.versionHash
    }

    /// Selects the rows with the version.
    static let condition = "\"name\" IN ('version', 'versionHash')"

    var query: PostgresStatement {
        PostgresStatement(
            "SELECT \"name\", \"value\" FROM \(layout.metadata) WHERE \(Self.condition)")
    }

    /// Checks that the store has the program's version.
    ///
    /// - Parameter rows: Names and values, at least those of ``query``.
    /// - Throws: ``StoreError`` with `noStore`.
    func require(_ rows: PostgresRows, after error: (any Error)? = nil) throws {
        var values: [String: String] = [:]
        for row in 0..<rows.count where values.count < 2 {
            let name = rows.text(row, 0)
            if name.hasPrefix("version") { values[name] = rows.text(row, 1) }
        }
        if values["versionHash"] == hash { return }
        guard let version = values["version"], values["versionHash"] != nil else {
            throw StoreError(
                code: .corrupt,
                message: "The table \(layout.metadata) no longer has the version of the "
                    + "store: another program has changed it, or a policy of the server's hides it.",
                remedy: "Restore the table from a backup, and let the user read it.")
        }
        throw StoreError.migrated(
            "The store in the schema \(layout.schema)", toVersion: version, of: model.name, error)
    }

    /// Whether the cause of an error may be that the tables have changed.
    func mayExplain(_ error: any Error) -> Bool {
        switch error {
        case let error as PostgresError: error.state.hasPrefix("42") || error.isStalePlan
        case let error as StoreError:
            error.serverFailure == .changedTables || [.corrupt, .unreadable].contains(error.code)
        default: false
        }
    }
}

import CambiumSQL

/// The tables of a store's history, with the schema. They exist while the store has one.
package struct PostgresHistoryNames: Sendable {
    package let transactions: String
    package let changes: String
    package let state: String
    package let sequence: String

    /// The setting with the id of a transaction that notes its own changes. If it is set, the
    /// triggers do not note them.
    package static let saving = "cambium.saving"

    /// The prefix of the names of triggers and functions. Names in a model begin with a letter.
    package static let triggerPrefix = "\(HistorySQL.prefix)."

    package var tables: [String] { [transactions, changes, state] }

    package init(_ layout: PostgresLayout) {
        func name(_ table: String) -> String { layout.qualified("\(HistorySQL.prefix)_\(table)") }
        transactions = name("transactions")
        changes = name("changes")
        state = name("state")
        sequence = name("sequence")
    }
}

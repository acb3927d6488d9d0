import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The triggers and views of a store, out of the way while its tables change: a table that is made
/// anew would lose its triggers, a view that names it would keep SQLite from renaming it, and a
/// migration is no change of objects. Those of other programs come back as they were, as do their
/// indexes; those of the history as the new tables need them.
struct SetAsideObjects {
    private let connection: Connection
    private let others: [StoreTrigger]
    /// The statements that make the views.
    private let views: [String]
    /// The indexes of others: they go with a table that is made anew.
    private let indexes: [(name: String, sql: String)]
    private let history: HistorySettings?

    /// Removes all triggers and views, inside of a transaction.
    init(of connection: Connection) throws(SQLiteError) {
        self.connection = connection
        let triggers = try connection.rows(StoreTrigger.query).compactMap(StoreTrigger.init)
        for trigger in triggers { try connection.execute(trigger.dropStatement) }
        others = triggers.filter { !$0.isOfHistory }
        history = HistorySettings(rows: try connection.rows(HistorySettings.query))
        indexes = try connection.rows(MigrationSQL.indexes).compactMap { row in
            guard case .text(let name) = row.first, case .text(let sql) = row.last,
                !TableIndex.mayBeOurs(name)
            else { return nil }
            return (name, sql)
        }
        var views: [String] = []
        for row in try connection.rows(MigrationSQL.views) {
            guard case .text(let name) = row.first, case .text(let sql) = row.last else { continue }
            try connection.execute(MigrationSQL.drop(view: name))
            views.append(sql)
        }
        self.views = views
    }

    /// Puts them back, triggers of tables and indexes of columns that are gone excepted.
    ///
    /// - Parameter keepsHistory: Whether the names in the history still mean what they meant. If
    ///   not, it begins anew.
    func putBack(in schema: Schema, _ model: Model, keepsHistory: Bool) throws(SQLiteError) {
        for statement in views { try connection.execute(statement) }
        let names = Set(
            try connection.rows(Catalogue.namesQuery).compactMap { row -> String? in
                if case .text(let name)? = row.first { name } else { nil }
            })
        for trigger in others where names.contains(trigger.table) {
            try connection.execute(trigger.createStatement)
        }
        for index in indexes where !names.contains(index.name) {
            do throws(SQLiteError) {
                try connection.execute(index.sql)
            } catch {
                let noSuchColumnCode: Int32 = 1
                guard error.primaryCode == noSuchColumnCode else { throw error }
            }
        }
        guard let history else { return }
        for trigger in HistoryTriggers(of: schema, model, history.content).triggers {
            try connection.execute(trigger.createStatement)
        }
        if !keepsHistory { try connection.expireHistory() }
    }
}

extension Connection {
    /// Removes all of the history, so that whoever asks what came after a moment before is told
    /// that nobody knows. Inside of a transaction.
    package func expireHistory() throws(SQLiteError) {
        // What no transaction has yet is in none that stays.
        _ = try rows(HistorySQL.record, [.real(0)] + Array(repeating: .null, count: 5))
        guard case .integer(let last)? = try rows(HistorySQL.bounds).first?.first, last > 0 else {
            return
        }
        for statement in HistorySQL.purge { _ = try rows(statement, [.integer(last)]) }
    }
}

import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The triggers and views of a store, out of the way while its tables change: a table that is
/// rebuilt would lose its triggers, a view that names it would keep SQLite from renaming it, and a
/// migration is no change of objects. Those of other programs come back as they were, as do their
/// indexes; those of the history as the new tables need them.
struct SetAsideObjects {
    private let connection: Connection
    /// The triggers and views of others, and their indexes, which are deleted with a table that is
    /// rebuilt.
    private let others: [StoreObject]
    /// What the store says of its history; nil where it has none.
    let history: HistorySettings?

    /// Removes all triggers and views, inside of a transaction.
    init(of connection: Connection) throws(SQLiteError) {
        self.connection = connection
        let objects = try connection.rows(StoreObject.query).compactMap(StoreObject.init)
        for object in objects where object.kind == .trigger || object.kind == .view {
            // A view takes its triggers with it.
            try connection.execute(object.removalIfThere)
        }
        others = objects.filter { object in
            object.kind != .table && !object.isOfHistory
                && !(object.kind == .index && TableIndex.mayBeOurs(object.name))
        }
        history = HistorySettings(rows: try connection.rows(HistorySettings.query))
    }

    /// Puts them back.
    ///
    /// - Throws: ``MigrationError/externalObjectsInTheWay(_:)`` where one does not fit any more:
    ///   that it is missing without a message must not happen; `SQLiteError`.
    func putBack(in schema: Schema, _ model: Model) throws {
        let there = Set(
            try connection.rows(StoreObject.query).compactMap(StoreObject.init)
                .filter { $0.kind == .index }.map(\.name))
        let kinds: [StoreObject.Kind] = [.view, .trigger, .index]
        for kind in kinds {
            for object in others
            where object.kind == kind && !(kind == .index && there.contains(object.name)) {
                do throws(SQLiteError) {
                    try connection.executeAlone(object.sql)
                } catch {
                    guard [1, 19].contains(error.primaryCode) else { throw error }
                    throw MigrationError.externalObjectsInTheWay([
                        ExternalObject(object, .wouldBreak(error.message))
                    ])
                }
            }
        }
        guard let history else { return }
        for trigger in HistoryTriggers(of: schema, model, history.content).triggers {
            try connection.execute(trigger.createStatement)
        }
    }
}

import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Gives a store that is opened the history that its options ask for.
struct HistorySetup {
    let connection: Connection
    let model: Model

    /// Inside of no transaction.
    func apply(_ tracking: HistoryTracking) throws {
        let current = try HistorySettings(of: connection)
        guard let content = tracking.content(after: current?.content) else {
            if current != nil { try connection.transaction { try remove() } }
            return
        }
        let wanted = HistoryTriggers(of: Schema(of: model), model, content).triggers
        if let current, current.content == content, try isInPlace(wanted) { return }
        try connection.transaction {
            // Another process may have been faster.
            var settings: HistorySettings
            if let current = try HistorySettings(of: connection) {
                settings = current
                settings.content = content
            } else {
                settings = try HistorySettings(content: content, epoch: UUID.random())
                // Another program may have left some of the tables.
                for statement in HistorySQL.dropStatements + HistorySQL.createStatements {
                    try connection.execute(statement)
                }
            }
            for trigger in try triggers() { try connection.execute(trigger.dropStatement) }
            for trigger in wanted { try connection.execute(trigger.createStatement) }
            for statement in settings.writeStatements { try connection.execute(statement) }
        }
    }

    /// Makes sure that a store has nothing but what its model and its history need.
    ///
    /// - Throws: ``MigrationError/objectsAreNotTrusted(_:)``
    func requireTrust(_ runner: MigrationRunner) throws {
        let triggers = try HistorySettings(of: connection).map {
            HistoryTriggers(of: Schema(of: model), model, $0.content).triggers
        }
        try runner.requireTrust(in: connection, triggers: triggers ?? [])
    }

    /// Lets the history of a store whose rows were replaced start over: its numbers may name other
    /// changes than those that a reader has seen.
    static func renew(_ connection: Connection) throws {
        guard var settings = try HistorySettings(of: connection) else { return }
        settings.epoch = try UUID.random()
        for statement in settings.writeStatements { try connection.execute(statement) }
    }

    /// Lets what is written next be no part of the history. ``apply(_:isReadOnly:)`` puts the
    /// triggers back.
    static func removeTriggers(_ connection: Connection) throws {
        for trigger in try triggers(connection) { try connection.execute(trigger.dropStatement) }
    }

    private func triggers() throws -> [StoreTrigger] { try Self.triggers(connection) }

    private static func triggers(_ connection: Connection) throws -> [StoreTrigger] {
        try connection.rows(StoreTrigger.query).compactMap(StoreTrigger.init)
            .filter(\.isOfHistory)
    }

    private func isInPlace(_ wanted: [StoreTrigger]) throws -> Bool {
        let found = try triggers()
        guard found.count == wanted.count else { return false }
        let byName = Dictionary(found.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        return wanted.allSatisfy { byName[$0.name]?.isSame(as: $0) ?? false }
    }

    private func remove() throws {
        // Another process may have been faster.
        guard try HistorySettings(of: connection) != nil else { return }
        for trigger in try triggers() { try connection.execute(trigger.dropStatement) }
        for statement in HistorySQL.dropStatements + HistorySettings.removeStatements {
            try connection.execute(statement)
        }
    }
}

extension HistorySettings {
    /// What a store says about its history now: other processes may turn it on and off.
    ///
    /// - Returns: Nil where it has none.
    init?(of connection: Connection) throws(SQLiteError) {
        self.init(rows: try connection.rows(HistorySettings.query))
    }
}

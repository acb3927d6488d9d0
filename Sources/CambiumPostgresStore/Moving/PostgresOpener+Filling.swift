import CambiumEngine
import CambiumModel
import CambiumPostgresSQL

extension PostgresOpener {
    package func open(
        filledWith rows: MovedRows
    ) throws -> (store: any StoreEngine, report: MoveReport?) {
        // The notes that wait for a save are moved too.
        let notes = try rows.source.notes()
        let report = try rows.source.withTables { try fill(from: $0, rows, notes) }
        var opened: (any StoreEngine)?
        do {
            let store = try open().store
            opened = store
            if report == nil { try store.insertRows(of: rows) }
            return (store, report)
        } catch {
            opened?.close()
            removeNewStore()
            throw error
        }
    }

    /// Creates the store if it does not exist, and writes the rows of another one, in one
    /// transaction.
    private func fill(
        from source: any MovedTables, _ rows: MovedRows, _ notes: [String: String]
    ) throws -> MoveReport {
        guard !options.isReadOnly else { throw StoreError.readOnly }
        try requireSchemaName()
        let derivations = PostgresDerivations(PostgresLayout(model, schema: schema))
        let layout = derivations.layout
        let move = TableMove(
            rows, from: source,
            by: PostgresMoveRules(derivations, of: rows.roots, largestValue: largestValue))
        let counts = try move.requireFitting()
        let history = options.history == .asStored ? try source.historyContent() : nil
        let pool = PostgresPool(settings, setup, waitLimit: waitLimit)
        let exists = try pool.withConnection { connection in
            try require(connection)
            return try layout.hasStore(connection)
        }
        // If other programs have changed the store's tables, this throws before anything is
        // written.
        if exists { try open().store.close() }
        return try pool.withConnection { connection in
            do {
                let (found, report) = try connection.transaction {
                    let found = try identifier(derivations, connection)
                    let writer = PostgresTableWriter(connection, derivations)
                    let report = try move.run(counts, into: writer)
                    _ = try connection.run(layout.statements(for: notes))
                    if let history {
                        // It starts over.
                        try PostgresHistory(layout, options.historyRetention)
                            .restart(history == .values ? .values : .properties, connection)
                    }
                    return (found, report)
                }
                if let new = found.made { made.withLock { $0 = new } }
                return report
            } catch let error as PostgresError {
                throw layout.refusal(ofMove: error)
            }
        }
    }
}

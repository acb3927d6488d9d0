import CambiumSQL

extension MigrationContext {
    /// Goes through the rows of an entity of the old version, and of the entities that inherit from
    /// it, in the order of their numbers.
    ///
    /// - Throws: What the closure throws, with the entity and the row; `SQLiteError`.
    public func forEach<Row: MigrationRow>(
        _ type: Row.Type, _ body: (Row) throws -> Void
    ) throws where Row.Version == Old {
        try goThrough(type, body)
    }

    /// The same for an entity of the new version. Rows that the closure inserts come too, at the
    /// end; one that it deletes before it has come does not.
    ///
    /// - Throws: What the closure throws, with the entity and the row; `SQLiteError`.
    public func forEach<Row: MigrationRow>(
        _ type: Row.Type, _ body: (Row) throws -> Void
    ) throws where Row.Version == New {
        try goThrough(type, body)
    }

    private func goThrough<Row: MigrationRow>(
        _ type: Row.Type, _ body: (Row) throws -> Void
    ) throws {
        let sql = sql(of: type)
        let total = max(1, try run.connection.number(sql.count))
        var done = 0
        var last = Int64.min
        let around = run.place
        while true {
            try run.checkCancellation()
            // A statement that is still open would see what is written meanwhile, or not.
            let rows = try run.connection.rows(
                sql.batch, [.integer(last), .integer(StepRun.batchSize)])
            for values in rows {
                let storage = RowStorage(values, files: run.files)
                guard let key = storage.key else { continue }
                last = key
                run.place = (Row.layout.entity, key)
                // What it throws is told with this place, so it stays where it is.
                try body(Row(storage: storage))
            }
            done += rows.count
            if around == nil { run.report(Double(done) / Double(total)) }
            if rows.count < Int(StepRun.batchSize) { break }
        }
        run.place = around
    }

    /// The row of an object of the old version; nil where there is none, or it is of another
    /// entity. Cost: one look-up.
    ///
    /// - Throws: `SQLiteError`.
    public func row<Row: MigrationRow>(
        _ id: RowID<Row>?
    ) throws -> Row? where Row.Version == Old {
        try read(id)
    }

    /// The same for an object of the new version, with what the step has written.
    ///
    /// - Throws: `SQLiteError`.
    public func row<Row: MigrationRow>(
        _ id: RowID<Row>?
    ) throws -> Row? where Row.Version == New {
        try read(id)
    }

    func read<Row: MigrationRow>(_ id: RowID<Row>?) throws -> Row? {
        guard let id else { return nil }
        return try run.connection.rows(sql(of: Row.self).one, [.integer(id.key)]).first.map {
            Row(storage: RowStorage($0, files: run.files))
        }
    }

    /// How many objects of an entity there are, those that inherit from it included. Goes through
    /// the table.
    ///
    /// - Throws: `SQLiteError`.
    public func count<Row: MigrationRow>(of type: Row.Type) throws -> Int {
        try run.connection.number(sql(of: type).count)
    }
}

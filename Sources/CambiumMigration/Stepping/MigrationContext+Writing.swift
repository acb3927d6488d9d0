import CambiumModel
import CambiumSQL

extension MigrationContext {
    /// Inserts an object into the new version. Its number is one that no object had.
    ///
    /// - Returns: The new object.
    /// - Throws: ``MigrationStepMistake/notWritable(entity:)``,
    ///   ``MigrationStepMistake/nulInText(entity:column:)``; `SQLiteError`.
    @discardableResult
    public func insert<Row: WritableMigrationRow>(
        _ row: Row
    ) throws -> RowID<Row> where Row.Version == New {
        let sql = try writing(Row.self)
        try requireFit(row, besides: [])
        guard
            case .integer(let key)? = try run.connection.rows(
                StepRowSQL.nextKey, [.text(Row.layout.root)]
            ).first?.first
        else { throw MigrationStepMistake.notWritable(entity: Row.layout.entity) }
        _ = try run.connection.rows(sql.insertion, [.integer(key)] + row.storage.values)
        return RowID(key: key)
    }

    /// Changes the row of an object of the new version.
    ///
    /// - Throws: ``MigrationStepMistake/noRow(entity:row:)`` where there is none;
    ///   ``MigrationStepMistake/nulInText(entity:column:)``, also of a text that has become one; what
    ///   the closure throws; `SQLiteError`.
    public func update<Row: WritableMigrationRow>(
        _ id: RowID<Row>?, _ change: (inout Row) throws -> Void
    ) throws where Row.Version == New {
        let sql = try writing(Row.self)
        let id = try given(id)
        guard var row: Row = try read(id) else {
            throw MigrationStepMistake.noRow(entity: Row.layout.entity, row: id.key)
        }
        let before = row.storage.values
        try change(&row)
        try requireFit(row, besides: before)
        guard row.storage.values != before else { return }
        _ = try run.connection.rows(sql.update, row.storage.values + [.integer(id.key)])
    }

    /// Changes the row of what an object of the old version has become.
    ///
    /// - Throws: ``MigrationStepMistake/noSuccessor(entity:row:successor:)`` where it has become
    ///   nothing of the kind; what the closure throws; `SQLiteError`.
    public func update<OldRow: MigrationRow, Row: WritableMigrationRow>(
        _ id: RowID<OldRow>?, as type: Row.Type, _ change: (inout Row) throws -> Void
    ) throws where OldRow.Version == Old, Row.Version == New {
        guard let id, let successor = try newID(of: id, as: type) else {
            throw MigrationStepMistake.noSuccessor(
                entity: OldRow.layout.entity, row: id?.key ?? 0, successor: Row.layout.entity)
        }
        try update(successor, change)
    }

    /// Deletes an object of the new version. Links to it go with it; where one is required, the
    /// object that has it must be given another or be deleted too.
    ///
    /// - Throws: ``MigrationStepMistake``; `SQLiteError`.
    public func delete<Row: WritableMigrationRow>(
        _ id: RowID<Row>?
    ) throws where Row.Version == New {
        let sql = try writing(Row.self)
        let id = try given(id)
        guard let _: Row = try read(id) else {
            throw MigrationStepMistake.noRow(entity: Row.layout.entity, row: id.key)
        }
        _ = try run.connection.rows(sql.deletion, [.integer(id.key)])
        _ = try run.connection.rows(
            StepRowSQL.noteDeletion, [.text(Row.layout.root), .integer(id.key)])
    }

    /// - Parameter known: The values that were there: what another program wrote is no mistake of the
    ///   step.
    private func requireFit<Row: MigrationRow>(
        _ row: Row, besides known: [StoredValue]
    ) throws(MigrationStepMistake) {
        let layout = Row.layout
        if let index = row.storage.unfit.min() {
            throw .unfitValue(entity: layout.entity, column: layout.columns[index])
        }
        for (index, value) in row.storage.values.enumerated() where value.hasNUL {
            if index < known.count, known[index] == value { continue }
            throw .nulInText(entity: layout.entity, column: layout.columns[index])
        }
    }
}

extension StoredValue {
    /// Whether it is a text that SQLite's own functions would not read to its end.
    fileprivate var hasNUL: Bool {
        if case .text(let text) = self { text.utf8.contains(0) } else { false }
    }
}

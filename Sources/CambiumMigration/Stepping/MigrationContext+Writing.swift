import CambiumModel
import CambiumSQL

extension MigrationContext {
    /// Inserts an object into the new version. Its number is one that no object had.
    ///
    /// - Returns: The new object.
    /// - Throws: ``MigrationStepMistake/notWritable(entity:)``; `SQLiteError`.
    @discardableResult
    public func insert<Row: WritableMigrationRow>(
        _ row: Row
    ) throws -> RowID<Row> where Row.Version == New {
        let sql = try writing(Row.self)
        try requireFit(row)
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
    /// - Throws: ``MigrationStepMistake/noRow(entity:row:)`` where there is none; what the closure
    ///   throws; `SQLiteError`.
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
        try requireFit(row)
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

    private func requireFit(_ row: some MigrationRow) throws(MigrationStepMistake) {
        guard let index = row.storage.unfit.min() else { return }
        let layout = type(of: row).layout
        throw .unfitValue(entity: layout.entity, column: layout.columns[index])
    }
}

import CambiumModel
import CambiumSQL

extension MigrationContext {
    /// What an object of the old version has become: what ``replace(_:with:)`` has noted, or else
    /// the object that was carried over. Cost: one or two look-ups.
    ///
    /// - Returns: Nil where it has become nothing, or no object of that entity, and of nil.
    /// - Throws: `SQLiteError`.
    public func newID<OldRow: MigrationRow, Row: MigrationRow>(
        of id: RowID<OldRow>?, as type: Row.Type
    ) throws -> RowID<Row>? where OldRow.Version == Old, Row.Version == New {
        guard let id else { return nil }
        let noted = try run.connection.rows(
            StepRowSQL.noted,
            [.text(OldRow.layout.root), .integer(id.key), .text(Row.layout.root)])
        if case .integer(let key)? = noted.first?.first { return RowID(key: key) }
        guard let successor = try successor(of: id) else { return nil }
        let carried = RowID<Row>(key: id.key + successor.shift)
        // Objects of several old tables may have come together in the new one: the number alone
        // says nothing.
        guard
            Row.layout.family.isEmpty
                ? successor.entity == Row.layout.entity
                : Row.layout.family.contains(successor.entity)
        else { return nil }
        let found: Row? = try read(carried)
        return found == nil ? nil : carried
    }

    private func successor<OldRow: MigrationRow>(
        of id: RowID<OldRow>
    ) throws -> (entity: String, shift: Int64)? {
        guard !OldRow.layout.family.isEmpty else { return run.successors[OldRow.layout.entity] }
        let sql = StepRowSQL.entity(in: run.oldTable(OldRow.layout.root))
        guard
            case .text(let entity)? = try run.connection.rows(sql, [.integer(id.key)]).first?.first
        else { return nil }
        return run.successors[entity]
    }

    /// Notes that an object of the old version is from now on that object of the new one, so that
    /// ``newID(of:as:)`` finds it. Links that were carried over do not follow; set them.
    ///
    /// - Throws: ``MigrationStepMistake/noRow(entity:row:)`` where the old one is nil; `SQLiteError`.
    public func replace<OldRow: MigrationRow, Row: MigrationRow>(
        _ old: RowID<OldRow>?, with new: RowID<Row>
    ) throws where OldRow.Version == Old, Row.Version == New {
        let old = try given(old)
        _ = try run.connection.rows(
            StepRowSQL.note,
            [
                .text(OldRow.layout.root), .integer(old.key), .text(Row.layout.root),
                .integer(new.key),
            ])
    }

    /// A row that was read has a number; one that was made and not inserted yet has none.
    func given<Row: MigrationRow>(_ id: RowID<Row>?) throws(MigrationStepMistake) -> RowID<Row> {
        guard let id else { throw .noRow(entity: Row.layout.entity, row: 0) }
        return id
    }
}

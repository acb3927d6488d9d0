import CambiumModel
import CambiumSQL
import CambiumSQLite

// Values that were copied, or not, and that a program will see otherwise than Core Data did.
extension CoreDataImportRun {
    /// Records values of properties that the row's entity does not have. They are not copied.
    ///
    /// - Returns: Whether there are any.
    func noteStrayValues(
        _ table: ObjectTable, _ report: inout CoreDataImportReport
    ) throws(SQLiteError) -> Bool {
        let strays = table.sql.strays
        var exist = false
        for query in table.sql.exist(strays) where !exist {
            exist = try connection.number(query) != 0
        }
        guard exist else { return false }
        for stray in strays {
            for row in try connection.rows(stray.query) {
                guard let key = row[0].integer else { continue }
                let entity = table.object.entities.first { .integer($0.number) == row[1] }?.entity
                let name = entity?.name ?? table.object.root.name
                let reason = "not copied, as only \(stray.entity.name) has such a property"
                if stray.isLink {
                    let target = row[2].integer
                    report.lostLinks.append(
                        .init(
                            entity: name, id: key, relationship: stray.property, target: target,
                            reason: reason))
                } else {
                    report.changedValues.append(
                        .init(entity: name, id: key, property: stray.property, reason: reason))
                }
            }
        }
        return true
    }

    /// Records decimals that are NaN, because the new store cannot store them.
    func noteNotANumber(
        _ table: ObjectTable, _ report: inout CoreDataImportReport
    ) throws(SQLiteError) {
        for (attribute, query) in table.sql.notANumber {
            for row in try connection.rows(query) {
                guard let key = row[0].integer else { continue }
                report.changedValues.append(
                    .init(
                        entity: try name(ofRow: key, table), id: key, property: attribute.name,
                        reason: attribute.isOptional
                            ? "nil, as the number is NaN" : "the default, as the number is NaN"))
            }
        }
    }

    /// Remarks on rows that are taken although the number of their entity is another version's.
    func noteOtherNumbers(
        _ table: ObjectTable, _ report: inout CoreDataImportReport
    ) throws(SQLiteError) {
        guard let query = table.sql.rowsOfOtherNumbers else { return }
        for row in try connection.rows(query) {
            guard let number = row[0].integer, let count = row[1].integer else { continue }
            let (rows, objects) =
                count == 1
                ? ("1 row of \(table.object.table) has", "It is imported as an object")
                : ("\(count) rows of \(table.object.table) have", "They are imported as objects")
            report.remarks.append(
                "\(rows) the entity number \(number), which no entity of the store has. \(objects) of "
                    + "\(table.object.root.name), the only entity of that table")
        }
    }

    /// Records objects without a position in an ordered list, because the stored position is not a
    /// number.
    func noteInvalidPositions(
        _ table: ObjectTable, _ report: inout CoreDataImportReport
    ) throws(SQLiteError) {
        for key in table.object.keys {
            guard let query = table.sql.invalidPositions(key),
                let list = model.inverse(of: key.relationship)
            else { continue }
            for row in try connection.rows(query) {
                guard let id = row[0].integer else { continue }
                report.changedValues.append(
                    .init(
                        entity: table.name(ofNumber: row[1]), id: id,
                        property: key.relationship.name,
                        reason: "the link has no position in the order of \(list.entity.name)."
                            + "\(list.relationship.name), as the store has no number for it"))
            }
        }
    }

    /// Records strings that are not URIs. The store keeps them, but a program reads nil. If the
    /// value is required, the row is rejected.
    ///
    /// - Returns: Whether a row was rejected.
    func noteInvalidURIs(
        _ table: ObjectTable, _ report: inout CoreDataImportReport
    ) throws(SQLiteError) -> Bool {
        var isRefused = false
        for doubtful in table.sql.doubtfulURIs {
            for key in try keysOfInvalidURIs(doubtful.query) {
                let name = try name(ofRow: key, table)
                if doubtful.attribute.isOptional {
                    report.changedValues.append(
                        .init(
                            entity: name, id: key, property: doubtful.attribute.name,
                            reason: "the text is not a URI: it is kept, and read as nil"))
                } else {
                    isRefused = true
                    _ = try connection.rows(table.sql.remove, [.integer(key)])
                    report.refusedRows.append(
                        .init(
                            entity: name, id: key, property: doubtful.attribute.name,
                            reason: "the value is not a uri"))
                }
            }
        }
        return isRefused
    }

    private func keysOfInvalidURIs(_ query: String) throws(SQLiteError) -> [Int64] {
        let statement = try connection.statement(query)
        defer { statement.reset() }
        var keys: [Int64] = []
        while try statement.step() {
            if URL(string: statement.text(at: 1)) == nil { keys.append(statement.integer(at: 0)) }
        }
        return keys
    }
}

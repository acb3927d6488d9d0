import CambiumModel
import CambiumSQL
import CambiumSQLite

// The tables of objects, and their indexes.
extension AdoptionRun {
    func copyObjects(_ report: inout AdoptionReport) throws -> [ObjectTable] {
        var tables: [ObjectTable] = []
        for object in layout.objects {
            guard let table = schema.table(named: object.root.name) else { continue }
            let sql = ObjectAdoptionSQL(object, in: layout, to: table)
            let extent = SourceCounts(object, try connection.rows(sql.extent))
            tables.append(ObjectTable(object: object, table: table, sql: sql, extent: extent))
        }
        let all = max(1, tables.reduce(0) { $0 + $1.extent.rows })
        var done = 0
        for index in tables.indices where tables[index].extent.rows > 0 {
            let table = tables[index]
            try meter.begins(
                .copying, "Copy \(table.object.root.name)",
                at: Self.copyingShare * Double(done) / Double(all),
                share: Self.copyingShare * Double(table.extent.rows) / Double(all),
                rows: table.extent.rows)
            var copier = ObjectCopier(table, model, connection)
            try copier.copy()
            report.refusedRows += copier.refused
            if !copier.isWhole { try noteOddPlaces(table, &report) }
            let hasStrays = try noteStrays(table, &report)
            let hasRefused = try noteNoURIs(table, &report)
            if hasStrays || hasRefused || copier.copied < table.extent.rows {
                try tables[index].countSource(connection)
            }
            done += table.extent.rows
        }
        return tables
    }

    static let copyingShare = 0.5
    static let indexingShare = 0.15
    static let checkingShare = 0.05

    func makeIndexes(
        _ report: inout AdoptionReport, _ tables: inout [ObjectTable]
    ) throws {
        let rows = tables.reduce(0) { $0 + $1.extent.rows }
        try meter.begins(
            .checking, "Make indexes", at: Self.copyingShare, share: Self.indexingShare, rows: rows)
        for table in schema.tables {
            guard case .objects(let name) = table.content, let root = model.entity(named: name)
            else { continue }
            let before = report.refusedRows.count
            for index in table.indexes {
                try make(index, of: root, &report)
            }
            // The links of rows that are gone are those of the old store, too.
            guard report.refusedRows.count > before,
                let place = tables.firstIndex(where: { $0.object.root.name == name })
            else { continue }
            try tables[place].countSource(connection)
        }
    }

    /// Makes an index; where rows are alike that may not be, the first of them stays.
    func make(
        _ index: TableIndex, of root: Entity, _ report: inout AdoptionReport
    ) throws {
        do throws(SQLiteError) {
            try connection.execute(index.createStatement)
        } catch {
            let constraintCode: Int32 = 19
            guard error.primaryCode == constraintCode,
                let duplicates = AdoptionSQL.duplicates(for: index, of: root, in: model)
            else { throw error }
            let found = RefusalReason(model, root).of(error, entity: nil)
            for row in try connection.rows(duplicates.query) {
                guard case .integer(let key) = row[0], case .text(let entity) = row[1] else {
                    continue
                }
                _ = try connection.rows(duplicates.remove, [.integer(key)])
                report.refusedRows.append(
                    .init(
                        entity: entity, id: key, property: found.property, reason: found.reason))
            }
            try connection.execute(index.createStatement)
        }
    }
}

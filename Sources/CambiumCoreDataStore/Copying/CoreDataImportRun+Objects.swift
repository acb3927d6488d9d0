import CambiumModel
import CambiumSQL
import CambiumSQLite

// The tables of objects, and their indexes.
extension CoreDataImportRun {
    func copyObjects(_ report: inout CoreDataImportReport) throws -> [ObjectTable] {
        var tables: [ObjectTable] = []
        for object in layout.objects {
            guard let table = schema.table(named: object.root.name) else { continue }
            let sql = ObjectCopySQL(layout: layout, object: object, table: table)
            let extent = SourceCounts(object, try connection.rows(sql.extent))
            tables.append(ObjectTable(object: object, table: table, sql: sql, extent: extent))
        }
        let all = max(1, tables.reduce(0) { $0 + $1.extent.rows })
        var done = 0
        for index in tables.indices where tables[index].extent.rows > 0 {
            let table = tables[index]
            try meter.begin(
                .copying, "Copy \(table.object.root.name)",
                at: Self.copyingShare * Double(done) / Double(all),
                share: Self.copyingShare * Double(table.extent.rows) / Double(all),
                rows: table.extent.rows)
            var copier = ObjectCopier(table, model, connection)
            try copier.copy()
            report.refusedRows += copier.refused
            if !copier.copiedAtOnce { try noteInvalidPositions(table, &report) }
            try noteNotANumber(table, &report)
            try noteOtherNumbers(table, &report)
            let hasStrays = try noteStrayValues(table, &report)
            let hasRefused = try noteInvalidURIs(table, &report)
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

    /// A unique index that existing rows violate.
    struct BrokenIndex {
        let index: TableIndex
        let root: Entity
    }

    /// Creates the indexes.
    ///
    /// - Returns: The indexes that existing rows violate. After all other rejected rows are
    ///   removed, it is known which of these rows stay.
    func makeIndexes(_ tables: [ObjectTable]) throws -> [BrokenIndex] {
        let rows = tables.reduce(0) { $0 + $1.extent.rows }
        try meter.begin(
            .checking, "Create indexes", at: Self.copyingShare, share: Self.indexingShare,
            rows: rows)
        var broken: [BrokenIndex] = []
        for table in schema.tables {
            guard case .objects(let name) = table.content, let root = model.entity(named: name)
            else { continue }
            for index in table.indexes {
                do throws(SQLiteError) {
                    try connection.execute(index.createStatement)
                } catch {
                    guard error.primaryCode == Self.constraintCode, index.uniqueRows != nil else {
                        throw error
                    }
                    broken.append(BrokenIndex(index: index, root: root))
                }
            }
        }
        return broken
    }

    private static let constraintCode: Int32 = 19

    /// Removes rows that violate a unique constraint, and rows that require them.
    func refuseDuplicates(
        _ report: inout CoreDataImportReport, _ broken: [BrokenIndex], _ tables: [ObjectTable],
        _ pairs: [Pairs]
    ) throws {
        let before = report.refusedRows.count
        for part in broken { try make(part.index, of: part.root, &report) }
        guard report.refusedRows.count > before else { return }
        try checkKeys(&report, tables)
        for pair in pairs { try connection.execute(pair.sql.removeDangling) }
        try refuseBrokenRules(&report, tables, pairs)
    }

    /// Creates an index. If rows violate its uniqueness, the first one stays.
    private func make(
        _ index: TableIndex, of root: Entity, _ report: inout CoreDataImportReport
    ) throws {
        do throws(SQLiteError) {
            try connection.execute(index.createStatement)
        } catch {
            guard error.primaryCode == Self.constraintCode,
                let duplicates = CoreDataImportSQL.duplicates(for: index, of: root, in: model)
            else { throw error }
            let found = RefusalReason(model: model, root: root).of(error, entity: nil)
            for row in try connection.rows(duplicates.query) {
                guard let key = row[0].integer, let entity = row[1].text else { continue }
                _ = try connection.rows(duplicates.remove, [.integer(key)])
                report.refusedRows.append(
                    .init(
                        entity: entity, id: key, property: found.property, reason: found.reason))
            }
            try connection.execute(index.createStatement)
        }
    }
}

import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Makes a new store: copies, checks and migrates.
final class AdoptionRun {
    let adoption: Adoption
    let layout: CoreDataLayout
    let schema: Schema
    let connection: Connection
    let meter: AdoptionMeter
    let place: NewStore
    var links: LinkCounts

    private var model: Model { layout.model }

    init(
        _ adoption: Adoption, _ match: VersionFinder.Match, _ place: NewStore
    ) throws(SQLiteError) {
        self.adoption = adoption
        self.place = place
        layout = match.layout
        schema = Schema(of: match.layout.model)
        links = LinkCounts(match.layout.model)
        meter = AdoptionMeter(progress: adoption.progress, isCancelled: adoption.isCancelled)
        var settings = Adoption.settings
        settings.pragmas = AdoptionSQL.pragmas
        connection = try Connection(path: place.unfinished, settings: settings)
    }

    func run(_ report: inout AdoptionReport) throws {
        _ = try connection.rows(ObjectAdoptionSQL.attach, [.text(adoption.store.file.uri)])
        try connection.asking(every: AdoptionMeter.instructionsPerTick, meter.tick) {
            try connection.transaction { try copy(&report) }
        }
        connection.forgetStatements()
        try connection.execute(ObjectAdoptionSQL.detach)
        try migrate(&report)
    }

    // MARK: In one transaction

    private func copy(_ report: inout AdoptionReport) throws {
        for table in schema.tables { try connection.execute(table.createStatement()) }
        // The last rows say what the store is; they need the tables only.
        for statement in schema.statements.suffix(schema.recordCount) {
            try connection.execute(statement)
        }
        let tables = try copyObjects(&report)
        try makeIndexes(&report, tables)
        try checkKeys(&report, tables)
        try copyLinks(&report)
        try copyFiles(&report, tables)
        try derive(&report)
        try finishCounts(&report, tables)
        try keepMetadata(&report)
    }

    /// A table of objects, and what copying it needs.
    struct ObjectTable {
        let object: CoreDataLayout.ObjectSource
        let table: Table
        let sql: ObjectAdoptionSQL
        /// How many rows there are, and the least and the greatest key.
        let extent: SourceCounts
        /// What else there is to count; nil where all rows were copied, so that the new store tells.
        var counts: SourceCounts?
    }

    private func copyObjects(_ report: inout AdoptionReport) throws -> [ObjectTable] {
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
            if copier.copied < table.extent.rows {
                tables[index].counts = SourceCounts(
                    table.object, try connection.rows(table.sql.counts))
            }
            done += table.extent.rows
        }
        return tables
    }

    private static let copyingShare = 0.5
    private static let indexingShare = 0.15
    private static let checkingShare = 0.05

    private func makeIndexes(
        _ report: inout AdoptionReport, _ tables: [ObjectTable]
    ) throws {
        let rows = tables.reduce(0) { $0 + $1.extent.rows }
        try meter.begins(
            .checking, "Make indexes", at: Self.copyingShare, share: Self.indexingShare, rows: rows)
        for table in schema.tables {
            guard case .objects(let name) = table.content, let root = model.entity(named: name)
            else { continue }
            for index in table.indexes {
                try make(index, of: root, &report)
            }
        }
    }

    /// Makes an index; where rows are alike that may not be, the first of them stays.
    private func make(
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

    private func checkKeys(_ report: inout AdoptionReport, _ tables: [ObjectTable]) throws {
        try meter.begins(
            .checking, "Check links", at: Self.copyingShare + Self.indexingShare,
            share: Self.checkingShare, rows: tables.reduce(0) { $0 + $1.extent.rows })
        for table in tables {
            for (index, key) in table.object.keys.enumerated() {
                let count = try table.counts?.keys[index] ?? number(of: key, in: table)
                links.read(count, of: key.relationship, key.entity)
            }
        }
        var repair = KeyRepair(model, connection)
        try repair.run(over: tables.map(\.object))
        report.refusedRows += repair.refused
        report.lostLinks += repair.lost
        for table in tables {
            for key in table.object.keys {
                if let check = KeyCheckSQL(key.relationship, of: key.entity, in: model) {
                    links.wrote(
                        try connection.number(check.count), of: key.relationship, key.entity)
                } else if let query = table.sql.oneSided(key) {
                    try noteOneSided(key, query, table, &report)
                }
            }
        }
    }

    /// How many rows have a key, where all rows were copied.
    private func number(
        of key: CoreDataLayout.KeySource, in table: ObjectTable
    ) throws(SQLiteError) -> Int {
        guard let column = key.column else { return 0 }
        if let check = KeyCheckSQL(key.relationship, of: key.entity, in: model) {
            return try connection.number(check.count)
        }
        return try connection.number(
            AdoptionSQL.count(ofValuesIn: column, ofSourceTable: table.object.table))
    }

    /// Core Data keeps both sides of a one-to-one; where they do not say the same, the side counts
    /// that our store keeps.
    private func noteOneSided(
        _ key: CoreDataLayout.KeySource, _ query: String, _ table: ObjectTable,
        _ report: inout AdoptionReport
    ) throws {
        for row in try connection.rows(query) {
            guard case .integer(let id) = row[0], case .integer(let target) = row[2] else {
                continue
            }
            let number = if case .integer(let number) = row[1] { number } else { Int64(0) }
            let entity = table.object.entities.first { $0.number == number }?.entity.name
            report.lostLinks.append(
                .init(
                    entity: entity ?? table.object.root.name, id: id,
                    relationship: key.relationship.name, target: target,
                    reason: "the object that it leads to does not lead back"))
        }
    }

    private func copyLinks(_ report: inout AdoptionReport) throws {
        let start = Self.copyingShare + Self.indexingShare + Self.checkingShare
        try meter.begins(
            .copying, "Copy links", at: start, share: Self.checkingShare,
            rows: layout.links.count * 1_000)
        for link in layout.links {
            guard let sql = LinkAdoptionSQL(link, in: model) else { continue }
            let count = try connection.number(sql.count)
            for copy in sql.copies { try connection.execute(copy) }
            let copied = try connection.number(sql.copiedCount)
            links.read(count, of: link.relationship, link.entity)
            links.wrote(copied, of: link.relationship, link.entity)
            guard copied < count else { continue }
            for row in try connection.rows(sql.lost) {
                guard case .integer(let owner) = row[0], case .integer(let member) = row[1] else {
                    continue
                }
                report.lostLinks.append(
                    .init(
                        entity: link.entity.name, id: owner, relationship: link.relationship.name,
                        target: member, reason: "one of the two objects is not there"))
            }
        }
        for table in schema.tables {
            guard case .links = table.content else { continue }
            for index in table.indexes { try connection.execute(index.createStatement) }
        }
    }

    private func copyFiles(_ report: inout AdoptionReport, _ tables: [ObjectTable]) throws {
        let source = CoreDataFiles(ofStore: adoption.store.path)
        for table in tables {
            for external in table.sql.external {
                var copier = FileCopier(
                    attribute: external.attribute, folder: place.externalFolder, source: source,
                    connection: connection)
                try copier.run(external.query, external.update)
                report.missingFiles += copier.missing
            }
            for unreadable in table.sql.unreadable {
                for row in try connection.rows(unreadable.query) {
                    guard case .integer(let key) = row.first else { continue }
                    report.changedValues.append(
                        .init(
                            entity: try name(ofRow: key, table), id: key,
                            property: unreadable.attribute.name,
                            reason: "nil, as only the program can read what its class archived"))
                }
            }
        }
    }

    /// The entity of a row of the new store.
    private func name(ofRow key: Int64, _ table: ObjectTable) throws(SQLiteError) -> String {
        let row = try connection.rows(table.sql.entityNumber, [.integer(key)]).first
        guard case .integer(let number)? = row?.first else { return table.object.root.name }
        return table.object.entities.first { $0.number == number }?.entity.name
            ?? table.object.root.name
    }

    private func derive(_ report: inout AdoptionReport) throws {
        for derivation in model.derivations where !derivation.sources.usesNow {
            guard let stale = derivation.stale, let update = derivation.updateOfAll else {
                continue
            }
            for row in try connection.rows(stale) {
                guard case .integer(let key) = row.first else { continue }
                report.changedValues.append(
                    .init(
                        entity: derivation.entity.name, id: key,
                        property: derivation.attribute.name,
                        reason: "computed anew; the store had another value"))
            }
            try connection.execute(update)
        }
    }

    private func finishCounts(_ report: inout AdoptionReport, _ tables: [ObjectTable]) throws {
        var written: [String: Int] = [:]
        for table in tables {
            for row in try connection.rows(AdoptionSQL.counts(of: table.object.root, in: model)) {
                guard case .text(let name) = row[0], case .integer(let count) = row[1] else {
                    continue
                }
                written[name] = Int(count)
            }
        }
        var refused: [String: Int] = [:]
        for row in report.refusedRows { refused[row.entity, default: 0] += 1 }
        for table in tables {
            for (index, pair) in table.object.entities.enumerated() {
                let name = pair.entity.name
                let count = written[name] ?? 0
                let read = table.counts?.entities[index].count ?? count + refused[name, default: 0]
                report.entities.append(
                    .init(entity: name, read: read, written: count, refused: read - count))
            }
        }
        report.relationships = links.counts
        report.leftOut = try LeftOutParts(layout, adoption.store, connection).all()
        for table in tables {
            let last = Int64(try connection.number(table.sql.lastKey))
            // A key that was given once is not given again; a number beyond all reason is damage.
            let given = table.object.lastKey < 1 << 60 ? table.object.lastKey : 0
            _ = try connection.rows(table.sql.setNextKey, [.integer(max(last, given) + 1)])
        }
    }

    private func keepMetadata(_ report: inout AdoptionReport) throws {
        if let uuid = adoption.store.uuid {
            _ = try connection.rows(MetadataSQL.addIdentifier, [.text(uuid.uuidString)])
        }
        for (name, value) in adoption.store.notes.sorted(by: { $0.key < $1.key }) {
            _ = try connection.rows(
                MetadataSQL.insertNote, [MetadataSQL.noteName(name), .text(value)])
        }
    }
}

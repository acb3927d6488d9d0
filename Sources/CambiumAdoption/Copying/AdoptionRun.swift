import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Makes a new store: copies, checks and migrates.
final class AdoptionRun {
    let adoption: CoreDataImporter
    let layout: CoreDataLayout
    let schema: Schema
    let connection: Connection
    let meter: AdoptionMeter
    /// Where the new store is made; nil is in a temporary file, for a plan.
    let place: NewStore?
    var links: LinkCounts
    /// The steps that lead on from the version, where they are known.
    let knownWay: MigrationWay?

    var model: Model { layout.model }

    init(
        _ adoption: CoreDataImporter, _ match: VersionFinder.Match, _ place: NewStore?,
        _ meter: AdoptionMeter
    ) throws {
        self.adoption = adoption
        self.meter = meter
        self.place = place
        layout = match.layout
        knownWay = match.way
        schema = Schema(of: match.layout.model)
        links = LinkCounts(match.layout.model)
        var settings = CoreDataImporter.settings
        settings.pragmas = AdoptionSQL.pragmas
        if let place {
            try CoreDataImportError.making { () throws(NewStoreError) in try place.makeFile() }
        }
        // A database without a name is one that SQLite removes when it is closed, whatever happens.
        connection = try Connection(path: place?.unfinished ?? "", settings: settings)
    }

    /// Copies all that there is.
    func copy(_ report: inout CoreDataImportReport) throws {
        _ = try connection.rows(ObjectAdoptionSQL.attach, [.text(adoption.store.file.uri)])
        try connection.asking(every: AdoptionMeter.instructionsPerTick, meter.tick) {
            try connection.transaction { try copyAll(&report) }
        }
        connection.forgetStatements()
        try connection.execute(ObjectAdoptionSQL.detach)
    }

    // MARK: In one transaction

    private func copyAll(_ report: inout CoreDataImportReport) throws {
        for table in schema.tables { try connection.execute(table.createStatement()) }
        // The last rows say what the store is; they need the tables only.
        for statement in schema.statements.suffix(schema.recordCount) {
            try connection.execute(statement)
        }
        let tables = try copyObjects(&report)
        let broken = try makeIndexes(tables)
        try countKeys(tables)
        try checkKeys(&report, tables)
        let pairs = try copyLinks(&report)
        try refuseBrokenRules(&report, tables, pairs)
        try refuseDuplicates(&report, broken, tables, pairs)
        try countLinks(&report, tables, pairs)
        try noteInvalidCounts(&report)
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

        /// The name of the entity with a number; of another one that of the root entity.
        func name(ofNumber number: StoredValue?) -> String {
            object.entities.first { .integer($0.number) == number }?.entity.name ?? object.root.name
        }

        mutating func countSource(_ connection: Connection) throws(SQLiteError) {
            counts = SourceCounts(object, try connection.rows(sql.counts))
        }
    }

    // One-to-ones whose two rows do not say the same.

    /// Core Data keeps both sides of a one-to-one; where they do not say the same, the side counts
    /// that our store keeps.
    ///
    /// - Returns: How many links only the other side has, those of refused rows included.
    func noteOneSided(
        _ key: CoreDataLayout.KeySource, _ query: String, _ table: ObjectTable,
        _ report: inout CoreDataImportReport
    ) throws -> Int {
        let rows = try connection.rows(query)
        let root = model.entity(named: key.relationship.destination).map(model.root)?.name ?? ""
        let refused = rows.isEmpty ? [] : report.refusedRows.keysByRoot(in: model)[root] ?? []
        for row in rows where row[3] == .integer(1) {
            guard case .integer(let id) = row[0] else { continue }
            let target: Int64? = if case .integer(let key) = row[2] { key } else { nil }
            let reason =
                if target == nil {
                    "the value is no key"
                } else if row[4] == .integer(1) {
                    "the object that it leads to does not lead back"
                } else if target.map(refused.contains) == true {
                    "the object of that key was refused"
                } else if row[5] == .integer(1) {
                    "the object of that key is no \(key.relationship.destination)"
                } else {
                    "there is no object of that key in the store"
                }
            report.lostLinks.append(
                .init(
                    entity: table.name(ofNumber: row[1]), id: id,
                    relationship: key.relationship.name, target: target, reason: reason))
        }
        return rows.count
    }

    /// Where only one of both rows has the link, the other one gets it.
    ///
    /// - Returns: How many did.
    func noteCompleted(
        _ key: CoreDataLayout.KeySource, _ table: ObjectTable, _ report: inout CoreDataImportReport
    ) throws(SQLiteError) -> Int {
        guard let query = table.sql.completed(key) else { return 0 }
        let rows = try connection.rows(query)
        for row in rows {
            guard case .integer(let id) = row[0], case .integer(let other) = row[2] else {
                continue
            }
            report.changedValues.append(
                .init(
                    entity: table.name(ofNumber: row[1]), id: id, property: key.relationship.name,
                    reason: "leads to \(other) now, as that leads here; the store had nothing"))
        }
        return rows.count
    }
}

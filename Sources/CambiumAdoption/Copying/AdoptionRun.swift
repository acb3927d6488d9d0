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
    /// Where the new store is made; nil is in a temporary file, for a plan.
    let place: NewStore?
    var links: LinkCounts
    /// The steps that lead on from the version, where they are known.
    let knownWay: MigrationWay?

    var model: Model { layout.model }

    init(
        _ adoption: Adoption, _ match: VersionFinder.Match, _ place: NewStore?,
        _ meter: AdoptionMeter
    ) throws {
        self.adoption = adoption
        self.meter = meter
        self.place = place
        layout = match.layout
        knownWay = match.way
        schema = Schema(of: match.layout.model)
        links = LinkCounts(match.layout.model)
        var settings = Adoption.settings
        settings.pragmas = AdoptionSQL.pragmas
        try place?.makeFile()
        // A database without a name is one that SQLite removes when it is closed, whatever happens.
        connection = try Connection(path: place?.unfinished ?? "", settings: settings)
    }

    /// Copies all that there is.
    func copy(_ report: inout AdoptionReport) throws {
        _ = try connection.rows(ObjectAdoptionSQL.attach, [.text(adoption.store.file.uri)])
        try connection.asking(every: AdoptionMeter.instructionsPerTick, meter.tick) {
            try connection.transaction { try copyAll(&report) }
        }
        connection.forgetStatements()
        try connection.execute(ObjectAdoptionSQL.detach)
    }

    // MARK: In one transaction

    private func copyAll(_ report: inout AdoptionReport) throws {
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
}

import CambiumEngine
@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Proves migrations on a server. Two stores of one version with the same rows, one in a file and
/// one on the server, are migrated to another version. Then their rows have to be equal, and the
/// store on the server must have the tables of a new store. The transaction is never committed.
package struct PostgresProof {
    package let versions: [Model]
    private var old: Model { versions[0] }
    private var new: Model { versions[versions.count - 1] }
    /// Two schemas with unused names.
    private let migrated: String
    private let fresh: String
    /// The custom steps of the program; nil for generated replacements.
    private let code: [CodeStep]?

    /// - Parameters:
    ///   - versions: The versions of the chain, the oldest first: at least two.
    ///   - code: The custom steps of the program; nil replaces them by steps with sample values.
    /// - Throws: If no UUID can be generated.
    package init(_ versions: [Model], code: [CodeStep]? = nil) throws {
        self.versions = versions
        self.code = code
        let id = try UUID.random().uuidString.lowercased()
        migrated = SQLText.identifier("cambium_proof_\(id)")
        fresh = SQLText.identifier("cambium_new_\(id)")
    }

    /// The migrations of a chain on either engine.
    package typealias Plans = (file: [Migration], server: [Migration])

    /// The outcome of migrating the two stores.
    package enum Outcome: Equatable {
        /// Both stores were migrated. They had this number of rows before.
        case migrated(rows: Int)
        /// Both engines rejected the data.
        case refused
    }

    /// The reason for the difference.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    /// A migration that is possible on SQLite, but not on PostgreSQL.
    package struct Unplanned: Error, CustomStringConvertible {
        package let description: String
    }

    /// The migrations for both engines; nil if they are not possible on SQLite.
    ///
    /// - Throws: ``Unplanned``.
    package func plans() throws -> Plans? {
        let steps = zip(versions, versions.dropFirst())
        guard let file = try? steps.map({ try Migration(from: $0, to: $1) }) else { return nil }
        do {
            return (file, try steps.map { try PostgresMigration.migration(from: $0, to: $1) })
        } catch {
            throw Unplanned(description: "\(error)")
        }
    }

    /// Migrates stores with generated rows: rows that any program might write, and the extremes of
    /// types that the migration does not change.
    ///
    /// - Returns: The outcomes.
    /// - Throws: ``Difference``, and errors of the server.
    package func prove(
        _ plans: Plans, seeds: Range<UInt64>, on server: PostgresSettings
    ) throws -> MigrationProver.Proof {
        guard let step = plans.file.first else { return MigrationProver.Proof() }
        let setup = PostgresSetup(lockTimeout: StoreOptions().busyTimeout)
        let connection = try PostgresConnection(server, setup)
        var trials = StepTrials(from: old, to: new, step)
        func migrate(_ store: Connection?) throws {
            guard let store else { return }
            let count = try trials.rowCount(of: store)
            switch try run(plans, on: store, over: connection) {
            case .migrated: try trials.add(migrated: store, rows: count)
            case .refused: trials.addRefusal()
            }
        }
        try migrate(try trials.emptyStore())
        for seed in seeds { try migrate(trials.store(seed: seed)) }
        if trials.proof.isEmpty {
            try migrate(try trials.acceptedStore(seed: seeds.lowerBound))
        }
        try migrate(trials.store(seed: seeds.lowerBound, .extremesWhereTypesStay))
        return trials.proof
    }

    /// Creates a store of the older version in a file.
    package func file(_ rows: SampleRows) throws -> Connection {
        try MigrationProver.makeStore(of: old, with: rows)
    }

    /// Work with both stores, in the server's transaction.
    typealias Work = (_ file: Connection, _ server: PostgresConnection) throws -> Void

    /// Migrates both stores, and compares them with each other and with a new store.
    ///
    /// - Parameters:
    ///   - prepare: Called with the stores of the first version.
    ///   - compare: Called if both were migrated.
    func run(
        _ plans: Plans, on file: Connection, over connection: PostgresConnection,
        prepare: Work = { _, _ in }, compare: Work = { _, _ in }
    ) throws -> Outcome {
        _ = try connection.run([PostgresConnection.begin(isReadOnly: false)])
        defer { _ = try? connection.run("ROLLBACK") }
        try make(old, in: migrated, connection)
        let count = try copy(Schema(of: old).tables, of: old, from: file, connection)
        try prepare(file, connection)
        let code = code ?? replacementSteps(in: plans.file)
        let problem = try migrate(connection, plans.server, code)
        let runner = MigrationRunner(model: new, schema: Schema(of: new), migrations: plans.file)
        runner.driftPolicy = .report
        runner.code = code
        do {
            _ = try runner.open(file)
        } catch let error as MigrationError {
            switch error {
            case .refused, .statementFailed, .brokenLinks:
                if problem != nil { return .refused }
                throw Difference(description: "only the file was refused: \(error)")
            default: throw error
            }
        } catch let error as MigrationStepError {
            guard "\(error)" == problem else {
                throw Difference(
                    description: "the file: \(error)\nthe server: \(problem ?? "none")")
            }
            return .refused
        }
        if let problem { throw Difference(description: "only the server refused: \(problem)") }
        try compareTables(connection)
        for table in Schema(of: new).tables where table.name != "_metadata" {
            try compareRows(of: table, file, connection)
        }
        try compare(file, connection)
        return .migrated(rows: count)
    }

    // MARK: The stores

    private func derivations(_ model: Model) -> PostgresDerivations {
        PostgresDerivations(PostgresLayout(.withoutClasses(model), schemaInSQL: ""))
    }

    private func make(
        _ model: Model, in schema: String, _ connection: PostgresConnection
    ) throws {
        let statements = PostgresSchema(of: derivations(model)).statements
        _ = try connection.run(
            (["CREATE SCHEMA \(schema)", PostgresSchema.searchPath(schema)] + statements)
                .map { PostgresStatement($0) })
    }

    /// Copies the rows of the file to the server. Before, dates in the file are rounded to the
    /// precision of the server.
    private func copy(
        _ tables: [Table], of model: Model, from file: Connection,
        _ connection: PostgresConnection
    ) throws -> Int {
        var count = 0
        var statements: [String] = []
        let derivations = derivations(model)
        for table in tables where table.name != "_metadata" {
            let columns = Columns(of: table, derivations)
            try columns.fit(file)
            let rows = try file.rows(columns.query)
            if table.name == "_keys" { statements.append("DELETE FROM \"_keys\"") }
            count += rows.count
            statements += try rows.map { try columns.insertion($0) }
        }
        _ = try connection.run(
            (statements + ["SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED"])
                .map { PostgresStatement($0) })
        return count
    }

    private func replacementSteps(in migrations: [Migration]) -> [CodeStep] {
        zip(migrations, zip(versions, versions.dropFirst())).flatMap { migration, step in
            migration.replacementSteps(from: step.0, to: step.1)
        }
    }

    /// Runs the migrations on the server.
    ///
    /// - Returns: The reason why the server rejected the store, or nil if it was migrated.
    private func migrate(
        _ connection: PostgresConnection, _ migrations: [Migration], _ code: [CodeStep]
    ) throws -> String? {
        let layout = PostgresLayout(.withoutClasses(new), schemaInSQL: migrated)
        let migrator = PostgresMigrator(
            derivations: PostgresDerivations(layout), chain: MigrationChain(of: migrations),
            connection: connection, makesBackup: false, code: code)
        do {
            _ = try migrator.run()
            return nil
        } catch let error as MigrationError {
            return "\(error)"
        } catch let error as MigrationStepError {
            return "\(error)"
        } catch let error as PostgresError {
            throw Difference(description: "\(error)\n\(error.sql ?? "")")
        }
    }

    // MARK: Comparing

    private func compareTables(_ connection: PostgresConnection) throws {
        func catalogue(_ schema: String) throws -> [PostgresCatalogue.Thing: String] {
            try PostgresCatalogue(
                connection, namespace: "\(SQLText.literal(schema))::regnamespace::oid",
                PostgresParameters()
            ).definitions
        }
        let found = try catalogue(migrated)
        try make(new, in: fresh, connection)
        let expected = try catalogue(fresh)
        _ = try connection.run(PostgresSchema.searchPath(migrated))
        for thing in Set(found.keys).union(expected.keys)
        where found[thing] != expected[thing] && !thing.isOfHistory {
            throw Difference(
                description: """
                    \(thing.kind) \(thing.relation) \(thing.name)
                    is   \(found[thing] ?? "missing")
                    not  \(expected[thing] ?? "there")
                    """)
        }
    }

    private func compareRows(
        of table: Table, _ file: Connection, _ connection: PostgresConnection
    ) throws {
        let columns = Columns(of: table, derivations(new))
        try columns.fit(file)
        let expected = try file.rows(columns.query).map(columns.kept)
        let found = try columns.rows(connection)
        guard expected.count == found.count else {
            throw Difference(
                description: "\(table.name) has \(found.count) rows, not \(expected.count)")
        }
        for (one, other) in zip(expected, found) where one != other {
            let index = zip(one, other).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
            throw Difference(
                description: """
                    \(table.name).\(columns.columns[index].name) of \(one[0]) \
                    is \(other[index]), not \(one[index])
                    """)
        }
    }
}

/// The columns of a table on both engines.
private struct Columns {
    let table: Table
    let columns: [Table.Column]
    private let types: [PostgresType]
    private let isGenerated: [Bool]

    init(of table: Table, _ derivations: PostgresDerivations) {
        self.table = table
        let model = derivations.layout.model.model
        columns = table.columns
        var isGenerated: [Bool] = []
        types = table.columns.map { column in
            isGenerated.append(false)
            switch column.content {
            case .system where column.type == .text: return .text
            case .system, .key, .position: return .bigint
            case .entity, .entityOfKey: return .text
            case .attribute(let owner, let name):
                guard let entity = model.entity(named: owner),
                    let attribute = entity.attributes.first(where: { $0.name == name })
                else { return .text }
                if attribute.derivation != nil {
                    isGenerated[isGenerated.count - 1] =
                        derivations.generation(of: attribute, of: entity) != nil
                }
                return .column(of: attribute, in: model)
            }
        }
        self.isGenerated = isGenerated
    }

    private var names: [String] { columns.map(\.name) }

    private var order: String {
        let keys = table.primaryKey.isEmpty ? [names[0]] : table.primaryKey
        return keys.map { SQLText.identifier($0) }.joined(separator: ", ")
    }

    var query: String {
        """
        SELECT \(names.map { SQLText.identifier($0) }.joined(separator: ", ")) \
        FROM \(SQLText.identifier(table.name)) ORDER BY \(order)
        """
    }

    func rows(_ connection: PostgresConnection) throws -> [[StoredValue]] {
        let rows = try connection.run(
            // The comment makes each query unique: in another run, the table may have other
            // columns.
            PostgresName.shortened(query) + " /* \(try UUID.random().uuidString) */")
        return (0..<rows.count).map { row in
            types.indices.map { column in
                rows.isNull(row, column) ? .null : types[column].value(of: rows.bytes(row, column))
            }
        }
    }

    /// A row with floating-point numbers in the precision of the server. The file stores all
    /// digits.
    func kept(_ row: [StoredValue]) -> [StoredValue] {
        zip(row, types).map { value, type in
            guard type == .real, case .real(let number) = value else { return value }
            return .real(Double(Float(number)))
        }
    }

    /// Rounds or changes values in the file so that the server can store them.
    func fit(_ file: Connection) throws {
        for (column, type) in zip(columns, types) where !column.isGenerated {
            guard type == .timestamp || type == .text, case .attribute = column.content else {
                continue
            }
            let name = SQLText.identifier(column.name)
            let table = SQLText.identifier(table.name)
            for value in try file.rows("SELECT DISTINCT \(name) FROM \(table)").compactMap(\.first)
            {
                var kept = value
                switch value {
                case .real(let seconds) where type == .timestamp:
                    kept = PostgresTimestamp.kept.kept(seconds).map { .real($0) } ?? .real(0)
                case .text(let text): kept = .text(text.replacing("\0", with: ""))
                default: continue
                }
                guard kept != value else { continue }
                _ = try file.rows(
                    "UPDATE \(table) SET \(name) = ?1 WHERE \(name) = ?2", [kept, value])
            }
        }
    }

    func insertion(_ row: [StoredValue]) throws -> String {
        var (names, values): ([String], [String]) = ([], [])
        for index in columns.indices where !isGenerated[index] {
            names.append(PostgresName.identifier(columns[index].name))
            values.append(try constant(row[index], types[index]))
        }
        return """
            INSERT INTO \(PostgresName.identifier(table.name)) (\(names.joined(separator: ", "))) \
            VALUES (\(values.joined(separator: ", ")))
            """
    }

    private func constant(_ value: StoredValue, _ type: PostgresType) throws -> String {
        if case .real(let number) = value, number.isInfinite {
            return number < 0 ? "'-Infinity'" : "'Infinity'"
        }
        guard let text = type.literal(value) else {
            throw PostgresProof.Difference(description: "the server has no \(type) \(value)")
        }
        return text
    }
}

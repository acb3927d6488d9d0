import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// The effects and costs of a migration of a store, computed without changing anything.
///
/// Numbers of rows and bytes are estimates: they are right for the current store, and too high if a
/// statement has conditions.
///
/// ## Topics
///
/// ### Versions
///
/// - ``from``
/// - ``to``
/// - ``versions``
///
/// ### Steps and effects
///
/// - ``steps``
/// - ``Step``
/// - ``codeSteps``
/// - ``kind``
/// - ``history``
///
/// ### Rows and disk space
///
/// - ``rows``
/// - ``rewrittenTables``
/// - ``storeSize``
/// - ``bytesNeeded``
/// - ``freeSpace``
/// - ``fits``
/// - ``makesBackup``
///
/// ### Changes of other programs
///
/// - ``differences``
/// - ``externalObjects``
///
/// ### Locks and transactions on a server
///
/// - ``locks``
/// - ``Lock``
/// - ``openTransactions``
/// - ``OpenTransaction``
public struct MigrationForecast: Sendable, Hashable {
    /// A step of the migration.
    public struct Step: Sendable, Hashable {
        /// A description of the step.
        public let summary: String
        /// The effect on the data.
        public let kind: MigrationKind
        /// Whether data is deleted or becomes less exact.
        public let losesData: Bool
        /// The name of the program's own step that runs in it, if any.
        public let code: String?
        /// The number of statements.
        public let statements: Int
        /// The number of rows that it writes.
        public let rows: Int
    }

    /// A lock on a table, held by a migration on a server until it has ended. Other users wait for
    /// it.
    public struct Lock: Sendable, Hashable {
        /// The table, by the name that it has before the migration.
        public let table: String
        /// The server's name for the lock, such as `ACCESS EXCLUSIVE`.
        public let mode: String
        /// Whether other users can neither read nor write the table meanwhile. Otherwise they can
        /// read it.
        public let stopsReaders: Bool

        package init(table: String, mode: String, stopsReaders: Bool) {
            self.table = table
            self.mode = mode
            self.stopsReaders = stopsReaders
        }
    }

    /// A transaction that another program has open in a store on a server, such as a query
    /// generation.
    public struct OpenTransaction: Sendable, Hashable, CustomStringConvertible {
        /// The name that the program has given to its connection; empty if it has none.
        public let program: String
        /// The age in seconds; nil if the user of the store may not see it.
        public let seconds: Int?

        package init(program: String, seconds: Int?) {
            self.program = program
            self.seconds = seconds
        }

        /// The age, and the program.
        public var description: String {
            [seconds.map { "open for \($0) s" }, program.isEmpty ? nil : "by \(program.excerpt())"]
                .compactMap(\.self).joined(separator: ", ")
        }
    }

    /// The version of the model that the store has.
    public let from: String
    /// The version that it will have.
    public let to: String
    /// The versions of the chain: the store's version, the versions between, and the program's
    /// version. If only checks, defaults or indexes are updated, it contains the store's version
    /// alone.
    public let versions: [String]
    /// The steps, in order. Empty if only checks, defaults or indexes are updated.
    public let steps: [Step]
    /// The size of the store in bytes.
    public let storeSize: Int
    /// The number of bytes that should be free on the disk. They are needed for the copy before
    /// data is deleted, and for new tables while the old ones exist. After the migration most of
    /// them are free again.
    ///
    /// On a server these are the copies of tables, the rewritten tables with their indexes, and the
    /// same number of bytes for the server's log.
    public let bytesNeeded: Int
    /// The free bytes on the store's disk; nil if the system does not report them, and on a server.
    public let freeSpace: Int?
    /// The changes of another program to the store's tables.
    public let differences: [StoreDifference]
    /// The objects of other programs in the store that prevent the migration. If there are any, the
    /// store cannot be migrated.
    public let externalObjects: [ExternalObject]

    /// The effect on the store's history; nil if it has none, or if nothing is migrated.
    public let history: HistoryFate?

    /// The names of the rewritten tables before the migration, sorted: the rebuilt tables, and the
    /// tables with changed values.
    public let rewrittenTables: [String]
    /// The locks of a server on tables, by table; other users wait for them. Empty for a file,
    /// because no other process writes it during a migration.
    public let locks: [Lock]
    /// The transactions of other programs that use the store at the moment, the oldest first. The
    /// migration waits for them. Empty for a file.
    public let openTransactions: [OpenTransaction]

    /// The effect of the migration on the data: that of the step with the greatest effect.
    public var kind: MigrationKind { steps.map(\.kind).max() ?? .additive }

    /// The number of rows that are written in all.
    public var rows: Int { steps.reduce(0) { $0 + $1.rows } }

    /// Whether a copy of the store will be made first.
    public var makesBackup: Bool {
        steps.contains(where: \.losesData)
            || differences.contains { $0.kind != .external && !$0.isOnServer }
    }

    /// The names of the program's custom steps, in order.
    public var codeSteps: [String] { steps.compactMap(\.code) }

    /// Whether the disk has enough free space; nil if the system does not report it. If the disk
    /// becomes full during a migration, the store stays unchanged.
    public var fits: Bool? { freeSpace.map { $0 >= bytesNeeded } }
}

/// The effect of a migration on the history of a store.
public enum HistoryFate: Sendable, Hashable {
    /// Earlier changes are reported under the new names, and each migration is a transaction.
    case continues
    /// The changes of the migration are unknown: earlier tokens expire.
    case restarts(because: String)

    /// A description of it.
    package var words: String {
        switch self {
        case .continues: "continues, under the new names"
        case .restarts(let reason): "starts over, earlier tokens expire: \(reason)"
        }
    }
}

/// The state of a store for the program.
package final class StoreSurvey {
    /// The store's version.
    package let version: String
    /// The migrations to the program's version; nil if the store has it already.
    package let chain: MigrationChain?
    /// The changes of another program.
    package let differences: [StoreDifference]
    /// The objects of other programs that prevent the migration.
    package fileprivate(set) var externalObjects: [ExternalObject] = []
    /// The effect on the store's history; nil if it has none, or if nothing is migrated.
    package fileprivate(set) var history: HistoryFate?

    fileprivate init(
        _ version: String, _ chain: MigrationChain?, _ differences: [StoreDifference]
    ) {
        (self.version, self.chain, self.differences) = (version, chain, differences)
    }

    /// Creates the survey of a store on a server.
    package convenience init(
        _ version: String, _ chain: MigrationChain?, _ differences: [StoreDifference],
        history: HistoryFate?
    ) {
        self.init(version, chain, differences)
        self.history = history
    }

    /// The versions of the chain; empty if there is no migration.
    package var versions: [String] { chain?.versions ?? [] }
    /// The steps of the chain, in order; nil if the store has the program's version.
    package var steps: [MigrationStep]? { chain?.steps }
    /// Whether there is something to migrate or to repair.
    package var hasWork: Bool { chain != nil || differences.contains { $0.kind != .external } }
}

extension MigrationRunner {
    /// Surveys a store. Reads no rows, except those of tables that another program has changed;
    /// changes nothing.
    ///
    /// - Parameter withAdditions: Whether objects that another program has added count as
    ///   differences.
    /// - Returns: Nil if there is no store.
    /// - Throws: ``MigrationError`` if the program cannot open the store, with any of its policies;
    ///   `SQLiteError`.
    package func survey(
        of connection: Connection, withAdditions: Bool = false
    ) throws -> StoreSurvey? {
        guard let metadata = try Self.readMetadata(connection) else { return nil }
        let chain = try chain(from: metadata, in: connection)
        try requireOwnTables(in: connection, metadata, chain)
        let expected = expectedObjects(of: metadata, chain)
        let found = try expected.differences(in: connection).filter {
            withAdditions || $0.kind != .external
        }
        let survey = StoreSurvey(
            metadata.version, chain, try weighed(found, in: connection, expected))
        guard survey.hasWork else { return survey }
        survey.externalObjects = try externalObjects(
            inWayOf: chain, from: metadata, survey.differences, in: connection)
        survey.history = try historyFate(on: chain, in: connection)
        return survey
    }

    /// The effect of a chain on a store's history; nil if it has none, or if nothing is migrated.
    private func historyFate(
        on chain: MigrationChain?, in connection: Connection
    ) throws(SQLiteError) -> HistoryFate? {
        guard let chain, !chain.migrations.isEmpty,
            HistorySettings(rows: try connection.rows(HistorySettings.query)) != nil
        else { return nil }
        return chain.historyRestartReason.map { .restarts(because: $0) } ?? .continues
    }

    /// The effects and costs of ``open(_:storePath:)`` for a store. Changes nothing; reads the
    /// tables to count their rows.
    ///
    /// - Parameter path: The store's path, for the free space of its disk; nil in memory.
    /// - Returns: Nil if there is no store, or if no work is necessary.
    /// - Throws: ``MigrationError`` if the program cannot open the store, with any of its policies;
    ///   `SQLiteError`.
    package func forecast(
        _ connection: Connection, at path: String?
    ) throws -> MigrationForecast? {
        // All queries must see the same state.
        try connection.transaction(.deferred) {
            guard let survey = try survey(of: connection, withAdditions: true), survey.hasWork
            else { return nil }
            let (chain, differences) = (survey.chain, survey.differences)
            let storeSize = try connection.number(ForecastSQL.size)
            var work = try ExpectedWork.measured(in: connection)
            let plan = chain ?? .refresh
            let expected = work.expected(of: plan)
            // The next migration reuses the space that one has freed.
            let largest = expected.bytes.max() ?? 0
            let makesBackup =
                chain?.needsBackup ?? false
                || differences.contains { $0.kind != .external }
            let (version, versions) = (survey.version, survey.versions)
            return MigrationForecast(
                from: version, to: model.version,
                versions: versions.isEmpty ? [version] : versions, steps: expected.steps,
                storeSize: storeSize,
                // Each row is written to the log or the journal, and to the file.
                bytesNeeded: 2 * largest + (makesBackup ? storeSize : 0),
                freeSpace: path.flatMap(StoreFiles.freeSpace), differences: differences,
                externalObjects: survey.externalObjects, history: survey.history,
                rewrittenTables: RewrittenTables(of: plan.operations).names.ordered(by: <),
                locks: [], openTransactions: [])
        }
    }
}

extension MigrationForecast {
    /// Creates the forecast of a migration of a store on a server.
    package init(
        _ survey: StoreSurvey, to version: String, steps: [Step], storeSize: Int, bytesNeeded: Int,
        rewrittenTables: [String], locks: [Lock], openTransactions: [OpenTransaction]
    ) {
        let versions = survey.versions
        self.init(
            from: survey.version, to: version,
            versions: versions.isEmpty ? [survey.version] : versions, steps: steps,
            storeSize: storeSize, bytesNeeded: bytesNeeded, freeSpace: nil,
            differences: survey.differences, externalObjects: [], history: survey.history,
            rewrittenTables: rewrittenTables, locks: locks, openTransactions: openTransactions)
    }
}

extension [MigrationForecast.OpenTransaction] {
    /// How many there are, and the oldest of them.
    package var words: String {
        let known = map(\.description).filter { !$0.isEmpty }
        let list = known.isEmpty ? "" : " (\(known.excerpts(3, separator: "; ")))"
        return count.counted("transaction") + list
    }
}

/// The tables whose rows are rewritten by operations.
package struct RewrittenTables {
    /// The names of these tables before the operations.
    package private(set) var names: Set<String> = []
    /// The former name of each table, by its current name; nil for a new table.
    private var former: [String: String?] = [:]
    private var copied: Set<String> = []

    package init() {}

    init(of operations: [SchemaOperation]) {
        for operation in operations { follow(operation) }
    }

    /// The name that a table had before the operations; nil for a new one.
    package func formerName(of table: String) -> String? {
        guard let known = former[table] else { return table }
        return known
    }

    /// Adds the next operation.
    package mutating func follow(_ operation: SchemaOperation) {
        switch operation {
        case .createTable(let table): former[table] = .some(nil)
        case .copyRows(let copy): copied.formUnion([formerName(of: copy.source)].compactMap(\.self))
        case .insertRows(_, let sources):
            copied.formUnion(sources.compactMap(formerName))
        case .settleRows(let root, _):
            copied.formUnion([formerName(of: root)].compactMap(\.self))
        case .updateRows(let table, _):
            if let name = formerName(of: table) { names.insert(name) }
        case .dropTable(let table):
            if let name = formerName(of: table), copied.contains(name) { names.insert(name) }
            former[table] = .some(nil)
        case .renameTable(let old, let new):
            let name = formerName(of: old)
            former[old] = .some(nil)
            former[new] = .some(name)
        case .addColumn, .alterTable, .chooseObjects, .deleteRows, .checkRows, .createIndex,
            .dropForeignKey, .addForeignKey, .other:
            break
        }
    }
}

/// The expected work of the statements of a chain. It is computed by following the tables from
/// statement to statement, without running any.
package struct ExpectedWork {
    /// The number of rows and bytes in a table.
    package struct Amount {
        package var rows = 0
        package var bytes = 0

        package init(rows: Int = 0, bytes: Int = 0) {
            self.rows = rows
            self.bytes = bytes
        }

        static func + (left: Amount, right: Amount) -> Amount {
            Amount(rows: left.rows + right.rows, bytes: left.bytes + right.bytes)
        }
    }

    /// The cost of a statement.
    struct Cost {
        /// The number of rows that it reads.
        let rows: Int
        /// The rows and bytes that it writes.
        let written: Amount
    }

    private var rows: [String: Int] = [:]
    private var bytes: [String: Int] = [:]

    private init() {}

    /// Creates the work for tables with these numbers of rows and bytes.
    package init(_ amounts: [String: Amount]) {
        rows = amounts.mapValues(\.rows)
        bytes = amounts.mapValues(\.bytes)
    }

    /// Computes the work of the steps of a chain.
    ///
    /// - Returns: The steps, and the number of bytes that each migration writes.
    package mutating func expected(
        of chain: MigrationChain
    ) -> (steps: [MigrationForecast.Step], bytes: [Int]) {
        var steps: [MigrationForecast.Step] = []
        var bytes: [Int] = []
        for migration in chain.migrations {
            var sum = 0
            for step in migration.steps {
                let costs = step.statements.map { cost(of: $0.operation).written }
                sum += costs.reduce(0) { $0 + $1.bytes }
                steps.append(
                    MigrationForecast.Step(
                        summary: step.summary, kind: step.kind, losesData: step.losesData,
                        code: step.code, statements: step.statements.count,
                        rows: costs.reduce(0) { $0 + $1.rows }))
            }
            bytes.append(sum)
        }
        return (steps, bytes)
    }

    /// Measures the tables of a store by reading them.
    static func measured(in connection: Connection) throws(SQLiteError) -> ExpectedWork {
        let size = try connection.number(ForecastSQL.size)
        var work = ExpectedWork()
        for table in try connection.tableNames {
            work.rows[table] = try connection.number(ForecastSQL.count(of: table))
        }
        let allRows = work.rows.values.reduce(0, +)
        for (table, rows) in work.rows {
            // If the library does not report sizes, the file's size is divided by its rows.
            work.bytes[table] =
                (try? connection.number(ForecastSQL.sizeOfTable, [.text(table)]))
                ?? Int(Double(size) * Double(rows) / Double(max(1, allRows)))
        }
        return work
    }

    /// Estimates the numbers of rows in a store's tables, without counting them.
    static func estimated(in connection: Connection) throws(SQLiteError) -> ExpectedWork {
        var work = ExpectedWork()
        for table in try connection.tableNames {
            let rows = try? connection.number(ForecastSQL.estimate(of: table))
            // Pairs of links have no numbers.
            work.rows[table] = max(0, rows ?? 1_000)
        }
        return work
    }

    /// The cost of the next operation.
    @inline(never)
    mutating func cost(of operation: SchemaOperation) -> Cost {
        switch operation {
        case .createTable(let table):
            (rows[table], bytes[table]) = (0, 0)
        case .copyRows(let copy):
            return fill(copy.destination, from: [copy.source])
        case .settleRows(let root, let table):
            return fill(table, from: [TableCopies.workingName(of: root)])
        case .insertRows(let table, let sources), .chooseObjects(let table, let sources):
            return fill(table, from: sources)
        case .updateRows(let table, _), .deleteRows(let table, _):
            let own = amount(of: [table])
            return Cost(rows: own.rows, written: own)
        case .checkRows(let table, let others, _):
            return Cost(rows: amount(of: [table] + others).rows, written: Amount())
        case .createIndex(_, let table, _), .addForeignKey(_, let table):
            return Cost(rows: amount(of: [table]).rows, written: Amount())
        case .renameTable(let old, let new):
            rows[new] = rows.removeValue(forKey: old)
            bytes[new] = bytes.removeValue(forKey: old)
        case .dropTable(let table):
            // Freeing a table costs much less than filling one.
            bytes[table] = nil
            return Cost(rows: (rows.removeValue(forKey: table) ?? 0) / 8, written: Amount())
        case .addColumn, .dropForeignKey, .alterTable, .other:
            break
        }
        return Cost(rows: 0, written: Amount())
    }

    private mutating func fill(_ table: String, from sources: [String]) -> Cost {
        let read = amount(of: sources)
        let sum = amount(of: [table]) + read
        (rows[table], bytes[table]) = (sum.rows, sum.bytes)
        return Cost(rows: read.rows, written: read)
    }

    private func amount(of names: [String]) -> Amount {
        names.reduce(Amount()) { $0 + Amount(rows: rows[$1] ?? 0, bytes: bytes[$1] ?? 0) }
    }
}

extension MigrationMeter {
    /// Creates the meter of a chain.
    ///
    /// - Parameter work: The rows in the tables; nil if no progress is reported.
    package convenience init(
        of chain: MigrationChain, _ work: ExpectedWork?, makesBackup: Bool = false,
        progress: @escaping (MigrationProgress) -> Void, isCancelled: @escaping () -> Bool
    ) {
        // A custom step counts as one statement. It reads and writes the rows of the statements
        // before it.
        var costs: [Int] = []
        var work = work
        for migration in chain.migrations {
            var sum = 0
            for step in migration.steps {
                for statement in step.statements {
                    let cost = work?.cost(of: statement.operation).rows ?? 1
                    costs.append(cost)
                    sum += cost
                }
                if step.code != nil { costs.append(4 * sum) }
            }
        }
        self.init(
            costs: costs, makesBackup: makesBackup, progress: progress, isCancelled: isCancelled)
    }
}

extension Connection {
    fileprivate var tableNames: [String] {
        get throws(SQLiteError) {
            // Counting the rows of other tables may run SQL that another program has put into the
            // store.
            try storeObjects()
                .filter(\.isOrdinaryTable).map(\.name)
        }
    }

    /// The number that a query returns, or 0 if it returns none.
    @inline(never)
    func number(_ sql: String, _ parameters: [StoredValue] = []) throws(SQLiteError) -> Int {
        Int(try rows(sql, parameters).first?.first?.integer ?? 0)
    }

    /// Returns the number that a query returns, or nil if it fails.
    package func count(_ sql: String) -> Int? { try? number(sql) }
}

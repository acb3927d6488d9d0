import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import Synchronization

/// A store in a schema of a database on a server.
final class PostgresEngine: StoreEngine, PostgresReading {
    let identifier: StoreIdentifier
    let isReadOnly: Bool
    let options: StoreOptions
    let history: PostgresHistory
    let layout: PostgresLayout
    let derivations: PostgresDerivations
    let version: PostgresVersion
    private let greatestLength: Int
    let pool: PostgresPool
    /// The time for which the store repeats work after lost connections, and tries to determine its
    /// outcome.
    let retryTimeout: Duration
    /// The number of transactions that this engine has committed.
    let commitCount: Shared<Int>
    /// Notes of the program that the next save is to write.
    let notesToWrite: Shared<[String: String]?>
    /// The open reads of former states of the store.
    let pins: Shared<[PostgresPin]>
    /// Whether the transactions begin with settings of their own.
    let hasSettings: Bool

    var model: ModelDescription { layout.model }

    init(
        _ pool: PostgresPool, _ derivations: PostgresDerivations, identifier: StoreIdentifier,
        options: StoreOptions, history: PostgresHistory, largestValue: Int,
        retryTimeout: Duration
    ) {
        self.retryTimeout = retryTimeout
        greatestLength = largestValue
        self.pool = pool
        self.derivations = derivations
        layout = derivations.layout
        version = PostgresVersion(layout)
        self.identifier = identifier
        self.options = options
        self.history = history
        isReadOnly = options.isReadOnly
        commitCount = Shared(0)
        notesToWrite = Shared(nil)
        pins = Shared([])
        hasSettings = false
    }

    private init(of engine: PostgresEngine, with settings: TransactionSettings) {
        greatestLength = engine.greatestLength
        pool = PostgresPool(of: engine.pool, with: settings)
        derivations = engine.derivations
        layout = engine.layout
        version = engine.version
        identifier = engine.identifier
        options = engine.options
        history = engine.history
        isReadOnly = engine.isReadOnly
        retryTimeout = engine.retryTimeout
        commitCount = engine.commitCount
        notesToWrite = engine.notesToWrite
        pins = engine.pins
        hasSettings = true
    }

    func view(with settings: TransactionSettings) throws -> any StoreEngine {
        try settings.requireNames()
        return PostgresEngine(of: self, with: settings)
    }

    var isInUseByCaller: Bool {
        pool.isUsedByCaller || pins.withLock { $0.contains(where: \.isUsedByCaller) }
    }

    func close() {
        for pin in pins.withLock({ $0 }) { pin.close() }
        pool.close()
    }

    func drain(for limit: Duration) -> Bool { pool.drain(for: limit) }

    /// Runs a body. If it fails because the store was migrated, the error says so.
    func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch  where version.mayExplain(error) {
            // If the version cannot be read either, the first error is more precise.
            if let rows = try? pool.lending({ try $0.run([version.query])[0] }) {
                try version.require(rows, after: error)
            }
            throw error
        }
    }

    // MARK: Reading

    func withReader<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try explaining {
            try pool.withReader(
                // A column that a statement has read may have another type now.
                afterStalePlan: { try version.require(try $0.run([version.query])[0]) }, body)
        }
    }

    func readTogether(
        _ statements: [PostgresStatement], _ interruption: Interruption?
    ) throws -> [PostgresRows] {
        try withReader { try $0.readTogether(statements, interruption: interruption) }
    }

    func withSnapshot<Result>(
        last: (Result) throws -> [PostgresStatement], _ interruption: Interruption?,
        _ body: (PostgresConnection) throws -> Result
    ) throws -> (Result, [PostgresRows]) {
        try withReader { connection in
            try connection.snapshot(last: last, interruption) { try body(connection) }
        }
    }

    var datePrecision: StoredDatePrecision? { PostgresTimestamp.kept }

    var largestValue: Int? { greatestLength }

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        guard !isReadOnly else { throw StoreError.readOnly }
        let name = model.entities[root].name
        var parameters = PostgresParameters()
        parameters.append(.text(name), as: .text)
        parameters.append(.integer(Int64(count)), as: .bigint)
        // In a transaction of its own, so that other writers do not wait until an operation ends.
        // Unused reserved keys are lost. Another program may have given keys to rows without
        // reserving them.
        let table = layout.table(of: model.entities[root].entity)
        let rows = try withReader { connection in
            do {
                return try connection.runAlone(
                    """
                    UPDATE \(layout.keys) SET "next" = greatest("next", \
                    (SELECT max("_id") FROM \(table)) + 1) + $2 WHERE "entity" = $1 \
                    RETURNING "next" - $2
                    """, parameters)
            } catch let error as PostgresError where error.state == PostgresError.outOfRange {
                throw StoreError.noKeysLeft(for: name)
            }
        }
        guard rows.count == 1 else {
            return try explaining {
                throw StoreError(
                    code: .corrupt,
                    message: "The store has no keys for \(name), because another program has "
                        + "changed its table _keys.",
                    remedy: "Restore a backup.")
            }
        }
        let first = rows.integer(0, 0)
        return first..<first + Int64(count)
    }

    func differences() throws -> [StoreDifference] {
        try pool.withConnection { try PostgresDrift(layout: layout, connection: $0).differences() }
    }

    // MARK: Notes

    func notes() throws -> [String: String] {
        if let waiting = notesToWrite.withLock({ $0 }) { return waiting }
        return try withReader { connection in
            let rows = try connection.run("SELECT \"name\", \"value\" FROM \(layout.metadata)")
            return MetadataSQL.notes(in: rows.namesAndValues)
        }
    }

    func setNotes(_ notes: [String: String]) {
        notesToWrite.withLock { $0 = notes }
    }

    /// The statements that replace the notes.
    func statements(for notes: [String: String]) -> [PostgresStatement] {
        layout.statements(for: notes)
    }

    func saveWithoutChanges() throws {
        guard let notes = notesToWrite.withLock({ $0 }) else { return }
        guard !isReadOnly else { throw StoreError.readOnly }
        try writing { connection in
            try transaction(connection) { noting, _ in
                _ = try connection.run(statements(for: notes) + [noting])
            }
        }
        didWrite(notes)
    }

    /// Removes the written notes, unless others were set meanwhile.
    func didWrite(_ notes: [String: String]) {
        notesToWrite.withLock { waiting in
            if waiting == notes { waiting = nil }
        }
    }
}

extension PostgresLayout {
    /// The statements that replace the notes of the program.
    func statements(for notes: [String: String]) -> [PostgresStatement] {
        [PostgresStatement("DELETE FROM \(metadata) WHERE \"name\" LIKE 'user.%'")]
            + notes.keys.sorted().map { name in
                var parameters = PostgresParameters()
                parameters.append(MetadataSQL.noteName(name), as: .text)
                parameters.append(.text(notes[name] ?? ""), as: .text)
                return PostgresStatement(
                    "INSERT INTO \(metadata) (\"name\", \"value\") VALUES ($1, $2)", parameters)
            }
    }
}

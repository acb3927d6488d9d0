import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Keeps derived attributes up to date in the transaction of a save, for exactly the objects whose
/// sources it touches.
///
/// At READ COMMITTED two saves that change what one value is computed from would each miss what the
/// other one does. So a save locks the objects whose values it changes, and all rows on the way to
/// them, before the statement that computes: whoever comes second sees everything. A link can become
/// a part of such a way while another save changes what is behind it. So a save that makes a link
/// locks both ends.
///
/// All that is sent with the statements that write. The values that memory computes are sent with the
/// commit; where others are computed from those, that takes a round trip of its own.
final class PostgresDerivationRun {
    private let derivations: PostgresDerivations
    private let layout: PostgresLayout
    private let connection: PostgresConnection
    private var model: ModelDescription { layout.model }
    private let request: SaveRequest
    /// What is to be locked before anything is written.
    private(set) lazy var locks = DerivationLocks(derivations, request)
    /// What looks for the objects that lose what their values were computed from: the numbers of the
    /// attributes, and the rows that they lose.
    private let losses: [Loss]
    /// For each maintained attribute, the keys of those objects.
    private var losers: [Set<Int64>]
    /// Whether the transaction keeps them instead.
    private var keepsLosers = false
    private lazy var owners = DerivationOwners(
        derivations, request, known: losers,
        kept: keepsLosers ? losses.enumerated().map { ($1.index, Self.setting($0)) } : [])
    /// By the number of the root, the keys of rows whose derived values the save could not know.
    private var touched: [Set<Int64>]
    /// What was sent last.
    private var step = Step()
    /// The moment of the save.
    private let now = Date.now
    private lazy var memory = ComputedValues(derivations: derivations, now: now)
    /// What notes the values in the history, where the store has one.
    private var recorder: PostgresRecorder?

    private struct Loss {
        let index: Int
        let source: MaintainedAttribute.Source
        let keys: [Int64]
    }

    /// - Returns: Nil where no derived value can be another one.
    init?(
        _ derivations: PostgresDerivations, _ connection: PostgresConnection,
        _ request: SaveRequest
    ) {
        guard !derivations.isEmpty else { return nil }
        let model = derivations.layout.model
        self.derivations = derivations
        layout = derivations.layout
        self.connection = connection
        self.request = request
        losers = derivations.maintained.map { _ in [] }
        losses = derivations.maintained.enumerated().flatMap { index, maintained in
            maintained.attribute.sources.compactMap { source in
                let keys = source.keysBefore(request, in: model)
                return keys.isEmpty ? nil : Loss(index: index, source: source, keys: keys)
            }
        }
        touched = model.entities.map { _ in [] }
        for insertion in request.insertions where derivations.hasValues(insertion.entity) {
            touched[insertion.entity.rootIndex].formUnion(insertion.records.map(\.key))
        }
        for update in request.updates where derivations.hasValues(update.entity) {
            touched[update.entity.rootIndex].formUnion(update.records.map(\.key))
        }
    }

    // MARK: Before anything is written

    /// What looks for the objects that lose what their values were computed from, after the rows were
    /// locked.
    var preparation: [PostgresStatement] {
        losses.map { loss in
            PostgresStatement(
                loss.source.node.owners(
                    in: model.model, names: derivations.names, of: "SELECT unnest($1)"),
                PendingArrays(keys: loss.keys).parameters)
        }
    }

    /// Takes over what ``preparation`` has found.
    func prepare(with results: some Sequence<PostgresRows>) {
        for (rows, loss) in zip(results, losses) {
            losers[loss.index].formUnion((0..<rows.count).map { rows.integer($0, 0) })
        }
    }

    /// What locks, and then looks for what is lost, to be sent before anything is written. The
    /// transaction keeps what is found for the statements that follow, so that nobody waits for it.
    ///
    /// - Parameter former: What another request has locked in the same transaction; where that is
    ///   enough, nothing is to be sent.
    func lock(after former: PostgresDerivationRun? = nil) -> [PostgresStatement] {
        if let former, locks.isCovered(by: former.locks), losses.allSatisfy(former.hasLoss) {
            losers = former.losers
            return []
        }
        keepsLosers = true
        return locks.statements
            + zip(losses.indices, preparation).map { number, looking in
                PostgresStatement(
                    """
                    SELECT set_config('\(Self.setting(number))', ARRAY(\(looking.sql))::text, true)
                    """, looking.parameters)
            }
    }

    /// The name of the setting of the transaction that keeps the objects of a loss.
    private static func setting(_ number: Int) -> String { "cambium.losers_\(number)" }

    private func hasLoss(_ loss: Loss) -> Bool {
        losses.contains {
            $0.index == loss.index && $0.source.node.path == loss.source.node.path
                && Set(loss.keys).isSubset(of: $0.keys)
        }
    }

    // MARK: After everything was written

    /// What locks the objects, writes their values, and reads the rows whose values memory computes.
    func statements(_ recorder: PostgresRecorder?) -> [PostgresStatement] {
        self.recorder = recorder
        step = step(0)
        return owners.locks + step.statements
    }

    /// Takes over what ``statements(_:)`` have come to, and computes what memory does.
    ///
    /// - Parameter results: Those of the statements, and of others before them.
    /// - Returns: What writes those values.
    func finish(
        _ results: some Collection<PostgresRows>
    ) throws -> [PostgresStatement] {
        var writing = try take(results.suffix(step.statements.count))
        for stage in 1... {
            step = step(stage)
            if step.statements.isEmpty { break }
            let results = try connection.run(writing + step.statements)
            writing = try take(results.suffix(step.statements.count))
        }
        return writing
    }

    /// Statements that each write or read the values of one attribute.
    private struct Step {
        var statements: [PostgresStatement] = []
        var indices: [Int] = []

        mutating func add(_ statement: PostgresStatement?, _ index: Int) {
            guard let statement else { return }
            statements.append(statement)
            indices.append(index)
        }
    }

    /// Those of a stage: all that the server computes, and then what memory is to compute.
    private func step(_ stage: Int) -> Step {
        let indices = derivations.maintained.indices.filter {
            derivations.maintained[$0].stage == stage
        }
        var step = Step()
        for index in indices { step.add(update(index), index) }
        for index in indices { step.add(read(index), index) }
        return step
    }

    /// - Returns: What writes the values that memory has computed.
    private func take(
        _ results: some Sequence<PostgresRows>
    ) throws -> [PostgresStatement] {
        let snapshot = PostgresSnapshot(layout, connection)
        var statements: [PostgresStatement] = []
        for (rows, index) in zip(results, step.indices) {
            let maintained = derivations.maintained[index]
            guard maintained.isComputedInMemory else {
                let keys = (0..<rows.count).map { rows.integer($0, 0) }
                touched[maintained.attribute.rootIndex].formUnion(keys)
                continue
            }
            let values = try memory.changed(maintained.attribute, rows, snapshot)
            guard !values.isEmpty else { continue }
            touched[maintained.attribute.rootIndex].formUnion(values.map(\.key))
            statements.append(recorded(memory.update(values, maintained), maintained))
        }
        return statements
    }

    // MARK: What the server computes

    private func update(_ index: Int) -> PostgresStatement? {
        let maintained = derivations.maintained[index]
        var parameters = PostgresParameters()
        guard let value = maintained.value(at: now),
            let condition = owners.condition(index, &parameters)
        else { return nil }
        let table = layout.tables[maintained.attribute.rootIndex]
        let sql: PostgresFragment = """
            UPDATE \(raw: table.name) AS t SET \(raw: maintained.column) = n.v \
            FROM (SELECT t."_id" AS k, (\(value.fragment))::\(raw: maintained.type.name) AS v \
            FROM \(raw: table.source)\(raw: value.joins) WHERE \(raw: condition)) AS n \
            WHERE t."_id" = n.k AND t.\(raw: maintained.column) IS DISTINCT FROM n.v
            """
        return recorded(sql.statement(parameters), maintained)
    }

    /// A statement that returns the keys of the rows that it writes, and notes them where the store has
    /// a history.
    private func recorded(
        _ statement: PostgresStatement, _ maintained: PostgresDerivations.Maintained
    ) -> PostgresStatement {
        let root = model.entities[maintained.attribute.rootIndex]
        guard let recorder else {
            return PostgresStatement(
                "\(statement.sql) RETURNING t.\"_id\"", statement.parameters)
        }
        let noting = recorder.updating(statement, root, in: layout.table(of: root.entity))
        return PostgresStatement("\(noting.sql) RETURNING \"key\"", noting.parameters)
    }

    // MARK: What memory computes

    /// What reads the rows whose values memory computes.
    private func read(_ index: Int) -> PostgresStatement? {
        let maintained = derivations.maintained[index]
        var parameters = PostgresParameters()
        guard maintained.isComputedInMemory, let condition = owners.condition(index, &parameters)
        else { return nil }
        return PostgresStatement(memory.select(maintained, condition), parameters)
    }

    // MARK: Reading

    /// What reads the values that the save could not know.
    func reading() -> (roots: [Int], statements: [PostgresStatement]) {
        var (roots, statements): ([Int], [PostgresStatement]) = ([], [])
        for (root, keys) in touched.enumerated() {
            guard let statement = derivations.read(keys.sorted(), root: root) else {
                continue
            }
            roots.append(root)
            statements.append(statement)
        }
        return (roots, statements)
    }

    /// The values that were read.
    func rows(_ results: some Sequence<PostgresRows>, _ roots: [Int]) -> [DerivedRow] {
        zip(results, roots).flatMap { derivations.rows($0, root: $1) }
    }
}

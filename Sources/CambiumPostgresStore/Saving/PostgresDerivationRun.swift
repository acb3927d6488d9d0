import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Keeps derived attributes up to date in the transaction of a save, only for the objects whose
/// sources it changes.
///
/// At READ COMMITTED, two saves that change sources of the same value would each miss the other's
/// change. Therefore a save locks the objects with changed derived values, and all rows on the
/// paths to them, before the statement that computes the values. The second of two saves then sees
/// all changes. A link can become part of such a path while another save changes the rows behind
/// it. Therefore a save that creates a link locks both ends.
///
/// The statements are sent together with the writes of the save. Values that are computed in memory
/// are sent with the commit. If other values are computed from these, an additional round trip is
/// necessary.
final class PostgresDerivationRun {
    private let derivations: PostgresDerivations
    private let layout: PostgresLayout
    private let connection: PostgresConnection
    private var model: ModelDescription { layout.model }
    private let request: SaveRequest
    /// The locks taken before anything is written.
    private(set) lazy var locks = DerivationLocks(derivations, request)
    /// The queries for the objects that lose sources of their values: the indices of the
    /// attributes, and the rows that the objects lose.
    private let losses: [Loss]
    /// For each maintained attribute, the keys of these objects.
    private var losers: [Set<Int64>]
    /// Whether the transaction keeps them instead.
    private var keepsLosers = false
    private lazy var owners = DerivationOwners(
        derivations, request, known: losers,
        kept: keepsLosers ? losses.enumerated().map { ($1.index, Self.setting($0)) } : [])
    /// The keys of rows with derived values that the save could not compute, by the index of the
    /// root entity.
    private var touched: [Set<Int64>]
    /// The step that was sent last.
    private var step = Step()
    /// The time of the save.
    private let now = Date.now
    private lazy var memory = ComputedValues(derivations: derivations, now: now)
    /// Records the values in the history, if the store has one.
    private var recorder: PostgresRecorder?

    private struct Loss {
        let index: Int
        let source: MaintainedAttribute.Source
        let keys: [Int64]
    }

    /// - Returns: Nil if no derived value can change.
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

    /// The queries for the objects that lose sources of their values, after the rows were locked.
    var preparation: [PostgresStatement] {
        losses.map { loss in
            PostgresStatement(
                loss.source.node.owners(
                    in: model.model, names: derivations.names, of: "SELECT unnest($1)"),
                PendingArrays(keys: loss.keys).parameters)
        }
    }

    /// Stores the results of ``preparation``.
    func prepare(with results: some Sequence<PostgresRows>) {
        for (rows, loss) in zip(results, losses) {
            losers[loss.index].formUnion((0..<rows.count).map { rows.integer($0, 0) })
        }
    }

    /// The statements that lock rows and then find losses, to be sent before anything is written.
    /// The transaction keeps the found keys for the statements that follow, so that no round trip
    /// is needed for them.
    ///
    /// - Parameter former: The run of another request in the same transaction. If its locks are
    ///   enough, no statement is sent.
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

    /// The statements that lock the objects, write their values, and read the rows whose values are
    /// computed in memory.
    func statements(_ recorder: PostgresRecorder?) -> [PostgresStatement] {
        self.recorder = recorder
        step = step(0)
        return owners.locks + step.statements
    }

    /// Reads the results of ``statements(_:)``, and computes the values that need memory.
    ///
    /// - Parameter results: The results of the statements, and of others before them.
    /// - Returns: The statements that write these values.
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

    /// The statements of a stage: first the values that the server computes, then the values that
    /// are computed in memory.
    private func step(_ stage: Int) -> Step {
        let indices = derivations.maintained.indices.filter {
            derivations.maintained[$0].stage == stage
        }
        var step = Step()
        for index in indices { step.add(update(index), index) }
        for index in indices { step.add(read(index), index) }
        return step
    }

    /// - Returns: The statements that write the values that were computed in memory.
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

    // MARK: Values that the server computes

    private func update(_ index: Int) -> PostgresStatement? {
        let maintained = derivations.maintained[index]
        var parameters = PostgresParameters()
        guard let value = maintained.value(at: now),
            let condition = owners.condition(index, &parameters)
        else { return nil }
        let update = maintained.update(to: value, where: condition, in: layout)
        return recorded(update.statement(parameters), maintained)
    }

    /// A statement that returns the keys of the rows that it writes. If the store has a history, it
    /// records them there.
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

    // MARK: Values that are computed in memory

    /// The statement that reads the rows whose values are computed in memory.
    private func read(_ index: Int) -> PostgresStatement? {
        let maintained = derivations.maintained[index]
        var parameters = PostgresParameters()
        guard maintained.isComputedInMemory, let condition = owners.condition(index, &parameters)
        else { return nil }
        return PostgresStatement(memory.select(maintained, condition), parameters)
    }

    // MARK: Reading

    /// The statements that read the values that the save could not compute.
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

import CambiumEngine
import CambiumModel
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
final class PostgresDerivationRun {
    private let derivations: PostgresDerivations
    private let layout: PostgresLayout
    private var recorder: PostgresRecorder?
    private let connection: PostgresConnection
    private var model: ModelDescription { layout.model }
    private let request: SaveRequest
    /// For each maintained attribute, the keys of the objects whose value may be another one.
    private var owners: [Set<Int64>]
    /// For each maintained attribute, what leads to more of them.
    private var walks: [[Walk]]
    private var touched: [Set<Int64>]
    /// The keys of new rows, by the number of the root: none can be locked, or leads anywhere yet.
    private var inserted: [Int: Set<Int64>] = [:]

    /// A query that leads from rows back to others.
    fileprivate struct Walk {
        let source: MaintainedAttribute.Source
        /// How far from the attribute's own row the rows are whose keys are known.
        let start: Int
        /// How far those are that are looked for.
        let depth: Int
        let keys: [Int64]
        /// The number of the root of the rows that are looked for.
        let root: Int

        /// The query, which is to have the keys for a parameter of a number.
        func query(_ names: DerivationNames, _ model: ModelDescription, _ number: Int) -> String {
            source.node.keys(
                at: depth, from: start, in: model.model, names: names,
                of: "SELECT unnest($\(number))")
        }
    }

    /// - Returns: Nil where no derived value can be another one.
    init?(
        _ derivations: PostgresDerivations, _ connection: PostgresConnection,
        _ request: SaveRequest
    ) {
        guard !derivations.isEmpty else { return nil }
        self.derivations = derivations
        layout = derivations.layout
        self.connection = connection
        self.request = request
        owners = derivations.maintained.map { _ in [] }
        walks = derivations.maintained.map { _ in [] }
        touched = derivations.layout.model.entities.map { _ in [] }
        if derivations.maintained.isEmpty { return }
        for insertion in request.insertions {
            inserted[insertion.entity.rootIndex, default: []]
                .formUnion(insertion.records.map(\.key))
        }
    }

    // MARK: Locking

    /// What is to be locked before anything is written, by the number of the root.
    struct Locks {
        fileprivate(set) var keys: [Int: Set<Int64>] = [:]
        fileprivate var walks: [Int: [Walk]] = [:]
        fileprivate let names: DerivationNames
        fileprivate let model: ModelDescription

        /// A list of keys as SQL, which the parameters get: those given, and those to be locked.
        func list(
            _ given: [Int64], root: Int, _ parameters: inout PostgresParameters
        ) -> String? {
            let keys = self.keys[root, default: []].union(given)
            let walks = self.walks[root] ?? []
            guard !keys.isEmpty || !walks.isEmpty else { return nil }
            parameters.appendArray(of: keys.sorted())
            var list = "$\(parameters.count)"
            for walk in walks {
                parameters.appendArray(of: walk.keys)
                let query = walk.query(names, model, parameters.count)
                list += " || ARRAY(\(query))"
            }
            return list
        }

        /// What locks the rows of a table, and returns their keys; nil where there are none.
        fileprivate func statement(_ table: PostgresTable, _ root: Int) -> PostgresStatement? {
            var parameters = PostgresParameters()
            guard let list = list([], root: root, &parameters) else { return nil }
            let family = table.ofFamily.map { " AND \($0)" } ?? ""
            return PostgresStatement(
                """
                SELECT t."_id" FROM \(table.source) WHERE t."_id" = ANY(\(list))\(family) \
                ORDER BY t."_id" FOR NO KEY UPDATE
                """, parameters)
        }
    }

    /// What is to be locked before anything is written.
    func locks() -> Locks {
        var locks = Locks(names: derivations.names, model: model)
        for maintained in derivations.maintained {
            for source in maintained.attribute.sources {
                let keys =
                    source.keysBefore(request, in: model) + source.keysAfter(request, in: model)
                add(keys, from: source.node.path.count, source, &locks)
                addEnds(source, &locks)
            }
        }
        return locks
    }

    /// Locks rows, and all that lead to them.
    private func add(
        _ keys: [Int64], from start: Int, _ source: MaintainedAttribute.Source, _ locks: inout Locks
    ) {
        let ownRoot = root(source, at: start)
        let keys = inserted[ownRoot].map { new in keys.filter { !new.contains($0) } } ?? keys
        guard !keys.isEmpty else { return }
        locks.keys[ownRoot, default: []].formUnion(keys)
        for depth in 0..<start {
            let walk = Walk(
                source: source, start: start, depth: depth, keys: keys,
                root: root(source, at: depth))
            locks.walks[walk.root, default: []].append(walk)
        }
    }

    /// Locks the other ends of links that the request makes.
    private func addEnds(_ source: MaintainedAttribute.Source, _ locks: inout Locks) {
        let path = source.node.path
        guard let last = path.last else { return }
        let near = path.count - 1
        switch model.model.storage(of: last.relationship, of: last.source) {
        case .key:
            let keys = writtenKeys(last.relationship.name, of: last.source)
            add(keys, at: path.count, source, &locks)
        case .inverseKey:
            guard let inverse = last.relationship.inverse else { return }
            let keys = writtenKeys(inverse, of: source.node.entity)
            add(keys, from: near, source, &locks)
        case .joinTable(let table, let column, _):
            for links in request.links {
                guard let (name, first) = pairs(of: links), name == table else { continue }
                let isSource = first == column
                add(
                    links.added.map { isSource ? $0.destination : $0.source }, at: path.count,
                    source, &locks)
            }
        case .transient: break
        }
    }

    private func add(
        _ keys: [Int64], at depth: Int, _ source: MaintainedAttribute.Source, _ locks: inout Locks
    ) {
        let ownRoot = root(source, at: depth)
        let keys = inserted[ownRoot].map { new in keys.filter { !new.contains($0) } } ?? keys
        if !keys.isEmpty { locks.keys[ownRoot, default: []].formUnion(keys) }
    }

    private func pairs(of links: SaveRequest.Links) -> (table: String, source: String)? {
        guard
            let owner = model.entities.first(where: { entity in
                entity.relationships.contains { $0.identity == links.relationship.identity }
            }),
            case .joinTable(let table, let source, _) = model.model.storage(
                of: links.relationship.relationship, of: owner.entity)
        else { return nil }
        return (table, source)
    }

    /// The keys that rows are written with in a relationship.
    private func writtenKeys(_ name: String, of owner: Entity) -> [Int64] {
        func keys(_ records: [Record], _ entity: EntityDescription, _ slots: SlotSet?) -> [Int64] {
            guard model.model.entity(entity.entity, isKindOf: owner),
                let slot = entity.relationship(named: name)?.slot,
                slots?.contains(slot) ?? true
            else { return [] }
            return records.compactMap { $0.hasValue(slot) ? $0.integer(slot) : nil }
        }
        return request.insertions.flatMap { keys($0.records, $0.entity, nil) }
            + request.updates.flatMap { keys($0.records, $0.entity, $0.slots) }
    }

    /// The number of the root of the rows that are so far from the attribute's own one.
    private func root(_ source: MaintainedAttribute.Source, at depth: Int) -> Int {
        let path = source.node.path
        let entity =
            depth < path.count
            ? path[depth].source
            : path.isEmpty
                ? source.node.entity
                : model.model.entity(named: path[depth - 1].relationship.destination)
                    ?? source.node.entity
        return model.index(named: model.model.root(of: entity).name) ?? 0
    }

    /// Locks all that in statements of its own, and looks for the objects that lose what their values
    /// were computed from.
    func lock() throws {
        let locks = locks()
        var statements: [PostgresStatement] = []
        for root in model.entities where root.rootIndex == root.index {
            if let statement = locks.statement(layout.tables[root.index], root.index) {
                statements.append(statement)
            }
        }
        let preparation = preparation
        takeOwners(
            from: try connection.run(statements + preparation.map(\.statement))
                .suffix(preparation.count), preparation.map(\.index))
    }

    /// What looks for the objects that lose what their values were computed from, with the numbers of
    /// the attributes: after the rows were locked, and before they are written.
    var preparation: [(index: Int, statement: PostgresStatement)] {
        derivations.maintained.enumerated().flatMap { index, maintained in
            maintained.attribute.sources.compactMap { source in
                let keys = source.keysBefore(request, in: model)
                guard !keys.isEmpty else { return nil }
                return (
                    index,
                    PostgresStatement(
                        source.node.owners(
                            in: model.model, names: derivations.names, of: "SELECT unnest($1)"),
                        PendingArrays(keys: keys).parameters)
                )
            }
        }
    }

    /// Takes over what ``preparation`` has found.
    func takeOwners(from results: some Sequence<PostgresRows>, _ indices: [Int]) {
        for (rows, index) in zip(results, indices) {
            owners[index].formUnion((0..<rows.count).map { rows.integer($0, 0) })
        }
    }

    // MARK: Computing

    /// What locks the objects whose values are computed first, after everything was written.
    func firstLocks() -> OwnerLocks {
        for index in derivations.maintained.indices {
            for source in derivations.maintained[index].attribute.sources {
                note(source.keysAfter(request, in: model), source, for: index)
            }
        }
        for insertion in request.insertions where derivations.hasValues(insertion.entity) {
            touched[insertion.entity.rootIndex].formUnion(insertion.records.map(\.key))
        }
        for update in request.updates where derivations.hasValues(update.entity) {
            touched[update.entity.rootIndex].formUnion(update.records.map(\.key))
        }
        return ownerLocks(ofLevel: 0)
    }

    /// Writes the values.
    ///
    /// - Parameters:
    ///   - results: Of ``firstLocks()``.
    ///   - recorder: What notes that in the history.
    func compute(
        _ locks: OwnerLocks, _ results: [PostgresRows], now: Date, _ recorder: PostgresRecorder?
    ) throws {
        self.recorder = recorder
        var (locks, results) = (locks, results)
        let levels = (derivations.maintained.map(\.level).max() ?? -1) + 1
        for level in 0..<levels {
            if level > 0 {
                locks = ownerLocks(ofLevel: level)
                results = try connection.run(locks.statements)
            }
            for (rows, index) in zip(results, locks.indices) {
                guard let index else { continue }
                owners[index] = Set((0..<rows.count).map { rows.integer($0, 0) })
            }
            for (index, keys) in try compute(indices(ofLevel: level), now) where !keys.isEmpty {
                passOn(keys, of: index)
            }
        }
    }

    private func indices(ofLevel level: Int) -> [Int] {
        derivations.maintained.indices.filter { derivations.maintained[$0].level == level }
    }

    /// Attributes that look at one have other values too.
    private func passOn(_ keys: [Int64], of index: Int) {
        let (attribute, level) = (
            derivations.maintained[index].attribute, derivations.maintained[index].level
        )
        touched[attribute.rootIndex].formUnion(keys)
        for (later, maintained) in derivations.maintained.enumerated()
        where maintained.level > level {
            for source in maintained.attribute.sources
            where attribute.isLookedAt(by: source, in: model) {
                note(keys, source, for: later)
            }
        }
    }

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

    private func note(_ keys: [Int64], _ source: MaintainedAttribute.Source, for index: Int) {
        guard !keys.isEmpty else { return }
        if source.isOwnRow {
            owners[index].formUnion(keys)
            return
        }
        for depth in 0..<source.node.path.count {
            walks[index].append(
                Walk(
                    source: source, start: source.node.path.count, depth: depth, keys: keys,
                    root: root(source, at: depth)))
        }
    }

    /// Statements that lock objects, each with the number of the attribute whose owners it returns.
    struct OwnerLocks {
        fileprivate(set) var statements: [PostgresStatement] = []
        fileprivate var indices: [Int?] = []
    }

    /// What locks the objects whose values are computed next, in the order of their tables and keys,
    /// with the rows on the way to them.
    private func ownerLocks(ofLevel level: Int) -> OwnerLocks {
        var between = Locks(names: derivations.names, model: model)
        var found: [(root: Int, index: Int?, statement: PostgresStatement)] = []
        for index in indices(ofLevel: level) {
            let attribute = derivations.maintained[index].attribute
            var own = Locks(names: derivations.names, model: model)
            if !owners[index].isEmpty { own.keys[attribute.rootIndex] = owners[index] }
            for walk in walks[index] {
                if walk.depth == 0 {
                    own.walks[walk.root, default: []].append(walk)
                } else {
                    between.walks[walk.root, default: []].append(walk)
                }
            }
            let entity = model.index(named: attribute.entity.name) ?? attribute.rootIndex
            if let statement = own.statement(layout.tables[entity], attribute.rootIndex) {
                found.append((attribute.rootIndex, index, statement))
            }
        }
        for root in between.walks.keys {
            if let statement = between.statement(layout.tables[root], root) {
                found.append((root, nil, statement))
            }
        }
        found.sort { ($0.root, $0.index ?? -1) < ($1.root, $1.index ?? -1) }
        return OwnerLocks(statements: found.map(\.statement), indices: found.map(\.index))
    }

    /// Writes the values that are others now.
    ///
    /// - Returns: The keys of the objects, by the number of the attribute.
    private func compute(_ indices: [Int], _ now: Date) throws -> [(Int, [Int64])] {
        let (server, memory) = indices.filter { !owners[$0].isEmpty }
            .reduce(into: ([Int](), [Int]())) { parts, index in
                if derivations.maintained[index].value == nil {
                    parts.1.append(index)
                } else {
                    parts.0.append(index)
                }
            }
        var statements: [PostgresStatement] = []
        for index in server {
            if let statement = update(index) { statements.append(statement) }
        }
        let snapshot = PostgresSnapshot(layout, connection)
        for index in memory { statements.append(try update(index, snapshot, now)) }
        let results = try connection.run(statements)
        return zip(server + memory, results).map { index, rows in
            (index, (0..<rows.count).map { rows.integer($0, 0) })
        }
    }

    /// The statement that computes the values of an attribute.
    private func update(_ index: Int) -> PostgresStatement? {
        let maintained = derivations.maintained[index]
        guard let value = maintained.value else { return nil }
        let table = layout.tables[maintained.attribute.rootIndex]
        let keys = PostgresFragment(keys: owners[index].sorted())
        let sql: PostgresFragment = """
            UPDATE \(raw: table.name) AS t SET \(raw: maintained.column) = n.v \
            FROM (SELECT t."_id" AS k, (\(value.fragment))::\(raw: maintained.type.name) AS v \
            FROM \(raw: table.source)\(raw: value.joins) WHERE t."_id" = ANY(\(keys))) AS n \
            WHERE t."_id" = n.k AND t.\(raw: maintained.column) IS DISTINCT FROM n.v
            """
        return recorded(sql.statement(), maintained)
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

    /// The statement that writes the values of an attribute which memory computes.
    private func update(
        _ index: Int, _ snapshot: PostgresSnapshot, _ now: Date
    ) throws -> PostgresStatement {
        let maintained = derivations.maintained[index]
        let attribute = maintained.attribute
        let entity = model.entities[model.index(named: attribute.entity.name) ?? 0]
        guard let derivation = attribute.attribute.derivation else { throw Unsayable() }
        let evaluator = try ExpressionEvaluator(
            value: derivation, as: attribute.attribute.type, entity: attribute.entity,
            model: model.model)
        let subjects = try snapshot.subjects(
            RowRequest(entity: entity, selection: .keys(owners[index].sorted())))
        let type = ExpressionType(attribute.attribute.type)
        let values = try subjects.map {
            type.stored(try evaluator.evaluate($0, now: now)) ?? .null
        }
        if let failure = snapshot.failure { throw failure }
        var parameters = PostgresParameters()
        parameters.appendArray(of: subjects.map(\.expressionKey))
        parameters.appendArray(of: maintained.type, count: values.count) {
            maintained.type.append(values[$0], to: &$1)
        }
        let table = layout.tables[attribute.rootIndex]
        let statement = PostgresStatement(
            """
            UPDATE \(table.name) AS t SET \(maintained.column) = n.v \
            FROM unnest($1, $2) AS n(k, v) \
            WHERE t."_id" = n.k AND t.\(maintained.column) IS DISTINCT FROM n.v
            """, parameters)
        return recorded(statement, maintained)
    }
}

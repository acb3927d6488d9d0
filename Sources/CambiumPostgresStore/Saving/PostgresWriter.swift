import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL

/// Writes what a save asks for, in its transaction, after the rows were locked.
struct PostgresWriter {
    private let layout: PostgresLayout
    private let derivations: PostgresDerivations
    private let connection: PostgresConnection
    private let source: RowSource
    /// What notes all that in the history, where the store has one.
    private let recorder: PostgresRecorder?
    private var model: ModelDescription { layout.model }

    /// So many rows a statement writes at once: larger ones take longer.
    private static let chunk = 4_096

    init(
        _ derivations: PostgresDerivations, _ connection: PostgresConnection,
        from source: RowSource, _ recorder: PostgresRecorder?
    ) {
        self.recorder = recorder
        self.derivations = derivations
        layout = derivations.layout
        self.connection = connection
        self.source = source
    }

    /// What has become of a request.
    struct Written {
        /// What is to be sent before the commit, or before anything is read.
        let rest: [PostgresStatement]
        /// What rows hold in place of values that went to a table of their own.
        let moved: [DerivedRow]
    }

    /// Writes what is asked for.
    ///
    /// - Parameters:
    ///   - locks: What is sent before anything is written.
    ///   - swapped: Rows whose unique values others take.
    ///   - run: What brings derived values up to date.
    ///   - ending: What is sent behind all that, in the same go.
    /// - Throws: ``SaveConflict`` where rows are not as they were read. Where a batch operation
    ///   writes, ``RefusedRow`` names the row that the server refuses or a rule; then the transaction
    ///   is to be taken back.
    func write(
        _ request: SaveRequest, after locks: [PostgresStatement] = [],
        swapping swapped: Set<RowIdentity> = [], _ run: PostgresDerivationRun? = nil, ending: [PostgresStatement] = []
    ) throws -> Written {
        var work = Work()
        // It keeps the records of the request.
        var external = PostgresExternalRun(layout)
        defer { withExtendedLifetime(external) {} }
        let request = source.stages.contains(.files) ? try external.prepare(request) : request
        work.statements = locks + external.statements
        for deletion in request.deletions { delete(deletion, &work) }
        let (moved, inserted) = try swapped.isEmpty ? ([], []) : takeOut(swapped, request, &work)
        for update in request.updates {
            let root = update.entity.rootIndex
            let records = update.records.filter {
                !moved.contains(RowIdentity(root: root, key: $0.key))
            }
            try write(records, update.entity, &work) {
                self.update($0, update.slots, update.entity)
            }
        }
        work.statements += inserted
        for insertion in request.insertions {
            if try copy(insertion, &work) { continue }
            try write(insertion.records, insertion.entity, &work) {
                insert($0, insertion.entity)
            }
        }
        for links in request.links { write(links, &work) }
        // All that has to be read is read in the same go.
        let lists = request.orders.compactMap { order in
            PostgresList(order.relationship, layout).map { (order, $0) }
        }
        let firstList = work.statements.count
        work.statements += lists.map { read($0, $1) }
        let partners = PostgresAnswers(layout, connection)
        let inquiry = partners.inquiry(about: partnerQuestions(request))
        let firstAnswer = work.statements.count
        work.statements += inquiry.statements
        let computing = run?.statements(recorder) ?? []
        let firstComputed = work.statements.count
        work.statements += computing + ending
        let results = try work.run(connection)
        try inquiry.take(results[firstAnswer...])
        try checkPartners(request, partners)
        var rest: [PostgresStatement] = []
        for ((order, list), rows) in zip(lists, results[firstList...]) {
            rest += write(order, list, rows)
        }
        if let run {
            let computed = results[firstComputed..<firstComputed + computing.count]
            rest += try run.finish(computed)
        }
        if source.stages.contains(.rules) {
            // They may look at what memory has computed.
            _ = try connection.run(rest)
            rest = []
            try checkRules(request)
        }
        return Written(rest: rest, moved: external.moved)
    }

    /// Writes rows in parts. Those of a batch operation are written at once, so that the one which is
    /// refused can be named.
    private func write(
        _ records: [Record], _ entity: EntityDescription, _ work: inout Work,
        _ statement: ([Record]) -> PostgresStatement
    ) throws {
        guard source.namesRefusedRow else {
            for records in chunks(records, entity) {
                work.add(statement(records), rows: records.count)
            }
            return
        }
        try work.run(connection)
        for records in chunks(records.sorted { $0.key < $1.key }, entity) {
            try writeNaming(records, entity, statement)
        }
    }

    /// Writes rows, and finds the first that is refused by writing halves.
    private func writeNaming(
        _ records: [Record], _ entity: EntityDescription,
        _ statement: ([Record]) -> PostgresStatement
    ) throws {
        do {
            let written = try connection.run([
                PostgresStatement("SAVEPOINT _rows"), statement(records),
                PostgresStatement("RELEASE SAVEPOINT _rows"),
            ])[1]
            guard written.changes == records.count else { throw SaveConflict() }
        } catch let error as PostgresError where error.isOfConstraint {
            _ = try connection.run("ROLLBACK TO SAVEPOINT _rows")
            guard records.count > 1 else {
                throw RefusedRow(
                    entity: entity, key: records[0].key, underlying: layout.refusal(error),
                    isOfUniqueValues: error.state == PostgresError.uniqueViolation)
            }
            let half = records.count / 2
            try writeNaming(Array(records[..<half]), entity, statement)
            try writeNaming(Array(records[half...]), entity, statement)
        }
    }

    /// Statements that are sent in one go, with how many rows some of them must write.
    private struct Work {
        var statements: [PostgresStatement] = []
        private var expected: [Int: Int] = [:]

        mutating func add(_ sql: String, _ parameters: PostgresParameters, rows: Int? = nil) {
            add(PostgresStatement(sql, parameters), rows: rows)
        }

        mutating func add(_ statement: PostgresStatement, rows: Int? = nil) {
            expected[statements.count] = rows
            statements.append(statement)
        }

        @discardableResult
        mutating func run(_ connection: PostgresConnection) throws -> [PostgresRows] {
            let results = try connection.run(statements)
            for (index, count) in expected where results[index].changes != count {
                throw SaveConflict()
            }
            self = Work()
            return results
        }
    }

    private func chunks(_ records: [Record]) -> [[Record]] {
        pieces(records, Self.chunk)
    }

    /// So many bytes of texts and data a statement takes, unless one row has more: the server reads a
    /// statement as a whole.
    private static let bytesAtOnce = 1 << 26

    /// The same for rows whose values are sent.
    private func chunks(_ records: [Record], _ entity: EntityDescription) -> [[Record]] {
        let slots = entity.shape.byteSlots
        return chunks(records).flatMap { records -> [[Record]] in
            var parts: [[Record]] = []
            var start = 0
            var bytes = 0
            for (index, record) in records.enumerated() {
                let own = slots.reduce(0) {
                    $0 + (record.hasValue($1) ? record.bytes($1).count : 0)
                }
                if bytes + own > Self.bytesAtOnce, index > start {
                    parts.append(Array(records[start..<index]))
                    (start, bytes) = (index, 0)
                }
                bytes += own
            }
            return start == 0 ? [records] : parts + [Array(records[start...])]
        }
    }

    private func column(_ slot: Int, of entity: EntityDescription) -> String? {
        entity.layout.slots[slot].column.map { PostgresName.identifier($0) }
    }

    /// The slots that are columns which somebody else than the server fills.
    private func written(_ slots: SlotSet, of entity: EntityDescription) -> [Int] {
        slots.subtracting(entity.derivedSlots).slots.filter { column($0, of: entity) != nil }
    }

    // MARK: Rows

    private func delete(_ deletion: SaveRequest.Deletion, _ work: inout Work) {
        let entity = deletion.entity
        let own = entity.relationships.map { ($0, true) }
        // Without an inverse, the pairs may never have been read.
        let others = model.oneWayLinks[entity.index].map { ($0.relationship, false) }
        for records in chunks(deletion.records) {
            let keys = PendingArrays(keys: records.map(\.key))
            for (relationship, isOwn) in own + others {
                guard let pairs = PostgresPairs(relationship, layout) else { continue }
                let column = isOwn ? pairs.source : pairs.destination
                work.add(
                    recorded(
                        PostgresStatement(
                            "DELETE FROM \(pairs.table) WHERE \(column) = ANY($1)",
                            keys.parameters)
                    ) { $0.linking($1, pairs.table) })
            }
            let pending = PendingArrays(records)
            let statement = PostgresStatement(
                """
                DELETE FROM \(layout.table(of: entity.entity)) AS t USING \(pending.source) \
                WHERE t."_id" = p."key" AND t."_version" = p."version"
                """, pending.parameters)
            work.add(recorded(statement) { $0.deleting($1, entity) }, rows: records.count)
        }
    }

    private func update(
        _ records: [Record], _ slots: SlotSet, _ entity: EntityDescription
    ) -> PostgresStatement {
        let written = self.written(slots, of: entity)
        var sets = ["\"_version\" = p.\"version\" + 1"]
        for slot in written {
            guard let column = column(slot, of: entity) else { continue }
            sets.append("\(column) = p.c\(slot)")
            // A place belongs to the owner that it is with.
            if let position = position(ofSlot: slot, of: entity) {
                sets.append(
                    """
                    \(position) = CASE WHEN t.\(column) IS NOT DISTINCT FROM p.c\(slot) \
                    THEN t.\(position) END
                    """)
            }
        }
        let pending = PendingArrays(
            records, written.map { ($0, PostgresTable.type(ofSlot: $0, of: entity)) })
        let table = layout.table(of: entity.entity)
        let statement = PostgresStatement(
            """
            UPDATE \(table) AS t \
            SET \(sets.joined(separator: ", ")) FROM \(pending.source) \
            WHERE t."_id" = p."key" AND t."_version" = p."version"
            """, pending.parameters)
        return recorded(statement) { $0.updating($1, entity, in: table) }
    }

    /// A statement that notes what it does, where the store has a history.
    private func recorded(
        _ statement: PostgresStatement,
        _ noting: (PostgresRecorder, PostgresStatement) -> PostgresStatement
    ) -> PostgresStatement {
        recorder.map { noting($0, statement) } ?? statement
    }

    /// The column of the place in a list that goes with a key.
    private func position(ofSlot slot: Int, of entity: EntityDescription) -> String? {
        guard let relationship = entity.relationships.first(where: { $0.slot == slot }) else {
            return nil
        }
        let name = relationship.relationship.name
        let declarer = model.model.declarer(of: name, in: entity.entity) ?? entity.entity
        return model.model.inversePositionColumn(of: relationship.relationship, of: declarer)
            .map { PostgresName.identifier($0) }
    }

    private func insert(
        _ records: [Record], _ entity: EntityDescription
    ) -> PostgresStatement {
        let slots = insertedSlots(entity)
        var values = ["p.\"key\"", "p.\"version\" + 1"]
        if entity.hasEntityColumn { values.append(SQLText.literal(entity.name)) }
        values += slots.map { "p.c\($0)" }
        let pending = PendingArrays(
            records, slots.map { ($0, PostgresTable.type(ofSlot: $0, of: entity)) })
        let statement = PostgresStatement(
            """
            INSERT INTO \(layout.table(of: entity.entity)) (\(columns(slots, entity))) \
            SELECT \(values.joined(separator: ", ")) FROM \(pending.source)
            """, pending.parameters)
        return recorded(statement) { $0.inserting($1, entity) }
    }

    /// The slots of new rows that have a value to be written.
    private func insertedSlots(_ entity: EntityDescription) -> [Int] {
        entity.layout.slots.indices.filter {
            column($0, of: entity) != nil && !entity.derivedSlots.contains($0)
        }
    }

    /// What is written of a new row.
    private func columns(_ slots: [Int], _ entity: EntityDescription) -> String {
        let system = ["\"_id\"", "\"_version\""] + (entity.hasEntityColumn ? ["\"_entity\""] : [])
        return (system + slots.compactMap { column($0, of: entity) }).joined(separator: ", ")
    }

    // MARK: COPY

    /// From so many new rows of an entity on a save copies them straight into the table: a copy takes
    /// round trips of its own, but two thirds of the time of the statements (of 100,000 rows with ten
    /// columns, over a socket; no less of 1,000 rows).
    private static let copiesFrom = 10_001
    /// The same for a batch operation, which writes in parts anyway.
    private static let batchCopiesFrom = 4_096

    /// Copies new rows into their table, where they are many.
    ///
    /// - Returns: Whether it has done so. The history is written by statements, which COPY is not.
    private func copy(_ insertion: SaveRequest.Insertion, _ work: inout Work) throws -> Bool {
        let (records, entity) = (insertion.records, insertion.entity)
        let least = source.namesRefusedRow ? Self.batchCopiesFrom : Self.copiesFrom
        guard recorder == nil, records.count >= least else { return false }
        try work.run(connection)
        guard source.namesRefusedRow else {
            try copy(records, entity, insertedSlots(entity))
            return true
        }
        _ = try connection.run("SAVEPOINT _copy")
        do {
            try copy(records, entity, insertedSlots(entity))
            work.statements.append(PostgresStatement("RELEASE SAVEPOINT _copy"))
            return true
        } catch let error as PostgresError where error.isOfConstraint {
            // Statements find the row that is refused.
            _ = try connection.run("ROLLBACK TO SAVEPOINT _copy")
            return false
        }
    }

    private func copy(
        _ records: [Record], _ entity: EntityDescription, _ slots: [Int]
    ) throws {
        let rows = CopiedRows(
            entity, slots.map { ($0, PostgresTable.type(ofSlot: $0, of: entity)) })
        let count = try connection.copy(
            """
            COPY \(layout.table(of: entity.entity)) (\(columns(slots, entity))) \
            FROM STDIN (FORMAT binary)
            """
        ) { send in try rows.write(records, send) }
        guard count == records.count else { throw SaveConflict() }
    }

    // MARK: Moves

    /// Inserts rows as another store has them, derived values too.
    func copyVerbatim(_ insertions: [SaveRequest.Insertion]) throws {
        for insertion in insertions {
            let entity = insertion.entity
            let slots = entity.layout.slots.indices.filter {
                column($0, of: entity) != nil && !isGenerated($0, of: entity)
            }
            try copy(insertion.records, entity, slots)
        }
    }

    private func isGenerated(_ slot: Int, of entity: EntityDescription) -> Bool {
        guard entity.derivedSlots.contains(slot), let attribute = entity.attributes[slot] else {
            return false
        }
        let declarer = model.model.declarer(of: attribute.name, in: entity.entity)
        return derivations.generation(of: attribute, of: declarer ?? entity.entity) != nil
    }

    /// Writes the links and lists of rows of another store.
    ///
    /// - Parameter count: How many pairs or places a statement writes.
    func writeMembers(of nodes: MovedNodes, atMost count: Int) throws {
        for lists in nodes.members where lists.relationship.ownsPairs {
            guard let pairs = PostgresPairs(lists.relationship, layout) else { continue }
            for pairs in pieces(nodes.pairs(lists), count).map({ insert($0, into: pairs) }) {
                _ = try connection.run([pairs])
            }
        }
        for lists in nodes.members {
            guard let list = PostgresList(lists.relationship, layout) else { continue }
            // Members that left the list have no place: the statement finds no row of theirs.
            let places = lists.lists.flatMap { owner, members in
                ListPlaces.changes(for: members, from: [:]).map { (owner, $0.member, $0.place) }
            }
            for places in pieces(places, count) {
                _ = try connection.run([list.write(places)])
            }
        }
    }

    private func pieces<Element>(_ all: [Element], _ count: Int) -> [[Element]] {
        stride(from: 0, to: all.count, by: count).map {
            Array(all[$0..<min($0 + count, all.count)])
        }
    }

    /// Takes rows out of their tables whose unique values others get, and puts them back with their
    /// new values: nobody meets an old value then. Foreign keys are looked at later.
    ///
    /// - Returns: The rows, and what puts them back.
    private func takeOut(
        _ swapped: Set<RowIdentity>, _ request: SaveRequest, _ work: inout Work
    ) throws -> (Set<RowIdentity>, [PostgresStatement]) {
        var moved: Set<RowIdentity> = []
        var back: [PostgresStatement] = []
        for update in request.updates {
            let entity = update.entity
            let records = update.records.filter {
                swapped.contains(RowIdentity(root: entity.rootIndex, key: $0.key))
            }
            guard !records.isEmpty else { continue }
            let table = layout.table(of: entity.entity)
            let slots = written(update.slots, of: entity)
            let pending = PendingArrays(
                records, slots.map { ($0, PostgresTable.type(ofSlot: $0, of: entity)) })
            // A temporary table would not outlive the statement; the rows go through it as a record.
            let saved = "pg_temp._swap_\(entity.index)_\(back.count)"
            work.add(
                "CREATE TEMP TABLE \(saved) ON COMMIT DROP AS SELECT t.* FROM \(table) AS t "
                    + "WHERE t.\"_id\" = ANY($1)",
                PendingArrays(keys: records.map(\.key)).parameters)
            work.add(
                "DELETE FROM \(table) AS t USING \(pending.source) "
                    + "WHERE t.\"_id\" = p.\"key\" AND t.\"_version\" = p.\"version\"",
                pending.parameters, rows: records.count)
            var sets = ["\"_version\" = p.\"version\" + 1"]
            sets += slots.compactMap { slot in column(slot, of: entity).map { "\($0) = p.c\(slot)" }
            }
            let change = PostgresStatement(
                """
                UPDATE \(saved) AS t SET \(sets.joined(separator: ", ")) \
                FROM \(pending.source) WHERE t."_id" = p."key"
                """, pending.parameters)
            back.append(recorded(change) { $0.updating($1, entity, in: saved) })
            let columns = derivations.writableColumns(ofRoot: entity.rootIndex)
            back.append(
                PostgresStatement(
                    "INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM \(saved)"))
            moved.formUnion(records.map { RowIdentity(root: entity.rootIndex, key: $0.key) })
        }
        return (moved, back)
    }

    // MARK: Links

    private func write(_ links: SaveRequest.Links, _ work: inout Work) {
        guard let pairs = PostgresPairs(links.relationship, layout) else { return }
        if !links.removed.isEmpty {
            let pending = PendingArrays(links.removed)
            let statement = PostgresStatement(
                """
                DELETE FROM \(pairs.table) AS t USING \(pending.source) \
                WHERE t.\(pairs.source) = p."key" AND t.\(pairs.destination) = p."other"
                """, pending.parameters)
            work.add(recorded(statement) { $0.linking($1, pairs.table) })
        }
        if !links.added.isEmpty {
            work.add(recorded(insert(links.added, into: pairs)) { $0.linking($1, pairs.table) })
        }
    }

    private func insert(
        _ links: [(source: Int64, destination: Int64)], into pairs: PostgresPairs
    ) -> PostgresStatement {
        let pending = PendingArrays(links)
        // One that exists already stays: another save added it too.
        return PostgresStatement(
            """
            INSERT INTO \(pairs.table) (\(pairs.source), \(pairs.destination)) \
            SELECT p."key", p."other" FROM \(pending.source) ON CONFLICT DO NOTHING
            """, pending.parameters)
    }

    /// What reads the lists that are to be put in order.
    private func read(_ order: SaveRequest.Order, _ list: PostgresList) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT m.\(list.owner), m.\(list.member), m.\(list.position) FROM \(list.table) AS m \
            WHERE m.\(list.owner) = ANY($1) ORDER BY 1, 3 NULLS LAST, 2
            """, PendingArrays(keys: order.lists.map(\.owner)).parameters)
    }

    /// What puts lists in order.
    ///
    /// - Parameter rows: Their members as they are now.
    private func write(
        _ order: SaveRequest.Order, _ list: PostgresList, _ rows: PostgresRows
    ) -> [PostgresStatement] {
        var statements: [PostgresStatement] = []
        var members: [Int64: [(key: Int64, place: Int64?)]] = [:]
        for row in 0..<rows.count {
            members[rows.integer(row, 0), default: []].append(
                (rows.integer(row, 1), rows.isNull(row, 2) ? nil : rows.integer(row, 2)))
        }
        var places: [(owner: Int64, member: Int64, place: Int64)] = []
        for changed in order.lists {
            let known = members[changed.owner] ?? []
            let newcomers = Set(changed.order.appended)
            let present = Set(known.map(\.key))
            let stored = known.filter { $0.place != nil || !newcomers.contains($0.key) }
            let wanted = changed.order.applied(to: stored.map(\.key)).filter(present.contains)
            let former = Dictionary(
                known.compactMap { member in member.place.map { (member.key, $0) } },
                uniquingKeysWith: { one, _ in one })
            places += ListPlaces.changes(for: wanted, from: former)
                .map { (changed.owner, $0.member, $0.place) }
        }
        guard !places.isEmpty else { return [] }
        if let recorder {
            let owner = model.entities[order.ownerRoot]
            statements.append(
                recorder.ordering(Set(places.map(\.owner)), order.relationship, of: owner))
        }
        statements.append(list.write(places))
        return statements
    }

    // MARK: Rules

    /// Who else has the partners that rows of the request have.
    private func partnerQuestions(_ request: SaveRequest) -> SaveQuestions {
        var questions = SaveQuestions()
        guard source.stages.contains(.partners) else { return questions }
        func add(_ records: [Record], _ entity: EntityDescription, _ slots: SlotSet?) {
            for key in model.partnerKeys[entity.index] {
                if let slots, slots.intersection(key.writtenSlots).isEmpty { continue }
                questions.claims.append(
                    (key, entity, records.filter { $0.hasValue(key.slots[0]) }))
            }
        }
        for update in request.updates { add(update.records, update.entity, update.slots) }
        for insertion in request.insertions { add(insertion.records, insertion.entity, nil) }
        return questions
    }

    /// Two contexts may have given one object two partners in a one-to-one.
    private func checkPartners(_ request: SaveRequest, _ answers: PostgresAnswers) throws {
        for (key, entity, records) in partnerQuestions(request).claims {
            guard let holder = try answers.holders(of: key, records, entity).first else {
                continue
            }
            guard source.namesRefusedRow else { throw SaveConflict() }
            let property = key.properties[0]
            throw RefusedRow(
                entity: entity, key: holder.record,
                underlying: ValidationError(
                    code: .notUnique, entityName: entity.name, objectID: nil, property: property,
                    message: "\(property) references an object that another one already has."),
                isOfUniqueValues: true)
        }
    }

    /// Looks at the rules of rows that were written. A context has validated its objects.
    private func checkRules(_ request: SaveRequest) throws {
        for update in request.updates { try checkRules(update.records, update.entity) }
        for insertion in request.insertions {
            try checkRules(insertion.records, insertion.entity)
        }
    }

    private func checkRules(_ records: [Record], _ entity: EntityDescription) throws {
        guard !entity.rules.isEmpty, !records.isEmpty else { return }
        let snapshot = PostgresSnapshot(layout, connection)
        let rows = try snapshot.subjects(
            RowRequest(entity: entity, selection: .keys(records.map(\.key))))
        for rule in entity.rules {
            let evaluator = try ExpressionEvaluator(
                condition: rule.condition, entity: entity.entity, model: entity.model)
            guard let broken = try rows.first(where: { try !evaluator.isTrue($0) }) else {
                continue
            }
            throw RefusedRow(
                entity: entity, key: broken.expressionKey,
                underlying: ValidationError(
                    code: .ruleViolated, entityName: entity.name, objectID: nil, property: nil,
                    rule: rule.name, message: rule.refusal))
        }
        if let failure = snapshot.failure { throw failure }
    }
}

/// Where the order of a to-many relationship is kept.
private struct PostgresList {
    let table: String
    let owner: String
    let member: String
    let position: String

    /// What gives members their places.
    func write(_ places: [(owner: Int64, member: Int64, place: Int64)]) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.appendArray(of: places.map(\.owner))
        parameters.appendArray(of: places.map(\.member))
        parameters.appendArray(of: places.map(\.place))
        return PostgresStatement(
            """
            UPDATE \(table) AS m SET \(position) = p.place \
            FROM unnest($1, $2, $3) AS p("owner", member, place) \
            WHERE m.\(owner) = p."owner" AND m.\(member) = p.member
            """, parameters)
    }

    init?(_ relationship: RelationshipDescription, _ layout: PostgresLayout) {
        let model = layout.model.model
        guard
            let entity = layout.model.entities.first(where: { entity in
                entity.relationships.contains { $0.identity == relationship.identity }
            }),
            let position = model.positionColumn(
                of: relationship.relationship, of: entity.entity)
        else { return nil }
        self.position = PostgresName.identifier(position)
        switch model.storage(of: relationship.relationship, of: entity.entity) {
        case .inverseKey(let column):
            guard let destination = model.entity(named: relationship.relationship.destination)
            else { return nil }
            table = layout.table(of: destination)
            owner = PostgresName.identifier(column)
            member = "\"_id\""
        case .joinTable(let name, let source, let destination):
            table = layout.qualified(name)
            owner = PostgresName.identifier(source)
            member = PostgresName.identifier(destination)
        case .key, .transient: return nil
        }
    }
}

import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Writes the request of a save, in its transaction, after the rows were locked.
struct PostgresWriter {
    private let rows: RowStatements
    private let connection: PostgresConnection
    private let source: RowSource
    private let layout: PostgresLayout
    /// Records the writes in the history, if the store has one.
    private var recorder: PostgresRecorder? { rows.recorder }

    init(
        _ derivations: PostgresDerivations, _ connection: PostgresConnection,
        from source: RowSource, _ recorder: PostgresRecorder?
    ) {
        rows = RowStatements(derivations: derivations, recorder: recorder)
        layout = derivations.layout
        self.connection = connection
        self.source = source
    }

    /// The result of writing a request.
    struct Written {
        /// The statements to be sent before the commit, or before anything is read.
        let rest: [PostgresStatement]
        /// The names that rows hold instead of values moved to a table of their own.
        let moved: [DerivedRow]
    }

    /// Writes the request.
    ///
    /// - Parameters:
    ///   - locks: The statements sent before anything is written.
    ///   - swapped: Rows whose unique values other rows get.
    ///   - run: Brings derived values up to date.
    ///   - ending: The statements sent last, together with the others.
    /// - Throws: ``SaveConflict`` if rows are not as they were read. If a batch operation writes,
    ///   ``RefusedRow`` names the row that the server or a rule rejects; then the transaction must
    ///   be rolled back.
    func write(
        _ request: SaveRequest, after locks: [PostgresStatement] = [],
        swapping swapped: Set<RowIdentity> = [], _ run: PostgresDerivationRun? = nil,
        ending: [PostgresStatement] = []
    ) throws -> Written {
        var work = PostgresWork()
        // It keeps the records of the request.
        var external = PostgresExternalRun(layout)
        defer { withExtendedLifetime(external) {} }
        let request = source.stages.contains(.files) ? try external.prepare(request) : request
        work.statements = locks + external.statements
        try add(request, swapping: swapped, &work)
        let rest = try finish(request, &work, run, ending)
        return Written(rest: rest, moved: external.moved)
    }

    /// Adds the statements that write rows and links, in the order that constraints require.
    private func add(
        _ request: SaveRequest, swapping swapped: Set<RowIdentity>, _ work: inout PostgresWork
    ) throws {
        for deletion in request.deletions { rows.delete(deletion, &work) }
        let (moved, inserted) =
            try swapped.isEmpty ? ([], []) : rows.takeOut(swapped, request, &work)
        for update in request.updates {
            let root = update.entity.rootIndex
            let records =
                moved.isEmpty
                ? update.records
                : update.records.filter { !moved.contains(RowIdentity(root: root, key: $0.key)) }
            try write(
                records, update.slots.slots, of: update.entity, atMost: PostgresParts.foundRows,
                &work
            ) {
                rows.update($0, update.slots, update.entity)
            }
        }
        work.statements += inserted
        for insertion in request.insertions {
            if try copy(insertion, &work) { continue }
            let entity = insertion.entity
            try write(insertion.records, rows.insertedSlots(entity), of: entity, &work) {
                rows.insert($0, entity)
            }
        }
        for links in request.links {
            guard let pairs = PostgresPairs(links.relationship, layout) else { continue }
            if !links.removed.isEmpty { work.add(pairs.delete(links.removed, recorder)) }
            if !links.added.isEmpty { work.add(pairs.insert(links.added, recorder)) }
        }
    }

    /// Sends all statements, with the reads and computations that follow the writes.
    ///
    /// - Returns: The statements that are still to be sent.
    private func finish(
        _ request: SaveRequest, _ work: inout PostgresWork, _ run: PostgresDerivationRun?,
        _ ending: [PostgresStatement]
    ) throws -> [PostgresStatement] {
        let lists = request.orders.compactMap { order in
            PostgresList(order.relationship, layout).map { (order, $0) }
        }
        let firstList = work.statements.count
        work.statements += lists.map { $1.read($0) }
        let partners = PostgresAnswers(layout, connection)
        let checks = RowChecks(layout: layout, connection: connection, source: source)
        let inquiry = partners.inquiry(about: checks.partnerQuestions(request))
        let firstAnswer = work.statements.count
        work.statements += inquiry.statements
        let computing = run?.statements(recorder) ?? []
        let firstComputed = work.statements.count
        work.statements += computing + ending
        let results = try work.run(connection)
        try inquiry.take(results[firstAnswer...])
        try checks.checkPartners(request, partners)
        var rest: [PostgresStatement] = []
        for ((order, list), members) in zip(lists, results[firstList...]) {
            rest += list.write(order, members, recorder)
        }
        if let run {
            rest += try run.finish(results[firstComputed..<firstComputed + computing.count])
        }
        guard source.stages.contains(.rules) else { return rest }
        // Rules may read values that were computed in memory.
        _ = try connection.run(rest)
        try checks.checkRules(request)
        return []
    }

    /// Writes rows in parts. The rows of a batch operation are written at once, so that an error
    /// can name the rejected row.
    private func write(
        _ records: [Record], _ slots: [Int], of entity: EntityDescription,
        atMost count: Int = PostgresParts.insertedRows, _ work: inout PostgresWork,
        _ statement: ([Record]) -> PostgresStatement
    ) throws {
        guard source.namesRefusedRow else {
            for records in PostgresParts.of(records, slots, of: entity, atMost: count) {
                work.add(statement(records), rows: records.count)
            }
            return
        }
        try work.run(connection)
        let records = records.sorted { $0.key < $1.key }
        for records in PostgresParts.of(records, slots, of: entity) {
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

    // MARK: COPY

    /// The number of new rows of an entity from which a save uses COPY. A copy needs additional
    /// round trips. For 100,000 rows with ten columns, over a socket, it takes two thirds of the
    /// time of the statements. For 1,000 rows, it saves no time. Tests set it lower.
    @TaskLocal static var copiesFrom = 10_001
    /// The number of new rows from which a batch operation uses COPY. A batch operation always
    /// writes in parts.
    @TaskLocal static var batchCopiesFrom = 4_096

    /// Copies new rows into their table if they are many.
    ///
    /// - Returns: Whether the rows were copied.
    private func copy(
        _ insertion: SaveRequest.Insertion, _ work: inout PostgresWork
    ) throws -> Bool {
        let (records, entity) = (insertion.records, insertion.entity)
        let least = source.namesRefusedRow ? Self.batchCopiesFrom : Self.copiesFrom
        guard records.count >= least else { return false }
        // The server rejects COPY into a table whose rows are restricted by a policy for this user.
        var table = PostgresParameters()
        table.append(.text(layout.table(of: entity.entity)), as: .text)
        work.add("SELECT row_security_active($1)", table)
        guard try work.run(connection).last?.boolean(0, 0) == false else { return false }
        if source.namesRefusedRow {
            _ = try connection.run("SAVEPOINT _copy")
            do {
                try copy(records, entity, rows.insertedSlots(entity))
                work.add(PostgresStatement("RELEASE SAVEPOINT _copy"))
            } catch let error as PostgresError where error.isOfConstraint {
                // Statements find the row that is refused.
                _ = try connection.run("ROLLBACK TO SAVEPOINT _copy")
                return false
            }
        } else {
            try copy(records, entity, rows.insertedSlots(entity))
        }
        // COPY cannot record its writes in the history.
        for records in PostgresParts.of(records) {
            if let noting = recorder?.copied(records.map(\.key), entity) { work.add(noting) }
        }
        return true
    }

    private func copy(
        _ records: [Record], _ entity: EntityDescription, _ slots: [Int]
    ) throws {
        let copied = CopiedRows(
            entity, slots.map { ($0, PostgresTable.type(ofSlot: $0, of: entity)) })
        let count = try connection.copy(
            """
            COPY \(layout.table(of: entity.entity)) (\(rows.columns(slots, entity))) \
            FROM STDIN (FORMAT binary)
            """
        ) { send in try copied.write(records, send) }
        guard count == records.count else { throw SaveConflict() }
    }

    // MARK: Moves

    /// Inserts rows as another store has them, derived values too.
    func copyVerbatim(_ insertions: [SaveRequest.Insertion]) throws {
        for insertion in insertions {
            try copy(insertion.records, insertion.entity, rows.movedSlots(insertion.entity))
        }
    }

    /// Writes the links and lists of rows of another store.
    ///
    /// - Parameter count: The number of pairs or positions that a statement writes.
    func writeMembers(of nodes: MovedNodes, atMost count: Int) throws {
        for lists in nodes.members where lists.relationship.ownsPairs {
            guard let pairs = PostgresPairs(lists.relationship, layout) else { continue }
            for links in PostgresParts.of(nodes.pairs(lists), atMost: count) {
                _ = try connection.run([pairs.insert(links, nil)])
            }
        }
        for lists in nodes.members {
            guard let list = PostgresList(lists.relationship, layout) else { continue }
            // Members that were removed from the list have no position: the statement finds no rows
            // for them.
            let places = lists.lists.flatMap { owner, members in
                ListPlaces.changes(for: members, from: [:]).map { (owner, $0.member, $0.place) }
            }
            for places in PostgresParts.of(places, atMost: count) {
                _ = try connection.run([list.write(places)])
            }
        }
    }
}

import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

extension PostgresEngine {
    /// A move may take long.
    private static let longest = Duration.seconds(7 * 86_400)
    /// The number of pairs or positions that a statement writes at once.
    private static let chunk = 50_000

    func readNodes(
        of roots: [Int], _ receive: (_ nodes: [StoreNode], _ root: Int) throws -> Void
    ) throws {
        // Everything is read from one snapshot, while others save.
        let store = try pin(for: Self.longest)
        for root in roots {
            var request = RowRequest(entity: model.entities[root], selection: .matching(nil, [:]))
            request.readsKeysOnly = true
            var keys: [Int64] = []
            try store.fetch(request) { keys.append($0.key) }
            keys.sort()
            for start in stride(from: 0, to: keys.count, by: MovedRows.readAtOnce) {
                let end = min(start + MovedRows.readAtOnce, keys.count)
                let nodes = try MovedRows.nodes(
                    Array(keys[start..<end]), root: root, of: model,
                    fetch: { try store.fetch($0, $1) }, members: { try store.members(of: $0, $1) },
                    externalData: { name in
                        try store.withReader { try layout.external.read(name, $0) }
                    })
                try receive(nodes, root)
            }
        }
    }

    func withTables<Result>(_ body: (any MovedTables) throws -> Result) throws -> Result? {
        try pin(for: Self.longest).withReader { try body(PostgresTables($0, layout)) }
    }

    func nextKey(ofRoot root: Int) throws -> Int64? {
        var name = PostgresParameters()
        name.append(.text(model.entities[root].name), as: .text)
        let rows = try withReader { connection in
            try connection.run(
                "SELECT \"next\" FROM \(layout.keys) WHERE \"entity\" = $1", name)
        }
        return rows.count == 1 ? rows.integer(0, 0) : nil
    }

    func insertRows(of rows: MovedRows) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        // The notes that wait for a save are moved too.
        let notes = try rows.source.notes()
        try writing(canRunAgain: false) { connection in
            do {
                try transaction(connection) { noting, _ in
                    try take(rows, notes, connection, noting: noting)
                }
            } catch let error as PostgresError {
                throw layout.refusal(ofMove: error)
            }
        }
    }

    private func take(
        _ rows: MovedRows, _ notes: [String: String], _ connection: PostgresConnection,
        noting: PostgresStatement
    ) throws {
        for root in rows.roots {
            let entity = model.entities[root].entity
            let found = try connection.run(
                "SELECT EXISTS (SELECT FROM \(layout.table(of: entity)))")
            if found.boolean(0, 0) { throw StoreError.hasObjects(of: entity.name) }
        }
        let writer = PostgresWriter(derivations, connection, from: .save, nil)
        var nodes = MovedNodes(model)
        let check = MovedValueCheck(
            source: rows.source.identifier, largestValue: largestValue ?? .max)
        let nextKeys = try rows.read { next in
            try check.require(next, model)
            let request = try nodes.insertions(of: next)
            var external = PostgresExternalRun(layout)
            let moved = try external.prepare(request)
            // They keep the records.
            try withExtendedLifetime((request, external)) {
                _ = try connection.run(external.statements)
                try writer.copyVerbatim(moved.insertions)
            }
        }
        try writer.writeMembers(of: nodes, atMost: Self.chunk)
        var statements = self.statements(for: notes)
        for root in nextKeys.keys.sorted() {
            var parameters = PostgresParameters()
            parameters.append(.text(model.entities[root].name), as: .text)
            parameters.append(.integer(nextKeys[root] ?? 1), as: .bigint)
            statements.append(
                PostgresStatement(
                    """
                    UPDATE \(layout.keys) SET "next" = greatest("next", $2) WHERE "entity" = $1
                    """, parameters))
        }
        statements += [noting, PostgresStatement("SET CONSTRAINTS ALL IMMEDIATE")]
        _ = try connection.run(statements)
    }
}

extension PostgresLayout {
    /// Whether the schema has a store.
    func hasStore(_ connection: PostgresConnection) throws -> Bool {
        var name = PostgresParameters()
        name.append(.text(metadata), as: .text)
        return try connection.run("SELECT to_regclass($1) IS NOT NULL", name).boolean(0, 0)
    }

    /// The program's error if the server rejects the rows of another store.
    func refusal(ofMove error: PostgresError) -> any Error {
        guard error.state == PostgresError.foreignKeyViolation else { return refusal(error) }
        return StoreError(
            code: .corrupt,
            message: "A row of the store references a row that does not exist "
                + "(\(error.constraint ?? "unknown")).",
            remedy: "Clear the dangling reference first.", underlying: error)
    }
}

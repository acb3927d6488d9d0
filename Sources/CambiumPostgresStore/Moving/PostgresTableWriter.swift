import CambiumEngine
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Writes the rows of another store into the tables of a schema, in one transaction.
final class PostgresTableWriter: MovedTableWriter {
    private let connection: PostgresConnection
    private let layout: PostgresLayout
    private let schema: PostgresSchema

    init(_ connection: PostgresConnection, _ derivations: PostgresDerivations) {
        self.connection = connection
        layout = derivations.layout
        schema = PostgresSchema(of: derivations)
    }

    var written: any MovedTables { PostgresTables(connection, layout) }

    func begin(_ tables: [MovedTable]) throws {
        // The lock excludes other writers from now on.
        let names = tables.map { layout.qualified($0.name) }
        if !names.isEmpty {
            _ = try connection.run(
                "LOCK TABLE \(names.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE")
        }
        for table in tables {
            let found = try connection.run(
                "SELECT EXISTS (SELECT FROM \(layout.qualified(table.name)))")
            if found.boolean(0, 0) { throw StoreError.hasObjects(of: table.name) }
        }
        _ = try connection.run(
            (schema.links.map { link in
                "ALTER TABLE \(layout.qualified(link.key.table)) DROP CONSTRAINT IF EXISTS "
                    + PostgresName.identifier(link.key.name)
            }
                + schema.indexes.map { "DROP INDEX IF EXISTS \(layout.qualified($0.name))" })
                .map { PostgresStatement($0) })
    }

    func load(
        _ table: MovedTable, _ rows: @escaping (_ take: ([Record]) throws -> Void) throws -> Void
    ) throws {
        let types = table.columns.map { PostgresType(of: $0, in: layout.model.model) }
        let slots = types.enumerated().map { (slot: $0.offset, type: $0.element) }
        var count = 0
        let written = try connection.copy(
            """
            COPY \(layout.qualified(table.name)) (\(layout.columns(of: table))) \
            FROM STDIN (FORMAT binary)
            """
        ) { send in
            var copy = CopyWriter()
            try rows { records in
                count += records.count
                // By address: each element of an array would be checked to be inside.
                try slots.withUnsafeBufferPointer { slots in
                    for record in records {
                        try copy.write(slots.count, send) { wire in
                            for (slot, type) in slots {
                                wire.appendSized { type.append(record, slot, to: &$0) }
                            }
                        }
                    }
                }
            }
            try copy.finish(send)
        }
        try require(written, of: count, table.name)
    }

    func loadLargeValues(
        _ values: @escaping (_ take: (String, UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        var count = 0
        let written = try connection.copy(
            """
            COPY \(layout.external.table) ("name", "data") FROM STDIN (FORMAT binary)
            """
        ) { send in
            var copy = CopyWriter()
            try values { name, value in
                count += 1
                try copy.write(2, send) { wire in
                    wire.appendSized {
                        $0.append(name)
                        return true
                    }
                    wire.appendSized {
                        $0.append(contentsOf: value)
                        return true
                    }
                }
            }
            try copy.finish(send)
        }
        try require(written, of: count, layout.external.table)
    }

    private func require(_ written: Int, of count: Int, _ table: String) throws {
        guard written != count else { return }
        throw StoreError(
            code: .corrupt,
            message: "The server took \(written) of \(count) rows of the table \(table). Nothing "
                + "was moved.",
            remedy: "Look for triggers and rules of others on that table.")
    }

    var finishing: [(name: String, run: () throws -> Void)] {
        let statements =
            schema.indexes.map { ($0.name, $0.statement) }
            + schema.links.map { ($0.key.name, $0.statement) }
        return statements.map { name, sql in
            (name, { [connection] in _ = try connection.run(sql) })
        }
    }

    func setNextKeys(_ keys: [String: Int64]) throws {
        _ = try connection.run(
            keys.keys.sorted().map { name in
                var parameters = PostgresParameters()
                parameters.append(.text(name), as: .text)
                parameters.append(.integer(keys[name] ?? 1), as: .bigint)
                return PostgresStatement(
                    """
                    UPDATE \(layout.keys) SET "next" = greatest("next", $2) WHERE "entity" = $1
                    """, parameters)
            })
    }
}

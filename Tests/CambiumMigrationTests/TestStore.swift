import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Short words for models and stores in the tests of this module.
enum TestStore {
    static func model(
        _ version: String, _ entities: [Entity], enumerations: [Enumeration] = [],
        fills: [MigrationDeclaration.Fill] = [], drops: [(String, String?)] = [],
        keeps: [MigrationDeclaration.Keep] = [],
        deduplications: [MigrationDeclaration.Deduplication] = [],
        links: [MigrationDeclaration.Link] = [], required: [(String, String)] = [],
        givenUp: [(String, ModelExpression)] = []
    ) -> Model {
        let declared = MigrationDeclaration(
            from: "1", fills: fills, links: links,
            requirements: required.map { .init(entity: $0.0, property: $0.1, reason: "a test") },
            drops: drops.map { .init(entity: $0.0, property: $0.1, reason: "a test") }
                + givenUp.map { .init(entity: $0.0, condition: $0.1, reason: "a test") },
            keeps: keeps, deduplications: deduplications)
        return Model(
            name: "Shop", version: version, entities: entities, enumerations: enumerations,
            migration: declared == MigrationDeclaration(from: "1") ? nil : declared)
    }

    /// Proves the migration with generated rows, then runs it over the rows given as SQL and
    /// answers with the rows of a query, each value as text.
    static func migrate(
        _ old: Model, _ new: Model, rows: String = "", query: String = "SELECT 1"
    ) throws -> [[String]] {
        let migration = try Migration(from: old, to: new)
        try MigrationProver.prove(from: old, to: new, migration: migration)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(rows)
        _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        return try text(connection.rows(query))
    }

    static func text(_ rows: [[StoredValue]]) -> [[String]] {
        rows.map { row in
            row.map { value in
                switch value {
                case .null: "nil"
                case .integer(let value): String(value)
                case .real(let value): String(value)
                case .text(let value): value
                case .blob(let value): value.map { String($0, radix: 16) }.joined()
                }
            }
        }
    }

    /// Everything that is in a database.
    static func dump(_ connection: Connection) throws -> [String] {
        let catalogue = try connection.rows(
            "SELECT name, sql FROM sqlite_schema ORDER BY name")
        let tables = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        var lines = text(catalogue).map { $0.joined(separator: "|") }
        for case .text(let table) in tables.compactMap(\.first) {
            lines += try text(connection.rows("SELECT * FROM \"\(table)\""))
                .map { "\(table): " + $0.joined(separator: "|") }.sorted()
        }
        return lines
    }

    /// Everything that a store has, whatever the order of columns and the words of statements.
    static func content(of connection: Connection) throws -> [String] {
        let catalogue = try Catalogue(rows: connection.rows(Catalogue.query)).entries
        var lines = catalogue.map { "\($0.key): \($0.value)" }.sorted()
        for table in try text(
            connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")
        ).joined() {
            let columns = try text(
                connection.rows("SELECT name FROM pragma_table_xinfo('\(table)') ORDER BY 1")
            ).joined().map { "\"\($0)\"" }.joined(separator: ", ")
            lines += try text(connection.rows("SELECT \(columns) FROM \"\(table)\""))
                .map { "\(table): " + $0.joined(separator: "|") }.sorted()
        }
        return lines
    }

    static func string(
        _ name: String, optional: Bool = false, default value: String? = nil,
        from renamedFrom: String? = nil, limits: Limits = Limits()
    ) -> Attribute {
        Attribute(
            name: name, type: .string, isOptional: optional,
            defaultValue: value.map { .constant(.string($0)) }, limits: limits,
            renamedFrom: renamedFrom)
    }
}

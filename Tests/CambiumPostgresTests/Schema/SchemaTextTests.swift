import CambiumEngine
import CambiumPostgres
import CambiumPostgresSQL
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// The tables that a store has, as text. They are a file format: a change of a file in `Cases` is a
/// change of every user's stores.
struct SchemaTextTests {
    /// A model, and the file that has its tables.
    struct Case: Sendable, CustomTestStringConvertible {
        let model: CompiledModel

        static let all = [Case(model: Everything.model), Case(model: NamesModel.model)]

        var testDescription: String { model.modelDescription.model.name }

        fileprivate var file: URL {
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Cases/\(testDescription).sql")
        }

        /// Statements that make a store in the schema `cambium`.
        fileprivate var statements: [String] {
            let layout = PostgresLayout(model.modelDescription, schema: "cambium")
            return [layout.schemaStatement]
                + PostgresSchema(of: PostgresDerivations(layout)).statements
                + PostgresHistorySQL(layout).createStatements
        }

        /// The statements of the file, for another schema.
        fileprivate func kept(in schema: String) throws -> [String] {
            try String(contentsOf: file, encoding: .utf8)
                .replacing("\"cambium\"", with: "\"\(schema)\"").split(separator: Self.separator)
                .map { String($0) }
        }

        fileprivate static let separator = ";\n\n"
    }

    @Test(arguments: Case.all)
    func `the tables of a store are frozen`(_ model: Case) throws {
        let text = model.statements.map { $0 + Case.separator }.joined()
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try text.write(to: model.file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: model.file, encoding: .utf8)
        let difference = text.split(separator: "\n")
            .difference(from: expected.split(separator: "\n"))
        #expect(
            text == expected,
            "\(difference); accept: CAMBIUM_ACCEPT=1 swift test --filter SchemaTextTests")
    }

    @Test func `the page of the tables shows those of its model`() throws {
        let products = Relationship(
            name: "products", destination: "Product", inverse: "category", isToMany: true)
        let category = Entity(
            name: "Category",
            attributes: [
                Attribute(name: "name", type: .string, limits: Limits(maximumLength: 80))
            ], relationships: [products],
            uniqueConstraints: [UniqueConstraint(properties: ["name"])])
        let product = Entity(
            name: "Product",
            attributes: [
                Attribute(
                    name: "price", type: .decimal(scale: 2), limits: Limits(minimum: .int(0))),
                Attribute(name: "added", type: .date),
            ],
            relationships: [
                Relationship(name: "category", destination: "Category", inverse: "products")
            ])
        let page = URL(filePath: #filePath)
            .appending(path: "../../../../Sources/Cambium/Cambium.docc/StoreTables.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let sql = try #require(text.firstMatch(of: /(?s)```sql\n(.*?);\n```/)?.1)
        func words(_ text: some StringProtocol) -> String {
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let model = Model(name: "Shop", version: "1", entities: [category, product])
        let statements = Case(model: CompiledModel(model)).statements
            .filter { $0.contains("\"cambium\".\"Product\"") }
        #expect(sql.split(separator: ";\n").map(words) == statements.map(words))
    }

    @Test(arguments: PostgresServer.some(), Case.all)
    func `a server takes the frozen text, and makes of it what a new store has`(
        _ server: PostgresServer, _ model: Case
    ) throws {
        let (frozen, opened) = (PostgresServer.newSchema, PostgresServer.newSchema)
        let connection = try server.connect()
        for statement in try model.kept(in: frozen) { _ = try connection.run(statement) }
        let container = try PersistentContainer(
            model.model, server.description(.values, schema: opened))
        let found = try catalogue(frozen, connection)
        #expect(found.count > 100)
        #expect(found == (try catalogue(opened, connection)))
        withExtendedLifetime(container) {}
    }

    /// What a schema has: columns, constraints, indexes, sequences.
    private func catalogue(_ schema: String, _ connection: PostgresConnection) throws -> [String] {
        let name = PostgresFragment(.text(schema), as: .text)
        let own = PostgresFragment(.text("\"\(schema)\"."), as: .text)
        let sql: PostgresFragment = """
            WITH t AS (SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE n.nspname = \(name)) \
            SELECT replace(line, \(own), '') FROM ( \
            SELECT concat_ws(' ', 'column', t.relname, a.attnum, a.attname, \
            format_type(a.atttypid, a.atttypmod), (SELECT collname FROM pg_collation \
            WHERE oid = a.attcollation), a.attnotnull, a.attgenerated, a.attidentity, a.attstorage, \
            pg_get_expr(d.adbin, d.adrelid)) FROM t JOIN pg_attribute a ON a.attrelid = t.oid \
            AND a.attnum > 0 LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum \
            WHERE t.relkind IN ('r', 'S') \
            UNION ALL SELECT concat_ws(' ', 'constraint', t.relname, o.conname, \
            pg_get_constraintdef(o.oid)) FROM t JOIN pg_constraint o ON o.conrelid = t.oid \
            UNION ALL SELECT concat_ws(' ', 'index', pg_get_indexdef(t.oid)) FROM t \
            WHERE t.relkind = 'i') AS lines (line) ORDER BY 1
            """
        let rows = try connection.run([sql.statement()])[0]
        return (0..<rows.count).map { rows.text($0, 0) }
    }
}

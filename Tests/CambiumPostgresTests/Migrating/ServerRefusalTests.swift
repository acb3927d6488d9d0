import CambiumEngine
import CambiumModel
import CambiumPlan
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumMigration
@testable import CambiumPostgresStore

/// Why stores are refused: a server names the same rows and values as a file.
struct ServerRefusalTests {
    /// A change for which one row, or two, are refused.
    private struct Case: CustomTestStringConvertible {
        let testDescription: String
        let old: [Entity]
        let new: [Entity]
        var fills: [MigrationDeclaration.Fill] = []
        let rows: String
        /// The rows in the form of a server, where it differs.
        var serverRows: String?
    }

    private static func item(
        _ attributes: Attribute..., unique: [String] = [], rules: [Rule] = []
    ) -> [Entity] {
        [
            Entity(
                name: "Item", attributes: attributes,
                uniqueConstraints: unique.isEmpty ? [] : [UniqueConstraint(properties: unique)],
                rules: rules)
        ]
    }

    private static let longName = String(repeating: "long", count: 20)

    private static let cases = [
        Case(
            testDescription: "a limit of a table that gets a column",
            old: item(Attribute(name: "size", type: .int64)),
            new: item(
                Attribute(name: "size", type: .int64, limits: Limits(minimum: .int(10))),
                Attribute(name: "other", type: .string, isOptional: true)),
            rows: "INSERT INTO \"Item\" (\"_id\", \"size\") VALUES (8, 50), (7, 4), (3, 90)"),
        Case(
            testDescription: "a value without a form of the new type",
            old: item(Attribute(name: "size", type: .string)),
            new: item(Attribute(name: "size", type: .int32)),
            rows: "INSERT INTO \"Item\" (\"_id\", \"size\") VALUES (3, '50'), (7, 'four')"),
        Case(
            testDescription: "a length of a text",
            old: item(Attribute(name: "name", type: .string)),
            new: item(
                Attribute(name: "name", type: .string, limits: Limits(maximumLength: 3))),
            rows: "INSERT INTO \"Item\" (\"_id\", \"name\") VALUES (1, 'ab'), (2, 'abcd')"),
        Case(
            testDescription: "a pattern",
            old: item(Attribute(name: "name", type: .string, isOptional: true)),
            new: item(
                Attribute(
                    name: "name", type: .string, isOptional: true,
                    limits: Limits(pattern: "[A-Z][0-9]"))),
            rows: "INSERT INTO \"Item\" (\"_id\", \"name\") VALUES (1, NULL), (2, 'A1'), (4, 'a1')"
        ),
        Case(
            testDescription: "a lower limit than before, under a name that the server shortens",
            old: item(
                Attribute(name: longName, type: .int32, limits: Limits(maximum: .int(100)))),
            new: item(Attribute(name: longName, type: .int32, limits: Limits(maximum: .int(9)))),
            rows: "INSERT INTO \"Item\" (\"_id\", \"\(longName)\") VALUES (1, 9), (2, 10)",
            serverRows: "INSERT INTO \"Item\" VALUES (1, 1, 9), (2, 1, 10)"),
        Case(
            testDescription: "a limit of a decimal",
            old: item(Attribute(name: "price", type: .decimal(scale: 2))),
            new: item(
                Attribute(
                    name: "price", type: .decimal(scale: 2), limits: Limits(minimum: .int(10)))),
            rows: "INSERT INTO \"Item\" (\"_id\", \"price\") VALUES (1, 1000), (2, 999)",
            serverRows: "INSERT INTO \"Item\" (\"_id\", \"price\") VALUES (1, 10), (2, 9.99)"),
        Case(
            testDescription: "a rule",
            old: item(
                Attribute(name: "from", type: .int32), Attribute(name: "to", type: .int32)),
            new: item(
                Attribute(name: "from", type: .int32), Attribute(name: "to", type: .int32),
                rules: [
                    Rule(
                        name: "order",
                        condition: .comparison(
                            .keyPath(root: .subject, names: ["from"]), .lessOrEqual,
                            .keyPath(root: .subject, names: ["to"]), []))
                ]),
            rows: "INSERT INTO \"Item\" (\"_id\", \"from\", \"to\") VALUES (1, 2, 3), (2, 4, 3)"),
        Case(
            testDescription: "what is unique",
            old: item(Attribute(name: "name", type: .string)),
            new: item(Attribute(name: "name", type: .string), unique: ["name"]),
            rows: "INSERT INTO \"Item\" (\"_id\", \"name\") VALUES (1, 'a'), (2, 'b'), (9, 'a')"),
        Case(
            testDescription: "a value that is required",
            old: item(Attribute(name: "name", type: .string, isOptional: true)),
            new: item(Attribute(name: "name", type: .string)),
            rows: "INSERT INTO \"Item\" (\"_id\", \"name\") VALUES (1, 'a'), (2, NULL)"),
    ]

    @Test(arguments: PostgresServer.some())
    func `a server names the rows and the value as a file does`(_ server: PostgresServer) throws {
        let connection = try server.connect()
        for test in Self.cases {
            let old = Model(name: "Shop", version: "1", entities: test.old)
            let declaration = MigrationDeclaration(
                from: "1", fills: test.fills,
                requirements: test.testDescription == "a value that is required"
                    ? [.init(entity: "Item", property: "name", reason: "a test")] : [])
            let new = Model(
                name: "Shop", version: "2", entities: test.new, migration: declaration)
            let file = try MigrationProver.makeStore(of: old, seed: nil)
            try file.execute(test.rows)
            let runner = MigrationRunner(
                model: new, migrations: [try Migration(from: old, to: new)])
            let expected = refusal { _ = try runner.open(file) }
            let found = try migrate(old, new, test.serverRows ?? test.rows, connection)
            #expect(expected != nil && found == expected, "\(test.testDescription)")
            #expect(found?.objects.isEmpty == false, "\(test.testDescription)")
        }
    }

    private func refusal(_ body: () throws -> Void) -> MigrationRefusal? {
        do {
            try body()
            return nil
        } catch MigrationError.refused(let refusal) {
            return refusal
        } catch {
            Issue.record(error)
            return nil
        }
    }

    /// Migrates a store on a server in a transaction that is taken back.
    private func migrate(
        _ old: Model, _ new: Model, _ rows: String, _ connection: PostgresConnection
    ) throws -> MigrationRefusal? {
        let schema = "refusal \(UUID().uuidString)"
        func derivations(_ model: Model) -> PostgresDerivations {
            PostgresDerivations(PostgresLayout(.withoutClasses(model), schema: schema))
        }
        let layout = derivations(new).layout
        _ = try connection.run([PostgresConnection.begin(isReadOnly: false)])
        defer { _ = try? connection.run("ROLLBACK") }
        let made = [layout.schemaStatement] + PostgresSchema(of: derivations(old)).statements
        _ = try connection.run(
            (made + [PostgresSchema.searchPath(layout.schema), rows])
                .map { PostgresStatement($0) })
        let chain = MigrationChain(
            of: [try PostgresMigration.migration(from: old, to: new)])
        return refusal {
            _ = try PostgresMigrator(
                derivations: derivations(new), chain: chain, connection: connection,
                makesBackup: false
            ).run()
        }
    }

    @Test(arguments: PostgresServer.some())
    func `links that lead nowhere are counted`(_ server: PostgresServer) throws {
        let entities = { (attributes: [Attribute]) in
            [
                Entity(
                    name: "Item", attributes: attributes,
                    relationships: [
                        Relationship(name: "box", destination: "Box", inverse: "items")
                    ]),
                Entity(
                    name: "Box",
                    relationships: [
                        Relationship(
                            name: "items", destination: "Item", inverse: "box", isToMany: true)
                    ]),
            ]
        }
        let old = Model(
            name: "Shop", version: "1", entities: entities([Attribute(name: "size", type: .int32)]))
        let new = Model(
            name: "Shop", version: "2",
            entities: entities([Attribute(name: "size", type: .string)]))
        let connection = try server.connect()
        let rows = "INSERT INTO \"Item\" (\"_id\", \"size\", \"box\") VALUES (1, 2, 7), (2, 3, 8)"
        let schema = "links \(UUID().uuidString)"
        func derivations(_ model: Model) -> PostgresDerivations {
            PostgresDerivations(PostgresLayout(.withoutClasses(model), schema: schema))
        }
        let layout = derivations(new).layout
        let broken = derivations(old)
        _ = try connection.run([PostgresConnection.begin(isReadOnly: false)])
        defer { _ = try? connection.run("ROLLBACK") }
        let statements =
            [layout.schemaStatement] + PostgresSchema(of: broken).statements
            + [
                PostgresSchema.searchPath(layout.schema),
                // As if another program had switched it off.
                "ALTER TABLE \"Item\" DROP CONSTRAINT \"Item.box.destination\"", rows,
                """
                ALTER TABLE "Item" ADD CONSTRAINT "Item.box.destination" FOREIGN KEY ("box") \
                REFERENCES "Box" ("_id") DEFERRABLE INITIALLY DEFERRED NOT VALID
                """,
            ]
        _ = try connection.run(statements.map { PostgresStatement($0) })
        let chain = MigrationChain(of: [try PostgresMigration.migration(from: old, to: new)])
        #expect(throws: MigrationError.brokenLinks(table: "Item", count: 2, object: 1)) {
            try PostgresMigrator(
                derivations: derivations(new), chain: chain, connection: connection,
                makesBackup: false
            ).run()
        }
    }
}

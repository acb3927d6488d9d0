import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// A small migration that has something of everything: a table that is made anew, one that grows, a
/// new table, links that move to a join table, an attribute that goes, indexes.
struct CrashSample {
    let first = Model(
        name: "Shop", version: "1",
        entities: [
            Entity(
                name: "Customer",
                attributes: [
                    Attribute(name: "name", type: .string),
                    Attribute(name: "note", type: .string, isOptional: true),
                ],
                relationships: [
                    Relationship(
                        name: "orders", destination: "Order", inverse: "customer", isToMany: true)
                ]),
            Entity(
                name: "Order", attributes: [Attribute(name: "number", type: .int64)],
                relationships: [
                    Relationship(
                        name: "customer", destination: "Customer", inverse: "orders")
                ]),
        ])

    /// The second version, with a step of the program in the way to it or without.
    let second: Model

    private static let steps: [MigrationDeclaration.Step] = [
        .init(name: "label", entities: ["Customer", "Label"])
    ]

    private static func second(withStep: Bool) -> Model {
        Model(
            name: "Shop", version: "2",
            entities: [
                Entity(
                    name: "Customer",
                    attributes: [
                        Attribute(name: "fullName", type: .string, renamedFrom: "name")
                    ],
                    relationships: [
                        Relationship(
                            name: "orders", destination: "Order", inverse: "customers",
                            isToMany: true)
                    ]),
                Entity(
                    name: "Order",
                    attributes: [
                        Attribute(name: "number", type: .string),
                        Attribute(
                            name: "state", type: .string,
                            defaultValue: .constant(.string("open"))),
                    ],
                    relationships: [
                        Relationship(
                            name: "customers", destination: "Customer", inverse: "orders",
                            isToMany: true, renamedFrom: "customer")
                    ]),
                Entity(name: "Label", attributes: [Attribute(name: "text", type: .string)]),
            ],
            migration: MigrationDeclaration(
                from: "1", drops: [.init(entity: "Customer", property: "note", reason: "a test")],
                steps: withStep ? steps : []))
    }

    /// What brings a store of the first version to the second.
    let runner: MigrationRunner

    /// - Parameter withStep: Whether the program does a step itself.
    init(withStep: Bool = false) throws {
        second = Self.second(withStep: withStep)
        let runner = MigrationRunner(
            model: second, migrations: [try Migration(from: first, to: second)])
        runner.isCancelled = { false }
        if withStep { runner.code = [CrashStep.label { _ in }] }
        self.runner = runner
    }

    /// Makes a store of the first version with rows of several pages.
    func makeStore(at path: String, journalMode: String) throws {
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA journal_mode = \(journalMode)")
        _ = try MigrationRunner(model: first).open(connection)
        let text = String(repeating: "Straße 7, ", count: 60)
        for number in 1...12 {
            try connection.execute(
                """
                INSERT INTO "Customer" ("_id", "name", "note") \
                VALUES (\(number), 'Customer \(number), \(text)', 'note \(number)')
                """)
        }
        for number in 1...12 {
            try connection.execute(
                """
                INSERT INTO "Order" ("_id", "number", "customer") \
                VALUES (\(number), \(number * 1000), \(number % 5 + 1))
                """)
        }
    }
}

import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

/// Changes of type to one that holds fewer values, with a fill that makes them fit.
@Suite struct NarrowingFillTests {
    private typealias Store = TestStore

    /// Two versions; the second clamps `a` to 100.
    private func versions(
        _ old: AttributeType, _ new: AttributeType
    ) -> (old: Model, new: Model) {
        let a = ModelExpression.keyPath(root: .subject, names: ["a"])
        let clamp = ModelExpression.conditional(
            .comparison(a, .greater, .literal(.int(100)), []), then: .literal(.int(100)),
            otherwise: a)
        func product(_ type: AttributeType) -> [Entity] {
            [Entity(name: "Product", attributes: [Attribute(name: "a", type: type)])]
        }
        return (
            Store.model("1", product(old)),
            Store.model(
                "2", product(new),
                fills: [.init(entity: "Product", attribute: "a", value: clamp)])
        )
    }

    @Test(arguments: [
        (AttributeType.int32, AttributeType.int16, "40000"), (.int64, .int32, "40000000000"),
        (.double, .int16, "40000.0"), (.string, .int16, "'40000'"),
        (.decimal(scale: 2), .int16, "4000000"),
    ])
    func `a value that does not fit by itself is put right by a fill`(
        from: AttributeType, to: AttributeType, value: String
    ) throws {
        let (old, new) = versions(from, to)
        let rows = try Store.migrate(
            old, new,
            rows: "INSERT INTO Product (_id, a) VALUES (1, \(value))",
            query: "SELECT a FROM Product")
        #expect(rows == [["100"]])
    }

    @Test(arguments: [
        (AttributeType.double, AttributeType.int16, "7.5"), (.string, .int16, "'many'"),
        (.decimal(scale: 2), .int16, "750"), (.double, .int16, "1e300"),
    ])
    func `a value of which the fill would see only a part refuses the store`(
        from: AttributeType, to: AttributeType, value: String
    ) throws {
        let (old, new) = versions(from, to)
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute("INSERT INTO Product (_id, a) VALUES (1, \(value))")
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
        #expect("\(try #require(error))".contains("a value of Product.a does not fit its new type"))
    }

    @Test func `a type that holds more refuses no row`() throws {
        func product(_ version: String, _ type: AttributeType) -> Model {
            Store.model(
                version,
                [Entity(name: "Product", attributes: [Attribute(name: "a", type: type)])])
        }
        func refuses(_ step: MigrationStep) -> Bool { step.summary.hasPrefix("Reject") }
        for (from, to) in [
            (AttributeType.int32, AttributeType.string), (.int16, .int64), (.float, .double),
            (.int32, .double), (.decimal(scale: 2), .string), (.uri, .string),
        ] {
            let migration = try Migration(from: product("1", from), to: product("2", to))
            #expect(!migration.steps.contains(where: refuses), "\(from) to \(to)")
        }
        let narrowed = try Migration(from: product("1", .int64), to: product("2", .int16))
        #expect(narrowed.steps.contains(where: refuses))
    }
}

import CambiumMigration
import CambiumModel
import CambiumSQL
import Testing

@Suite struct AttributeMigrationTests {
    private typealias Store = TestStore

    private func product(
        _ version: String, _ attributes: [Attribute], rules: [Rule] = [], indexes: [Index] = [],
        uniques: [UniqueConstraint] = [], fills: [MigrationDeclaration.Fill] = [],
        drops: [(String, String?)] = []
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "Product", attributes: attributes, uniqueConstraints: uniques,
                    indexes: indexes, rules: rules)
            ], fills: fills, drops: drops)
    }

    private let two = """
        INSERT INTO Product (_id, _version, name) VALUES (1, 5, 'a');
        INSERT INTO Product (_id, _version, name) VALUES (2, 1, 'b');
        """

    @Test func `an optional attribute is appended with ALTER TABLE`() throws {
        let old = product("1", [Store.string("name")])
        let new = product("2", [Store.string("name"), Store.string("note", optional: true)])
        let steps = try MigrationPlan(from: old, to: new).steps
        #expect(
            steps == [
                MigrationStep(
                    summary: "Change Product: add Product.note", kind: .additive,
                    tables: ["Product"],
                    statements: [
                        .init(
                            .addColumn("note", to: "Product"),
                            #"ALTER TABLE "Product" ADD COLUMN "note" TEXT"#)
                    ])
            ])
        let rows = try Store.migrate(old, new, rows: two, query: "SELECT * FROM Product")
        #expect(rows == [["1", "5", "a", "nil"], ["2", "1", "b", "nil"]])
    }

    @Test func `a required attribute with a default is appended, and rows have it`() throws {
        let rows = try Store.migrate(
            product("1", [Store.string("name")]),
            product("2", [Store.string("name"), Store.string("kind", default: "book")]),
            rows: two, query: "SELECT _id, kind FROM Product")
        #expect(rows == [["1", "book"], ["2", "book"]])
    }

    @Test func `a required attribute without default is filled`() throws {
        let rows = try Store.migrate(
            product("1", [Store.string("name")]),
            product(
                "2", [Store.string("kind"), Store.string("name")],
                fills: [
                    .init(
                        entity: "Product", attribute: "kind", value: .literal(.string("book")))
                ]),
            rows: two, query: "SELECT _id, _version, kind, name FROM Product")
        #expect(rows == [["1", "5", "book", "a"], ["2", "1", "book", "b"]])
    }

    @Test func `a fill is computed from the row, by its new names`() throws {
        let rows = try Store.migrate(
            product("1", [Store.string("name")]),
            product(
                "2", [Store.string("title", from: "name"), Store.string("key")],
                fills: [
                    .init(
                        entity: "Product", attribute: "key",
                        value: .keyPath(root: .subject, names: ["title"]))
                ]),
            rows: two, query: "SELECT title, key FROM Product")
        #expect(rows == [["a", "a"], ["b", "b"]])
    }

    @Test func `a fill that looks at the attribute is computed for every row`() throws {
        let name = ModelExpression.keyPath(root: .subject, names: ["name"])
        let isA = ModelExpression.comparison(name, .equal, .literal(.string("a")), [])
        let old = product("1", [Store.string("name")])
        let new = product(
            "2", [Store.string("name", limits: Limits(pattern: "[b-z]+"))],
            fills: [
                .init(
                    entity: "Product", attribute: "name",
                    value: .conditional(isA, then: .literal(.string("z")), otherwise: name))
            ])
        let rows = try Store.migrate(old, new, rows: two, query: "SELECT name FROM Product")
        #expect(rows == [["z"], ["b"]])
        let step = try #require(MigrationPlan(from: old, to: new).steps.first)
        // The pattern asks for it; what the values were is lost.
        #expect(step.kind == .needsData && step.losesData)
        #expect(step.summary.contains("compute Product.name again from its old value"))
    }

    @Test func `a default that is made for each object is made for existing ones too`() throws {
        let rows = try Store.migrate(
            product("1", [Store.string("name")]),
            product(
                "2",
                [
                    Store.string("name"),
                    Attribute(name: "key", type: .uuid, defaultValue: .newUUID),
                    Attribute(name: "made", type: .date, defaultValue: .now),
                ]),
            rows: two,
            query: """
                SELECT count(DISTINCT key), min(length(key)), max(length(key)),
                    min(substr(hex(key), 13, 1)),
                    min(abs(made + 978307200 - strftime('%s', 'now')) < 60)
                FROM Product
                """)
        #expect(rows == [["2", "16", "16", "4", "1"]])
    }

    @Test func `a renamed attribute keeps its values`() throws {
        let rows = try Store.migrate(
            product("1", [Store.string("name")]),
            product("2", [Store.string("title", from: "name")]),
            rows: two, query: "SELECT _id, title FROM Product")
        #expect(rows == [["1", "a"], ["2", "b"]])
    }

    @Test func `a new attribute takes the name of a renamed one`() throws {
        let rows = try Store.migrate(
            product("1", [Store.string("name")]),
            product("2", [Store.string("name", default: "new"), Store.string("b", from: "name")]),
            rows: two, query: "SELECT name, b FROM Product")
        #expect(rows == [["new", "a"], ["new", "b"]])
    }

    @Test func `two attributes exchange their names`() throws {
        let rows = try Store.migrate(
            product("1", [Store.string("name"), Store.string("code", optional: true)]),
            product(
                "2",
                [
                    Store.string("name", optional: true, from: "code"),
                    Store.string("code", from: "name"),
                ]),
            rows: two + "UPDATE Product SET code = 'x' WHERE _id = 1",
            query: "SELECT name, code FROM Product")
        #expect(rows == [["x", "a"], ["nil", "b"]])
    }

    @Test func `a dropped attribute goes, and the step says that it loses data`() throws {
        let old = product("1", [Store.string("name"), Store.string("code", optional: true)])
        let new = product("2", [Store.string("name")], drops: [("Product", "code")])
        let migration = try Migration(from: old, to: new)
        #expect(migration.kind == .lossy && migration.losesData)
        let rows = try Store.migrate(old, new, rows: two, query: "SELECT * FROM Product")
        #expect(rows == [["1", "5", "a"], ["2", "1", "b"]])
    }

    @Test func `an optional attribute becomes required by its default`() throws {
        let rows = try Store.migrate(
            product("1", [Store.string("name"), Store.string("code", optional: true)]),
            product("2", [Store.string("name"), Store.string("code", default: "none")]),
            rows: two + "UPDATE Product SET code = 'x' WHERE _id = 1",
            query: "SELECT code FROM Product")
        #expect(rows == [["x"], ["none"]])
    }

    @Test(arguments: [
        (AttributeType.int16, AttributeType.int64, "7", "7"),
        (.int64, .int16, "7", "7"),
        (.int32, .double, "7", "7.0"),
        (.double, .int32, "7.0", "7"),
        (.int64, .decimal(scale: 2), "7", "700"),
        (.decimal(scale: 2), .decimal(scale: 4), "725", "72500"),
        (.decimal(scale: 4), .decimal(scale: 2), "72500", "725"),
        (.decimal(scale: 2), .int64, "700", "7"),
        (.int64, .string, "7", "7"),
        (.bool, .int32, "1", "1"),
        (.int32, .bool, "1", "1"),
        (.string, .data, "'ab'", "6162"),
        (.uri, .string, "'a:b'", "a:b"),
        (.date, .double, "1.5", "1.5"),
        (.float, .double, "0.5", "0.5"),
        (.decimal(scale: 2), .double, "725", "7.25"),
        (.double, .decimal(scale: 2), "7.1", "710"),
        (.bool, .string, "1", "true"),
        (.string, .bool, "'false'", "0"),
        (
            .uuid, .string, "x'000102030405060708090a0b0c0d0e0f'",
            "00010203-0405-0607-0809-0A0B0C0D0E0F"
        ),
        (.double, .string, "0.1", "0.1"),
        (.string, .int16, "'-7'", "-7"),
        (.string, .double, "'1.5'", "1.5"),
        (.string, .decimal(scale: 2), "'-1.5'", "-150"),
        (.decimal(scale: 2), .string, "-150", "-1.5"),
    ])
    func `a value survives the change of its type`(
        from: AttributeType, to: AttributeType, old: String, new: String
    ) throws {
        let rows = try Store.migrate(
            product("1", [Attribute(name: "a", type: from, isOptional: true)]),
            product("2", [Attribute(name: "a", type: to, isOptional: true)]),
            rows: "INSERT INTO Product (_id, a) VALUES (1, \(old)), (2, NULL)",
            query: "SELECT a FROM Product ORDER BY _id")
        #expect(rows == [[new], ["nil"]])
    }

    @Test(arguments: [
        (AttributeType.int64, AttributeType.int16, "40000"),
        (.double, .int32, "7.5"),
        (.decimal(scale: 4), .decimal(scale: 2), "72501"),
        (.int64, .bool, "2"),
        (.int64, .decimal(scale: 6), "9000000000000000000"),
        (.int64, .double, "9007199254740993"),
        (.data, .uuid, "x'00'"),
        (.string, .int64, "'7 '"),
        (.string, .int16, "'40000'"),
        (.string, .double, "'1,5'"),
        (.string, .bool, "'yes'"),
        (.string, .decimal(scale: 2), "'0.125'"),
        (.double, .decimal(scale: 2), "0.125"),
    ])
    func `a value that does not fit the new type refuses the store, which stays`(
        from: AttributeType, to: AttributeType, value: String
    ) throws {
        let old = product("1", [Attribute(name: "a", type: from)])
        let new = product("2", [Attribute(name: "a", type: to)])
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute("INSERT INTO Product (_id, a) VALUES (1, \(value))")
        let before = try Store.dump(connection)
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
        #expect("\(try #require(error))".contains("a value of Product.a does not fit its new type"))
        #expect(try Store.dump(connection) == before)
    }

    @Test func `a transient attribute that becomes stored gets its default`() throws {
        let rows = try Store.migrate(
            product(
                "1", [Store.string("name"), Attribute(name: "n", type: .int32, isTransient: true)]),
            product(
                "2",
                [
                    Store.string("name"),
                    Attribute(name: "n", type: .int32, defaultValue: .constant(.int(4))),
                ]),
            rows: two, query: "SELECT n FROM Product")
        #expect(rows == [["4"], ["4"]])
    }

    @Test func `a limit, a rule, an index and a unique constraint reach the store`() throws {
        let rule = Rule(
            name: "notBlank",
            condition: .comparison(
                .keyPath(root: .subject, names: ["name"]), .notEqual, .literal(.string("z")), []))
        let rows = try Store.migrate(
            product("1", [Store.string("name")]),
            product(
                "2", [Store.string("name", limits: Limits(minimumLength: 1))], rules: [rule],
                indexes: [Index(elements: [IndexElement(property: "name", isDescending: true)])],
                uniques: [UniqueConstraint(properties: ["name"])]),
            rows: two,
            query: "SELECT name FROM sqlite_schema WHERE tbl_name = 'Product' ORDER BY name")
        #expect(
            rows == [
                ["Product"], ["Product.index.name descending"], ["Product.unique.name"],
            ])
    }

    @Test func `rows that break a new unique constraint refuse the store`() throws {
        let old = product("1", [Store.string("name")])
        let new = product(
            "2", [Store.string("name")], uniques: [UniqueConstraint(properties: ["name"])])
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(two + "UPDATE Product SET name = 'a'")
        #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
        #expect(migration.kind == .needsData)
    }

    @Test func `an index that goes is the only thing that goes`() throws {
        let index = Index(elements: [IndexElement(property: "name")])
        let steps = try MigrationPlan(
            from: product("1", [Store.string("name")], indexes: [index]),
            to: product("2", [Store.string("name")])
        ).steps
        #expect(steps.flatMap(\.sql) == [#"DROP INDEX "Product.index.name""#])
    }
}

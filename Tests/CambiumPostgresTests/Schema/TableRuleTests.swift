@testable import Cambium
import CambiumEngine
import CambiumEngineSpecification
import CambiumModel
import CambiumPostgresSQL
import CambiumSQL
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Rules, limits of dates and computed indexes, which the tables themselves hold on a server as in
/// SQLite.
struct TableRuleTests {
    private static func path(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }

    private static func compare(
        _ left: ModelExpression, _ relation: ComparisonOperator, _ right: ModelExpression,
        _ options: ComparisonOptions = []
    ) -> ModelExpression { .comparison(left, relation, right, options) }

    private static func rule(_ name: String, _ condition: ModelExpression) -> Rule {
        Rule(name: name, condition: condition)
    }

    private static func moment(_ seconds: Double) -> Value {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    /// Noon of 2001-01-02, and half a microsecond before the next one ends.
    private static let (least, greatest) = (129_600.0, 216_000.000_000_5)

    private static let event = Entity(
        name: "Event",
        attributes: [
            Attribute(
                name: "start", type: .date,
                limits: Limits(minimum: moment(least), maximum: moment(greatest))),
            Attribute(
                name: "end", type: .date, isOptional: true,
                limits: Limits(minimum: moment(-70_000_000_000.5))),
            Attribute(name: "title", type: .string, limits: Limits(maximumLength: 99)),
            Attribute(name: "seats", type: .int64),
            Attribute(name: "taken", type: .int64),
            Attribute(
                name: "free", type: .int64, isOptional: true,
                derivation: .arithmetic(path("seats"), .subtract, path("taken"))),
        ],
        relationships: [
            Relationship(
                name: "parts", destination: "Event", inverse: "whole", isToMany: true,
                isOptional: true),
            Relationship(name: "whole", destination: "Event", inverse: "parts", isOptional: true),
        ],
        indexes: [
            Index(
                name: "length",
                elements: [
                    IndexElement(property: "", expression: .function(.length, [path("title")]))
                ]),
            Index(
                name: "large", elements: [IndexElement(property: "seats", isDescending: true)],
                condition: compare(path("seats"), .greater, .literal(.int(500)))),
            Index(
                name: "early", elements: [IndexElement(property: "title")],
                condition: compare(path("start"), .less, .literal(moment(150_000)))),
            Index(
                name: "summed",
                elements: [
                    IndexElement(
                        property: "",
                        expression: .arithmetic(path("seats"), .add, path("taken")))
                ]),
        ],
        rules: [
            rule("inOrder", compare(path("start"), .lessOrEqual, path("end"))),
            rule("notFull", compare(path("taken"), .lessOrEqual, path("seats"))),
            rule(
                "fits",
                compare(
                    .arithmetic(path("seats"), .multiply, .literal(.int(2))), .less,
                    .literal(.int(10_000)))),
            rule(
                "named",
                .not(compare(path("title"), .contains, .literal(.string("it's \\ 100%"))))),
            rule(
                "someFree",
                .or([
                    compare(path("free"), .equal, .literal(.null)),
                    compare(path("free"), .greaterOrEqual, .literal(.int(0))),
                ])),
        ])

    private static let concert = Entity(
        name: "Concert", parent: "Event",
        attributes: [Attribute(name: "band", type: .string, limits: Limits(maximumLength: 99))],
        rules: [
            rule(
                "hasBand",
                compare(
                    .function(.length, [path("band")]), .greater,
                    .literal(.int(1))))
        ])

    private static let model = CompiledModel(
        Model(name: "Events", version: "1", entities: [event, concert]))

    /// A row in SQL: the values that differ from a good one.
    private static let rows: [(breaks: String?, values: [String: String])] = [
        (nil, [:]),
        (nil, ["start": "'2001-01-02 12:00:00+00'", "end": "'2001-01-02 12:00:00+00'"]),
        ("Event.start.min", ["start": "'2001-01-02 11:59:59.999999+00'"]),
        (nil, ["start": "'2001-01-03 12:00:00+00'"]),
        ("Event.start.max", ["start": "'2001-01-03 12:00:00.000001+00'"]),
        ("Event.end.min", ["end": "'0300-01-01 00:00:00+00 BC'"]),
        ("Event.rule.inOrder", ["end": "'2001-01-02 13:00:00+00'"]),
        ("Event.rule.inOrder", ["end": "NULL"]),
        ("Event.rule.notFull", ["taken": "11"]),
        ("Event.rule.fits", ["seats": "5000"]),
        ("Event.rule.fits", ["seats": "9223372036854775807"]),
        ("Event.rule.named", ["title": "'so it''s \\ 100%!'"]),
        ("Concert.rule.hasBand", ["_entity": "'Concert'", "band": "'x'"]),
        (nil, ["_entity": "'Concert'", "band": "'xy'"]),
    ]

    @Test(arguments: PostgresServer.some())
    func `a row that breaks a rule or a limit is refused, whoever writes it`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(Self.model, server.description(schema: schema))
        let connection = try server.connect()
        _ = try connection.run("SET timezone = 'Asia/Tokyo'")
        let layout = PostgresLayout(Self.model.modelDescription, schema: schema)
        for (key, row) in Self.rows.enumerated() {
            var values = [
                "_id": "\(key + 1)", "_entity": "'Event'", "start": "'2001-01-02 14:00:00+00'",
                "end": "'2001-01-04 00:00:00+00'", "title": "'good'", "seats": "10", "taken": "0",
            ]
            values.merge(row.values) { $1 }
            let columns = values.keys.sorted()
            let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
            let sql = """
                INSERT INTO "\(schema)"."Event" (\(names)) \
                VALUES (\(columns.map { values[$0] ?? "" }.joined(separator: ", ")))
                """
            guard let constraint = row.breaks else {
                _ = try connection.run(sql)
                continue
            }
            let error = #expect(throws: PostgresError.self, "\(row)") {
                _ = try connection.run(sql)
            }
            #expect(error?.constraint == constraint, "\(row)")
            let refusal = try layout.refusal(#require(error)) as? ValidationError
            let thing = refusal?.rule ?? refusal?.property ?? "?"
            #expect(constraint.contains(".\(thing)"), "\(row)")
        }
        withExtendedLifetime(container) {}
    }

    /// What a batch is refused with, which no context has validated.
    @Test(arguments: PostgresServer.some())
    func `what breaks a rule or a limit in a batch is refused as in SQLite`(
        _ server: PostgresServer
    ) throws {
        func refusals(_ description: StoreDescription) throws -> [String] {
            let container = try PersistentContainer(Self.model, description)
            let context = container.newContext()
            let object = try context.insertObject(ofEntity: "Concert")
            try object.setValue(Self.moment(150_000), forKey: "start")
            try object.setValue(Self.moment(300_000), forKey: "end")
            try object.setValue(Value.string("xy"), forKey: "title")
            try object.setValue(Value.string("xy"), forKey: "band")
            try object.setValue(Value.int(10), forKey: "seats")
            try object.setValue(Value.int(5), forKey: "taken")
            try context.save()
            let changes: [(String, Value)] = [
                ("start", Self.moment(1)), ("start", Self.moment(216_000.25)),
                ("end", Self.moment(149_999)), ("end", .null), ("seats", .int(4)),
                ("seats", .int(5000)), ("title", .string("it's \\ 100%")), ("band", .string("x")),
                ("end", Self.moment(-71_000_000_000)), ("taken", .int(6)),
            ]
            return changes.map { name, value in
                do {
                    try container.newContext().execute(
                        BatchUpdateRequest<ManagedObject>(entityName: "Concert")
                            .setValue(value, forKey: name))
                    return "\(name): done"
                } catch let error as ValidationError {
                    return "\(name): \(error.code) \(error.property ?? "") \(error.rule ?? "") "
                        + error.message
                } catch { return "\(name): \(error)" }
            }
        }
        let found = try refusals(server.description())
        #expect(found.count { !$0.hasSuffix("done") } == 9, "\(found)")
        let inFile = try refusals(StoreDescription(location: .memory))
        #expect(found == inFile, "\(found.difference(from: inFile))")
    }

    @Test(arguments: PostgresServer.some())
    func `a fetch uses indexes of computed values and of some rows`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(Self.model, server.description(schema: schema))
        let connection = try server.connect()
        let names = try connection.run(
            "SELECT indexname FROM pg_indexes WHERE schemaname = '\(schema)'")
        let made = Set((0..<names.count).map { names.text($0, 0) })
        for name in ["length", "large", "early"] {
            #expect(made.contains("Event.index.\(name)"))
        }
        // A fetch has other words for a sum.
        #expect(!made.contains("Event.index.summed"))
        _ = try connection.run(
            """
            INSERT INTO "\(schema)"."Event" ("_id", "_entity", "start", "end", "title", "seats", \
            "taken") SELECT n, 'Event', '2001-01-02 12:00:00+00'::timestamptz \
            + n * interval '10 seconds', '2001-01-09', ' t' || n || ' ', n % 1000, 0 \
            FROM generate_series(1, 5000) AS n
            """)
        _ = try connection.run("ANALYZE \"\(schema)\".\"Event\"")
        let expected = [
            ("length", "title.length == 4", 9), ("large", "seats == 990", 5),
            ("early", "title == ' t5 ' AND start < '2001-01-02T17:00:00Z'", 1),
        ]
        let model = container.coordinator.model
        let entity = try #require(model["Event"])
        for (name, format, count) in expected {
            let request = FetchRequest<ManagedObject>(entityName: "Event").filter(format: format)
            #expect(try container.newContext().fetch(request).count == count, "\(format)")
            let condition = try #require(
                try? ExpressionCompiler.condition(
                    format, entity: entity.entity, model: model.model
                ).get())
            let typed = try ExpressionCompiler.typedCondition(
                condition, entity: entity.entity, model: model.model)
            var expression = PostgresExpression(PostgresLayout(model, schema: schema))
            let sql = try expression.condition(typed, PostgresExpression.Use.filter)
            let query: PostgresFragment = """
                EXPLAIN SELECT t."_id" FROM "\(raw: schema)"."Event" AS t WHERE \(sql)
                """
            let plan = try connection.run([query.statement()])[0]
            let lines = (0..<plan.count).map { plan.text($0, 0) }
            #expect(lines.contains { $0.contains("Event.index.\(name)") }, "\(lines)")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a new store has no differences, in whatever time zone it is looked at`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(Self.model, server.description(schema: schema))
        let connection = try server.connect()
        let drift = PostgresDrift(
            layout: PostgresLayout(Self.model.modelDescription, schema: schema),
            connection: connection)
        var hashes: Set<String> = []
        for zone in ["UTC", "Asia/Tokyo", "America/New_York"] {
            _ = try connection.run("SET timezone = '\(zone)'")
            _ = try connection.run("SET datestyle = 'German'")
            #expect(try drift.differences().isEmpty)
            hashes.insert(try drift.catalogue().hash)
        }
        #expect(hashes.count == 1)
        withExtendedLifetime(container) {}
    }

    @Test func `moments are written for SQL as the server reads them`() throws {
        let texts: [(Double, String?)] = [
            (0, "'2001-01-01 00:00:00+00'::timestamptz"),
            (-0.000_001, "'2000-12-31 23:59:59.999999+00'::timestamptz"),
            (0.000_000_5, nil), (1e14, nil), (.infinity, nil), (.nan, nil),
        ]
        for (seconds, text) in texts { #expect(PostgresTimestamp.literal(seconds) == text) }
        let seconds = [
            0.1, -0.5, -62_000_000_000, -63_145_000_000, -63_200_000_000, -100_000_000_000.5,
            -211_600_000_000, 300_000_000_000.25, 9_000_000_000_000, 822_222_222.123_456,
        ]
        for server in PostgresServer.all {
            let connection = try server.connect()
            _ = try connection.run("SET timezone = 'Asia/Tokyo'")
            _ = try connection.run("SET datestyle = 'SQL, DMY'")
            for seconds in seconds {
                let text = try #require(PostgresTimestamp.literal(seconds), "\(seconds)")
                let rows = try connection.run([PostgresStatement("SELECT \(text)")])[0]
                let found = PostgresType.timestamp.value(of: rows.bytes(0, 0))
                #expect(found == .real(seconds), "\(text)")
            }
        }
    }

    /// What may be a check says in SQL what the expression means in memory, for every row.
    @Test(.enabled(if: !PostgresServer.all.isEmpty))
    func `random checks mean what they mean in memory`() throws {
        var (asked, made) = (0, 0)
        try forEachSeed(for: 1) { seed in
            var random = SeededGenerator(seed: seed)
            let world = ConditionWorld(.awkward, using: &random)
            let values = random
            for server in PostgresServer.all {
                var (values, random) = (values, random)
                let schema = PostgresServer.newSchema
                let container = try PersistentContainer(
                    world.model, server.description(schema: schema))
                let context = container.newContext()
                try world.fill(context, using: &values)
                try context.save()
                let connection = try server.connect()
                let description = container.coordinator.model
                let layout = PostgresLayout(description, schema: schema)
                for number in 0..<150 {
                    let kind = number % world.kinds.count
                    var writer = RandomCondition(world, using: random)
                    let condition = writer.condition(of: kind, depth: number % 3)
                    random = writer.random
                    let name = world.kinds[kind].name
                    let entity = try #require(description[name])
                    let model = description.model
                    asked += 1
                    let rule = Rule(name: "random", condition: condition)
                    guard let typed = model.postgresCheck(of: rule, of: entity.entity) else {
                        continue
                    }
                    made += 1
                    let place = "\(condition), seed \(seed), \(server)"
                    let root = model.root(of: entity.entity)
                    let sql = try #require(
                        PostgresExpression.condition(typed, for: .boolean, layout),
                        "\(place)")
                    let evaluator = try ExpressionEvaluator(
                        condition: condition, entity: entity.entity, model: model)
                    let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: name))
                    let met = try objects.filter { try evaluator.isTrue(ObjectSubject($0)) }
                    let table = layout.table(of: root)
                    let own = SQLText.literals(model.family(of: entity.entity).map(\.name))
                    let rows = try connection.run(
                        """
                        SELECT "_id" FROM \(table) WHERE (\(sql)) \
                        \(entity.hasEntityColumn ? "AND \"_entity\" IN (\(own))" : "")
                        """)
                    let found = Set((0..<rows.count).map { rows.integer($0, 0) })
                    #expect(found == Set(met.map(\.key)), "\(place)")
                    // The server takes it as a check and in an index.
                    _ = try connection.run(
                        "ALTER TABLE \(table) ADD CONSTRAINT \"r\" CHECK ((\(sql)) OR true)")
                    _ = try connection.run("ALTER TABLE \(table) DROP CONSTRAINT \"r\"")
                    guard
                        let rows = model.postgresRows(condition, of: entity.entity),
                        PostgresIndex(elements: [], condition: rows).fits,
                        let index = PostgresExpression.condition(
                            rows, for: .filter, layout)
                    else { continue }
                    _ = try connection.run("CREATE INDEX \"r\" ON \(table) ((1)) WHERE \(index)")
                    _ = try connection.run("DROP INDEX \"\(schema)\".\"r\"")
                }
            }
        }
        #expect(made > 0)
        print("checks: \(made) of \(asked) random conditions are checks on servers")
    }
}

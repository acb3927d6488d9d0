import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// What a proof asks of rows: a migration that breaks one law alone fails it.
@Suite struct ProofLawTests {
    private static func attribute(
        _ name: String, _ type: AttributeType, optional: Bool = false, default value: Value? = nil
    ) -> Attribute {
        Attribute(
            name: name, type: type, isOptional: optional,
            defaultValue: value.map { .constant($0) })
    }

    private static let old = TestStore.model(
        "1",
        [
            Entity(
                name: "A",
                attributes: [
                    TestStore.string("name"), attribute("count", .int32),
                    attribute("size", .int64), attribute("mark", .string, optional: true),
                    attribute("price", .decimal(scale: 2)),
                    Attribute(
                        name: "rank", type: .int32, limits: Limits(maximum: .int(10))),
                ],
                relationships: [
                    Relationship(name: "to", destination: "A", isOptional: true)
                ])
        ])

    private static let new = TestStore.model(
        "2",
        [
            Entity(
                name: "A",
                attributes: [
                    TestStore.string("name"), attribute("count", .string),
                    attribute("size", .int64), attribute("mark", .string),
                    attribute("price", .decimal(scale: 4)),
                    Attribute(
                        name: "rank", type: .int32, limits: Limits(maximum: .int(10))),
                    attribute("color", .string, default: .string("red")),
                ],
                relationships: [
                    Relationship(name: "to", destination: "A", isOptional: true)
                ]), Entity(name: "B", attributes: [TestStore.string("name")]),
        ],
        fills: [.init(entity: "A", attribute: "mark", value: .literal(.string("none")))])

    /// Proves the migration with a change of its statements, and with some after them.
    private func prove(
        _ more: String? = nil, kind: MigrationKind? = nil, _ change: (String) -> String = { $0 }
    ) throws {
        let good = try Migration(from: Self.old, to: Self.new)
        var steps = good.steps.map { step in
            MigrationStep(
                summary: step.summary, kind: kind ?? step.kind,
                statements: step.statements.map { .init($0.operation, change($0.sql)) })
        }
        if let more {
            steps.append(
                MigrationStep(
                    summary: "more", kind: kind ?? .needsData, statements: [.init(.other, more)]))
        }
        try MigrationProver.prove(
            from: Self.old, to: Self.new,
            migration: Migration(
                from: "1", to: "2", fromHash: good.fromHash, toHash: good.toHash, steps: steps))
    }

    private func failure(_ more: String) -> String {
        let error = #expect(throws: MigrationProver.Failure.self) { try prove(more) }
        return error?.description ?? ""
    }

    @Test func `the planned migration keeps to all of them`() throws {
        try prove()
    }

    @Test(arguments: [
        ("count", "\"count\" = \"count\" || ' '"), ("count", "\"count\" = 'x' WHERE \"_id\" = 2"),
        ("count", "\"count\" = '0' || \"count\" WHERE \"count\" > '0'"),
        ("price", "\"price\" = \"price\" / 100"),
        ("mark", "\"mark\" = 'nothing' WHERE \"_id\" = 1"),
        ("mark", "\"mark\" = 'none'"), ("color", "\"color\" = 'blue'"),
    ])
    func `a value that is converted, filled or new in another way is noticed`(
        name: String, assignment: String
    ) {
        #expect(failure("UPDATE \"A\" SET \(assignment)").contains("the values of A.\(name): "))
    }

    @Test func `what only the extremes show is noticed`() {
        let truncation = failure("UPDATE \"A\" SET \"name\" = substr(\"name\", 1, 100)")
        #expect(truncation.contains("the values of A.name: "))
        let rounding = failure(
            "UPDATE \"A\" SET \"size\" = CAST(CAST(\"size\" AS REAL) AS INTEGER)")
        #expect(rounding.contains("the values of A.size: "))
        let trimming = failure("UPDATE \"A\" SET \"name\" = trim(\"name\")")
        #expect(trimming.contains("the values of A.name: "))
    }

    @Test func `objects out of nowhere are noticed`() {
        let text = failure("INSERT INTO \"B\" (\"_id\", \"_version\", \"name\") VALUES (1, 1, 'b')")
        #expect(text.contains("makes objects of B") || text.contains("keys of B"))
        let known = failure(
            "UPDATE \"_keys\" SET \"next\" = 2 WHERE \"entity\" = 'B'; "
                + "INSERT INTO \"B\" (\"_id\", \"_version\", \"name\") VALUES (1, 1, 'b')")
        #expect(known.contains("makes objects of B"))
    }

    @Test func `keys that could be given again are noticed`() {
        let text = failure("UPDATE \"_keys\" SET \"next\" = 1 WHERE \"entity\" = 'A'")
        #expect(text.contains("keys of A can be given a second time"))
    }

    @Test func `a link that leads nowhere is noticed where the runner does not look`() {
        let error = #expect(throws: MigrationProver.Failure.self) {
            try prove("UPDATE \"A\" SET \"to\" = 4711 WHERE \"_id\" = 2", kind: .additive)
        }
        #expect(error?.description.contains("links of A dangle") == true)
    }

    @Test func `rows that break a condition of the table are noticed`() {
        let text = failure(
            "PRAGMA ignore_check_constraints = ON; UPDATE \"A\" SET \"rank\" = 99; "
                + "PRAGMA ignore_check_constraints = OFF")
        #expect(text.contains("the store is damaged: CHECK constraint failed in A"))
    }
}

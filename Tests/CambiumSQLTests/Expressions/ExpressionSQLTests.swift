import CambiumModel
@testable import CambiumSQL
import CambiumSQLite
import Testing

/// The SQL of conditions, beside the conditions.
@Suite struct ExpressionSQLTests {
    private func parsed(_ text: String, _ entity: Entity) throws -> ModelExpression {
        try ExpressionCompiler.condition(
            text, entity: entity, model: ExpressionFixture.model,
            parameters: [FetchParameter(name: "limit", type: .decimal(scale: 2))]
        ).get()
    }

    private func sql(
        _ text: String, _ use: ExpressionSQL.Use, alias: String? = nil
    ) throws -> SQLFragment {
        try ExpressionSQL.condition(
            parsed(text, ExpressionFixture.item), use: use, entity: ExpressionFixture.item,
            model: ExpressionFixture.model, alias: alias, constants: .inline)
    }

    @Test(arguments: [
        ("stock >= 0", #""stock" >= 0"#),
        ("count >= 0", #"coalesce("count" >= 0, 0)"#),
        (
            "price == nil OR price < tax",
            #""price" IS NULL OR coalesce(("price" * 100) < "tax", 0)"#
        ),
        ("price < 0.005", #"coalesce("price" <= 0, 0)"#),
        ("price == 1.005", "0"),
        ("price < -0.005", #"coalesce("price" <= -1, 0)"#),
        ("NOT (name == 'a')", #"NOT ("name" IS 'a')"#),
        ("name != code", #""name" IS NOT "code""#),
        ("name LIKE 'a*[?]'", #"coalesce("name" GLOB 'a*[[]?]', 0)"#),
        ("code BEGINSWITH 'it''s'", #""code" GLOB 'it''s*'"#),
        ("code ENDSWITH 'x'", #"substr("code", max(1, length("code") - length('x') + 1)) = 'x'"#),
        ("code CONTAINS 'x'", #"instr("code", 'x') > 0"#),
        ("length:(code) > 2", #"length("code") > 2"#),
        ("stock IN {1, 2}", #""stock" IN (1, 2)"#),
        ("count IN {1, nil}", #""count" IS NULL OR coalesce("count" IN (1), 0)"#),
        ("isNew == YES", #""isNew" IS 1"#),
        ("box != nil AND kind == 'toy'", #""box" IS NOT NULL AND "kind" IS 'TOY'"#),
    ])
    func `a condition over its own row is a CHECK`(_ text: String, _ expected: String) throws {
        let text = text.replacingOccurrences("''", with: "\\'")
        let fragment = try sql(text, .boolean)
        #expect(fragment.text == expected)
        #expect(fragment.isPure)
    }

    @Test(arguments: [
        ("count > 1", #""t"."count" > 1"#),
        ("name == 'a'", #""t"."name" = 'a'"#),
        (
            "name == box.name",
            #""t"."name" IS "#
                + #"(SELECT "_t1"."name" FROM "Box" AS "_t1" WHERE "_t1"."_id" = "t"."box")"#
        ),
        (
            "box.parent == nil",
            #"(SELECT "_t1"."parent" FROM "Box" AS "_t1" "#
                + #"WHERE "_t1"."_id" = "t"."box") IS NULL"#
        ),
        (
            "label.text == 'a'",
            #"(SELECT "_t1"."text" FROM "Label" AS "_t1" "#
                + #"WHERE "_t1"."_id" = "t"."label") = 'a'"#
        ),
        (
            "ANY tags.word == 'a'",
            #"EXISTS (SELECT 1 FROM "Item_tags" AS "_t1" "#
                + #"JOIN "Tag" AS "_v0" ON "_v0"."_id" = "_t1"."_destination" "#
                + #"WHERE "_t1"."_source" = "t"."_id" AND "_v0"."word" = 'a')"#
        ),
        (
            "box.items.@count > 1",
            #"(SELECT count(*) FROM "Item" AS "_v0" "#
                + #"WHERE "_v0"."box" = "t"."box") > 1"#
        ),
        ("name ==[c] 'a'", "cambium_fold(\"t\".\"name\", 1) IS cambium_fold('a', 1)"),
        ("uppercase:(name) == 'A'", "cambium_uppercase(\"t\".\"name\") = 'A'"),
    ])
    func `a condition of a query can use indexes`(_ text: String, _ expected: String) throws {
        #expect(try sql(text, .filter, alias: "t").text == expected)
    }

    @Test(arguments: [
        "box.name == 'a'", "ANY tags.word == 'a'", "name ==[c] 'a'", "made < now()",
        "name MATCHES 'a|b'", "lowercase:(name) == 'a'", "weight ** 2 > 1", "isSelected == YES",
        "price < $limit", "floor:(weight) == 1", "label.item == SELF",
    ])
    func `what needs more than the row and built-in functions is no CHECK`(_ text: String) throws {
        let item = ExpressionFixture.item
        #expect(
            try ExpressionFixture.model.columnCondition(
                parsed(text, item), of: item, for: .boolean) == nil)
    }

    @Test func `a transient attribute has no SQL`() throws {
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try sql("isSelected == YES", .filter)
        }
        #expect(
            error?.diagnostics.first?.message
                == "'isSelected' is transient, so the store has no column for it")
    }

    @Test func `a parameter is bound in the stored form of its type`() throws {
        let item = ExpressionFixture.item
        let fragment = try ExpressionSQL.condition(
            parsed("price < $limit AND name == 'a' AND made < now()", item), entity: item,
            model: ExpressionFixture.model)
        #expect(fragment.text == #""price" < ? AND "name" = ? AND "made" < ?"#)
        let now = Date(timeIntervalSinceReferenceDate: 5)
        #expect(
            try fragment.bindings(["limit": .int(3)], now: now)
                == [.integer(300), .text("a"), .real(5)])
        #expect(throws: ExpressionDiagnostics.self) { try fragment.bindings([:]) }
        #expect(throws: ExpressionDiagnostics.self) {
            try fragment.bindings(["limit": .string("x")])
        }
    }

    @Test func `ten thousand conditions do not exceed the depth of SQLite`() throws {
        let one = try parsed("stock == 1", ExpressionFixture.item)
        let fragment = try ExpressionSQL.condition(
            .or(Array(repeating: one, count: 10_000)), entity: ExpressionFixture.item,
            model: ExpressionFixture.model, constants: .inline)
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE \"Item\" (\"stock\" INTEGER) STRICT")
        #expect(
            try connection.rows("SELECT count(*) FROM \"Item\" WHERE \(fragment.text)")
                == [[.integer(0)]])
    }

    @Test func `a property of a sub-entity has the column of its table`() throws {
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(name: "Thing"),
                Entity(
                    name: "Car", parent: "Thing",
                    attributes: [Attribute(name: "size", type: .int16)],
                    relationships: [Relationship(name: "owner", destination: "Car")]),
                Entity(
                    name: "Boat", parent: "Thing",
                    attributes: [Attribute(name: "size", type: .int16)]
                ),
            ])
        let car = try #require(model.entity(named: "Car"))
        let condition = try ExpressionCompiler.condition(
            "owner.size > 1 AND size > 1", entity: car, model: model
        ).get()
        let fragment = try ExpressionSQL.condition(
            condition, entity: car, model: model, constants: .inline)
        #expect(
            fragment.text == #"(SELECT "_t1"."Car_size" FROM "Thing" AS "_t1" "#
                + #"WHERE "_t1"."_id" = "Thing"."owner") > 1 AND "Car_size" > 1"#)
    }
}

extension String {
    fileprivate func replacingOccurrences(_ part: String, with other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}

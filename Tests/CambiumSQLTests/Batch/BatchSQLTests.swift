import CambiumModel
import CambiumSQL
import Testing

/// What batch operations ask of the store, beside the statements of a save.
struct BatchSQLTests {
    private let model = Model(
        name: "M", version: "1",
        entities: [
            Entity(
                name: "Owner", attributes: [Attribute(name: "age", type: .int64)],
                relationships: [
                    Relationship(
                        name: "items", destination: "Item", inverse: "owner", isToMany: true),
                    Relationship(name: "friends", destination: "Owner", isToMany: true),
                ]),
            Entity(name: "Company", parent: "Owner"),
            Entity(
                name: "Item", attributes: [Attribute(name: "price", type: .int64)],
                relationships: [
                    Relationship(name: "owner", destination: "Owner", inverse: "items")
                ]),
        ])

    private func entity(_ name: String) throws -> Entity {
        try #require(model.entity(named: name))
    }

    private let old: ModelExpression = .comparison(
        .keyPath(root: .subject, names: ["age"]), .greater, .literal(.int(9)), [])

    @Test func `the keys of rows, in an order and with a limit`() throws {
        let select = SelectSQL(try entity("Owner"), in: model)
        let all = try select.rowKeys(.matching(nil, [:]))
        #expect(
            all.sql == #"""
                SELECT "t"."_id", "t"."_version", "t"."_entity" FROM "Owner" AS "t" \#
                ORDER BY "t"."_id"
                """#)
        let some = try select.rowKeys(
            .matching(old, [:]), sort: [SortTerm(path: ["age"], isDescending: true)], limit: 2)
        #expect(some.sql.hasSuffix(#"ORDER BY "t"."age" DESC, "t"."_id" LIMIT ? OFFSET ?"#))
        #expect(some.parameters == [.integer(9), .integer(2), .integer(0)])
    }

    @Test func `values are computed over pending rows, and it is known what they look at`() throws {
        let select = SelectSQL(try entity("Item"), in: model)
        let price = ModelExpression.arithmetic(
            .keyPath(root: .subject, names: ["price"]), .multiply, .literal(.int(2)))
        let own = try select.values(of: [(price, .int64)], now: .now)
        #expect(own.isOfOwnRow)
        #expect(own.parameters == [.integer(2)])
        #expect(
            own.sql.hasSuffix(
                #" FROM pending AS p CROSS JOIN "Item" AS "t" WHERE "t"."_id" = p.key"#)
        )
        let age = ModelExpression.keyPath(root: .subject, names: ["owner", "age"])
        #expect(try !select.values(of: [(age, .int64)], now: .now).isOfOwnRow)
    }

    @Test func `a rule is looked at as its complement`() throws {
        let select = SelectSQL(try entity("Owner"), in: model)
        let (sql, parameters) = try select.violations(of: old, now: .now)
        #expect(sql.hasPrefix(#"SELECT "t"."_id" FROM pending AS p CROSS JOIN "Owner" AS "t""#))
        #expect(sql.contains("AND NOT (") && sql.hasSuffix("LIMIT 1"))
        #expect(parameters == [.integer(9)])
    }
}

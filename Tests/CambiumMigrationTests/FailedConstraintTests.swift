import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

/// What SQLite says about a failure leads back to the model's entity and property.
@Suite struct FailedConstraintTests {
    private let model = TestStore.model(
        "1",
        [
            Entity(
                name: "Product",
                attributes: [
                    TestStore.string("sku", limits: Limits(minimumLength: 2)),
                    Attribute(name: "stock", type: .int32, isOptional: true),
                ],
                uniqueConstraints: [UniqueConstraint(properties: ["sku", "stock"])],
                rules: [
                    Rule(
                        name: "notZero",
                        condition: .comparison(
                            .keyPath(root: .subject, names: ["stock"]), .notEqual,
                            .literal(.int(0)), []))
                ]),
            Entity(
                name: "Book", parent: "Product", attributes: [TestStore.string("isbn")],
                uniqueConstraints: [UniqueConstraint(properties: ["isbn"])]),
        ])

    @Test(arguments: [
        (
            "'Product', NULL, 1, NULL",
            ConstraintName.property(entity: "Product", property: "sku", .required)
        ),
        ("'Product', 'a', 1, NULL", .property(entity: "Product", property: "sku", .minimumLength)),
        (
            "'Product', 'ab', 9999999999, NULL",
            .property(entity: "Product", property: "stock", .range)
        ),
        ("'Product', 'ab', 0, NULL", .rule(entity: "Product", name: "notZero")),
        ("'Book', 'ab', 1, NULL", .property(entity: "Book", property: "isbn", .required)),
        ("'Product', 'xx', 7, NULL", .unique(entity: "Product", properties: ["sku", "stock"])),
        ("'Book', 'xy', 7, 'i'", .unique(entity: "Book", properties: ["isbn"])),
    ])
    func `a failure names its constraint`(values: String, name: ConstraintName) throws {
        let connection = try MigrationProver.makeStore(of: model, seed: nil)
        let insert = "INSERT INTO Product (_entity, sku, stock, isbn) VALUES "
        try connection.execute(insert + "('Book', 'xx', 7, 'i')")
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute(insert + "(\(values))")
        }
        #expect(model.constraint(failedWith: try #require(error).message) == name)
    }

    @Test func `another message names none`() {
        #expect(model.constraint(failedWith: "disk I/O error") == nil)
        #expect(model.constraint(failedWith: "UNIQUE constraint failed: Other.x") == nil)
    }
}

import CambiumMigration
import CambiumModel
import CambiumSQL
import Testing

/// A proof with rows of some entities is none for the others, and says so.
@Suite struct RowlessProofTests {
    private func model(
        _ version: String, _ type: AttributeType, rule: ModelExpression? = nil
    ) -> Model {
        Model(
            name: "Shop", version: version,
            entities: [
                Entity(
                    name: "Product",
                    attributes: [Attribute(name: "price", type: type, isOptional: false)],
                    rules: rule.map { [Rule(name: "only", condition: $0)] } ?? []),
                Entity(
                    name: "Maker",
                    attributes: [Attribute(name: "name", type: .string, isOptional: false)]),
            ],
            enumerations: [
                Enumeration(
                    name: "Kind", rawType: .int16,
                    cases: [
                        EnumerationCase(name: "low", rawValue: .int(-7)),
                        EnumerationCase(name: "high", rawValue: .int(900)),
                    ])
            ], migration: version == "1" ? nil : MigrationDeclaration(from: "1"))
    }

    private func prove(_ old: Model, _ new: Model) throws -> MigrationProver.Proof {
        try MigrationProver.prove(
            from: old, to: new, migration: Migration(from: old, to: new))
    }

    @Test(arguments: [
        (AttributeType.double, AttributeType.decimal(scale: 2)), (.double, .int32),
        (.double, .int16), (.int32, .bool), (.string, .bool),
        (.decimal(scale: 2), .int32), (.data, .uuid), (.string, .enumeration("Kind")),
    ])
    func `rows are found that a new type holds`(_ old: AttributeType, _ new: AttributeType) throws {
        let proof = try prove(model("1", old), model("2", new))
        #expect(proof.scarce.isEmpty)
        #expect(proof.rows > SampleRows.objectsPerEntity)
    }

    @Test func `an entity of which all rows are refused is named`() throws {
        let path = ModelExpression.keyPath(root: .subject, names: ["price"])
        let rule = ModelExpression.comparison(
            .arithmetic(path, .multiply, .literal(.int(3))), .equal, .literal(.int(4713)), [])
        let proof = try prove(model("1", .int32), model("2", .int32, rule: rule))
        #expect(proof.refused == ["Product"])
        #expect(proof.rows > 0 && proof.refusals > 0)
    }

    @Test(arguments: [(Value.int(4713), ["Product"]), (.int(0), [])])
    func `an entity of which a drop takes all rows is named`(
        value: Value, dropped: [String]
    ) throws {
        let isOther = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["price"]), .notEqual,
            .arithmetic(.literal(value), .multiply, .literal(.int(11))), [])
        let old = model("1", .int32)
        let drops = [MigrationDeclaration.Drop(entity: "Product", condition: isOther, reason: "…")]
        let new = Model(
            name: "Shop", version: "2", entities: old.entities, enumerations: old.enumerations,
            migration: MigrationDeclaration(from: "1", drops: drops))
        #expect(try prove(old, new).dropped == dropped)
    }

    @Test func `an entity of which all rows are to go is not`() throws {
        let old = model("1", .int32)
        let drops = [
            MigrationDeclaration.Drop(
                entity: "Product", condition: .literal(.bool(true)), reason: "…")
        ]
        let new = Model(
            name: "Shop", version: "2", entities: old.entities, enumerations: old.enumerations,
            migration: MigrationDeclaration(from: "1", drops: drops))
        #expect(try prove(old, new).scarce.isEmpty)
    }

    @Test func `an entity of which one row alone is left is named`() throws {
        func version(_ name: String, _ attributes: [Attribute], isUnique: Bool) -> Model {
            Model(
                name: "Shop", version: name,
                entities: [
                    Entity(
                        name: "Product", attributes: attributes,
                        uniqueConstraints: isUnique ? [UniqueConstraint(properties: ["code"])] : [])
                ],
                migration: name == "1"
                    ? nil
                    : MigrationDeclaration(
                        from: "1",
                        fills: [
                            .init(
                                entity: "Product", attribute: "code", value: .literal(.int(0)))
                        ]))
        }
        let price = Attribute(name: "price", type: .int32)
        let code = Attribute(name: "code", type: .int32)
        let old = version("1", [price], isUnique: false)
        let proof = try prove(old, version("2", [price, code], isUnique: true))
        #expect(proof.scarce == ["Product"] && proof.rows == 1)
        #expect(try prove(old, version("2", [price, code], isUnique: false)).scarce.isEmpty)
    }

    @Test func `an entity that the migration does not touch is not`() throws {
        func version(_ name: String, _ more: [Attribute]) -> Model {
            let never = ModelExpression.comparison(
                .keyPath(root: .subject, names: ["price"]), .equal,
                .arithmetic(.literal(.int(4711)), .multiply, .literal(.int(3))), [])
            return Model(
                name: "Shop", version: name,
                entities: [
                    Entity(
                        name: "Product", attributes: [Attribute(name: "price", type: .int32)],
                        rules: [Rule(name: "only", condition: never)]),
                    Entity(
                        name: "Maker", attributes: [Attribute(name: "name", type: .string)] + more),
                ])
        }
        let old = version("1", [])
        let city = Attribute(name: "city", type: .string, isOptional: true)
        #expect(try prove(old, version("2", [city])).scarce.isEmpty)
    }
}

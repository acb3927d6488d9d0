import CambiumModel
import CambiumPlan
import CambiumSQL
import Foundation
import Testing

@Suite struct MigrationPlanTests {
    private let old = Model(
        name: "Shop", version: "1",
        entities: [
            Entity(
                name: "Product",
                attributes: [
                    Attribute(name: "name", type: .string),
                    Attribute(name: "price", type: .decimal(scale: 4)),
                    Attribute(name: "legacy", type: .string, isOptional: true),
                ],
                relationships: [
                    Relationship(name: "group", destination: "Group", inverse: "products")
                ]),
            Entity(
                name: "Group", attributes: [Attribute(name: "name", type: .string)],
                relationships: [
                    Relationship(
                        name: "products", destination: "Product", inverse: "group", isToMany: true)
                ]),
            Entity(name: "Note", attributes: [Attribute(name: "text", type: .string)]),
        ])

    private let new = Model(
        name: "Shop", version: "2",
        entities: [
            Entity(
                name: "Product",
                attributes: [
                    Attribute(name: "title", type: .string, renamedFrom: "name"),
                    Attribute(name: "price", type: .decimal(scale: 2)),
                    Attribute(name: "kind", type: .string),
                ],
                relationships: [
                    Relationship(
                        name: "category", destination: "Category", inverse: "products",
                        renamedFrom: "group")
                ],
                uniqueConstraints: [UniqueConstraint(properties: ["title"])]),
            Entity(
                name: "Category", renamedFrom: "Group",
                attributes: [Attribute(name: "name", type: .string)],
                relationships: [
                    Relationship(
                        name: "products", destination: "Product", inverse: "category",
                        isToMany: true)
                ]),
            Entity(
                name: "Note",
                attributes: [
                    Attribute(name: "text", type: .string),
                    Attribute(name: "made", type: .date, isOptional: true),
                ], indexes: [Index(elements: [IndexElement(property: "made")])]),
        ],
        migration: MigrationDeclaration(
            from: "1",
            fills: [.init(entity: "Product", attribute: "kind", value: .literal(.string("book")))],
            drops: [.init(entity: "Product", property: "legacy", reason: "never used")]))

    /// People review this text, and users' machines run it.
    @Test func `the text of a migration is as it was reviewed`() throws {
        let text = try MigrationPlan(from: old, to: new).steps.map { step in
            "-- \(step.kind.rawValue): \(step.summary)\n" + step.sql.map { $0 + ";\n" }.joined()
        }.joined(separator: "\n")
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Cases/migration/steps.sql")
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        let difference = text.split(separator: "\n")
            .difference(from: expected.split(separator: "\n"))
        #expect(
            text == expected,
            "\(difference); accept: CAMBIUM_ACCEPT=1 swift test --filter MigrationPlanTests")
    }

    @Test func `equal versions need no step`() throws {
        #expect(try MigrationPlan(from: old, to: old).steps.isEmpty)
    }

    @Test func `each change has its kind and its words`() throws {
        let changes = ModelDifference(from: old, to: new).changes
        #expect(
            changes.map { "\($0.kind.rawValue): \($0.summary)" } == [
                "reversible: rename Product.name to title",
                "needsData: change the type of Product.price to decimal (scale 2)",
                "needsData: add Product.kind with a value for existing objects",
                "lossy: drop Product.legacy and its data",
                "reversible: rename Product.group to category",
                "needsData: make title of Product unique",
                "reversible: rename Group to Category",
                "additive: add Note.made",
                "additive: change the indexes of Note",
            ])
    }
}

import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// What is known of a migration without its texts.
@Suite struct SchemaOperationTests {
    private typealias Store = TestStore

    private static func operations(
        _ old: [Entity], _ new: [Entity], _ migration: MigrationDeclaration? = nil
    ) throws -> [SchemaOperation] {
        let (old, new) = (
            Store.model("1", old),
            Model(name: "Shop", version: "2", entities: new, migration: migration)
        )
        let migration = try Migration(from: old, to: new)
        #expect(migration.untoldTables(from: old, to: new) == [])
        return migration.steps.flatMap(\.statements).map(\.operation)
    }

    @Test func `a copy says from which old columns the new ones come`() throws {
        let operations = try Self.operations(
            [
                Entity(
                    name: "A",
                    attributes: [Store.string("a"), Store.string("b"), Store.string("c")],
                    relationships: [Relationship(name: "to", destination: "A", isOptional: true)])
            ],
            [
                Entity(
                    name: "A",
                    attributes: [
                        Store.string("title", from: "a"), Store.string("b"),
                        Store.string("d", optional: true),
                    ],
                    relationships: [Relationship(name: "to", destination: "A", isOptional: true)])
            ],
            MigrationDeclaration(
                from: "1", drops: [.init(entity: "A", property: "c", reason: "a test")]))
        #expect(
            operations == [
                .createTable("_new_A"),
                .copyRows(
                    RowCopy(
                        "A", to: "_new_A", ["_id", "_version", "title", "b", "d", "to"],
                        origins: ["title": ["a"], "d": []])), .dropTable("A"),
                .renameTable("_new_A", to: "A"), .createIndex("A.key.to", on: "A"),
            ])
        #expect(operations.columnsRead(of: "A") == ["_id", "_version", "a", "b", "to"])
        #expect(operations.columnsRead(of: "B") == [])
        #expect(TableCopies.isCarried("A", by: operations))
        #expect(TableCopies.lastingName(of: "_new_A", after: operations) == "A")
        #expect(
            TableCopies.columnsMade(in: "A", by: operations)
                == ["_id", "_version", "title", "b", "d", "to"])
    }

    @Test func `rows of several tables that come together say whose keys come first`() throws {
        let operations = try Self.operations(
            [
                Entity(name: "A", attributes: [Store.string("a")]),
                Entity(name: "B", attributes: [Store.string("a")]),
            ],
            [
                Entity(name: "A", attributes: [Store.string("a")]),
                Entity(name: "B", parent: "A"),
            ])
        let copies = operations.compactMap {
            if case .copyRows(let copy) = $0 { copy } else { nil }
        }
        #expect(copies.map(\.source) == ["A", "B"] && copies.map(\.precedingRoots) == [[], ["A"]])
        #expect(!TableCopies.isCarried("B", by: operations))
        let keys = CopiedKeys(after: operations)
        #expect(keys.sources(of: "A").map(\.table) == ["A", "B"])
    }

    @Test func `a unique index says which rows have to differ`() throws {
        let operations = try Self.operations(
            [
                Entity(name: "A", attributes: [Store.string("a")]),
                Entity(name: "B", parent: "A", attributes: [Store.string("b", optional: true)]),
            ],
            [
                Entity(name: "A", attributes: [Store.string("a")]),
                Entity(
                    name: "B", parent: "A", attributes: [Store.string("b", optional: true)],
                    uniqueConstraints: [UniqueConstraint(properties: ["b"])]),
            ])
        #expect(
            operations == [.createIndex("B.unique.b", on: "A", unique: .init(["b"], of: ["B"]))])
    }
}

import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// What is done to a table is what the planner's statements do.
struct StoreWorkTests {
    private func model(
        _ version: String, _ attributes: [Attribute], indexes: [Index] = [], rules: [Rule] = [],
        fills: [MigrationDeclaration.Fill] = [], drops: [MigrationDeclaration.Drop] = [],
        others: [Entity] = []
    ) -> Model {
        Model(
            name: "Shop", version: version,
            entities: [
                Entity(
                    name: "Product",
                    attributes: [Attribute(name: "sku", type: .string)] + attributes,
                    indexes: indexes, rules: rules)
            ] + others,
            migration: version == "1"
                ? nil : MigrationDeclaration(from: "1", fills: fills, drops: drops))
    }

    private func work(_ old: Model, _ new: Model) -> StoreWork {
        StoreWork(
            of: ModelDifference(from: old, to: new), schemas: (Schema(of: old), Schema(of: new)))
    }

    private let stock = Attribute(name: "stock", type: .int64, defaultValue: .constant(.int(0)))

    @Test func `a column with a default takes constant time`() {
        let work = work(model("1", []), model("2", [stock]))
        #expect(work.tables == [TableWork(table: "Product", effect: .constant)])
        #expect(work.tablesOfChanges == [[0]])
    }

    @Test func `a condition is tested in every row, unless all have the same`() {
        let limited = Attribute(
            name: "stock", type: .int64, defaultValue: .constant(.int(0)),
            limits: Limits(minimum: .int(0)))
        #expect(work(model("1", []), model("2", [limited])).tables.map(\.effect) == [.constant])
        #expect(work(model("1", [stock]), model("2", [limited])).tables.map(\.effect) == [.scan])
        #expect(
            work(model("1", [limited]), model("2", [stock])).tables.map(\.effect) == [.constant])
    }

    @Test func `an index is a scan, and named`() throws {
        let index = Index(elements: [IndexElement(property: "sku")])
        let made = try #require(
            work(model("1", []), model("2", [], indexes: [index])).tables.first)
        #expect(made.effect == .scan && made.madeIndexes.count == 1)
        let dropped = try #require(
            work(model("1", [], indexes: [index]), model("2", [])).tables.first)
        #expect(dropped.effect == .constant && dropped.droppedIndexes == made.madeIndexes)
    }

    @Test func `a table is rebuilt because of what cannot be changed in place`() {
        let size = Attribute(name: "size", type: .int32, isOptional: true)
        let filled = work(
            model("1", [size]),
            model(
                "2", [Attribute(name: "stock", type: .int64), size],
                fills: [.init(entity: "Product", attribute: "stock", value: .literal(.int(0)))]))
        #expect(
            filled.tables
                == [TableWork(table: "Product", effect: .rebuild, causes: ["Product.stock"])])
        let dropped = work(
            model("1", [size]),
            model(
                "2", [stock],
                drops: [.init(entity: "Product", property: "size", reason: "unused")]))
        #expect(dropped.tables.map(\.causes) == [["Product.size"]])
        #expect(dropped.tablesOfChanges == [[0], [0]])
    }

    @Test func `tables come and go`() {
        let note = Entity(name: "Note", attributes: [Attribute(name: "text", type: .string)])
        #expect(
            work(model("1", []), model("2", [], others: [note])).tables
                == [TableWork(table: "Note", effect: .new)])
        let gone = work(
            model("1", [], others: [note]),
            model("2", [], drops: [.init(entity: "Note", property: nil, reason: "unused")]))
        #expect(gone.tables == [TableWork(table: "Note", effect: .dropped)])
        #expect(gone.tablesOfChanges == [[0]])
    }

    @Test func `nothing is done where nothing changed`() {
        let work = work(model("1", [stock]), model("2", [stock]))
        #expect(work.tables.isEmpty && work.tablesOfChanges.isEmpty)
    }
}

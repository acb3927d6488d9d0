import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// Indexes and cases of enumerations, which change no column.
@Suite struct IndexMigrationTests {
    private typealias Store = TestStore

    private func model(
        _ version: String, isIndexed: Bool = false, cases: [EnumerationCase] = []
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "Product", attributes: [Store.string("sku")],
                    indexes: isIndexed
                        ? [Index(elements: [IndexElement(property: "sku")])] : [])
            ],
            enumerations: cases.isEmpty
                ? [] : [Enumeration(name: "Kind", rawType: .string, cases: cases)])
    }

    private let indexes = "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL"

    @Test func `an index that a new version adds is made in stores that are there`() throws {
        let (old, new) = (model("1"), model("2", isIndexed: true))
        #expect(try Migration(from: old, to: new).kind == .additive)
        let rows = "INSERT INTO Product (_id, sku) VALUES (1, 'a')"
        #expect(try Store.migrate(old, new, rows: rows, query: indexes) == [["1"]])
        #expect(try Store.migrate(new, model("3"), query: indexes) == [["0"]])
    }

    @Test func `an index that is added to a version is made as well`() throws {
        let connection = try MigrationProver.makeStore(of: model("1"), seed: nil)
        _ = try MigrationRunner(model: model("1", isIndexed: true)).open(connection)
        let found = try Store.text(connection.rows(indexes))
        #expect(found == [["1"]])
    }

    private let book = EnumerationCase(name: "book", rawValue: .string("book"))

    @Test func `a case is added, renamed or removed`() throws {
        let toy = EnumerationCase(name: "toy", rawValue: .string("toy"))
        let game = EnumerationCase(name: "game", rawValue: .string("toy"))
        let first = model("1", cases: [book])
        let added = ModelDifference(from: first, to: model("2", cases: [book, toy]))
        #expect(added.changes == [.caseAdded(enumeration: "Kind", "toy")])
        let both = model("1", cases: [book, toy])
        let renamed = ModelDifference(from: both, to: model("2", cases: [book, game]))
        #expect(renamed.changes == [.caseRenamed(enumeration: "Kind", "game", from: "toy")])
        let removed = ModelDifference(from: both, to: model("2", cases: [book]))
        // No attribute has it.
        #expect(
            removed.changes == [.caseDropped(enumeration: "Kind", "toy", isReplaced: false)])
        #expect(
            [added, renamed, removed].map { $0.changes.first?.kind }
                == [.additive, .reversible, .reversible])
    }
}

import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite
import Testing

/// Cases of enumerations that are gone, which objects may have.
@Suite struct CaseMigrationTests {
    private typealias Store = TestStore

    private func model(
        _ version: String, cases: [String], isOptional: Bool = false, type: String = "Kind",
        fill: ModelExpression? = nil, replacing: [(String, String?)] = []
    ) -> Model {
        let items = cases.map { EnumerationCase(name: $0, rawValue: .string($0.uppercased())) }
        let fills = [fill].compactMap(\.self).map {
            MigrationDeclaration.Fill(entity: "Product", attribute: "kind", value: $0)
        }
        let declared = MigrationDeclaration(
            from: "1", fills: fills,
            replacements: replacing.map {
                .init(enumeration: type, case: $0.0, with: $0.1, reason: "a test")
            })
        return Model(
            name: "Shop", version: version,
            entities: [
                Entity(
                    name: "Product",
                    attributes: [
                        Attribute(name: "kind", type: .enumeration(type), isOptional: isOptional)
                    ])
            ], enumerations: [Enumeration(name: type, rawType: .string, cases: items)],
            migration: fills.isEmpty && replacing.isEmpty ? nil : declared)
    }

    private func problems(_ new: Model, isOptional: Bool = false) -> [MigrationProblem] {
        let old = model("1", cases: ["book", "toy"], isOptional: isOptional)
        return ModelDifference(from: old, to: new).problems
    }

    private let rows = "INSERT INTO Product (_id, kind) VALUES (1, 'TOY'), (2, 'BOOK')"
    private let kinds = "SELECT kind FROM Product ORDER BY _id"

    @Test func `a case that is gone is asked about, with both answers ready to paste`() throws {
        let found = problems(model("2", cases: ["book", "game"]))
        let problem = try #require(found.first)
        #expect(found.count == 1)
        #expect(problem.enumeration == "Kind")
        #expect(problem.message.contains("'toy' of Kind is missing in version 2"))
        #expect(problem.message.contains("Product.kind"))
        #expect(
            problem.fixes.map { $0.xml(from: "1") } == [
                #"<case name="game" value="TOY"/>"#,
                #"<migration from="1"><replace enum="Kind" case="toy" with="…" reason="…"/>"#
                    + "</migration>",
            ])
    }

    @Test func `objects get the case that takes its place`() throws {
        let old = model("1", cases: ["book", "toy"])
        let new = model("2", cases: ["book", "game"], replacing: [("toy", "game")])
        let migration = try Migration(from: old, to: new)
        #expect(migration.kind == .lossy)
        #expect(migration.losesData)
        #expect(
            migration.steps.first?.summary
                == "Rebuild Product: drop the case toy of Kind, and give its objects another or none (a test)"
        )
        #expect(try Store.migrate(old, new, rows: rows, query: kinds) == [["GAME"], ["BOOK"]])
    }

    @Test func `a case that goes with its enumeration's name is replaced by the new one`() throws {
        let old = model("1", cases: ["book", "toy", "film"])
        let some = model("2", cases: ["book", "game"], type: "Sort", replacing: [("toy", "game")])
        let problem = try #require(ModelDifference(from: old, to: some).problems.first)
        #expect(problem.message.contains("'film' of Sort is missing in version 2"))
        #expect(
            problem.fixes.last == .replace(enumeration: "Sort", case: "film", isOptional: false))
        let new = model(
            "2", cases: ["book", "game"], type: "Sort",
            replacing: [("toy", "game"), ("film", "book")])
        #expect(try Migration(from: old, to: new).losesData)
        #expect(try Store.migrate(old, new, rows: rows, query: kinds) == [["GAME"], ["BOOK"]])
        let none = model("2", cases: ["book"], type: "Sort", replacing: [("toy", nil)])
        #expect(problems(none).map(\.message).joined().contains("Product.kind is required"))
        // All of them answered for, any store is taken.
        let all = model(
            "2", cases: ["book"], type: "Sort", replacing: [("toy", "book"), ("film", "book")])
        #expect(ModelDifference(from: old, to: all).rowRisks.isEmpty)
    }

    @Test func `the new type of raw values is no hindrance to a replacement`() throws {
        let old = model("1", cases: ["book", "toy"])
        let new = Model(
            name: "Shop", version: "2", entities: model("2", cases: [], type: "Sort").entities,
            enumerations: [
                Enumeration(
                    name: "Sort", rawType: .int16,
                    cases: [EnumerationCase(name: "game", rawValue: .int(7))])
            ],
            migration: MigrationDeclaration(
                from: "1",
                replacements: ["book", "toy"].map {
                    .init(enumeration: "Sort", case: $0, with: "game", reason: "a test")
                }))
        #expect(try Store.migrate(old, new, rows: rows, query: kinds) == [["7"], ["7"]])
    }

    @Test func `objects whose attribute is optional may get none`() throws {
        let old = model("1", cases: ["book", "toy"], isOptional: true)
        let new = model("2", cases: ["book"], isOptional: true, replacing: [("toy", nil)])
        #expect(try Store.migrate(old, new, rows: rows, query: kinds) == [["nil"], ["BOOK"]])
        // A required one may not.
        let found = problems(model("2", cases: ["book"], replacing: [("toy", nil)]))
        #expect(found.map(\.message).joined().contains("Product.kind is required"))
    }

    @Test(arguments: ["first", nil])
    func `a case is replaced before the others get raw values of another type`(
        replacement: String?
    ) throws {
        func model(
            _ version: String, _ rawType: AttributeType, _ cases: [String], isOptional: Bool = true,
            replacements: [MigrationDeclaration.Replacement] = []
        ) -> Model {
            let items = cases.enumerated().map { number, name in
                EnumerationCase(
                    name: name,
                    rawValue: rawType == .string ? .string("\(number)") : .int(Int64(number)))
            }
            return Model(
                name: "Shop", version: version,
                entities: [
                    Entity(
                        name: "Product",
                        attributes: [
                            Attribute(
                                name: "kind", type: .enumeration("Kind"), isOptional: isOptional)
                        ])
                ], enumerations: [Enumeration(name: "Kind", rawType: rawType, cases: items)],
                migration: version == "1"
                    ? nil : MigrationDeclaration(from: "1", replacements: replacements))
        }
        let way = MigrationDeclaration.Replacement(
            enumeration: "Kind", case: "third", with: replacement, reason: "a test")
        for type in [AttributeType.int32, .string] {
            let old = model("1", .int16, ["first", "second", "third"])
            let new = model("2", type, ["first", "second"], replacements: [way])
            #expect(try Migration(from: old, to: new).losesData)
            let rows = "INSERT INTO Product (_id, kind) VALUES (1, 2), (2, 1)"
            let found = try Store.migrate(old, new, rows: rows, query: kinds)
            #expect(found == [[replacement == nil ? "nil" : "0"], ["1"]])
        }
        let required = ModelDifference(
            from: model("1", .int16, ["first", "second", "third"], isOptional: false),
            to: model(
                "2", .int32, ["first", "second"], isOptional: false, replacements: [way]))
        #expect(required.problems.isEmpty == (replacement != nil))
    }

    @Test func `a replacement of what is there, or by what is not, is a mistake`() {
        let kept = problems(model("2", cases: ["book", "toy"], replacing: [("toy", "book")]))
        #expect(kept.map(\.message).joined().contains("still has its raw value in 'toy'"))
        let unknown = problems(model("2", cases: ["book"], replacing: [("toy", "game")]))
        #expect(unknown.map(\.message).joined().contains("no case 'game' of Kind"))
        let never = problems(
            model("2", cases: ["book"], replacing: [("toy", "book"), ("car", "book")]))
        #expect(never.map(\.message).joined().contains("version 1 does not have"))
    }

    /// A fill that keeps books, or all but books, and makes games of the others.
    private func fill(keepingBooks: Bool) -> ModelExpression {
        let kind = ModelExpression.keyPath(root: .subject, names: ["kind"])
        let game = ModelExpression.literal(.string("GAME"))
        return .conditional(
            .comparison(kind, .equal, .literal(.string("BOOK")), []),
            then: keepingBooks ? kind : game, otherwise: keepingBooks ? game : kind)
    }

    @Test func `a fill that looks at the value answers too, and may leave nothing but cases`()
        throws
    {
        let old = model("1", cases: ["book", "toy"])
        let new = model("2", cases: ["book", "game"], fill: fill(keepingBooks: true))
        #expect(try Store.migrate(old, new, rows: rows, query: kinds) == [["GAME"], ["BOOK"]])
        let wrong = model("2", cases: ["book", "game"], fill: fill(keepingBooks: false))
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(rows)
        let before = try Store.dump(connection)
        let migration = try Migration(from: old, to: wrong)
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(model: wrong, migrations: [migration]).open(connection)
        }
        #expect("\(try #require(error))".contains("leaves a value that is not a case of Kind"))
        #expect(try Store.dump(connection) == before)
    }

    @Test func `a type of another name with the same cases holds all values`() throws {
        let old = model("1", cases: ["book", "toy"])
        let new = model("2", cases: ["book", "toy", "game"], type: "Sort")
        #expect(try Store.migrate(old, new, rows: rows, query: kinds) == [["TOY"], ["BOOK"]])
    }

    @Test func `cases that exchange their raw values are asked about`() throws {
        func model(_ version: String, _ cases: String...) -> Model {
            Model(
                name: "Shop", version: version,
                entities: [
                    Entity(
                        name: "Product",
                        attributes: [Attribute(name: "size", type: .enumeration("Size"))])
                ],
                enumerations: [
                    Enumeration(
                        name: "Size", rawType: .int16,
                        cases: cases.enumerated().map {
                            EnumerationCase(name: $0.element, rawValue: .int(Int64($0.offset)))
                        })
                ])
        }
        let old = model("1", "small", "middle", "large")
        // Another order, and one that is gone: each value is the number of the place.
        let turned = ModelDifference(from: old, to: model("2", "small", "large", "middle"))
        // One value alone would be that of two cases.
        let values = [#"<case name="large" value="2"/>"#, #"<case name="middle" value="1"/>"#]
        #expect(
            turned.problems.flatMap(\.fixes).map { $0.xml(from: "1") } == [
                values.joined(separator: " and "), values.reversed().joined(separator: " and "),
            ])
        let fewer = ModelDifference(from: old, to: model("2", "small", "large"))
        #expect(
            fewer.problems.flatMap(\.fixes).map { $0.xml(from: "1") }
                == [#"<case name="large" value="2"/>"#])
        let renamed = ModelDifference(from: old, to: model("2", "small", "medium", "large"))
        #expect(renamed.problems.isEmpty)
    }

    @Test func `a case that gets another raw value keeps the old one, or is replaced by itself`()
        throws
    {
        func model(_ version: String, _ value: String, replaced: Bool = false) -> Model {
            let migration = MigrationDeclaration(
                from: "1",
                replacements: [
                    .init(enumeration: "Kind", case: "toy", with: "toy", reason: "a test")
                ])
            return Model(
                name: "Shop", version: version,
                entities: [
                    Entity(
                        name: "Product",
                        attributes: [Attribute(name: "kind", type: .enumeration("Kind"))])
                ],
                enumerations: [
                    Enumeration(
                        name: "Kind", rawType: .string,
                        cases: [EnumerationCase(name: "toy", rawValue: .string(value))])
                ], migration: replaced ? migration : nil)
        }
        let old = model("1", "TOY")
        let problem = try #require(
            ModelDifference(from: old, to: model("2", "toy")).problems.first)
        #expect(problem.message.contains("'toy' of Kind has the raw value toy in version 2"))
        #expect(problem.fixes.first?.xml(from: "1") == #"<case name="toy" value="TOY"/>"#)
        let rows = try Store.migrate(
            old, model("2", "toy", replaced: true),
            rows: "INSERT INTO Product (_id, kind) VALUES (1, 'TOY')", query: kinds)
        #expect(rows == [["toy"]])
    }
}

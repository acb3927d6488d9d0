@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite
import Testing

/// Steps that take what they need from an entity that the new version has no more.
struct GoneEntityTests {
    private enum V1: MigrationVersion {
        static var versionName: String { "1" }

        struct CityRow: MigrationRow {
            typealias Version = V1
            static let layout = RowLayout(entity: "City", root: "City", columns: ["name"])
            var storage: RowStorage
            var name: String { storage.get(0) }
            static var people: MigrationLink<CityRow, PersonRow> {
                .init("people", key: "city", position: nil)
            }
        }

        struct PersonRow: MigrationRow {
            typealias Version = V1
            static let layout = RowLayout(entity: "Person", root: "Person", columns: ["city"])
            var storage: RowStorage
            var city: RowID<CityRow>? { storage.optionalLink(0) }
        }
    }

    private enum V2: MigrationVersion {
        static var versionName: String { "2" }

        struct CityRow: MigrationRow {
            typealias Version = V2
            static let layout = RowLayout(entity: "City", root: "City", columns: ["title"])
            var storage: RowStorage
            var title: String { storage.get(0) }
        }

        struct PersonRow: WritableMigrationRow {
            typealias Version = V2
            static let layout = RowLayout(entity: "Person", root: "Person", columns: ["address"])
            var storage: RowStorage
            var address: String {
                get { storage.get(0) }
                set { storage.set(0, newValue) }
            }
        }
    }

    private typealias Context = MigrationContext<V1, V2>

    private static let first = Model(
        name: "Shop", version: "1",
        entities: [
            Entity(
                name: "City", attributes: [TestStore.string("name")],
                relationships: [
                    Relationship(
                        name: "people", destination: "Person", inverse: "city", isToMany: true)
                ]),
            Entity(
                name: "Person",
                relationships: [
                    Relationship(name: "city", destination: "City", inverse: "people")
                ]),
            Entity(name: "Town", attributes: [TestStore.string("title")]),
        ])

    /// - Parameters:
    ///   - isNameTaken: Whether another entity has the name of the one that is gone.
    ///   - entities: What the step is about.
    private static func second(isNameTaken: Bool, entities: [String] = ["Person"]) -> Model {
        Model(
            name: "Shop", version: "2",
            entities: [
                Entity(name: "Person", attributes: [TestStore.string("address")]),
                isNameTaken
                    ? Entity(
                        name: "City", renamedFrom: "Town", attributes: [TestStore.string("title")])
                    : Entity(name: "Town", attributes: [TestStore.string("title")]),
            ],
            migration: MigrationDeclaration(
                from: "1",
                drops: [
                    .init(entity: "City", reason: "a test"),
                    .init(entity: "Person", property: "city", reason: "a test"),
                ],
                steps: [.init(name: "move", entities: entities)]))
    }

    private func migrate(
        isNameTaken: Bool = false, _ body: @escaping @Sendable (Context) throws -> Void
    ) throws -> Connection {
        let connection = try MigrationProver.makeStore(of: Self.first, seed: nil)
        try connection.execute(
            """
            INSERT INTO City (_id, name) VALUES (1, 'London'), (2, 'Paris');
            INSERT INTO Person (_id, city) VALUES (1, 2), (2, NULL), (3, 1), (4, 2);
            INSERT INTO Town (_id, title) VALUES (1, 'Ely');
            UPDATE _keys SET next = 9
            """)
        let second = Self.second(isNameTaken: isNameTaken)
        let runner = MigrationRunner(
            model: second, migrations: [try Migration(from: Self.first, to: second)])
        runner.code = [CodeStep("move", from: V1.self, to: V2.self, body)]
        _ = try runner.open(connection)
        return connection
    }

    private func addresses(_ connection: Connection) throws -> [[String]] {
        TestStore.text(try connection.rows("SELECT address FROM Person ORDER BY _id"))
    }

    @Test(arguments: [false, true])
    func `a step reads what an object of it was linked to`(isNameTaken: Bool) throws {
        let connection = try migrate(isNameTaken: isNameTaken) { context in
            try context.forEach(V1.PersonRow.self) { old in
                let city = try old.city.flatMap { try context.row($0) }
                try context.update(old.rowID, as: V2.PersonRow.self) {
                    $0.address = city?.name ?? "?"
                }
            }
        }
        #expect(try addresses(connection) == [["Paris"], ["?"], ["London"], ["Paris"]])
        let cities = try connection.rows(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE '%City'")
        #expect(TestStore.text(cities) == [[isNameTaken ? "1" : "0"]])
    }

    @Test func `a step goes through its rows and their links`() throws {
        let connection = try migrate { context in
            #expect(try context.count(of: V1.CityRow.self) == 2)
            try context.forEach(V2.PersonRow.self) { person in
                if let id = person.rowID { try context.update(id) { $0.address = "?" } }
            }
            try context.forEach(V1.CityRow.self) { city in
                guard let id = city.rowID else { return }
                for person in try context.related(V1.CityRow.people, to: id) {
                    try context.update(person, as: V2.PersonRow.self) { $0.address = city.name }
                }
            }
        }
        #expect(try addresses(connection) == [["Paris"], ["?"], ["London"], ["Paris"]])
    }

    @Test func `its objects have become nothing, also where another has the name`() throws {
        _ = try migrate(isNameTaken: true) { context in
            let london = RowID<V1.CityRow>(key: 1)
            #expect(try context.row(london)?.name == "London")
            #expect(try context.newID(of: london, as: V2.CityRow.self) == nil)
            #expect(try context.newID(of: london, as: V2.PersonRow.self) == nil)
            #expect(try context.row(RowID<V2.CityRow>(key: 1))?.title == "Ely")
            try context.forEach(V2.PersonRow.self) { person in
                if let id = person.rowID { try context.update(id) { $0.address = "?" } }
            }
        }
    }

    @Test func `a step that names what is gone alone may write all that changes`() throws {
        let coverage = { (entities: [String]) in
            StepCoverage(
                ModelDifference(
                    from: Self.first, to: Self.second(isNameTaken: false, entities: entities)))
        }
        #expect(coverage(["City"])?.roots == ["Person"])
        #expect(coverage(["City", "Town"])?.roots == ["Town"])
        #expect(coverage(["City"])?.supplied.map(\.name) == ["Person.address"])
    }
}

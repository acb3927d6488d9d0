@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Two versions with a custom step between them, and the row types that code generation would
/// create.
enum StepSample {
    enum V1: MigrationVersion {
        static var versionName: String { "1" }

        struct PersonRow: MigrationRow {
            typealias Version = V1
            static let layout = RowLayout(
                entity: "Person", root: "Person", columns: ["name", "city"])
            var storage: RowStorage
            var name: String { storage.get(0) }
            var city: String? { storage.optional(1) }
            static var pets: MigrationLink<PersonRow, PetRow> {
                .init("pets", key: "owner", position: nil)
            }
        }

        struct PetRow: MigrationRow {
            typealias Version = V1
            static let layout = RowLayout(entity: "Pet", root: "Pet", columns: ["name", "owner"])
            var storage: RowStorage
            var name: String { storage.get(0) }
            var owner: RowID<PersonRow>? { storage.optionalLink(1) }
        }
    }

    enum V2: MigrationVersion {
        static var versionName: String { "2" }

        struct PersonRow: WritableMigrationRow {
            typealias Version = V2
            static let layout = RowLayout(
                entity: "Person", root: "Person", columns: ["firstName", "age", "home"])
            var storage: RowStorage
            init(storage: RowStorage) { self.storage = storage }
            init(firstName: String, home: RowID<PlaceRow>) {
                storage = RowStorage(count: 3)
                self.firstName = firstName
                self.home = home
            }
            var firstName: String {
                get { storage.get(0) }
                set { storage.set(0, newValue) }
            }
            var age: Decimal? {
                get { storage.optionalDecimal(1, scale: 1) }
                set { storage.setDecimal(1, newValue, scale: 1) }
            }
            var home: RowID<PlaceRow> {
                get { storage.link(2) }
                set { storage.setLink(2, newValue) }
            }
        }

        struct PlaceRow: WritableMigrationRow {
            typealias Version = V2
            static let layout = RowLayout(entity: "Place", root: "Place", columns: ["name"])
            var storage: RowStorage
            init(storage: RowStorage) { self.storage = storage }
            init(name: String) {
                storage = RowStorage(count: 1)
                self.name = name
            }
            var name: String {
                get { storage.get(0) }
                set { storage.set(0, newValue) }
            }
        }

        struct PetRow: WritableMigrationRow {
            typealias Version = V2
            static let layout = RowLayout(entity: "Pet", root: "Pet", columns: ["name", "owner"])
            var storage: RowStorage
            var owner: RowID<PersonRow>? { storage.optionalLink(1) }
        }
    }

    typealias Context = MigrationContext<V1, V2>

    private static func string(
        _ name: String, optional: Bool = false, limits: Limits = Limits()
    ) -> Attribute {
        Attribute(name: name, type: .string, isOptional: optional, limits: limits)
    }

    static let first = Model(
        name: "Shop", version: "1",
        entities: [
            Entity(
                name: "Person",
                attributes: [
                    string("name"), string("city", optional: true),
                ],
                relationships: [
                    Relationship(name: "pets", destination: "Pet", inverse: "owner", isToMany: true)
                ]),
            Entity(
                name: "Pet", attributes: [string("name")],
                relationships: [
                    Relationship(name: "owner", destination: "Person", inverse: "pets")
                ]),
        ])

    static let second = Model(
        name: "Shop", version: "2",
        entities: [
            Entity(
                name: "Person",
                attributes: [
                    string("firstName", limits: Limits(minimumLength: 1)),
                    Attribute(name: "age", type: .decimal(scale: 1), isOptional: true),
                ],
                relationships: [
                    Relationship(
                        name: "home", destination: "Place", inverse: "people", isOptional: false),
                    Relationship(
                        name: "pets", destination: "Pet", inverse: "owner", isToMany: true),
                ]),
            Entity(
                name: "Place", attributes: [string("name")],
                relationships: [
                    Relationship(
                        name: "people", destination: "Person", inverse: "home", isToMany: true)
                ],
                uniqueConstraints: [UniqueConstraint(properties: ["name"])]),
            Entity(
                name: "Pet", attributes: [string("name")],
                relationships: [
                    Relationship(name: "owner", destination: "Person", inverse: "pets")
                ]),
        ],
        migration: MigrationDeclaration(
            from: "1",
            drops: ["name", "city"].map { .init(entity: "Person", property: $0, reason: "a test") },
            steps: [.init(name: "settle", entities: ["Person", "Place"])]))

    static func migration() throws -> Migration { try Migration(from: first, to: second) }

    /// A runner with a step.
    static func runner(
        _ body: (@Sendable (Context) throws -> Void)? = StepSample.settle
    ) throws -> MigrationRunner {
        let runner = MigrationRunner(model: second, migrations: [try migration()])
        if let body { runner.code = [step(body)] }
        return runner
    }

    /// A custom step.
    static func step(_ body: @escaping @Sendable (Context) throws -> Void) -> CodeStep {
        CodeStep("settle", from: V1.self, to: V2.self, body)
    }

    /// The correct step: all people in the same city get the same place.
    @Sendable static func settle(_ context: Context) throws {
        var places: [String: RowID<V2.PlaceRow>] = [:]
        try context.forEach(V1.PersonRow.self) { old in
            let city = old.city ?? "?"
            let place = try places[city] ?? context.insert(V2.PlaceRow(name: city))
            places[city] = place
            try context.update(old.rowID, as: V2.PersonRow.self) { new in
                new.firstName = old.name.isEmpty ? "?" : old.name
                new.home = place
            }
        }
    }

    /// A store of the first version.
    static func store() throws -> Connection {
        let connection = try MigrationProver.makeStore(of: first, seed: nil)
        try connection.execute(
            """
            INSERT INTO Person (_id, name, city) VALUES
                (1, 'Ada', 'London'), (2, 'Grace', 'New York'), (5, 'Alan', 'London');
            INSERT INTO Pet (_id, name, owner) VALUES (1, 'Rex', 5), (2, 'Mia', NULL);
            UPDATE _keys SET next = 9
            """)
        return connection
    }
}

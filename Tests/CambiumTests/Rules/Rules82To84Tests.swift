import Cambium
import CambiumEngineSpecification
import CambiumPlan
import Testing

/// Migrations: data that does not fit, renames over several versions, one step after the other.
struct Rules82To84Tests {
    private static func model(_ version: String, _ entity: Entity) -> Model {
        Model(name: "Ledger", version: version, entities: [entity])
    }

    private static func compiled(_ models: [Model]) throws -> CompiledModel {
        try CompiledModel(versions: models)
    }

    private static func description(_ path: String) -> StoreDescription {
        StoreDescription(location: .temporary(path))
    }

    // MARK: 82

    private static let lax = model(
        "1",
        Entity(
            name: "Entry", attributes: [Attribute(name: "code", type: .string, isOptional: true)]))
    private static let required = model(
        "2", Entity(name: "Entry", attributes: [Attribute(name: "code", type: .string)]))
    private static let longer = model(
        "2",
        Entity(
            name: "Entry",
            attributes: [
                Attribute(
                    name: "code", type: .string, isOptional: true,
                    limits: Limits(minimumLength: 2))
            ]))
    private static let unique = model(
        "2",
        Entity(
            name: "Entry", attributes: [Attribute(name: "code", type: .string, isOptional: true)],
            uniqueConstraints: [UniqueConstraint(properties: ["code"])]))

    @Test func `rule 82: required without a value for rows that have none stops the build`() {
        #expect(throws: MigrationProblems.self) {
            try Migration(from: Self.lax, to: Self.required)
        }
    }

    @Test(
        arguments: [
            (Self.longer, "(1, 'ab'), (2, 'a')"), (Self.unique, "(1, 'a'), (2, 'a')"),
        ])
    func `rule 82: data that does not fit is an error, and the store is as it was`(
        new: Model, values: String
    ) throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: CompiledModel(Self.lax), at: .temporary(path))
            try execute("INSERT INTO \"Entry\" (_id, code) VALUES \(values)", in: path)
            let tables =
                StoreKind.isSQLite
                ? "SELECT name, sql FROM sqlite_schema ORDER BY name"
                : """
                SELECT table_name, column_name, is_nullable FROM information_schema.columns
                WHERE table_schema = current_schema() ORDER BY 1, 2
                """
            let before = try [rows("SELECT * FROM \"Entry\"", in: path), rows(tables, in: path)]

            let coordinator = PersistentStoreCoordinator(
                model: try Self.compiled([Self.lax, new]))
            let error = #expect(throws: StoreLoadingError.self) {
                try coordinator.addPersistentStore(with: Self.description(path))
            }
            #expect(error?.coreDataCode == 134111)
            guard case .refused? = error?.underlying as? MigrationError else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(
                try [rows("SELECT * FROM \"Entry\"", in: path), rows(tables, in: path)] == before)
            // The former program still opens it.
            let former = try PersistentContainer(
                model: CompiledModel(Self.lax), at: .temporary(path))
            #expect(former.migration == .current)
        }
    }

    // MARK: 83

    private static let names = ["first", "second", "third"].enumerated().map { index, name in
        model(
            "\(index + 1)",
            Entity(
                name: "Entry",
                attributes: [
                    Attribute(
                        name: name, type: .string,
                        renamedFrom: [nil, "first", "second"][index])
                ]))
    }

    @Test func `rule 83: a property that was renamed twice keeps its values`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: CompiledModel(Self.names[0]), at: .temporary(path))
            try execute("INSERT INTO \"Entry\" (_id, first) VALUES (1, 'kept')", in: path)
            let container = try PersistentContainer(
                model: try Self.compiled(Self.names), at: .temporary(path))
            guard case .migrated("1", "3", _, nil) = container.migration else {
                Issue.record("\(container.migration)")
                return
            }
            #expect(try rows("SELECT third FROM \"Entry\"", in: path) == [[.text("kept")]])
        }
    }

    // MARK: 84

    @Test(arguments: 0...2)
    func `rule 84: every step from the store's version on runs once, in order`(
        start: Int
    ) throws {
        try withStoreFile { path in
            _ = try PersistentContainer(
                model: CompiledModel(Self.names[start]), at: .temporary(path))
            let model = try Self.compiled(Self.names)
            let container = try PersistentContainer(model: model, at: .temporary(path))
            let migrations =
                StoreKind.isSQLite ? model.migrations : model.otherMigrations["postgres"] ?? []
            let expected = migrations.dropFirst(start).flatMap(\.steps)
            guard case .migrated(_, _, let steps, _) = container.migration else {
                #expect(container.migration == .current && start == 2)
                return
            }
            #expect(steps == expected && !steps.isEmpty)
        }
    }

    @Test func `rule 84: there is no way back`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: CompiledModel(Self.names[2]), at: .temporary(path))
            let coordinator = PersistentStoreCoordinator(
                model: try Self.compiled(Array(Self.names.prefix(2))))
            let error = #expect(throws: StoreLoadingError.self) {
                try coordinator.addPersistentStore(with: Self.description(path))
            }
            #expect(error?.code == .unknownVersion)
            #expect(error?.coreDataCode == 134506)
        }
    }
}

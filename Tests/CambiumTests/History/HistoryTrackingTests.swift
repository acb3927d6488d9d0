import Cambium
import CambiumEngineSpecification
import CambiumSQLite
import Foundation
import Testing

/// Whether a store keeps a history.
struct HistoryTrackingTests {
    private func save(_ title: String, to container: PersistentContainer) throws {
        let context = container.newContext()
        try context.addBook(title)
        try context.save()
    }

    private func objects(_ path: String) throws -> [String] {
        let names =
            StoreKind.isSQLite
            ? "SELECT name FROM sqlite_schema"
            : """
            SELECT table_name AS name FROM information_schema.tables \
            WHERE table_schema = current_schema()
            """
        return try rows(
            "SELECT name FROM (\(names)) AS objects WHERE name LIKE '!_history%' ESCAPE '!'",
            in: path
        )
        .compactMap { if case .text(let name) = $0[0] { name } else { nil } }
    }

    @Test func `a store keeps none unless it is asked to`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Chronicle.model, at: .temporary(path))
            #expect(try objects(path) == [])
        }
    }

    @Test func `a store goes on with its history for those who do not ask for one`() throws {
        try withStoreFile { path in
            try save("a", to: openHistory(at: .temporary(path), .properties))
            let container = try PersistentContainer(model: Chronicle.model, at: .temporary(path))
            try save("b", to: container)
            #expect(try container.history().count == 2)
        }
    }

    @Test func `a history begins with what is changed from then on`() throws {
        try withStoreFile { path in
            try save("a", to: PersistentContainer(model: Chronicle.model, at: .temporary(path)))
            let container = try openHistory(at: .temporary(path))
            let context = container.newContext()
            try context.book("a").setValue(.int(1), forKey: "pages")
            try context.save()
            #expect(try container.history().words == [["update Book pages"]])
        }
    }

    @Test func `one call removes all of it`() throws {
        try withStoreFile { path in
            try save("a", to: openHistory(at: .temporary(path)))
            #expect(try !objects(path).isEmpty)
            let container = try openHistory(at: .temporary(path), .off)
            try save("b", to: container)
            #expect(try objects(path) == [])
            #expect(throws: StoreError.self) { try container.history() }
        }
    }

    @Test func `a store that loses its history under somebody's hands can still be saved`() throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path))
            try save("a", to: container)
            _ = try openHistory(at: .temporary(path), .off)
            try save("b", to: container)
            #expect(try rows("SELECT count(*) FROM \"Book\"", in: path) == [[.integer(2)]])
        }
    }

    @Test func `what is kept can be changed, and what was kept stays`() throws {
        try withStoreFile { path in
            try save("a", to: openHistory(at: .temporary(path), .properties))
            let container = try openHistory(at: .temporary(path), .values)
            try save("b", to: container)
            let changes = try container.history().flatMap(\.changes)
            #expect(changes.map(\.newValues.isEmpty) == [true, false])
            #expect(try openHistory(at: .temporary(path), .asStored).history().count == 2)
        }
    }

    @Test(.onSQLite("A server has no triggers of the history."))
    func `another program's trigger survives a history that comes and goes`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Chronicle.model, at: .temporary(path))
            try execute(
                """
                CREATE TABLE audit (key INTEGER);
                CREATE TRIGGER audit_book AFTER INSERT ON Book
                BEGIN INSERT INTO audit VALUES (NEW._id); END
                """, in: path)
            for tracking in [HistoryTracking.properties, .values, .off] {
                try save("a", to: openHistory(at: .temporary(path), tracking))
            }
            #expect(try rows("SELECT count(*) FROM audit", in: path) == [[.integer(3)]])
        }
    }

    @Test(.onSQLite("A server has no triggers of the history."))
    func `triggers that somebody has removed come back`() throws {
        try withStoreFile { path in
            _ = try openHistory(at: .temporary(path))
            try execute("DROP TRIGGER \"_history.Book.insert\"", in: path)
            let container = try openHistory(at: .temporary(path), .asStored)
            try save("a", to: container)
            #expect(try container.history().words == [["insert Book"]])
        }
    }

    @Test func `a migration that adds something keeps the history`() throws {
        try withStoreFile { path in
            let token: HistoryToken
            do {
                let container = try openHistory(at: .temporary(path))
                try save("a", to: container)
                token = try container.historyToken
                try save("b", to: container)
            }
            let wider = try Self.next { entities in
                entities.append(
                    Entity(
                        name: "Shop",
                        attributes: [Attribute(name: "name", type: .string, isOptional: true)]))
            }
            let container = try openHistory(at: .temporary(path), .asStored, wider)
            let context = container.newContext()
            _ = try context.insertObject(ofEntity: "Shop")
            try context.save()
            #expect(
                try container.history(after: token).words == [["insert Book"], ["insert Shop"]])
        }
    }

    @Test func `a token leads through a migration that renames`() throws {
        try withStoreFile { path in
            let token: HistoryToken
            do {
                let container = try openHistory(at: .temporary(path))
                token = try container.historyToken
                try save("a", to: container)
                let context = container.newContext()
                let person = try context.insertObject(ofEntity: "Person")
                try person.setValue(.string("Ann"), forKey: "name")
                try context.save()
            }
            let other = try Self.next { entities in
                entities[2] = Entity(
                    name: "Person",
                    attributes: [
                        Attribute(
                            name: "fullName", type: .string,
                            defaultValue: .constant(.string("")), renamedFrom: "name"),
                        entities[2].attributes[1],
                    ], relationships: entities[2].relationships)
            }
            let container = try openHistory(at: .temporary(path), .asStored, other)
            try save("b", to: container)
            let found = try container.history(after: token)
            #expect(found.words == [["insert Book"], ["insert Person"], [], ["insert Book"]])
            #expect(found[1].changes.first?.newValues["fullName"] == .value(.string("Ann")))
            #expect(found[2].author == HistoryTransaction.migrationAuthor)
            #expect(found[2].contextName == "from version 1 to version 2")
        }
    }

    @Test func `objects that a migration deletes or fills are in its transaction`() throws {
        try withStoreFile { path in
            let token: HistoryToken
            do {
                let container = try openHistory(at: .temporary(path))
                try save("a", to: container)
                try save("b", to: container)
                token = try container.historyToken
            }
            var entities = Chronicle.plain.entities
            let index = try #require(entities.firstIndex { $0.name == "Book" })
            let book = entities[index]
            entities[index] = Entity(
                name: book.name, parent: book.parent,
                attributes: book.attributes + [Attribute(name: "shelf", type: .string)],
                relationships: book.relationships, uniqueConstraints: book.uniqueConstraints)
            let title = ModelExpression.keyPath(root: .subject, names: ["title"])
            let model = Model(
                name: "Chronicle", version: "2", entities: entities,
                migration: MigrationDeclaration(
                    from: "1", fills: [.init(entity: "Book", attribute: "shelf", value: title)],
                    drops: [
                        .init(
                            entity: "Book",
                            condition: .comparison(
                                title, .equal, .literal(.string("a")), []), reason: "a test")
                    ]))
            let next = try CompiledModel(versions: [Chronicle.plain, model])
            let container = try openHistory(at: .temporary(path), .asStored, next)
            let changes = try #require(try container.history(after: token).first).changes
            #expect(changes.map(\.kind) == [.delete, .update])
            #expect(changes.last?.updatedProperties.contains("shelf") == true)
        }
    }

    /// The next version of the model, with the migration that leads there.
    private static func next(_ change: (inout [Entity]) -> Void) throws -> CompiledModel {
        var entities = Chronicle.plain.entities
        change(&entities)
        let model = Model(name: "Chronicle", version: "2", entities: entities)
        return try CompiledModel(versions: [Chronicle.plain, model])
    }
}

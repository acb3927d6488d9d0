import Cambium
import CambiumSQLite
import Foundation
import Testing

/// What programs without Cambium write to a store that keeps a history.
@Suite(.onServers, .recordingOthers)
struct OutsideWriterTests {
    private func withStore(
        _ body: (PersistentContainer, ManagedObjectContext, String) throws -> Void
    ) throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path))
            let context = container.newContext()
            context.transactionAuthor = "me"
            try context.addBook("a")
            try context.save()
            try body(container, context, path)
        }
    }

    @Test func `it is a transaction of nobody's`() throws {
        try withStore { container, context, path in
            try execute("UPDATE \"Book\" SET pages = 5, _version = _version + 1", in: path)
            try context.addBook("b")
            try context.save()
            let history = try container.history()
            #expect(history.map(\.author) == ["me", nil, "me"])
            #expect(history.map(\.number) == [1, 2, 3])
            #expect(history.words[1] == ["update Book pages"])
            #expect(history[1].processName == nil)
        }
    }

    @Test func `it is found before anybody else has saved`() throws {
        try withStore { container, _, path in
            let token = try container.historyToken
            try execute("UPDATE \"Book\" SET pages = 5", in: path)
            let history = try container.history(after: token)
            #expect(history.words == [["update Book pages"]])
            #expect(history.first?.changes.first?.oldValues == ["pages": .value(.int(0))])
        }
    }

    @Test func `read half-way, nothing of it is lost or found twice`() throws {
        try withStore { container, context, path in
            try execute("UPDATE \"Book\" SET pages = 5", in: path)
            let token = try container.historyToken
            try execute("UPDATE \"Book\" SET title = 'z'", in: path)
            try context.addBook("b")
            try context.save()
            let changes = try container.history(after: token).words
            #expect(changes == [["update Book title"], ["insert Book"]])
        }
    }

    /// Gives the only book another number of pages by a statement that says what to do where the
    /// row is there already.
    private func rewrite(_ statement: String, _ path: String, recursive: Bool = false) throws {
        try execute(
            """
            PRAGMA recursive_triggers = \(recursive ? "ON" : "OFF");
            \(statement) INTO Book (_id, _version, _entity, title, pages)
            SELECT _id, _version + 1, _entity, title, 7 FROM Book
            """, in: path)
    }

    @Test(.onSQLite("A server has no INSERT OR REPLACE."))
    func `what INSERT OR REPLACE replaces SQLite does not tell, unless it is asked to`()
        throws
    {
        try withStore { container, _, path in
            let token = try container.historyToken
            try rewrite("INSERT OR REPLACE", path)
            #expect(try container.history(after: token).words == [["insert Book"]])
        }
        try withStore { container, _, path in
            let token = try container.historyToken
            try rewrite("INSERT OR REPLACE", path, recursive: true)
            let history = try container.history(after: token)
            #expect(history.words == [["update Book pages"]])
            #expect(history.first?.changes.first?.oldValues == ["pages": .value(.int(0))])
        }
    }

    @Test func `an insertion that is passed over is no change`() throws {
        try withStore { container, _, path in
            let token = try container.historyToken
            try execute(
                """
                INSERT INTO "Book" (_id, _version, _entity, title, pages)
                SELECT _id, _version + 1, _entity, title, 7 FROM "Book" WHERE pages = 0
                ON CONFLICT DO NOTHING
                """, in: path)
            #expect(try container.history(after: token).isEmpty)
        }
    }

    @Test func `an insertion that becomes an update is one`() throws {
        try withStore { container, _, path in
            let token = try container.historyToken
            try execute(
                """
                INSERT INTO "Book" (_id, _version, _entity, title, pages)
                SELECT _id + place, _version + 1, _entity, title, 7
                FROM "Book" CROSS JOIN (SELECT 0 AS place UNION SELECT 100) AS p WHERE pages = 0
                ON CONFLICT (_id) DO UPDATE SET pages = excluded.pages
                """, in: path)
            #expect(
                try container.history(after: token).words == [["insert Book", "update Book pages"]])
        }
    }

    @Test func `what a transaction takes back is nothing`() throws {
        try withStore { container, _, path in
            let token = try container.historyToken
            try execute("BEGIN; UPDATE \"Book\" SET pages = 5; ROLLBACK", in: path)
            try execute("UPDATE \"Book\" SET pages = 5 WHERE pages = 6", in: path)
            try execute(
                """
                BEGIN; SAVEPOINT a; UPDATE "Book" SET title = 'b'; ROLLBACK TO a;
                UPDATE "Book" SET pages = 6; UPDATE "Book" SET pages = 7; COMMIT
                """, in: path)
            let history = try container.history(after: token)
            #expect(history.words == [["update Book pages"]])
            #expect(history.first?.changes.first?.oldValues == ["pages": .value(.int(0))])
            #expect(history.first?.changes.first?.newValues == ["pages": .value(.int(7))])
        }
    }

    @Test func `tombstones are of theirs, too`() throws {
        try withStore { container, _, path in
            let token = try container.historyToken
            try execute("DELETE FROM \"Book\"", in: path)
            let change = try #require(try container.history(after: token).first?.changes.first)
            #expect(change.kind == .delete)
            #expect(change.tombstone?["title"] == .string("a"))
        }
    }

    @Test func `contexts and controllers take it over`() throws {
        try withStore { container, _, path in
            let token = try container.historyToken
            let context = container.newContext()
            let controller = FetchedResultsController(
                FetchRequest<ManagedObject>(entityName: "Book").sorted(by: SortOrder("title")),
                in: context)
            try controller.performFetch()
            let changes = controller.changes
            try execute(
                """
                UPDATE "Book" SET title = 'z', _version = _version + 1;
                INSERT INTO "Book" (_id, _version, _entity, title) VALUES (100, 1, 'Novel', 'm')
                """, in: path)
            context.mergeChanges(from: try container.history(after: token))
            let titles = try controller.fetchedObjects?.map { try $0.value(forKey: "title") }
            #expect(titles == [.string("m"), .string("z")])
            withExtendedLifetime(changes) {}
        }
    }

    @Test func `without values a row that it replaces may have changed in all it holds`() throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path), .properties)
            let context = container.newContext()
            _ = try context.insertObject(ofEntity: "Person")
            try context.addBook("a")
            try context.save()
            let token = try container.historyToken
            try execute(
                """
                BEGIN; CREATE TEMP TABLE kept AS SELECT * FROM "Person"; DELETE FROM "Person";
                UPDATE "Book" SET author = (SELECT _id FROM kept);
                INSERT INTO "Person" SELECT * FROM kept; COMMIT
                """, in: path)
            #expect(
                try container.history(after: token).words == [
                    ["update Book author", "update Person bookCount books name"]
                ])
        }
    }

    @Test func `a row that it replaces counts as changed`() throws {
        try withStore { container, _, path in
            let token = try container.historyToken
            try execute(
                """
                BEGIN; CREATE TEMP TABLE kept AS SELECT * FROM "Book"; DELETE FROM "Book";
                INSERT INTO "Book" (_id, _version, _entity, title, pages)
                SELECT _id, _version + 1, _entity, title, 7 FROM kept; COMMIT
                """, in: path)
            let changes = try container.history(after: token).flatMap(\.changes)
            #expect(changes.map(\.kind) == [.update])
            #expect(changes.first?.updatedProperties == ["pages"])
            #expect(changes.first?.newValues == ["pages": .value(.int(7))])
        }
    }
}

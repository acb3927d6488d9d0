import Cambium
import CambiumEngine
import CambiumEngineSpecification
import CambiumModel
import CambiumPostgres
import CambiumRecords
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Parts of a save that another context, a reader of the history, or a look at the tables sees.
struct SavedPartsTests {
    @Test(arguments: PostgresServer.some())
    func `a row that leaves a list has no place any more`(_ server: PostgresServer) throws {
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(
            Everything.model, server.description(schema: schema))
        let context = container.newContext()
        let topic = Topic(in: context, name: "t")
        let boxes = (0..<3).map { Box(in: context, name: "b\($0)") }
        topic.boxes.replace(with: boxes)
        try context.save()
        func places() throws -> Int64 {
            let connection = try server.connect()
            let column = try connection.run(
                """
                SELECT column_name::text FROM information_schema.columns \
                WHERE table_schema = '\(schema)' AND table_name = 'Box' \
                AND column_name LIKE '%position%'
                """
            ).text(0, 0)
            return try connection.run(
                "SELECT count(\"\(column)\") FROM \"\(schema)\".\"Box\""
            ).integer(0, 0)
        }
        #expect(try places() == 3)
        boxes[1].topic = nil
        try context.save()
        #expect(try places() == 2)
    }

    @Test(arguments: PostgresServer.some())
    func `the history says whose list has another order`(_ server: PostgresServer) throws {
        let container = try PersistentContainer(Everything.model, server.description(.properties))
        let context = container.newContext()
        let topic = Topic(in: context, name: "t")
        topic.boxes.replace(with: (0..<3).map { Box(in: context, name: "b\($0)") })
        try context.save()
        let token = try container.historyToken
        topic.boxes.replace(with: topic.boxes.reversed())
        try context.save()
        let changes = try container.coordinator.fetchHistory(HistoryRequest(after: token))
            .transactions.flatMap(\.changes)
        let own = changes.filter { $0.objectID == topic.objectID }
        #expect(own.map(\.updatedProperties) == [["boxes"]])
    }

    @Test(arguments: PostgresServer.some())
    func `notes are written with a save`(_ server: PostgresServer) throws {
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(
            Everything.model, server.description(schema: schema))
        let context = container.newContext()
        _ = Topic(in: context, name: "t")
        let store = try #require(container.coordinator.persistentStores.first)
        container.coordinator.setMetadata(["note": "kept"], for: store)
        try context.save()
        let other = try PersistentContainer(
            Everything.model, server.description(schema: schema))
        let reopened = try #require(other.coordinator.persistentStores.first)
        #expect(try other.coordinator.metadata(for: reopened).notes == ["note": "kept"])
    }

    @Test(arguments: PostgresServer.some())
    func `a save fails where the server leaves a row out`(_ server: PostgresServer) throws {
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(
            Everything.model, server.description(schema: schema))
        let context = container.newContext()
        let box = Box(in: context, name: "old")
        try context.save()
        let connection = try server.connect()
        for statement in [
            "CREATE FUNCTION \"\(schema)\".skip() RETURNS trigger LANGUAGE plpgsql "
                + "AS 'BEGIN RETURN NULL; END'",
            "CREATE TRIGGER skip BEFORE UPDATE ON \"\(schema)\".\"Box\" "
                + "FOR EACH ROW EXECUTE FUNCTION \"\(schema)\".skip()",
        ] { _ = try connection.run(statement) }
        box.name = "new"
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .busy && context.hasChanges)
        _ = try connection.run("DROP TRIGGER skip ON \"\(schema)\".\"Box\"")
        try context.save()
        let reader = container.newContext()
        #expect(try reader.fetch(Box.fetchRequest()).map(\.name) == ["new"])
    }

    @Test func `rows with many bytes are written in several parts`() throws {
        let entity = try #require(Everything.model.modelDescription["Sample"])
        let slot = try #require(
            entity.shape.byteSlots.first { entity.attributes[$0]?.name == "bytes" })
        let writer = RecordWriter()
        let rows = [40, 20, 20].enumerated().map { key, megabytes in
            var row = writer.makeRecord(entity.shape)
            row.record.key = Int64(key)
            writer.set(.blob(Data(count: megabytes << 20)), slot, of: &row, entity.shape)
            return row
        }
        withExtendedLifetime(rows) {
            let parts = PostgresParts.of(rows.map(\.record), [slot], of: entity)
            #expect(parts.map { $0.map(\.key) } == [[0, 1], [2]])
            // What is not sent does not count.
            #expect(PostgresParts.of(rows.map(\.record), [], of: entity).count == 1)
        }
    }

    /// Stores write in the order of their identities, and the last one commits first: the commit of
    /// the first would be refused too late.
    @Test(arguments: PostgresServer.some(), [true, false])
    func `a key that leads nowhere is found before another store commits`(
        _ server: PostgresServer, _ isFirst: Bool
    ) throws {
        let descriptions = ["Catalogue", "Visits"].map { name in
            var description = server.description()
            description.configuration = name
            return description
        }
        func open() throws -> (PersistentStoreCoordinator, isCatalogueFirst: Bool) {
            let coordinator = PersistentStoreCoordinator(model: Library.model)
            let identifiers = try descriptions.map {
                try coordinator.addPersistentStore(with: $0).identifier.uuidString
            }
            return (coordinator, identifiers[0] < identifiers[1])
        }
        // The second one is told nothing of the first.
        let (coordinator, isCatalogueFirst) = try open()
        let (others, _) = try open()
        let context = coordinator.newContext()
        let author = Author(in: context, name: "Ada")
        let visitor = Visitor(in: context, name: "V")
        try context.save()
        #expect(author.books.isEmpty && visitor.visits.isEmpty)
        let rival = others.newContext()
        if isCatalogueFirst == isFirst {
            _ = try Book(in: rival, author: rival.fetch(Author.fetchRequest()).first)
            context.delete(author)
            visitor.name = "W"
        } else {
            _ = try Visit(in: rival, visitor: rival.fetch(Visitor.fetchRequest()).first)
            context.delete(visitor)
            author.name = "Eve"
        }
        try rival.save()
        let error = #expect(throws: (any Error).self) { try context.save() }
        #expect(!(error is IncompleteSaveError), "\(String(describing: error))")
        let reader = others.newContext()
        #expect(try reader.fetch(Author.fetchRequest()).map(\.name) == ["Ada"])
        #expect(try reader.fetch(Visitor.fetchRequest()).map(\.name) == ["V"])
    }

    /// Notes two deletions, of which one is taken back.
    private struct PartlyTakenBack: BatchWork {
        let resultType = BatchResultType.count
        let canPlan = false
        let canRunAgain = false

        private struct Refusal: Error {}

        func run(in transaction: any BatchTransaction) throws {
            let box = try #require(transaction.model["Box"])
            transaction.changes.delete([1], box)
            #expect(throws: Refusal.self) {
                try transaction.savepoint {
                    transaction.changes.delete([2], box)
                    throw Refusal()
                }
            }
        }
    }

    @Test(arguments: PostgresServer.some())
    func `what a part of a batch operation noted is taken back with it`(
        _ server: PostgresServer
    ) throws {
        let container = try PersistentContainer(Everything.model, server.description())
        let store = try #require(container.coordinator.persistentStores.first).store
        let engine = try #require(store as? PostgresEngine)
        var deleted: [Int64]?
        try engine.run(PartlyTakenBack(), by: TransactionAuthor(), attachesRows: false) {
            deleted = $0.entities?.flatMap(\.deleted)
        }
        #expect(deleted == [1])
    }
}

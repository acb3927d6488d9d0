import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Parts of a save that another context, a reader of the history, or a look at the tables sees.
struct SavedPartsTests {
    @Test(arguments: PostgresServer.all)
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

    @Test(arguments: PostgresServer.all)
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

    @Test(arguments: PostgresServer.all)
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
}

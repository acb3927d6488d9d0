import CambiumEngineSpecification
import CambiumMigrationCommand
import CambiumPostgres
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A repair is a transaction of the history, so that programs that follow it see the new values.
struct RepairHistoryTests {
    @Test func `the history of a file has a repair`() throws {
        try withFolder { folder in
            let store = StoreDescription(
                location: .file(folder.appending(path: "store.sqlite").path()))
            try checkHistory(of: store) { try damage(store, $0) }
        }
    }

    @Test func `a repair of a file without a history adds none`() throws {
        try withFolder { folder in
            let store = StoreDescription(
                location: .file(folder.appending(path: "store.sqlite").path()))
            try checkNoHistory(of: store) { try damage(store, $0) }
        }
    }

    @Test(arguments: CheckedServer.some())
    func `the history of a store on a server has a repair`(_ server: CheckedServer) throws {
        try withSchema(server) { store, connection in
            try checkHistory(of: store) { _ = try connection.run($0) }
        }
    }

    @Test(arguments: CheckedServer.some())
    func `a repair on a server without a history adds none`(_ server: CheckedServer) throws {
        try withSchema(server) { store, connection in
            try checkNoHistory(of: store) { _ = try connection.run($0) }
        }
    }

    @Test @MainActor func `a context that follows a file sees what a repair computes`()
        async throws
    {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var store = StoreDescription(
            location: .file(folder.appending(path: "store.sqlite").path()))
        (store.options.history, store.options.followsRemoteChanges) = (.properties, true)
        let container = try PersistentContainer(Ledger.model, store)
        let client = try insertClient(container.viewContext)
        func waits(for count: Int64) async throws {
            let end = ContinuousClock.now + .seconds(20)
            while try client.value(forKey: "invoiceCount") != .int(count), .now < end {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(try client.value(forKey: "invoiceCount") == .int(count))
        }
        try await waits(for: 1)
        try damage(store, staleValues)
        try await waits(for: 99)
        try repair(store)
        try await waits(for: 1)
    }
}

private let staleValues = "UPDATE \"Client\" SET \"invoiceCount\" = 99, \"shout\" = 'x'"

private func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "cambium-repair-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
}

private func withSchema(
    _ server: CheckedServer, _ body: (StoreDescription, PostgresConnection) throws -> Void
) throws {
    let schema = "test \(UUID().uuidString)"
    let connection = try PostgresConnection(PostgresSettings(server.url))
    _ = try connection.run("SET search_path = \"\(schema)\"")
    defer { _ = try? connection.run("DROP SCHEMA \"\(schema)\" CASCADE") }
    try body(StoreDescription(location: .postgres(server.url, schema: schema)), connection)
}

/// Changes a store in a file as another program does.
private func damage(_ store: StoreDescription, _ sql: String) throws {
    guard let path = store.location.path else { return }
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute(sql)
}

@discardableResult
private func repair(_ store: StoreDescription) throws -> StoreCheckReport {
    var store = store
    store.options = StoreOptions()
    return try StoreCheck(model: Ledger.model, store: store).run(repairing: true)
}

/// A client with one invoice.
private func insertClient(_ context: ManagedObjectContext) throws -> ManagedObject {
    let client = try context.insertObject(ofEntity: "Client")
    try client.setValue(.string("Ada"), forKey: "name")
    let invoice = try context.insertObject(ofEntity: "Invoice")
    try invoice.setRelatedObject(client, forKey: "client")
    try context.save()
    return client
}

private func checkHistory(of store: StoreDescription, _ damage: (String) throws -> Void) throws {
    var tracked = store
    tracked.options.history = .values
    let container = try PersistentContainer(Ledger.model, tracked)
    let context = container.newContext()
    let client = try insertClient(context)
    try damage(staleValues)
    _ = try container.history()
    let token = try container.historyToken
    #expect(try repair(store).repairs.map(\.count) == [1, 1])
    let found = try container.history(after: token)
    #expect(found.map(\.author) == [HistoryTransaction.repairAuthor])
    let changes = found.flatMap(\.changes)
    #expect(changes.map(\.objectID) == [client.objectID] && changes.first?.kind == .update)
    let names = changes.first?.updatedProperties
    #expect(names?.isSuperset(of: ["invoiceCount", "shout"]) == true)
    #expect(names?.isSubset(of: ["invoiceCount", "shout", "surplus"]) == true)
    #expect(changes.first?.newValues["shout"] == .value(.string("ADA")))
    #expect(changes.first?.oldValues["shout"] == .value(.string("x")))
    // A derived value is no part of a conflict, whoever writes it.
    try client.setValue(.string("Eve"), forKey: "name")
    try context.save()
    #expect(try client.value(forKey: "shout") == .string("EVE"))
    #expect(try client.value(forKey: "invoiceCount") == .int(1))
    // Without a value to repair there is nothing to record.
    let last = try container.historyToken
    try damage("UPDATE \"_keys\" SET \"next\" = 1 WHERE \"entity\" = 'Invoice'")
    #expect(try repair(store).repairs.map(\.count) == [1])
    #expect(try container.history(after: last).isEmpty)
}

private func checkNoHistory(of store: StoreDescription, _ damage: (String) throws -> Void) throws {
    let container = try PersistentContainer(Ledger.model, store)
    let context = container.newContext()
    _ = try insertClient(context)
    try damage(staleValues)
    #expect(try repair(store).repairs.map(\.count) == [1, 1])
    let error = #expect(throws: StoreError.self) { try container.history() }
    #expect(error?.code == .noHistory)
    #expect(try StoreCheck(model: Ledger.model, store: store).run().isClean)
}

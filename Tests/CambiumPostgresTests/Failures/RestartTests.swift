import CambiumEngine
import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// A server that is stopped, started and changed while a program has a store on it.
@Suite(.enabled(if: OwnServer.isAvailable)) struct RestartTests {
    /// Expects a save to fail, and the context to keep its changes.
    private func expect(
        _ failure: ServerFailure, _ code: StoreError.Code, _ context: ManagedObjectContext,
        at location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: StoreError.self, sourceLocation: location) {
            try context.save()
        }
        #expect(error?.serverFailure == failure, "\(error as Any)", sourceLocation: location)
        #expect(error?.code == code, sourceLocation: location)
        #expect(context.hasChanges, sourceLocation: location)
    }

    @Test func `saves survive what happens to a server`() throws {
        let server = try OwnServer()
        // What was committed is to survive a crash.
        try server.shutDown()
        try server.start()
        var options = PostgresOptions()
        options.retryTimeout = .seconds(20)
        var description = StoreDescription(location: .postgres(server.url, options: options))
        let restart = Once()
        let isOn = Mutex(false)
        let failure = Mutex<(any Error)?>(nil)
        description.options.statementHook = StatementHook { statement in
            guard statement.sql.hasPrefix("SET CONSTRAINTS"), isOn.withLock({ $0 }),
                restart.take()
            else { return }
            // In the middle of a save, before its commit.
            do { try server.stop() } catch { failure.withLock { $0 = error } }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) {
                do { try server.start() } catch { failure.withLock { $0 = error } }
            }
        }
        let container = try PersistentContainer(Everything.model, description)
        let context = container.newContext()
        let box = Box(in: context, name: "0")
        try context.save()
        func expectStored(_ name: String) throws {
            #expect(try container.newContext().fetch(Box.fetchRequest()).map(\.name) == [name])
        }

        isOn.withLock { $0 = true }
        box.name = "restarted"
        try context.save()
        #expect(restart.isOver)
        if let failure = failure.withLock({ $0 }) { throw failure }
        try expectStored("restarted")

        try server.shutDown()
        box.name = "stopped"
        expect(.unreachable, .inaccessible, context)
        let error = #expect(throws: StoreError.self) {
            try container.newContext().count(for: Box.fetchRequest())
        }
        #expect(error?.serverFailure == .unreachable)
        try server.setStandby(true)
        try server.start()
        // It can be read.
        try expectStored("restarted")
        expect(.readOnly, .readOnly, context)
        let refused = #expect(throws: StoreError.self) {
            try container.coordinator.performTransaction { $0.hasChanges }
        }
        #expect(refused?.serverFailure == .readOnly)
        try server.shutDown()
        try server.setStandby(false)

        try server.start([
            "max_connections=3", "superuser_reserved_connections=0", "max_wal_senders=0",
        ])
        var others: [PostgresConnection] = []
        for _ in 0..<3 { others.append(try PostgresConnection(PostgresSettings(server.url))) }
        expect(.tooManyConnections, .busy, context)
        others.removeAll()
        // The server takes a moment to notice.
        let end = ContinuousClock.now + .seconds(10)
        while context.hasChanges, .now < end {
            do { try context.save() } catch { Thread.sleep(forTimeInterval: 0.02) }
        }
        try expectStored("stopped")

        try wrongPassword(server)
    }

    private func wrongPassword(_ server: OwnServer) throws {
        let admin = try PostgresConnection(PostgresSettings(server.url))
        _ = try admin.run("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        try server.setAccess("local all guarded scram-sha-256\nlocal all all trust")
        let url = server.url.replacing("cambium@", with: "guarded:sesame4711@")
        let error = try #require(throws: StoreLoadingError.self) {
            try PersistentContainer(Everything.model, StoreDescription(location: .postgres(url)))
        }
        let cause = try #require(error.underlying as? StoreError)
        #expect(cause.serverFailure == .wrongCredentials)
        #expect(!Texts.of(error).contains("4711"))
        let missing = #expect(throws: PostgresError.self) {
            try PostgresConnection(
                PostgresSettings(server.url.replacing("cambium@", with: "guarded@")))
        }
        #expect(missing?.failure == .wrongCredentials)
        try server.setAccess("local all nobody trust")
        let excluded = #expect(throws: PostgresError.self) {
            try PostgresConnection(PostgresSettings(server.url))
        }
        #expect([.wrongCredentials, .encryption].contains(excluded?.failure))
    }
}

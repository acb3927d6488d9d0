import CambiumEngine
import CambiumEngineSpecification
import CambiumPostgres
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// Saves whose connection is cut, at each message: the store has all of a save or nothing, and the context
/// says which.
@Suite(.serialized) struct CutConnectionTests {
    /// A store that one program reaches through a proxy, and another one without.
    private final class World {
        let proxy: CutProxy
        /// The program whose connections are cut.
        let container: PersistentContainer
        let context: ManagedObjectContext
        let client: ManagedObject
        private let keeper: PersistentContainer
        private let calls: Calls
        private let observations: [Any]
        private(set) var savings = 0

        /// How often hooks were called, and observers were notified.
        final class Calls {
            var willSave = 0
            var didSave = 0
        }

        init(
            _ server: PostgresServer, retryTimeout: Duration, _ tracking: HistoryTracking = .off
        ) throws {
            let folder = try #require(server.url.firstMatch(of: /host=(.*)/)?.1)
            proxy = try CutProxy(to: String(folder))
            let schema = PostgresServer.newSchema
            keeper = try PersistentContainer(
                Ledger.model, server.description(tracking, schema: schema))
            var options = PostgresOptions()
            options.applicationName = "cut \(UUID().uuidString)"
            options.retryTimeout = retryTimeout
            let description = StoreDescription(
                location: .postgres(
                    server.url.replacing(folder, with: proxy.folder), schema: schema,
                    options: options))
            container = try PersistentContainer(Ledger.model, description)
            context = container.newContext()
            client = try context.make("Client", ["name": "0"])
            let calls = Calls()
            self.calls = calls
            observations = [
                context.observe(.willSave) { calls.willSave += 1 },
                context.observe(.didSave) { _ in calls.didSave += 1 },
            ]
            // Keys are reserved, and statements are prepared.
            try context.save()
            for _ in 0..<2 {
                try change()
                try context.save()
                savings += 1
            }
        }

        deinit { proxy.stop() }

        /// Makes changes of each kind: an update, an insertion, and what is derived from that.
        func change() throws {
            client["name"] = "\(savings + 1)"
            try context.make("Invoice")[one: "client"] = client
        }

        /// Saves what ``change()`` has changed, and notes the calls.
        func save() throws -> Calls {
            (calls.willSave, calls.didSave) = (0, 0)
            defer { withExtendedLifetime(observations) {} }
            try context.save()
            savings += 1
            return calls
        }

        /// Notes that a save was committed that has thrown.
        func noteCommit() { savings += 1 }

        /// What is wrong where the last save is in the store, once.
        func wrongs() throws -> [String] {
            let reader = keeper.newContext()
            let stored = try #require(try reader.all("Client").first)
            var wrongs = try Ledger.wrongValues(in: reader)
            func expect(_ isRight: Bool, _ what: String) { if !isRight { wrongs.append(what) } }
            expect(stored["name"] == "\(savings)", "name \(stored["name"]), not \(savings)")
            expect(try reader.all("Invoice").count == savings, "invoices")
            if !context.hasChanges {
                let count = try client.value(forKey: "invoiceCount")
                expect(count == .int(Int64(savings)), "\(count) invoices in the context")
            }
            return wrongs
        }
    }

    /// How many messages a save sends and receives.
    private func messages(_ world: World) throws -> (sent: Int, received: Int) {
        let counts = Counts()
        world.proxy.begin { message in
            counts.note(message)
            return .forward
        }
        try world.change()
        _ = try world.save()
        world.proxy.end()
        return counts.counts
    }

    private final class Counts: Sendable {
        private let value = Mutex((sent: 0, received: 0))
        var counts: (sent: Int, received: Int) { value.withLock { $0 } }

        func note(_ message: CutProxy.Message) {
            value.withLock { value in
                if message.isToServer {
                    value.sent = message.number + 1
                } else {
                    value.received = message.number + 1
                }
            }
        }
    }

    /// Says once that a message is to be cut.
    private final class Once: Sendable {
        private let isDone = Mutex(false)
        var isOver: Bool { isDone.withLock { $0 } }
        func take() -> Bool {
            isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
        }
    }

    private static let trackings = [HistoryTracking.off, .values]

    @Test(arguments: PostgresServer.all, trackings)
    func `a save whose connection is cut at any message is saved once`(
        _ server: PostgresServer, _ tracking: HistoryTracking
    ) throws {
        let world = try World(server, retryTimeout: .seconds(10), tracking)
        let (sent, received) = try messages(world)
        #expect(sent > 20 && received > 20)
        for (count, isToServer) in [(sent, true), (received, false)] {
            for number in 0..<count {
                let once = Once()
                world.proxy.begin { message in
                    message.isToServer == isToServer && message.number == number && once.take()
                        ? .cut : .forward
                }
                try world.change()
                let calls = try world.save()
                #expect(once.isOver, "\(number) of \(count)")
                #expect(calls.willSave == 1 && calls.didSave == 1)
                world.proxy.end()
                let wrongs = try world.wrongs()
                #expect(wrongs.isEmpty, "\(isToServer) \(number): \(wrongs)")
            }
        }
        // The context knows the versions.
        #expect(try world.container.newContext().all("Client").count == 1)
    }

    @Test(arguments: PostgresServer.all)
    func `a server that is cut off at any message has the old state or the new one`(
        _ server: PostgresServer
    ) async throws {
        let world = try World(server, retryTimeout: .milliseconds(20))
        let (sent, received) = try messages(world)
        var outcomes: [CommitOutcome] = []
        for (count, isToServer) in [(sent, true), (received, false)] {
            for number in 0..<count {
                let proxy = world.proxy
                proxy.begin { message in
                    guard message.isToServer == isToServer, message.number == number else {
                        return .forward
                    }
                    proxy.goDown()
                    return .cut
                }
                try world.change()
                do {
                    _ = try world.save()
                    // The answer to COMMIT came before the end of the pipeline.
                    Issue.record("saved without a server, \(isToServer) \(number)")
                } catch let error as StoreError {
                    #expect(world.context.hasChanges)
                    proxy.end()
                    guard let commit = error.commit else {
                        #expect(error.code == .inaccessible)
                        #expect(try world.wrongs() == [], "\(isToServer) \(number)")
                        // The changes are still in the context.
                        _ = try world.save()
                        #expect(try world.wrongs() == [])
                        continue
                    }
                    #expect(error.code == .commitOutcomeUnknown)
                    let outcome = try await world.container.outcome(of: commit)
                    outcomes.append(outcome)
                    if outcome == .committed {
                        world.noteCommit()
                        #expect(try world.wrongs() == [], "\(isToServer) \(number)")
                        world.context.rollback()
                        world.context.refreshAllObjects()
                    } else {
                        #expect(outcome == .rolledBack)
                        #expect(try world.wrongs() == [], "\(isToServer) \(number)")
                        _ = try world.save()
                    }
                    #expect(try world.wrongs() == [])
                    #expect(try await world.container.outcome(of: commit) == outcome)
                }
            }
        }
        #expect(outcomes.contains(.committed) && outcomes.contains(.rolledBack))
    }
}

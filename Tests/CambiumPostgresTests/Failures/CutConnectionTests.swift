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
    /// How many messages a save sends and receives.
    private func messages(_ world: CutWorld) throws -> (sent: Int, received: Int) {
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

    /// The messages at which a connection is cut: the last ones, which commit, and some of the others.
    /// With CAMBIUM_GENERATOR_RUNS all of them.
    private func places(_ world: CutWorld) throws -> [(isToServer: Bool, number: Int)] {
        let (sent, received) = try messages(world)
        try #require(sent > 20 && received > 20)
        let environment = ProcessInfo.processInfo.environment
        let isLong = environment["CAMBIUM_GENERATOR_RUNS"] != nil
        let step = isLong ? 1 : 16
        let first = Int.random(in: 0..<step)
        return [(true, sent), (false, received)].flatMap { isToServer, count in
            (0..<count).filter { $0 % step == first || $0 >= count - 6 }.map { (isToServer, $0) }
        }
    }

    private static let trackings = [HistoryTracking.off, .values]

    @Test(arguments: zip(PostgresServer.all, trackings))
    func `a save whose connection is cut at any message is saved once`(
        _ server: PostgresServer, _ tracking: HistoryTracking
    ) throws {
        let world = try CutWorld(server, retryTimeout: .seconds(10), tracking)
        for place in try places(world) {
            let cut = world.proxy.cut {
                $0.isToServer == place.isToServer && $0.number == place.number
            }
            try world.change()
            let calls = try world.save()
            #expect(cut.isOver, "\(place)")
            #expect(calls.willSave == 1 && calls.didSave == 1)
            let wrongs = try world.wrongs()
            #expect(wrongs.isEmpty, "\(place): \(wrongs)")
        }
        world.proxy.end()
        #expect(try Ledger.wrongValues(in: world.container.newContext()) == [])
    }

    @Test(arguments: PostgresServer.some().suffix(1))
    func `a server that is out of reach from any message on has the old state or the new one`(
        _ server: PostgresServer
    ) async throws {
        let world = try CutWorld(server, retryTimeout: .milliseconds(20))
        var outcomes: [CommitOutcome] = []
        for place in try places(world) {
            let proxy = world.proxy
            proxy.begin { message in
                guard message.isToServer == place.isToServer, message.number == place.number else {
                    return .forward
                }
                proxy.goDown()
                return .cut
            }
            try world.change()
            let error = try #require(throws: StoreError.self) { try world.save() }
            proxy.end()
            #expect(world.context.hasChanges)
            guard let commit = error.commit else {
                #expect(error.code == .inaccessible, "\(place)")
                #expect(try world.wrongs() == [], "\(place)")
                // The changes are still in the context.
                _ = try world.save()
                #expect(try world.wrongs() == [], "\(place)")
                continue
            }
            #expect(error.code == .commitOutcomeUnknown, "\(place)")
            let outcome = try await world.container.outcome(of: commit)
            outcomes.append(outcome)
            if outcome == .committed {
                world.noteCommit()
                #expect(try world.wrongs() == [], "\(place)")
                world.context.rollback()
                world.context.mergePending()
            } else {
                #expect(outcome == .rolledBack, "\(place)")
                #expect(try world.wrongs() == [], "\(place)")
                _ = try world.save()
            }
            #expect(try world.wrongs() == [], "\(place)")
            // The answer is the same for ever.
            #expect(try await world.container.outcome(of: commit) == outcome, "\(place)")
        }
        #expect(outcomes.contains(.committed) && outcomes.contains(.rolledBack))
    }

    @Test(arguments: PostgresServer.some())
    func `a commit that never reaches the server is undecided, until its connection ends`(
        _ server: PostgresServer
    ) async throws {
        let world = try CutWorld(
            server, retryTimeout: .milliseconds(150), busyTimeout: .milliseconds(100))
        let once = Once()
        world.proxy.begin { $0.isOfCommit && $0.isToServer && once.take() ? .hang : .forward }
        try world.change()
        let begin = ContinuousClock.now
        let error = try #require(throws: StoreError.self) { try world.save() }
        #expect(.now - begin < .seconds(5))
        #expect(error.code == .commitOutcomeUnknown)
        let commit = try #require(error.commit)
        #expect(error.message.contains(commit.uuid.uuidString))
        #expect(try await world.container.outcome(of: commit) == .undecided)
        #expect(try world.wrongs() == [])
        world.proxy.end()
        let end = ContinuousClock.now + .seconds(10)
        while try await world.container.outcome(of: commit) == .undecided, .now < end {}
        #expect(try await world.container.outcome(of: commit) == .rolledBack)
        // A program may ask when it runs again.
        let kept = try JSONDecoder().decode(CommitID.self, from: JSONEncoder().encode(commit))
        #expect(try await world.container.outcome(of: kept) == .rolledBack)
        _ = try world.save()
        #expect(try world.wrongs() == [])
    }

    @Test(arguments: PostgresServer.some())
    func `a commit that is late is waited for`(_ server: PostgresServer) throws {
        let world = try CutWorld(server, retryTimeout: .seconds(20))
        let proxy = world.proxy
        let once = Once()
        proxy.begin { message in
            guard message.isOfCommit, message.isToServer, once.take() else { return .forward }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(150)) { proxy.end() }
            return .hang
        }
        try world.change()
        let begin = ContinuousClock.now
        let calls = try world.save()
        #expect(.now - begin > .milliseconds(100))
        #expect(calls.willSave == 1 && calls.didSave == 1)
        #expect(try world.wrongs() == [])
    }

    // MARK: Other transactions

    /// Cuts a connection before its commit, and another one before the answer to it.
    private func cuts(
        _ proxy: CutProxy, _ body: (_ isCommitted: Bool) throws -> Void
    ) throws {
        for isToServer in [true, false] {
            let cut = proxy.cut { $0.isOfCommit && $0.isToServer == isToServer }
            try body(!isToServer)
            #expect(cut.isOver)
        }
    }

    @Test(arguments: PostgresServer.some(), [TransactionIsolation.snapshot, .serializable])
    func `a transaction of a program is run again only where it was not committed`(
        _ server: PostgresServer, _ isolation: TransactionIsolation
    ) throws {
        let world = try CutWorld(server, retryTimeout: .seconds(10))
        let before = try world.count(of: "Client")
        try cuts(world.proxy) { isCommitted in
            var runs = 0
            try world.container.coordinator.performTransaction(isolation: isolation) { context in
                runs += 1
                _ = try context.make("Client", ["name": "new"])
            }
            #expect(runs == (isCommitted ? 1 : 2))
        }
        #expect(try world.count(of: "Client") == before + 2)
        // Before anything was read.
        let cut = world.proxy.cut { $0.isToServer && $0.number == 0 }
        try world.container.coordinator.performTransaction(isolation: isolation) { context in
            _ = try context.make("Client", ["name": "new"])
        }
        #expect(cut.isOver)
        #expect(try world.count(of: "Client") == before + 3)
    }

    @Test(arguments: PostgresServer.some())
    func `a batch operation is run again only where it was not committed`(
        _ server: PostgresServer
    ) throws {
        let world = try CutWorld(server, retryTimeout: .seconds(10))
        let context = world.container.newContext()
        var count = try world.count(of: "Label")
        let rows = (0..<3).map { ["weight": Value.int(Int64($0))] }
        try cuts(world.proxy) { _ in
            let result = try context.execute(
                BatchInsertRequest<ManagedObject>(entityName: "Label", objects: rows))
            count += 3
            #expect(result.count == 3)
            #expect(try world.count(of: "Label") == count)
        }
        try cuts(world.proxy) { isCommitted in
            let result = try context.execute(
                BatchUpdateRequest<ManagedObject>(entityName: "Label")
                    .setValue(.int(isCommitted ? 8 : 7), forKey: "weight"))
            #expect(result.count == count)
        }
        let versions = try world.direct.run(
            "SELECT max(\"_version\"), min(\"_version\") FROM \"\(world.schema)\".\"Label\"")
        #expect(versions.integer(0, 0) == 3 && versions.integer(0, 1) == 3)
        // What can be read once only.
        let once = UncheckedSequence(elements: AnyIterator(rows.makeIterator()))
        let cut = world.proxy.cut { $0.isOfCommit && $0.isToServer }
        let error = #expect(throws: StoreError.self) {
            try context.execute(
                BatchInsertRequest<ManagedObject>(entityName: "Label", objects: once))
        }
        #expect(cut.isOver)
        #expect(error?.serverFailure == .connectionLost)
        #expect(try world.count(of: "Label") == count)
        try cuts(world.proxy) { _ in
            _ = try context.execute(BatchDeleteRequest<ManagedObject>(entityName: "Label"))
        }
        #expect(try world.count(of: "Label") == 0)
    }

    /// One thread at a time uses it.
    private struct UncheckedSequence<Elements: Sequence>: Sequence, @unchecked Sendable {
        let elements: Elements
        func makeIterator() -> Elements.Iterator { elements.makeIterator() }
    }

    @Test(arguments: PostgresServer.some())
    func `metadata are written where the connection is cut`(_ server: PostgresServer) throws {
        let world = try CutWorld(server, retryTimeout: .seconds(10))
        let coordinator = world.container.coordinator
        let store = try #require(coordinator.persistentStores.first)
        try cuts(world.proxy) { isCommitted in
            coordinator.setMetadata(["cut": "\(isCommitted)"], for: store)
            try world.context.save()
            #expect(try coordinator.metadata(for: store).notes == ["cut": "\(isCommitted)"])
        }
        #expect(
            try world.direct.run(
                "SELECT value FROM \"\(world.schema)\"._metadata WHERE name = 'user.cut'"
            ).text(0, 0) == "true")
    }

    @Test(arguments: PostgresServer.some())
    func `a key is reserved where the connection is cut`(_ server: PostgresServer) throws {
        let world = try CutWorld(server, retryTimeout: .seconds(10))
        let cut = world.proxy.cut { $0.isToServer && $0.number == 0 }
        let context = world.container.newContext()
        // None of these is reserved yet.
        _ = try context.make("Region", ["name": "new"])
        try context.save()
        #expect(cut.isOver)
        #expect(try world.count(of: "Region") == 1)
    }
}

import Cambium
import CambiumEngineSpecification
import CambiumModel
import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// The history of stores on a server.
struct PostgresHistoryTests {
    // MARK: The same as SQLite's

    @Test(arguments: PostgresServer.some(), [HistoryTracking.values, .properties])
    func `random work leaves the history that it leaves in SQLite`(
        _ server: PostgresServer, _ tracking: HistoryTracking
    ) throws {
        for seed in 1...(TestSize.isFull ? 6 : 2) as ClosedRange<UInt64> {
            let mine = try server.open(tracking)
            let theirs = try openInMemory(tracking)
            let token = try (mine.historyToken, theirs.historyToken)
            for container in [mine, theirs] {
                var generator = Numbers(seed: seed)
                let work = Work(container.newContext())
                for _ in 0..<30 { try work.run(&generator) }
            }
            let (one, other) = (
                try mine.history(after: token.0), try theirs.history(after: token.1)
            )
            #expect(one.count == other.count, "seed \(seed)")
            for (one, other) in zip(one, other) {
                let (mine, theirs) = (Told(one), Told(other))
                #expect(mine == theirs, "seed \(seed), transaction \(one.number)")
                if mine != theirs { return }
            }
            for request in [HistoryRequest().only(.delete), HistoryRequest().of(Node.self)] {
                let found = try [mine, theirs].map {
                    try $0.coordinator.fetchHistory(request).transactions.map { Told($0) }
                }
                #expect(found[0] == found[1], "seed \(seed)")
            }
        }
    }

    @Test(arguments: PostgresServer.some())
    func `values come back to the bit`(_ server: PostgresServer) throws {
        let container = try server.open(.values)
        let context = container.newContext()
        let sample = Sample(in: context)
        sample.moment = Date(timeIntervalSince1970: 0)
        try context.save()
        let large = try #require(Decimal(string: "92233720368547758.07"))
        let small = try #require(Decimal(string: "-92233720368547758.08"))
        let values: [(String, Value)] = [
            ("text", .string("")), ("text", .string("e\u{301} \u{1F600} 'a' \"b\" \\ \u{FFFF}")),
            ("long", .int(Int64.min)), ("long", .int(Int64.max)), ("short", .int(-32_768)),
            ("double", .double(Double.infinity)), ("double", .double(-Double.infinity)),
            ("double", .double(Double.leastNonzeroMagnitude)), ("double", .double(0.1)),
            ("double", .double(Double.greatestFiniteMagnitude)), ("flag", .bool(true)),
            ("amount", .decimal(large)), ("amount", .decimal(small)),
            ("bytes", .data(Data([0, 255, 92, 39]))), ("bytes", .data(Data())), ("bytes", .null),
            ("maybeToken", .uuid(UUID())), ("moment", .date(Date(timeIntervalSince1970: -1e9))),
            ("maybeLong", .int(0)), ("maybeLong", .null),
        ]
        var token = try container.historyToken
        for (name, value) in values {
            let before = try sample.value(forKey: name)
            if before == value { continue }
            try sample.setValue(value, forKey: name)
            try context.save()
            let change = try #require(try container.history(after: token).first?.changes.first)
            #expect(change.updatedProperties == [name], "\(value)")
            #expect(change.newValues == [name: .value(value)], "\(value)")
            #expect(change.oldValues == [name: .value(before)], "\(value)")
            token = try container.historyToken
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a history adds no round trip to a save`(_ server: PostgresServer) throws {
        let counts = try [HistoryTracking.off, .values].map { tracking in
            let description = server.description(tracking, applicationName: UUID().uuidString)
            let container = try PersistentContainer(Everything.model, description)
            let store = try #require(container.coordinator.persistentStores.first).store
            let engine = try #require(store as? PostgresEngine)
            let context = container.newContext()
            let nodes = (0..<100).map { Node(in: context, number: Int64($0)) }
            try context.save()
            for node in nodes { node.number += 1 }
            let before = try engine.pool.withConnection { $0.roundTrips }
            try context.save()
            return try engine.pool.withConnection { $0.roundTrips } - before
        }
        #expect(counts == [3, 3])
    }

    // MARK: Order

    @Test(arguments: PostgresServer.some())
    func `who follows many writers misses nothing, and sees each object's changes in order`(
        _ server: PostgresServer
    ) throws {
        let description = server.description(.values)
        let container = try PersistentContainer(Everything.model, description)
        let setup = container.newContext()
        let shared = (0..<3).map { _ in Node(in: setup) }
        try setup.save()
        let ids = shared.map(\.objectID)
        let start = try container.historyToken
        let (writers, saves) = (6, TestSize.isFull ? 40 : 12)
        let running = Atomic(writers)
        let failures = Mutex<[String]>([])
        for writer in 0..<writers {
            let thread = Thread {
                defer { running.subtract(1, ordering: .sequentiallyConsistent) }
                do {
                    let own = try PersistentContainer(Everything.model, description)
                    let context = own.newContext()
                    context.mergePolicy = .objectTrump
                    for number in 0..<saves {
                        _ = Node(in: context, label: "\(writer)", number: Int64(number))
                        if number % 3 == 0 {
                            let node: Node = try context.get(ids[number / 3 % 3])
                            context.refresh(node, mergeChanges: false)
                            node.number += 1
                        }
                        try context.save()
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            thread.start()
        }
        var token = start
        var seen: [HistoryTransaction] = []
        var isLast = false
        while true {
            var request = HistoryRequest(after: token)
            request.limit = 7
            let result = try container.coordinator.fetchHistory(request)
            token = result.token
            seen += result.transactions
            if result.transactions.isEmpty {
                if isLast { break }
                Thread.sleep(forTimeInterval: 0.005)
            }
            isLast = running.load(ordering: .sequentiallyConsistent) == 0
        }
        #expect(failures.withLock { $0 } == [])
        #expect(seen.count == writers * saves)
        let numbers = seen.map(\.number)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        var known: [ObjectID: PropertyValue] = [:]
        for change in seen.flatMap(\.changes) where change.kind == .update {
            guard let new = change.newValues["number"] else { continue }
            if let last = known[change.objectID] { #expect(change.oldValues["number"] == last) }
            known[change.objectID] = new
        }
        #expect(known.count == 3)
    }

    // MARK: Turning it on and off

    @Test(arguments: PostgresServer.some())
    func `a history belongs to the store, and starts over when it is turned off`(
        _ server: PostgresServer
    ) throws {
        var description = server.description(.values)
        let first = try PersistentContainer(Everything.model, description)
        description.options.history = .asStored
        let second = try PersistentContainer(Everything.model, description)
        try save(second, "a")
        let token = try first.historyToken
        #expect(try first.history().map(\.author) == ["a"])
        description.options.history = .properties
        let third = try PersistentContainer(Everything.model, description)
        try save(first, "b")
        let transaction = try #require(try third.history(after: token).first)
        #expect(transaction.author == "b")
        #expect(transaction.changes.allSatisfy { $0.newValues.isEmpty })
        description.options.history = .off
        let fourth = try PersistentContainer(Everything.model, description)
        let none = #expect(throws: StoreError.self) { try first.history(after: token) }
        #expect(none?.code == .noHistory)
        try save(first, "c")
        try save(fourth, "d")
        description.options.history = .values
        let fifth = try PersistentContainer(Everything.model, description)
        try save(first, "e")
        #expect(try fifth.history().map(\.author) == ["e"])
        #expect(try fifth.history().map(\.number) == [1])
        let expired = #expect(throws: StoreError.self) { try first.history(after: token) }
        #expect(expired?.code == .historyExpired)
    }

    @Test(arguments: PostgresServer.some())
    func `turning the history on waits for those who save without it`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        var description = server.description(.off, schema: schema)
        let container = try PersistentContainer(Everything.model, description)
        description.options.history = .values
        description.options.busyTimeout = .milliseconds(200)
        let asked = description
        let connection = try server.connect()
        try connection.transaction {
            // As a save does that finds no history.
            _ = try connection.run("SELECT count(*) FROM \"\(schema)\".\"_metadata\"")
            let error = #expect(throws: StoreLoadingError.self) {
                try PersistentContainer(Everything.model, asked)
            }
            try #expect("\(#require(error))".contains("cannot be turned on or off"))
        }
        let opened = try PersistentContainer(Everything.model, asked)
        try save(container, "a")
        #expect(try opened.history().map(\.author) == ["a"])
    }

    // MARK: Removing

    @Test(arguments: PostgresServer.some())
    func `what is removed is gone, and a token that needs it has expired`(
        _ server: PostgresServer
    ) throws {
        let container = try server.open(.values)
        let start = try container.historyToken
        for author in ["a", "b", "c", "d"] { try save(container, author) }
        let history = try container.history()
        try container.coordinator.deleteHistory(before: history[1].token)
        #expect(try container.history().map(\.author) == ["b", "c", "d"])
        #expect(try container.history(after: history[0].token).map(\.author) == ["b", "c", "d"])
        let error = #expect(throws: StoreError.self) { try container.history(after: start) }
        #expect(error?.code == .historyExpired)
        try container.coordinator.deleteHistory(before: history[2].date)
        #expect(try container.history().map(\.author) == ["c", "d"])
        let token = try container.historyToken
        try container.coordinator.deleteHistory(before: .distantFuture)
        #expect(try container.history() == [])
        #expect(try container.historyToken == token)
        try save(container, "e")
        #expect(try container.history(after: token).map(\.number) == [5])
        try container.coordinator.deleteHistory(before: .distantPast)
        #expect(try container.history().map(\.author) == ["e"])
    }

    @Test(arguments: PostgresServer.some())
    func `changes are read of the transactions that a limit asks for`(
        _ server: PostgresServer
    ) throws {
        let rows = Mutex(0)
        var description = server.description(.values)
        description.options.statementHook = StatementHook { statement in
            guard statement.sql.hasPrefix("SELECT \"transaction\"") else { return }
            rows.withLock { $0 += statement.rowCount }
        }
        let container = try PersistentContainer(Everything.model, description)
        for author in ["a", "b", "c", "d"] { try save(container, author) }
        var request = HistoryRequest().excluding(author: "b")
        request.fetchLimit = 2
        let found = try container.coordinator.fetchHistory(request).transactions
        #expect(found.map(\.author) == ["a", "c"])
        #expect(rows.withLock { $0 } == found.map(\.changes.count).reduce(0, +))
        request = HistoryRequest().of(Box.self)
        request.fetchLimit = 2
        #expect(try container.coordinator.fetchHistory(request).transactions.isEmpty)
    }

    @Test(arguments: PostgresServer.some())
    func `a store that is read only keeps what it has`(_ server: PostgresServer) throws {
        var description = server.description(.values)
        let container = try PersistentContainer(Everything.model, description)
        for author in ["a", "b"] { try save(container, author) }
        description.options.isReadOnly = true
        description.options.history = .off
        let reader = try PersistentContainer(Everything.model, description)
        #expect(try reader.history().map(\.author) == ["a", "b"])
        let error = #expect(throws: StoreError.self) {
            try reader.coordinator.deleteHistory(before: .distantFuture)
        }
        #expect(error?.code == .readOnly)
        #expect(try container.history().count == 2)
    }

    @Test(arguments: PostgresServer.some())
    func `a save that is taken back leaves nothing, and neither does a part of a batch operation`(
        _ server: PostgresServer
    ) throws {
        let container = try server.open(.values)
        try save(container, "a")
        let context = container.newContext()
        _ = Robot(in: context, name: "r", serial: "1")
        try context.save()
        let token = try container.historyToken
        #expect(throws: (any Error).self) {
            try context.execute(
                BatchInsertRequest<Robot>(0..<3) { robot, number in
                    robot.name = "r"
                    robot.serial = "\(number)"
                })
        }
        _ = Robot(in: context, name: "r", serial: "1")
        #expect(throws: (any Error).self) { try context.save() }
        context.rollback()
        #expect(try container.history(after: token) == [])
        try save(container, "b")
        let transactions = try container.history(after: token)
        #expect(transactions.map(\.author) == ["b"])
        #expect(transactions.flatMap(\.changes).count == 1)
    }

    @Test(arguments: PostgresServer.some())
    func `saves keep to the retention, and so does opening`(_ server: PostgresServer) throws {
        var description = server.description(.properties)
        let all = try PersistentContainer(Everything.model, description)
        for number in 1...6 { try save(all, "\(number)") }
        description.options.historyRetention = HistoryRetention(maximumCount: 4)
        let some = try PersistentContainer(Everything.model, description)
        #expect(try some.history().map(\.author) == ["3", "4", "5", "6"])
        try save(some, "7")
        #expect(try some.history().map(\.author) == ["4", "5", "6", "7"])
        try save(all, "8")
        try save(all, "9")
        try save(all, "10")
        try save(some, "11")
        // A save removes two at most.
        #expect(try some.history().map(\.author) == ["6", "7", "8", "9", "10", "11"])
        description.options.historyRetention = HistoryRetention(maximumAge: .seconds(3600))
        let recent = try PersistentContainer(Everything.model, description)
        #expect(try recent.history().count == 6)
        Thread.sleep(forTimeInterval: 0.05)
        description.options.historyRetention = HistoryRetention(maximumAge: .milliseconds(40))
        let last = try PersistentContainer(Everything.model, description)
        #expect(try last.history() == [])
        try save(last, "12")
        #expect(try last.history().map(\.author) == ["12"])
    }

    private func save(_ container: PersistentContainer, _ author: String) throws {
        let context = container.newContext()
        context.transactionAuthor = author
        _ = Node(in: context, label: author)
        try context.save()
    }
}

extension PostgresServer {
    /// A container of a new store.
    fileprivate func open(_ tracking: HistoryTracking) throws -> PersistentContainer {
        try PersistentContainer(Everything.model, description(tracking))
    }
}

private func openInMemory(_ tracking: HistoryTracking) throws -> PersistentContainer {
    var description = StoreDescription(location: .memory)
    description.options.history = tracking
    return try PersistentContainer(Everything.model, description)
}

/// What a transaction says, without what differs between stores.
private struct Told: Equatable, CustomStringConvertible {
    private let changes: [String]

    init(_ transaction: HistoryTransaction) {
        func text(_ values: [String: PropertyValue]) -> String {
            values.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ")
        }
        changes = transaction.changes.map { change in
            let tombstone = change.tombstone.map { values in
                values.map { "\($0.key): \($0.value)" }.sorted()
            }
            return """
                \(change) [\(text(change.oldValues))] [\(text(change.newValues))] \
                \(String(describing: tombstone))
                """
        }.sorted()
    }

    var description: String { changes.joined(separator: "\n") }
}

private struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Random work that is the same in each store for the same numbers.
private final class Work {
    private let context: ManagedObjectContext
    private var count = 0

    init(_ context: ManagedObjectContext) {
        self.context = context
        context.mergePolicy = .objectTrump
    }

    func run(_ numbers: inout Numbers) throws {
        context.transactionAuthor = ["a", "b", nil][Int.random(in: 0..<3, using: &numbers)]
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0:
            let limit = Int64.random(in: 0..<20, using: &numbers)
            _ = try context.execute(
                BatchUpdateRequest<Node>().filter(Node.number < limit).set(Node.label, to: "b"))
        case 1:
            let limit = Int64.random(in: 0..<6, using: &numbers)
            _ = try context.execute(
                BatchDeleteRequest<Node>(FetchRequest().filter(Node.number == limit)))
        case 2:
            let first = count
            count += 3
            _ = try context.execute(
                BatchInsertRequest<Robot>(0..<3) { robot, number in
                    robot.name = "r"
                    robot.serial = "\(first + number)"
                })
        default:
            for _ in 0..<Int.random(in: 1..<6, using: &numbers) { try change(&numbers) }
            do {
                try context.save()
            } catch {
                context.rollback()
            }
        }
        context.mergePending()
        context.refreshAllObjects()
    }

    private func some<Object: ManagedObject>(
        _ type: Object.Type, _ numbers: inout Numbers
    ) throws -> Object? {
        try context.fetch(FetchRequest<Object>()).sorted { $0.objectID.key < $1.objectID.key }
            .randomElement(using: &numbers)
    }

    private func change(_ numbers: inout Numbers) throws {
        count += 1
        switch Int.random(in: 0..<14, using: &numbers) {
        case 0, 1:
            let node = Node(in: context, label: "\(count)", number: Int64(count % 20))
            node.box = try some(Box.self, &numbers)
        case 2: _ = Box(in: context, name: "\(count)")
        case 3: _ = Topic(in: context, name: "\(count)")
        case 4: _ = Robot(in: context, name: "r", serial: "s\(count)")
        case 5:
            let robots = try context.fetch(FetchRequest<Robot>())
            if let one = robots.first, let other = robots.last, one !== other {
                (one.serial, other.serial) = (other.serial, one.serial)
            }
        case 6:
            if let node = try some(Node.self, &numbers) {
                node.number += 1
                node.box = try some(Box.self, &numbers)
            }
        case 7:
            if let node = try some(Node.self, &numbers), let topic = try some(Topic.self, &numbers)
            {
                if node.tags.contains(topic) {
                    node.tags.remove(topic)
                } else {
                    node.tags.insert(topic)
                }
                node.queue.append(topic)
            }
        case 8:
            if let node = try some(Node.self, &numbers), let other = try some(Node.self, &numbers) {
                node.next = other
                node.follows.insert(other)
            }
        case 9: try some(Box.self, &numbers)?.topic = some(Topic.self, &numbers)
        case 10:
            if let node = try some(Node.self, &numbers) {
                _ = Part(in: context, name: "\(count)", node: node)
            }
        case 11:
            // Beings are of several entities, to which the keys of homes lead.
            let home = Home(in: context)
            home.owner = try some(Robot.self, &numbers)
        case 12:
            if let topic = try some(Topic.self, &numbers), topic.boxes.count > 1 {
                topic.boxes.move(from: topic.boxes.count - 1, to: 0)
            }
        default:
            let doomed: ManagedObject? =
                switch Int.random(in: 0..<5, using: &numbers) {
                case 0: try some(Node.self, &numbers)
                case 1: try some(Box.self, &numbers)
                case 2: try some(Topic.self, &numbers)
                case 3: try some(Home.self, &numbers)
                default: try some(Robot.self, &numbers)
                }
            if let doomed { context.delete(doomed) }
        }
    }
}

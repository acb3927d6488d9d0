import Cambium
import CambiumEngineSpecification
import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

/// How often a save waits for its server: three times, and six where it meets others, whatever it
/// writes.
@Suite(.shortParts) struct SaveTripTests {
    private static let count = ShortParts.rows(10_000)
    private static let trackings = [HistoryTracking.off, .values]

    /// A store with connections of its own, and what counts the round trips of its transactions.
    private struct Counted {
        let container: PersistentContainer
        private let counter = Counter()

        private final class Counter: Sendable {
            /// The last round trip of all, and the first one and the last one of a transaction.
            private let trips = Mutex<(begin: Int?, end: Int)>((nil, 0))

            func note(_ sql: String, _ trip: Int) {
                trips.withLock { trips in
                    if trips.begin == nil, sql.hasPrefix("BEGIN"), !sql.hasSuffix("READ ONLY") {
                        trips.begin = trip
                    }
                    trips.end = trip
                }
            }

            func count(_ body: () throws -> Void) rethrows -> Int {
                trips.withLock { $0 = (nil, 0) }
                try body()
                return trips.withLock { trips in trips.begin.map { trips.end - $0 + 1 } ?? 0 }
            }
        }

        init(
            _ model: CompiledModel, _ server: PostgresServer, _ tracking: HistoryTracking,
            schema: String = PostgresServer.newSchema
        ) throws {
            var description = server.description(
                tracking, schema: schema, applicationName: UUID().uuidString)
            description.options.statementHook = StatementHook { [counter] statement in
                counter.note(statement.sql, statement.roundTrip ?? 0)
            }
            container = try PersistentContainer(model, description)
        }

        /// The round trips of a save, from the first statement of its transaction. What the context
        /// reads before is not the save's.
        func trips(_ context: ManagedObjectContext) throws -> Int {
            try counter.count { try context.save() }
        }
    }

    private func expectTrips(
        _ count: Int, _ counted: Counted, _ context: ManagedObjectContext,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let trips = try counted.trips(context)
        #expect(3...count ~= trips, "\(trips) round trips", sourceLocation: location)
    }

    @Test(arguments: PostgresServer.some(), trackings)
    func `saves of rows, links, lists and unique values take three round trips`(
        _ server: PostgresServer, _ tracking: HistoryTracking
    ) throws {
        let counted = try Counted(Everything.model, server, tracking)
        let context = counted.container.newContext()
        func expectThree(_ what: String) throws {
            let trips = try counted.trips(context)
            #expect(trips == 3, "\(what)")
        }
        let topics = (0..<4).map { Topic(in: context, name: "t\($0)") }
        let boxes = (0..<4).map { Box(in: context, name: "b\($0)") }
        try expectThree("a few new rows")
        let nodes = (0..<Self.count).map { Node(in: context, number: Int64($0)) }
        let robots = (0..<50).map { Robot(in: context, name: "r", serial: "\($0)") }
        for (index, node) in nodes.enumerated() {
            node.box = boxes[index % 4]
            if index < 200 { node.next = nodes[Self.count / 2 + index] }
            if index % 100 == 0 { node.tags.replace(with: topics) }
        }
        try expectThree("many new rows with links")
        for node in nodes.prefix(200) { node.queue.replace(with: [topics[2], topics[0]]) }
        topics[0].boxes.replace(with: [boxes[3], boxes[1]])
        try expectThree("lists, in a join table and of rows")
        for node in nodes.prefix(200) { node.queue.replace(with: [topics[1], topics[2]]) }
        topics[0].boxes.replace(with: [boxes[1], boxes[3]])
        try expectThree("lists in another order")
        for node in nodes { node.number += 1 }
        try expectThree("many changed rows")
        for (index, robot) in robots.enumerated() { robot.serial = "new \(index)" }
        try expectThree("unique values")
        context.delete(boxes[3])
        for node in nodes.suffix(100) { context.delete(node) }
        try expectThree("deletions")
        for node in nodes.prefix(Self.count - 200) { node.label = "again" }
        _ = Node(in: context, number: -1)
        for node in nodes.prefix(100) { node.tags.replace(with: [topics[3]]) }
        nodes[300].next = nodes[Self.count / 2 + 1]
        context.delete(nodes[Self.count - 150])
        nodes[0].queue.replace(with: topics)
        let store = try #require(counted.container.coordinator.persistentStores.first)
        counted.container.coordinator.setMetadata(["note": "also"], for: store)
        try expectThree("all together")
    }

    @Test(arguments: PostgresServer.some(), trackings)
    func `saves that keep derived values up to date take three round trips`(
        _ server: PostgresServer, _ tracking: HistoryTracking
    ) throws {
        let counted = try Counted(Ledger.model, server, tracking)
        let context = counted.container.newContext()
        func expectThree(_ what: String) throws {
            let trips = try counted.trips(context)
            #expect(trips == 3, "\(what)")
            #expect(
                try Ledger.wrongValues(in: counted.container.newContext()).prefix(3) == [],
                "\(what)")
        }
        let regions = try (0..<2).map { try context.make("Region", ["name": "r\($0)"]) }
        let clients = try (0..<20).map {
            try context.make($0 % 2 == 0 ? "Client" : "Patron", ["name": "c\($0)"])
        }
        let labels = try (0..<3).map { _ in try context.make("Label") }
        for (index, client) in clients.enumerated() { client[one: "region"] = regions[index % 2] }
        try expectThree("new rows")
        var invoices: [ManagedObject] = []
        for number in 0..<600 {
            let invoice = try context.make("Invoice")
            invoice[one: "client"] = clients[number % 20]
            try context.make("Item")[one: "invoice"] = invoice
            invoices.append(invoice)
        }
        try expectThree("children and grandchildren")
        for invoice in invoices { try invoice.setValue(.decimal(3), forKey: "amount") }
        try expectThree("values that are summed")
        for client in clients { try client.many("labels").insert(labels[0]) }
        try labels[0].setValue(.int(7), forKey: "weight")
        try expectThree("links of a join table")
        regions[0]["name"] = "elsewhere"
        for client in clients { client["name"] += "!" }
        try expectThree("names that others have")
        for (index, invoice) in invoices.enumerated() {
            invoice[one: "client"] = clients[(index + 1) % 20]
        }
        try expectThree("children that move")
        try clients[1].setValue(.int(4), forKey: "level")
        context.delete(clients[0])
        try clients[2].many("labels").remove(labels[0])
        context.delete(invoices[45])
        try expectThree("a deletion that cascades, with others")
    }

    @Test(arguments: PostgresServer.some(), trackings)
    func `many rows with derived values take three round trips`(
        _ server: PostgresServer, _ tracking: HistoryTracking
    ) throws {
        let counted = try Counted(Ledger.model, server, tracking)
        let context = counted.container.newContext()
        let clients = try (0..<5).map { try context.make("Client", ["name": "c\($0)"]) }
        var invoices: [ManagedObject] = []
        for number in 0..<Self.count - clients.count {
            let invoice = try context.make("Invoice")
            invoice[one: "client"] = clients[number % 5]
            invoices.append(invoice)
        }
        try expectTrips(3, counted, context)
        for invoice in invoices { try invoice.setValue(.decimal(2), forKey: "amount") }
        for client in clients { client["name"] = "changed" }
        try expectTrips(3, counted, context)
        let other = counted.container.newContext()
        for client in try other.all("Client") {
            let count = Self.count / 5 - 1
            #expect(try client.value(forKey: "invoiceCount") == .int(Int64(count)))
            #expect(try client.value(forKey: "total") == .decimal(Decimal(2 * count)))
        }
        #expect(try other.all("Invoice").allSatisfy { $0["clientName"] == "changed" })
    }

    @Test(arguments: PostgresServer.some(), trackings)
    func `saves of large values take three round trips`(
        _ server: PostgresServer, _ tracking: HistoryTracking
    ) throws {
        let counted = try Counted(Album.model, server, tracking)
        let context = counted.container.newContext()
        let films = try (0..<10).map { try context.make("Film", ["code": "\($0)"]) }
        for film in films {
            film[data: "image"] = Data(count: 300_000)
            film[data: "sound"] = Data(count: 5)
        }
        try expectTrips(3, counted, context)
        for film in films.prefix(5) { film[data: "image"] = Data(count: 400_000) }
        films[5][data: "image"] = nil
        films[6][data: "sound"] = Data(count: 200_000)
        context.delete(films[7])
        try expectTrips(3, counted, context)
    }

    // MARK: Conflicts

    @Test(arguments: PostgresServer.some(), trackings)
    func `a save with derived values that meets others takes six round trips at most`(
        _ server: PostgresServer, _ tracking: HistoryTracking
    ) throws {
        let schema = PostgresServer.newSchema
        let counted = try Counted(Ledger.model, server, tracking, schema: schema)
        let context = counted.container.newContext()
        context.mergePolicy = .objectTrump
        let clients = try (0..<10).map {
            try context.make("Client", ["name": "c\($0)", "code": "\($0)"])
        }
        let invoices = try clients.map { client in
            let invoice = try context.make("Invoice")
            invoice[one: "client"] = client
            return invoice
        }
        try context.save()
        let theirs = try Counted(Ledger.model, server, tracking, schema: schema)
        let other = theirs.container.newContext()
        // Rows that others have changed and deleted.
        for client in try other.all("Client") where client["code"] < "3" {
            client["name"] = "theirs"
            try other.make("Invoice")[one: "client"] = client
        }
        let last = invoices[9].objectID
        for invoice in try other.all("Invoice") where invoice.objectID == last {
            other.delete(invoice)
        }
        try other.save()
        for client in clients { client["name"] += "!" }
        for invoice in invoices { try invoice.setValue(.decimal(2), forKey: "amount") }
        invoices[0][one: "client"] = clients[5]
        try expectTrips(6, counted, context)
        // Unique values that others have taken.
        for number in 20..<25 {
            let client = try other.make("Client", ["name": "theirs", "code": "\(number)"])
            try other.make("Invoice")[one: "client"] = client
        }
        try other.save()
        for number in 20..<30 {
            let client = try context.make("Client", ["name": "ours", "code": "\(number)"])
            try context.make("Invoice")[one: "client"] = client
        }
        try expectTrips(6, counted, context)
        #expect(try Ledger.wrongValues(in: theirs.container.newContext()) == [])
        // Their links are to be replaced by ours: what is lost is known late.
        let labels = try (1...3).map { weight in
            let label = try context.make("Label")
            try label.setValue(.int(Int64(weight)), forKey: "weight")
            return label
        }
        try context.save()
        for number in 40..<45 {
            let client = try other.make("Client", ["name": "theirs", "code": "\(number)"])
            try client.many("labels").insert(other.existingObject(with: labels[0].objectID))
            try other.make("Invoice")[one: "client"] = client
        }
        try other.save()
        for number in 40..<50 {
            let client = try context.make("Client", ["name": "ours", "code": "\(number)"])
            try client.many("labels").replace(with: [labels[1], labels[2]])
            try context.make("Invoice")[one: "client"] = client
        }
        try expectTrips(6, counted, context)
        #expect(try Ledger.wrongValues(in: theirs.container.newContext()) == [])
    }
}

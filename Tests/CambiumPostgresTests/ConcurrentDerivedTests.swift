import Cambium
import CambiumEngineSpecification
import CambiumPostgres
import Foundation
import Synchronization
import Testing

/// Programs that save at the same time leave the derived values that a look at the objects says.
struct ConcurrentDerivedTests {
    private static let programs = 6
    private static let saves = TestSize.isFull ? 25 : 10

    /// A container of its own for each program: they share nothing but the server.
    private func container(_ url: String, _ schema: String) throws -> PersistentContainer {
        try PersistentContainer(
            Ledger.model,
            StoreDescription(type: .postgres(url, schema: schema), location: .memory))
    }

    /// Runs programs side by side, each with a context of its own, and throws what they throw.
    private func run(
        _ server: PostgresServer, _ schema: String,
        _ body: @escaping @Sendable (_ program: Int, _ context: ManagedObjectContext) throws -> Void
    ) throws {
        let errors = Mutex<[any Error]>([])
        let isDone = DispatchGroup()
        for program in 0..<Self.programs {
            isDone.enter()
            let thread = Thread {
                defer { isDone.leave() }
                do {
                    let container = try self.container(server.url, schema)
                    let context = container.newContext()
                    context.mergePolicy = .objectTrump
                    try withExtendedLifetime(container) { try body(program, context) }
                } catch {
                    errors.withLock { $0.append(error) }
                }
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        isDone.wait()
        #expect(errors.withLock { $0.map { "\($0)" } } == [])
    }

    @Test(arguments: PostgresServer.some())
    func `children that are added and removed are all counted`(_ server: PostgresServer) throws {
        let schema = "test \(UUID().uuidString)"
        let first = try container(server.url, schema)
        let context = first.newContext()
        let clients = try (0..<2).map { try context.make("Client", ["name": "\($0)"]) }
        try context.save()
        let uris = clients.map(\.objectID.uri)
        try run(server, schema) { program, context in
            var own: [ManagedObject] = []
            for number in 0..<Self.saves {
                let ids = uris.compactMap { context.coordinator.objectID(forURI: $0) }
                let client = context.object(with: ids[(program + number) % 2])
                let invoice = try context.make("Invoice")
                try invoice.setValue(.decimal(Decimal(number)), forKey: "amount")
                invoice[one: "client"] = client
                try context.make("Item")[one: "invoice"] = invoice
                own.append(invoice)
                if number % 3 == 2 { context.delete(own.removeFirst()) }
                if number % 4 == 3 {
                    try own[0].setValue(.decimal(Decimal(1000 + number)), forKey: "amount")
                    own[0][one: "client"] = context.object(with: ids[number % 2])
                }
                try context.save()
            }
        }
        let reader = first.newContext()
        #expect(try Ledger.wrongValues(in: reader) == [])
        #expect(
            try reader.count(for: FetchRequest<ManagedObject>(entityName: "Invoice"))
                == Self.programs * (Self.saves - Self.saves / 3))
    }

    @Test(arguments: PostgresServer.some())
    func `names that change while links to them are made are everywhere`(
        _ server: PostgresServer
    ) throws {
        let schema = "test \(UUID().uuidString)"
        let first = try container(server.url, schema)
        let context = first.newContext()
        let clients = try (0..<2).map { try context.make("Client", ["name": "\($0)"]) }
        let regions = try (0..<2).map { try context.make("Region", ["name": "\($0)"]) }
        let labels = try (0..<2).map { _ in try context.make("Label") }
        try context.save()
        let (clientURIs, regionURIs, labelURIs) = (
            clients.map(\.objectID.uri), regions.map(\.objectID.uri), labels.map(\.objectID.uri)
        )
        try run(server, schema) { program, context in
            func object(_ uris: [String], _ number: Int) throws -> ManagedObject {
                let uri = uris[number % uris.count]
                return context.object(with: try #require(context.coordinator.objectID(forURI: uri)))
            }
            for number in 0..<Self.saves {
                context.refreshAllObjects()
                let client = try object(clientURIs, number)
                switch (program + number) % 6 {
                case 0: client["name"] = "\(program) \(number)"
                case 1: try object(regionURIs, number)["name"] = "\(program) \(number)"
                case 2: client[one: "region"] = try object(regionURIs, number / 2)
                case 3:
                    let label = try object(labelURIs, number)
                    try label.setValue(.int(Int64(program * 100 + number)), forKey: "weight")
                case 4: try client.many("labels").insert(object(labelURIs, number / 2))
                default:
                    let invoice = try context.make("Invoice")
                    invoice[one: "client"] = client
                    try context.make("Item")[one: "invoice"] = invoice
                }
                try context.save()
            }
        }
        #expect(try Ledger.wrongValues(in: first.newContext()) == [])
    }
}

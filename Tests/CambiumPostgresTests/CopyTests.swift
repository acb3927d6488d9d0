import CambiumPostgres
import EverythingModel
import Foundation
import ShopModel
import Synchronization
import Testing

/// Many new rows, which go straight into their table.
@Suite(.shortParts) struct CopyTests {
    /// A container, and how many rows were copied.
    private func container(
        _ model: CompiledModel, _ server: PostgresServer, _ tracking: HistoryTracking = .off
    ) throws -> (PersistentContainer, copied: () -> Int) {
        var description = StoreDescription(
            location: .postgres(server.url, schema: "copies \(UUID().uuidString)"))
        description.options.history = tracking
        let counter = Counter()
        description.options.statementHook = StatementHook { statement in
            if statement.sql.hasPrefix("COPY") { counter.add(statement.rowCount) }
        }
        return (try PersistentContainer(model, description), { counter.count })
    }

    private final class Counter: Sendable {
        private let rows = Mutex(0)
        var count: Int { rows.withLock { $0 } }
        func add(_ count: Int) { rows.withLock { $0 += count } }
    }

    /// What every attribute of a sample is, in one text.
    private func fill(_ sample: Sample, _ number: Int) {
        sample.flag = number % 2 == 0
        sample.short = number % 3 == 0 ? .min : .max
        sample.medium = number % 3 == 0 ? .max : Int32(number)
        sample.double = [-.infinity, .infinity, 1e-300, -0.0, 1.5][number % 5]
        sample.single = number % 2 == 0 ? .greatestFiniteMagnitude : -0.1
        sample.amount = Decimal(number - 6_000) / 100
        sample.text =
            ["", "e\u{301}\u{1F600}'\\%\t", String(repeating: "x", count: 300)][number % 3]
        sample.moment = Date(timeIntervalSinceReferenceDate: Double(number - 6_000) * 86_400)
        sample.bytes =
            number % 4 == 0 ? nil : Data(repeating: UInt8(number % 256), count: number % 40)
        sample.size = number % 2 == 0 ? .small : .large
        sample.colour = [.red, .green, nil][number % 3]
        sample.maybeText = number % 2 == 0 ? nil : ""
        sample.maybeLong = number % 2 == 0 ? .min : nil
    }

    private func words(_ sample: Sample) -> String {
        "\(sample.flag) \(sample.short) \(sample.medium) \(sample.double) \(sample.single) "
            + "\(sample.amount) \(sample.text) \(sample.moment.timeIntervalSinceReferenceDate) "
            + "\(sample.bytes.map { Array($0) } ?? [0xFF]) \(sample.size) "
            + "\(sample.colour.map { "\($0)" } ?? "-") \(sample.maybeText ?? "-") "
            + "\(sample.maybeLong ?? 0) \(sample.token)"
    }

    @Test(arguments: PostgresServer.some())
    func `copied rows come back as they were`(_ server: PostgresServer) throws {
        let (container, copied) = try container(Everything.model, server)
        let context = container.newContext()
        let count = ShortParts.rows(12_000)
        var expected: [Int64: String] = [:]
        for number in 0..<count {
            let sample = Sample(in: context, long: Int64(number))
            fill(sample, number)
            expected[Int64(number)] = words(sample)
        }
        for number in 0..<count { _ = Robot(in: context, name: "r", serial: "\(number)") }
        try context.save()
        #expect(copied() == 2 * count)
        let other = container.newContext()
        var found: [Int64: String] = [:]
        for sample in try other.fetch(Sample.fetchRequest()) { found[sample.long] = words(sample) }
        #expect(found == expected)
        #expect(try other.count(for: Robot.fetchRequest()) == count)
        // They are of the version that the context knows.
        for sample in context.registeredObjects.compactMap({ $0 as? Sample }).prefix(10) {
            sample.text = "again"
        }
        try context.save()
    }

    @Test(arguments: PostgresServer.some())
    func `a save that copies a unique value is decided as any other`(
        _ server: PostgresServer
    ) throws {
        let (container, copied) = try container(Everything.model, server)
        let first = container.newContext()
        _ = Robot(in: first, name: "first", serial: "5")
        try first.save()
        let context = container.newContext()
        let count = ShortParts.rows(11_000)
        for number in 0..<count { _ = Robot(in: context, name: "many", serial: "\(number)") }
        #expect(throws: ConstraintConflictError.self) { try context.save() }
        #expect(try container.newContext().count(for: Robot.fetchRequest()) == 1)
        context.mergePolicy = .objectTrump
        try context.save()
        #expect(copied() > 0)
        #expect(try container.newContext().count(for: Robot.fetchRequest()) == count)
    }

    /// Of a batch's rows the first 4,096 are a part, and the others too few to be copied.
    private static let count = 4_500

    @Test(arguments: PostgresServer.some())
    func `a batch insertion copies, and names the row that is refused`(
        _ server: PostgresServer
    ) throws {
        let (container, copied) = try container(Shop.model, server)
        let context = container.newContext()
        func row(_ number: Int) -> [String: Value] {
            ["sku": .string("AB-\(number)"), "kind": .string("TOY"), "price": .int(3)]
        }
        let rows = (0..<Self.count).map(row)
        #expect(try context.execute(BatchInsertRequest<Product>(objects: rows)).count == Self.count)
        #expect(copied() == 4_096)
        let more = (0..<Self.count).map { row($0 == 3_000 ? 7 : Self.count + $0) }
        let error = #expect(throws: BatchInsertError.self) {
            try context.execute(BatchInsertRequest<Product>(objects: more))
        }
        #expect(error?.row == 3_000)
        #expect(try container.newContext().count(for: Product.fetchRequest()) == Self.count)
    }

    // MARK: History

    /// What a history says of new objects: the entity, the kind, and what is known of them, by key.
    private func told(_ container: PersistentContainer) throws -> [[String]] {
        try container.coordinator.fetchHistory(HistoryRequest()).transactions.map { transaction in
            transaction.changes.map { change in
                let values = change.newValues.map { "\($0.key)=\($0.value)" }.sorted()
                return "\(change.objectID.entity.name) \(change.objectID.key) \(change.kind) "
                    + "\(change.updatedProperties.sorted()) \(values)"
            }.sorted()
        }
    }

    @Test(arguments: PostgresServer.some(), [HistoryTracking.properties, .values])
    func `the history says of copied rows what it says of others`(
        _ server: PostgresServer, _ tracking: HistoryTracking
    ) throws {
        let count = ShortParts.rows(10_001)
        let (container, copied) = try container(Everything.model, server, tracking)
        let (other, others) = try self.container(Everything.model, server, tracking)
        for (container, size) in [(container, count), (other, ShortParts.rows(5_001))] {
            let context = container.newContext()
            let boxes = (0..<2).map { Box(in: context, name: "b\($0)") }
            try context.save()
            for start in stride(from: 0, to: count, by: size) {
                for number in start..<min(start + size, count) {
                    let node = Node(in: context, label: "n\(number)", number: Int64(number))
                    node.box = boxes[number % 2]
                }
                try context.save()
            }
        }
        #expect(copied() == count)
        #expect(others() == 0)
        let (mine, theirs) = try (told(container), told(other))
        #expect(mine.count == 2)
        #expect(theirs.count == 3)
        #expect(mine[1].count == count + 2)
        #expect(Set(mine.joined()) == Set(theirs.joined()))
    }

    @Test(arguments: PostgresServer.some())
    func `a batch insertion copies where a history is kept`(_ server: PostgresServer) throws {
        let (container, copied) = try container(Shop.model, server, .values)
        let rows = (0..<Self.count).map { number -> [String: Value] in
            ["sku": .string("AB-\(number)"), "kind": .string("TOY"), "price": .int(3)]
        }
        try container.newContext().execute(BatchInsertRequest<Product>(objects: rows))
        #expect(copied() == 4_096)
        let changes = try container.coordinator.fetchHistory(HistoryRequest()).transactions
            .flatMap(\.changes)
        #expect(changes.count == Self.count)
        #expect(
            Set(changes.map { "\(String(describing: $0.newValues["sku"]))" }).count == Self.count)
    }
}

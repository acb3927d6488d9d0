import CambiumEngineSpecification
import CambiumPostgres
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A store that one program reaches through a proxy, which cuts its connections. What is in the store is
/// looked at without.
final class CutWorld {
    let proxy: CutProxy
    let container: PersistentContainer
    let context: ManagedObjectContext
    let client: ManagedObject
    let schema = PostgresServer.newSchema
    let direct: PostgresConnection
    private let calls: Calls
    private let observations: [Any]
    /// How many saves were committed.
    private(set) var savings = 0

    /// How often hooks were called, and observers were notified.
    final class Calls {
        var willSave = 0
        var didSave = 0
    }

    init(
        _ server: PostgresServer, retryTimeout: Duration, _ tracking: HistoryTracking = .off,
        busyTimeout: Duration = .seconds(10)
    ) throws {
        proxy = try CutProxy(to: server)
        direct = try server.connect()
        var options = PostgresOptions()
        options.applicationName = "cut \(UUID().uuidString)"
        options.retryTimeout = retryTimeout
        var description = StoreDescription(
            location: .postgres(proxy.url, schema: schema, options: options))
        description.options.history = tracking
        description.options.busyTimeout = busyTimeout
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
            _ = try save()
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

    /// Notes a save that has thrown, and was committed.
    func noteCommit() { savings += 1 }

    func count(of table: String) throws -> Int {
        Int(
            try direct.run("SELECT count(*) FROM \"\(schema)\".\"\(table)\"").integer(0, 0))
    }

    /// What is wrong with the store, and the context, where each save is there once.
    func wrongs() throws -> [String] {
        let rows = try direct.run(
            """
            SELECT "name", "invoiceCount", (SELECT count(*) FROM "\(schema)"."Invoice"), \
            (SELECT count(*) FROM "\(schema)"."_commits" WHERE "isCommitted") \
            FROM "\(schema)"."Client"
            """)
        var found = ["name": rows.text(0, 0)]
        found["derived"] = "\(rows.integer(0, 1))"
        found["invoices"] = "\(rows.integer(0, 2))"
        // The first save has made the client.
        found["ids"] = "\(rows.integer(0, 3) - 1)"
        if !context.hasChanges {
            found["name in the context"] = client["name"]
            if case .int(let count) = try client.value(forKey: "invoiceCount") {
                found["derived in the context"] = "\(count)"
            }
        }
        return found.filter { $0.value != "\(savings)" }
            .map { "\($0.key) is \($0.value), not \(savings)" }.sorted()
    }
}

extension CutProxy {
    /// Cuts a connection at the first message that meets a condition.
    ///
    /// - Returns: What says whether one did.
    func cut(_ isMet: @escaping @Sendable (Message) -> Bool) -> Once {
        let once = Once()
        begin { isMet($0) && once.take() ? .cut : .forward }
        return once
    }
}

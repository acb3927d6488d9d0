import Cambium
import CambiumEngineSpecification
import CambiumPostgres
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// Two saves of which the second begins when the first one has written everything, and is not
/// committed: whatever each of them sees, the values are those of the objects at the end.
struct DerivedRaceTests {
    /// Holds a save before its commit.
    private final class Gate: Sendable {
        private let isOpen = Mutex(true)
        private let held = DispatchSemaphore(value: 0)
        private let released = DispatchSemaphore(value: 0)

        var hook: StatementHook {
            StatementHook { [self] statement in
                guard statement.sql.hasPrefix("SET CONSTRAINTS"),
                    isOpen.withLock({ isOpen in
                        defer { isOpen = true }
                        return !isOpen
                    })
                else { return }
                held.signal()
                _ = released.wait(timeout: .now() + 60)
            }
        }

        /// The next save is held.
        func close() { isOpen.withLock { $0 = false } }
        /// Waits until it is.
        func wait() -> Bool { held.wait(timeout: .now() + 60) == .success }
        func open() { released.signal() }
    }

    /// Work on a thread of its own.
    private final class Work: Sendable {
        private let failure = Mutex<(any Error)?>(nil)
        private let done = DispatchSemaphore(value: 0)

        init(_ body: @escaping @Sendable () throws -> Void) {
            Thread { [self] in
                do { try body() } catch { failure.withLock { $0 = error } }
                done.signal()
            }.start()
        }

        func isDone(within seconds: Double) -> Bool {
            guard done.wait(timeout: .now() + seconds) == .success else { return false }
            done.signal()
            return true
        }

        func join() throws {
            done.wait()
            if let failure = failure.withLock({ $0 }) { throw failure }
        }
    }

    /// What one of two saves changes.
    fileprivate typealias Change = @Sendable (ManagedObjectContext) throws -> Void

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        fileprivate let first: Change
        fileprivate let second: Change
    }

    private static func object(
        _ context: ManagedObjectContext, _ entity: String, _ number: Int
    ) throws -> ManagedObject {
        try context.all(entity).sorted { $0.objectID.key < $1.objectID.key }[number]
    }

    private static func addInvoice(_ number: Int) -> Change {
        { context in
            try context.make("Invoice")[one: "client"] = object(context, "Client", number)
        }
    }

    private static func addItem(_ number: Int) -> Change {
        { context in
            try context.make("Item")[one: "invoice"] = object(context, "Invoice", number)
        }
    }

    private static let rename: Change = { try object($0, "Region", 0)["name"] = "renamed" }
    private static let renameClient: Change = { try object($0, "Client", 0)["name"] = "renamed" }
    private static let reach: Change = { context in
        try object(context, "Client", 1)[one: "region"] = object(context, "Region", 0)
    }
    private static let weigh: Change = {
        try object($0, "Label", 0).setValue(.int(7), forKey: "weight")
    }
    private static let label: Change = { context in
        try object(context, "Client", 1).many("labels").insert(object(context, "Label", 0))
    }
    private static let deleteInvoice: Change = { $0.delete(try object($0, "Invoice", 0)) }

    static let cases: [Case] = [
        Case(
            testDescription: "two come to one object", first: addInvoice(0), second: addInvoice(0)),
        Case(
            testDescription: "one goes and one comes", first: deleteInvoice, second: addInvoice(0)),
        Case(
            testDescription: "one comes and one goes", first: addInvoice(0), second: deleteInvoice),
        Case(
            testDescription: "a value of a value, by two ways", first: addItem(0),
            second: addItem(1)),
        Case(testDescription: "a link is made to what changes", first: rename, second: reach),
        Case(testDescription: "what a link was made to changes", first: reach, second: rename),
        Case(testDescription: "a pair is made with what changes", first: weigh, second: label),
        Case(testDescription: "what a pair was made with changes", first: label, second: weigh),
        Case(
            testDescription: "a grandchild of what changes", first: renameClient, second: addItem(0)
        ),
        Case(
            testDescription: "what a grandchild has changes", first: addItem(0),
            second: renameClient),
    ]

    @Test(arguments: PostgresServer.all, cases)
    func `values are those of the objects when two saves meet`(
        _ server: PostgresServer, _ test: Case
    ) throws {
        let schema = PostgresServer.newSchema
        let gate = Gate()
        func open(_ hook: StatementHook?) throws -> PersistentContainer {
            var description = StoreDescription(
                type: .postgres(server.url, schema: schema), location: .memory)
            description.options.statementHook = hook
            return try PersistentContainer(Ledger.model, description)
        }
        let (mine, theirs) = (try open(gate.hook), try open(nil))
        let context = mine.newContext()
        let region = try context.make("Region", ["name": "r"])
        let clients = try (0..<2).map { try context.make("Client", ["name": "\($0)"]) }
        clients[0][one: "region"] = region
        _ = try context.make("Label")
        for _ in 0..<2 { try context.make("Invoice")[one: "client"] = clients[0] }
        try context.save()
        func save(_ container: PersistentContainer, _ change: @escaping Change) -> Work {
            Work {
                let context = container.newContext()
                context.mergePolicy = .objectTrump
                try change(context)
                try context.save()
            }
        }
        gate.close()
        let first = save(mine, test.first)
        try #require(gate.wait())
        let second = save(theirs, test.second)
        // It waits for the first one, or has not seen it.
        _ = second.isDone(within: 0.5)
        gate.open()
        try first.join()
        try second.join()
        #expect(try Ledger.wrongValues(in: try open(nil).newContext()) == [])
    }
}

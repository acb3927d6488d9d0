import Cambium
import CambiumEngineSpecification
import CambiumPostgres
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Two saves of which the second begins when the first one has written everything, and is not
/// committed: whatever each of them sees, the values are those of the objects at the end.
struct DerivedRaceTests {
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

    @Test(arguments: PostgresServer.some(), cases)
    func `values are those of the objects when two saves meet`(
        _ server: PostgresServer, _ test: Case
    ) throws {
        let schema = PostgresServer.newSchema
        let gate = Gate.beforeCommit
        func open(_ hook: StatementHook?) throws -> PersistentContainer {
            var description = server.description(
                schema: schema, applicationName: hook == nil ? schema : nil)
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
        func save(_ container: PersistentContainer, _ change: @escaping Change) -> SideWork {
            SideWork {
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
        _ = try server.isHeld(second, named: schema)
        gate.open()
        try first.join()
        try second.join()
        #expect(try Ledger.wrongValues(in: try open(nil).newContext()) == [])
    }
}

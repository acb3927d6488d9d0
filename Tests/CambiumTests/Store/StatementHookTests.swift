import Cambium
import EverythingModel
import Synchronization
import Testing

struct StatementHookTests {
    private struct Entry: Sendable {
        let sql: String
        let values: String?
        let rows: Int
        let duration: Duration
        let plan: [String]
        let line: String
    }

    private final class Entries: Sendable {
        let all = Mutex<[Entry]>([])

        func first(_ prefix: String) -> Entry? {
            all.withLock { $0.last { $0.sql.hasPrefix(prefix) } }
        }
    }

    private func withHook(
        on kind: StoreKind = .lasting, includesValues: Bool = false,
        _ body: (ManagedObjectContext, Entries) throws -> Void
    ) throws {
        try withStoreFile { path in
            let entries = Entries()
            var options = StoreOptions()
            options.statementHook = StatementHook(includesValues: includesValues) { statement in
                let entry = Entry(
                    sql: statement.sql, values: statement.sqlWithValues,
                    rows: statement.rowCount, duration: statement.duration,
                    plan: statement.plan(), line: "\(statement)")
                entries.all.withLock { $0.append(entry) }
            }
            let container = try PersistentContainer(
                model: Everything.model, at: kind.description(path: path).location,
                options: options)
            let context = container.newContext()
            for index in 0..<5 {
                _ = Node(in: context, label: "secret \(index)", number: Int64(index))
            }
            try context.save()
            try body(context, entries)
        }
    }

    @Test(.onSQLite("It is about statements of SQLite."), arguments: StoreKind.sqlite)
    func `statements are told with their rows, time and plan`(_ kind: StoreKind) throws {
        try withHook(on: kind) { context, entries in
            let insert = try #require(entries.first("INSERT OR ROLLBACK INTO \"Node\""))
            #expect(insert.rows == 5)
            #expect(insert.duration > .zero)
            #expect(entries.first("COMMIT") != nil)

            let request = Node.fetchRequest().filter(Node.number >= 2).sorted(by: Node.label)
            let reader = context.coordinator.newContext()
            #expect(try reader.fetch(request).count == 3)
            let select = try #require(entries.first("SELECT \"t\""))
            #expect(select.rows == 3)
            #expect(select.plan.contains { $0.contains("SCAN t") })
            #expect(select.plan.contains { $0.contains("USE TEMP B-TREE FOR ORDER BY") })
            #expect(select.line.contains("3 rows: SELECT"))

            // The fast way of unordered rows has one row without meaning.
            #expect(try reader.fetch(Node.fetchRequest()).count == 5)
            #expect(try #require(entries.first("SELECT sink(")).rows == 5)
        }
    }

    @Test(.onSQLite("It is about statements of SQLite."))
    func `values are hidden unless they are asked for`() throws {
        for includesValues in [false, true] {
            try withHook(includesValues: includesValues) { context, entries in
                _ = try context.count(
                    for: Node.fetchRequest().filter(Node.label == "secret 3"))
                let count = try #require(entries.first("SELECT COUNT(*)"))
                #expect(count.values?.contains("'secret 3'") == (includesValues ? true : nil))
                #expect(count.line.contains("secret") == includesValues)
                let hasSecret = entries.all.withLock { $0.contains { $0.sql.contains("secret") } }
                #expect(!hasSecret)
            }
        }
    }

    @Test(.onSQLite("It is about statements of SQLite."))
    func `a statement of a join says how it uses indexes`() throws {
        try withHook { context, entries in
            let box = Box(in: context, name: "b")
            let node = Node(in: context, box: box)
            try context.save()
            let reader = context.coordinator.newContext()
            let again: Box = try reader.get(box.objectID)
            #expect(again.nodes.count == 1)
            let plans = entries.all.withLock { $0.flatMap(\.plan) }
            #expect(plans.contains { $0.contains("USING INDEX") })
            withExtendedLifetime(node) {}
        }
    }

    @Test(.onSQLite("It is about statements of SQLite."))
    func `what a statement fails with is told by the error, and the hook hears of it`() throws {
        try withHook { context, entries in
            let one = Robot(in: context, name: "a", serial: "1")
            let other = Robot(in: context, name: "b", serial: "1")
            #expect(throws: (any Error).self) { try context.save() }
            #expect(entries.first("INSERT OR ROLLBACK INTO \"Being\"") != nil)
            withExtendedLifetime((one, other)) {}
        }
    }

    @Test func `rule 26: a save without changes sends no SQL`() throws {
        try withHook { context, entries in
            entries.all.withLock { $0 = [] }
            try context.save()
            #expect(entries.all.withLock { $0.isEmpty })
        }
    }

    @Test(.onSQLite("It is about statements of SQLite."))
    func `statements are written to the standard error, a line for each`() throws {
        let text = try StandardErrorCapture.text {
            try withStoreFile { path in
                for duration in [Duration.zero, .seconds(3600)] {
                    var options = StoreOptions()
                    options.statementHook = .standardError(
                        slowerThan: duration, includesValues: true, includesPlan: true)
                    let container = try PersistentContainer(
                        model: Everything.model, at: .temporary(path), options: options)
                    let mark = duration == .zero ? "told-1f7c" : "untold-1f7c"
                    _ = try container.newContext().fetch(
                        Node.fetchRequest().filter(Node.label == mark))
                }
            }
        }
        let lines = text.split(separator: "\n")
        let index = try #require(lines.firstIndex { $0.contains("told-1f7c") })
        #expect(lines[index].contains("FROM \"Node\""))
        #expect(lines[index + 1].hasPrefix("    SCAN"))
        #expect(!text.contains("untold-1f7c"), "faster than the hook was asked for")
    }
}

import CambiumEngine
import CambiumExchange
import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import Cambium
@testable import CambiumPostgresStore

/// Contexts whose transactions begin with settings, by which policies of the server hide rows.
@Suite(.serialized) struct TenantTests {
    /// The names of the rows that a tenant has.
    private func names(_ tenant: String) -> [String] { (0..<3).map { "\(tenant)\($0)" } }

    private func other(of tenant: String) -> String { tenant == "a" ? "b" : "a" }

    private func labels(
        fetchedInBackground context: ManagedObjectContext, _ request: FetchRequest<Node>
    ) async throws -> [String] {
        try await context.fetchInBackground(request).map(\.label)
    }

    private func sum(
        _ request: FetchRequest<Node>, _ context: ManagedObjectContext
    ) throws -> Int? {
        try context.fetchFirst(request.select(Node.number.sum)).flatMap { $0.map { Int($0) } }
    }

    private let byLabel = Node.fetchRequest().sorted(by: Node.label)

    @Test(arguments: TenantCase.all)
    func `no fetch finds a row of another tenant`(_ test: TenantCase) async throws {
        try await test.withStore { store in
            let ids = ["a": try store.fill("a"), "b": try store.fill("b")]
            try store.linkAcross()
            for tenant in ["a", "b"] {
                let container = store.container(of: tenant)
                let context = container.newContext()
                func expectOwn(
                    _ found: [String], _ location: SourceLocation = #_sourceLocation
                ) {
                    #expect(found == names(tenant), sourceLocation: location)
                }
                expectOwn(try context.fetch(byLabel).map(\.label))
                expectOwn(
                    try context.fetch(byLabel.filter(format: "label LIKE label")).map(\.label))
                let batched = byLabel.batchSize(2)
                expectOwn(
                    try container.newContext().fetchInBatches(batched).map(\.label))
                #expect(try context.count(for: Node.fetchRequest()) == 3)
                #expect(
                    try context.count(for: Node.fetchRequest().filter(format: "label LIKE label"))
                        == 3)
                expectOwn(try context.fetch(byLabel.select(Node.label.required)))
                #expect(try sum(byLabel, context) == 3)
                #expect(try sum(byLabel.filter(format: "label LIKE label"), context) == 3)
                var exported = Data()
                for try await chunk in try context.chunks(
                    of: ExportRequest(byLabel, as: .jsonLines))
                {
                    exported += chunk
                }
                let lines = String(decoding: exported, as: UTF8.self)
                #expect(lines.contains("\(tenant)0") && !lines.contains("\(other(of: tenant))0"))
                let controller = FetchedResultsController(byLabel, in: context)
                try controller.performFetch()
                expectOwn((controller.fetchedObjects ?? []).map(\.label))
                expectOwn(try context.newChildContext().fetch(byLabel).map(\.label))
                expectOwn(
                    try await labels(fetchedInBackground: container.newContext(), byLabel))
                expectOwn(
                    try await container.performTransaction { try $0.fetch(byLabel).map(\.label) })
                expectOwn(
                    try await container.performTransaction(isolation: .snapshot) {
                        try $0.fetch(byLabel).map(\.label)
                    })
                #expect(
                    try context.fetch(Robot.fetchRequest()).map(\.serial) == [
                        "serial of \(tenant)"
                    ])
                _ = ids
            }
            // Who has no settings is bound by nothing, or sees nothing.
            let all = try store.container.newContext().count(for: Node.fetchRequest())
            #expect(all == (test.arrangement == .role ? 6 : 0))
        }
    }

    @Test(arguments: TenantCase.all)
    func `a hidden row looks deleted to faults, links and prefetches`(
        _ test: TenantCase
    ) async throws {
        try await test.withStore { store in
            let hidden = try store.fill("b")
            let own = try store.fill("a")
            try store.linkAcross()
            let container = store.container(of: "a")
            // What the other tenant has in its row cache is not in this one's.
            let other = store.container(of: "b").newContext()
            let others = try other.fetch(byLabel)
            for object in others { other.refresh(object, mergeChanges: true) }
            #expect(!other.coordinator.rowCache.isEmpty)
            let context = container.newContext()
            for id in hidden {
                let error = #expect(throws: StoreError.self) {
                    try context.existingObject(with: id)
                }
                #expect(error?.code == .missingRow)
                let fault = try #require(context.object(with: id) as? Node)
                #expect(fault.label == "")
            }
            #expect(throws: (any Error).self) { try context.save() }
            context.reset()
            for prefetches in [false, true] {
                let request =
                    prefetches
                    ? byLabel.prefetching(Node.box, Node.tags, Node.parts) : byLabel
                let nodes = try context.fetch(request)
                try #require(nodes.map(\.label) == names("a"))
                #expect(
                    nodes.flatMap { $0.tags.map(\.name) } == Array(repeating: "a topic", count: 3))
                #expect(
                    nodes.flatMap { $0.parts.map(\.name) } == Array(repeating: "a part", count: 3))
                // The third one is in a box of the other tenant.
                #expect(nodes.map { $0.box?.name ?? "none" }.prefix(2) == ["a box", "a box"])
                #expect(nodes[2].box?.name ?? "" == "")
                let box = try #require(nodes[0].box)
                #expect(box.nodes.map(\.label).sorted() == ["a0", "a1"])
                context.reset()
            }
            #expect(try context.existingObject(with: own[0], as: Node.self).label == "a0")
        }
    }

    @Test(arguments: TenantCase.all)
    func `no save and no batch operation changes a row of another tenant`(
        _ test: TenantCase
    ) async throws {
        try await test.withStore { store in
            let (own, hidden) = (try store.fill("a"), try store.fill("b"))
            func others() throws -> [String] {
                let rows = try store.run(
                    """
                    SELECT concat("label", ' ', "number", ' ', "_version") FROM SCHEMA."Node" \
                    WHERE left("label", 1) = 'b' ORDER BY "label"
                    """)
                return (0..<rows.count).map { rows.text($0, 0) }
            }
            let before = try others()
            let context = store.container(of: "a").newContext()
            try context.execute(BatchUpdateRequest<Node>().set(Node.number, to: 100))
            #expect(try sum(byLabel, context) == 300)
            // Rows that were visible go over to the other tenant.
            let nodes = try context.fetch(byLabel)
            try store.run("UPDATE SCHEMA.\"Node\" SET \"label\" = 'b9' WHERE \"label\" = 'a0'")
            let moved = before + ["b9 100 \(nodes[0].objectID.key > 0 ? 2 : 0)"]
            for policy in [MergePolicy.error, .objectTrump, .overwrite] {
                context.mergePolicy = policy
                nodes[0].number = 7
                let error = #expect(throws: (any Error).self) { try context.save() }
                let text = "\(error as Any)"
                #expect(!text.contains("b9"), "\(text)")
                if case .error = policy {
                    #expect(error is ConflictError, "\(text)")
                } else {
                    #expect((error as? StoreError)?.code == .keyTaken, "\(text)")
                }
                context.rollback()
            }
            context.mergePolicy = .error
            context.reset()
            #expect(try others() == moved)
            // Nobody writes what it would not see.
            let stranger = Node(in: context, label: "b of a")
            let refusal = #expect(throws: StoreError.self) { try context.save() }
            #expect(refusal?.code == .notPermitted)
            context.delete(stranger)
            let node = try context.existingObject(with: own[1], as: Node.self)
            node.label = "b1"
            let change = #expect(throws: StoreError.self) { try context.save() }
            #expect(change?.code == .notPermitted)
            context.rollback()
            let batch = #expect(throws: (any Error).self) {
                try context.execute(BatchInsertRequest<Node>(0..<2) { $0.label = "b\($1)" })
            }
            #expect((batch as? StoreError)?.code == .notPermitted, "\(String(describing: batch))")
            // Its own goes on.
            try context.execute(BatchInsertRequest<Node>(0..<2) { $0.label = "a\($1)" })
            try context.execute(BatchDeleteRequest<Node>())
            #expect(try context.count(for: Node.fetchRequest()) == 0)
            #expect(try others() == moved)
            _ = hidden
        }
    }

    @Test(arguments: TenantCase.all)
    func
        `a hidden row with the same unique value, or the same key, is in the way, and the error says so`(
            _ test: TenantCase
        ) async throws
    {
        try await test.withStore { store in
            let hidden = try store.fill("b")
            let container = store.container(of: "a")
            for policy in [MergePolicy.error, .objectTrump] {
                let context = container.newContext()
                context.mergePolicy = policy
                _ = Robot(in: context, name: "a thief", serial: "serial of b")
                let error = #expect(throws: ValidationError.self) { try context.save() }
                #expect(error?.code == .notUnique)
                let text = error.map { "\($0)" } ?? ""
                #expect(text.contains("hides"), "\(text)")
                #expect(!text.contains("serial of b") && !text.contains("b robot"), "\(text)")
            }
            // What is deleted is still referenced by a hidden row.
            let own = try store.fill("a")
            try store.run(
                """
                UPDATE SCHEMA."Node" SET "next" = \(own[0].key) WHERE "_id" = \(hidden[0].key)
                """)
            let context = container.newContext()
            context.delete(try context.existingObject(with: own[0]))
            let error = #expect(throws: (any Error).self) { try context.save() }
            #expect("\(error.map { "\($0)" } ?? "")".contains("hides"))
            #expect(throws: (any Error).self) {
                try context.execute(
                    BatchDeleteRequest(Node.fetchRequest().filter(Node.label == "a0")))
            }
        }
    }

    @Test(arguments: TenantCase.roles)
    func `contexts hear of saves with their own settings alone`(_ test: TenantCase) async throws {
        try await test.withStore { store in
            let own = try store.fill("a")
            let (container, others) = (store.container(of: "a"), store.container(of: "b"))
            #expect(container.coordinator === store.container(of: "a").coordinator)
            #expect(container.coordinator !== others.coordinator)
            let (first, second) = (container.newContext(), container.newContext())
            let (foreign, base) = (others.newContext(), store.container.newContext())
            let node = try second.existingObject(with: own[0], as: Node.self)
            let changed = try first.existingObject(with: own[0], as: Node.self)
            changed.number = 5
            try first.save()
            second.mergePending()
            #expect(node.number == 5)
            #expect(foreign.merges.mailbox.hasNothing && base.merges.mailbox.hasNothing)
            // One that is handed on by the program shows nothing either.
            changed.label = "a secret"
            _ = Node(in: first, label: "a new")
            try first.save()
            let changeSet = try #require(second.merges.mailbox.take().changeSets.first)
            let controller = FetchedResultsController(byLabel, in: foreign)
            try controller.performFetch()
            foreign.mergeChanges(from: changeSet)
            #expect(controller.fetchedObjects?.isEmpty == true)
            #expect(foreign.registeredObjects.isEmpty)
            #expect(foreign.coordinator.rowCache.isEmpty)
            let inside = try #require(foreign.object(with: own[0]) as? Node)
            foreign.mergeChanges(from: changeSet)
            #expect(inside.label == "")
        }
    }

    @Test(arguments: TenantCase.roles)
    func `a query generation belongs to its settings`(_ test: TenantCase) async throws {
        try await test.withStore { store in
            _ = (try store.fill("a"), try store.fill("b"))
            let contexts = ["a", "b"].map { store.container(of: $0).newContext() }
            for context in contexts { try context.setQueryGeneration(.current) }
            for (context, tenant) in zip(contexts, ["a", "b"]) {
                #expect(try context.fetch(byLabel).map(\.label) == names(tenant))
                let box = try #require(try context.fetchFirst(Box.fetchRequest()))
                #expect(box.nodes.map(\.label).sorted() == names(tenant))
            }
            try store.run("UPDATE SCHEMA.\"Node\" SET \"label\" = 'b8' WHERE \"label\" = 'a0'")
            for (context, tenant) in zip(contexts, ["a", "b"]) {
                context.refreshAllObjects()
                #expect(try context.fetch(byLabel).map(\.label) == names(tenant))
            }
            #expect(throws: StoreError.self) {
                try contexts[1].setQueryGeneration(contexts[0].queryGeneration)
            }
            let base = store.container.newContext()
            #expect(throws: StoreError.self) {
                try base.setQueryGeneration(contexts[0].queryGeneration)
            }
            let same = store.container(of: "a").newContext()
            try same.setQueryGeneration(contexts[0].queryGeneration)
            #expect(try same.fetch(byLabel).map(\.label) == names("a"))
        }
    }

    @Test(arguments: TenantCase.roles)
    func `the history is written, and told to nobody with settings`(
        _ test: TenantCase
    ) async throws {
        try await test.withStore(.values) { store in
            let ids = try store.fill("a")
            let context = store.container(of: "a").newContext()
            let node = try context.existingObject(with: ids[0], as: Node.self)
            node.number = 9
            try context.save()
            for _ in 0..<2 {
                let error = #expect(throws: StoreError.self) {
                    try context.fetchHistory(HistoryRequest())
                }
                #expect(error?.code == .invalidRequest)
            }
            #expect(throws: StoreError.self) {
                try context.coordinator.deleteHistory(before: .distantFuture)
            }
            let told = try store.container.newContext().fetchHistory(HistoryRequest())
            #expect(told.transactions.count == 2)
        }
    }

    @Test(arguments: TenantCase.all)
    func `many new rows are written where policies are in force`(_ test: TenantCase) async throws {
        try await test.withStore { store in
            let context = store.container(of: "a").newContext()
            for number in 0..<10_001 { _ = Node(in: context, label: "a\(number)") }
            try context.save()
            try context.execute(
                BatchInsertRequest<Node>(0..<5_000) { node, number in node.label = "a\(number)" })
            #expect(try context.count(for: Node.fetchRequest()) == 15_001)
        }
    }

    @Test(arguments: TenantCase.all)
    func `settings take no round trip, and stay on no connection`(_ test: TenantCase) async throws {
        let trips = Mutex<Set<Int>>([])
        let texts = Mutex<[String]>([])
        let hook = StatementHook(includesValues: true) { statement in
            _ = trips.withLock { $0.insert(statement.roundTrip ?? 0) }
            texts.withLock { $0.append(statement.sqlWithValues ?? statement.sql) }
        }
        try await test.withStore(poolSize: 1, hook: hook) { store in
            let ids = try store.fill("a")
            let context = store.container(of: "a").newContext()
            func count(_ body: () throws -> Void) rethrows -> Int {
                trips.withLock { $0 = [] }
                try body()
                return trips.withLock { $0.count }
            }
            let node = try context.existingObject(with: ids[0], as: Node.self)
            #expect(try count { _ = try context.fetch(byLabel) } == 1)
            #expect(try count { _ = try context.fetch(byLabel.prefetching(Node.tags)) } == 1)
            #expect(try count { _ = try context.count(for: byLabel) } == 1)
            context.refresh(node, mergeChanges: false)
            context.coordinator.rowCache.removeAll()
            #expect(count { _ = node.label } == 1)
            node.number = 2
            #expect(try count { try context.save() } == 3)
            #expect(texts.withLock { $0.filter { $0.contains("app.tenant") } } == [])
            // The same connection, without settings.
            let base = store.container.newContext()
            let all = try base.count(for: Node.fetchRequest())
            #expect(all == (test.arrangement == .role ? 3 : 0))
        }
    }

    @Test(arguments: TenantCase.roles)
    func `no error shows the value of a setting`(_ test: TenantCase) async throws {
        try await test.withStore { store in
            let ids = try store.fill("a")
            // A policy that fails over the value, and says it.
            try store.run(
                """
                CREATE POLICY number ON SCHEMA."Box" AS RESTRICTIVE \
                USING (current_setting('app.number', true)::integer > 0)
                """)
            let secret = "geheim-77"
            let settings = store.settings("a").merging(["app.number": secret])
            #expect(!"\(settings) \(String(reflecting: settings))".contains(secret))
            var dumped = ""
            dump(settings, to: &dumped)
            #expect(!dumped.contains(secret))
            let context = store.container.applying(transactionSettings: settings).newContext()
            let error = #expect(throws: (any Error).self) { try context.fetch(Box.fetchRequest()) }
            let text = error.map { "\($0) \($0.localizedDescription)" } ?? ""
            #expect(text.contains("22P02") && !text.contains("geheim"), "\(text)")
            #expect(try context.fetch(byLabel).map(\.label) == names("a"))
            let unknown = store.container.applying(
                transactionSettings: ["app.tenant": "a", "role": "geheim"]
            ).newContext()
            for _ in 0..<2 {
                let error = #expect(throws: StoreError.self) { try unknown.fetch(byLabel) }
                #expect(error?.code == .invalidRequest)
                #expect(error.map { !"\($0)".contains("geheim") } == true)
                #expect(throws: StoreError.self) {
                    try unknown.setQueryGeneration(.current)
                    _ = try unknown.fetch(byLabel)
                }
                try unknown.setQueryGeneration(.unpinned)
                _ = Node(in: unknown, label: "a")
                let refused = #expect(throws: StoreError.self) { try unknown.save() }
                #expect(refused.map { !"\($0)".contains("geheim") } == true)
                unknown.reset()
            }
            _ = ids
        }
    }

    @Test(arguments: TenantCase.roles)
    func `policies are no drift`(_ test: TenantCase) async throws {
        try await test.withStore { store in
            #expect(
                try store.container.coordinator.persistentStores.allSatisfy {
                    try $0.differences().isEmpty
                })
            let description = test.server.description(.off, schema: store.schema)
            _ = try PersistentContainer(Everything.model, description)
        }
    }
}

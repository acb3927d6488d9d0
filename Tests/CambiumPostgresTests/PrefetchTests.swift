import CambiumEngineSpecification
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import Cambium
@testable import CambiumPostgresStore

/// A fetch reads what it prefetches with its rows: in one round trip, as it is at one moment.
struct PrefetchTests {
    /// Nodes, boxes and topics, of which a node has links of every kind.
    private struct Graph {
        static let size = 30
        private let container: PersistentContainer
        let store: PostgresEngine

        init(_ store: SpecifiedStore, using random: inout SeededGenerator) throws {
            container = store.container
            self.store = try #require(store.engine as? PostgresEngine)
            let context = container.newContext()
            let nodes = (0..<Self.size).map { number in
                let node = Node(in: context, label: number % 10 == 7 ? "É\(number)" : "N\(number)")
                node.number = Int64(number)
                return node
            }
            let boxes = (0..<8).map { Box(in: context, name: "Box \($0)") }
            let topics = (0..<6).map { Topic(in: context, name: "Topic \($0)") }
            for box in boxes where random.chance(0.7) {
                box.topic = topics.randomElement(using: &random)
            }
            for node in nodes {
                if random.chance(0.8) { node.box = boxes.randomElement(using: &random) }
                if random.chance(0.5) { node.next = nodes.randomElement(using: &random) }
                for number in 0..<Int.random(in: 0...3, using: &random) {
                    _ = Part(in: context, name: "\(node.label) \(number)", node: node)
                    node.tags.insert(topics[Int.random(in: 0..<6, using: &random)])
                    node.follows.insert(nodes[Int.random(in: 0..<Self.size, using: &random)])
                }
                for topic in topics.shuffled(using: &random) where random.chance(0.4) {
                    node.queue.append(topic)
                }
            }
            try context.save()
        }

        /// A context that has read nothing.
        func newContext() -> ManagedObjectContext { container.newContext() }

        /// The number of round trips that a body takes.
        func roundTrips(_ body: () throws -> Void) throws -> Int {
            let before = try store.pool.withConnection { $0.roundTrips }
            try body()
            return try store.pool.withConnection { $0.roundTrips } - before
        }
    }

    private func withGraph(
        _ server: PostgresServer, seed: UInt64 = 7, _ body: (Graph) throws -> Void
    ) throws {
        var random = SeededGenerator(seed: seed)
        try server.entry.withStore(Everything.model) {
            try body(Graph($0, using: &random))
        }
    }

    /// The objects along a path with a value of each, those of a list in its order.
    private func ends(of path: ArraySlice<String>, _ object: ManagedObject) throws -> String {
        let attribute = object.entityDescription.attributes.lazy.compactMap(\.self).first?.name
        let value = try object.value(forKey: #require(attribute))
        guard let name = path.first else { return "\(value)" }
        let relationship = try #require(object.entityDescription.relationship(named: name))
        var ends: [ManagedObject] = []
        if relationship.isToMany {
            ends = Array(try object.relatedObjects(forKey: name))
            if !relationship.isOrdered { ends.sort { $0.key < $1.key } }
        } else if let end = try object.relatedObject(forKey: name) {
            ends = [end]
        }
        let rest = path.dropFirst()
        return try "\(value)(\(ends.map { try self.ends(of: rest, $0) }.joined(separator: " ")))"
    }

    private func ends(of paths: [String], _ objects: [ManagedObject]) throws -> [String] {
        try objects.flatMap { object in
            try paths.map { try ends(of: $0.split(separator: ".").map(String.init)[...], object) }
        }
    }

    private static let paths = [
        "box", "parts", "next", "previous", "tags", "follows", "followers", "queue", "box.nodes",
        "box.topic.boxes", "parts.node", "next.next.previous", "tags.nodes.box", "queue.waiting",
        "follows.follows.parts", "previous.queue.boxes", "box.topic.waiting.tags",
    ]

    @Test(arguments: PostgresServer.some())
    func `what is prefetched takes no round trip of its own`(_ server: PostgresServer) throws {
        try withGraph(server) { graph in
            for path in Self.paths {
                var request = Node.fetchRequest()
                let reader = graph.newContext()
                let expected = try ends(of: [path], reader.fetch(request))
                request.prefetchedPaths = [path]
                let context = graph.newContext()
                var found: [Node] = []
                var trips = try graph.roundTrips { found = try context.fetch(request) }
                #expect(trips == 1, "\(path)")
                trips = try graph.roundTrips {
                    try #expect(ends(of: [path], found) == expected, "\(path)")
                }
                #expect(trips == 0, "\(path)")
            }
        }
    }

    private static let conditions = [
        "TRUEPREDICATE", "number > 11", "box.topic.name CONTAINS '1'", "parts.@count > 1",
        "ANY tags.name == 'Topic 2'", "SUBQUERY(follows, $n, $n.number < 9).@count > 0",
        "number < 0", "number == 3",
    ]
    /// Those of which the server is not sure.
    private static let doubtful = [
        "label BEGINSWITH[c] 'n'", "label LIKE label", "box.name LIKE box.name",
        "label BEGINSWITH[c] 'é' OR number < 20",
    ]

    @Test(arguments: PostgresServer.some())
    func `requests of all kinds prefetch what they lead to`(_ server: PostgresServer) throws {
        try forEachSeed(share: 0.5) { seed in
            var random = SeededGenerator(seed: seed)
            try withGraph(server, seed: seed) { graph in
                for _ in 0..<20 { try compareRequest(graph, seed, &random) }
            }
        }
    }

    private func compareRequest(
        _ graph: Graph, _ seed: UInt64, _ random: inout SeededGenerator
    ) throws {
        let isDoubtful = random.chance(0.25)
        let condition = (isDoubtful ? Self.doubtful : Self.conditions).randomElement(using: &random)
        var request = Node.fetchRequest().filter(format: condition ?? "TRUEPREDICATE")
        if random.chance(0.4) {
            request = request.sorted(by: Node.box.name, Node.number.descending)
        }
        if random.chance(0.3) { request.limit = Int.random(in: 0...9, using: &random) }
        if random.chance(0.3) { request.offset = Int.random(in: 0...9, using: &random) }
        if random.chance(0.2) { request.returnsObjectsAsFaults = true }
        let paths = Array(
            Self.paths.shuffled(using: &random).prefix(.random(in: 1...4, using: &random)))
        let place = "\(request) prefetching \(paths), seed \(seed)"
        let reader = graph.newContext()
        let expected = try ends(of: paths, reader.fetch(request))
        request.prefetchedPaths = paths
        let context = graph.newContext()
        let hasChanges = random.chance(0.3)
        if hasChanges { _ = Topic(in: context, name: "new") }
        // Some objects are known before.
        if random.chance(0.3) { _ = try context.fetch(Box.fetchRequest().limit(4)) }
        var found: [Node] = []
        let trips = try graph.roundTrips { found = try context.fetch(request) }
        if !hasChanges, !isDoubtful { #expect(trips == 1, "\(place)") }
        let others = try graph.roundTrips {
            try #expect(ends(of: paths, found) == expected, "\(place)")
        }
        if !request.returnsObjectsAsFaults { #expect(others == 0, "\(place)") }
    }

    @Test(arguments: PostgresServer.some())
    func `what is decided in memory takes another round trip, and one that ends`(
        _ server: PostgresServer
    ) throws {
        try withGraph(server) { graph in
            let context = graph.newContext()
            let request = Node.fetchRequest().filter(format: "label BEGINSWITH[c] 'É'")
                .prefetching(Node.box.topic, Node.tags, Node.queue)
            let trips = try graph.roundTrips { try #expect(context.fetch(request).count == 3) }
            #expect(trips == 2)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a fetch in the background prefetches in the same round trip`(
        _ server: PostgresServer
    ) async throws {
        let container = try PersistentContainer(
            Everything.model, server.description(applicationName: UUID().uuidString))
        let store = try #require(
            container.coordinator.persistentStores.first?.store as? PostgresEngine)
        let writer = container.newContext()
        for number in 0..<9 {
            let node = Node(in: writer, label: "\(number)")
            node.box = Box(in: writer, name: "Box \(number)")
            _ = Part(in: writer, name: "Part \(number)", node: node)
        }
        try writer.save()
        let before = try store.pool.withConnection { $0.roundTrips }
        let context = container.newContext()
        let nodes = try await context.fetchInBackground(
            Node.fetchRequest().prefetching(Node.parts).prefetching(Node.box))
        #expect(nodes.allSatisfy { $0.box?.name == "Box \($0.label)" && $0.parts.count == 1 })
        try #expect(store.pool.withConnection { $0.roundTrips } == before + 1)
    }

    @Test(arguments: PostgresServer.some())
    func `objects that changed are prefetched as they are`(_ server: PostgresServer) throws {
        try withGraph(server) { graph in
            let context = graph.newContext()
            let node = try #require(try context.fetchFirst(Node.fetchRequest()))
            let other = try #require(
                try context.fetchFirst(Node.fetchRequest().filter(Node.number == 9)))
            let box = Box(in: context, name: "new")
            node.box = box
            node.tags.removeAll()
            other.follows.insert(node)
            let found = try context.fetch(
                Node.fetchRequest().prefetching(Node.box, Node.tags, Node.follows, Node.followers))
            #expect(found.count == Graph.size)
            #expect(node.box === box && node.tags.isEmpty)
            #expect(other.follows.contains(node) && node.followers.contains(other))
            #expect(box.nodes.contains(node))
        }
    }

    @Test(arguments: PostgresServer.all)
    func `what finds the rows of a window runs twice, whatever is prefetched`(
        _ server: PostgresServer
    ) throws {
        let windows = Mutex(0)
        var description = server.description()
        description.options.statementHook = StatementHook { statement in
            if statement.sql.contains(" LIMIT ") { windows.withLock { $0 += 1 } }
        }
        let container = try PersistentContainer(Everything.model, description)
        let context = container.newContext()
        for number in 0..<9 {
            let node = Node(in: context, number: Int64(number))
            _ = Part(in: context, node: node)
            node.box = Box(in: context, name: "\(number)")
        }
        try context.save()
        let request = Node.fetchRequest().sorted(by: Node.number).limit(3)
        for request in [
            request.prefetching(Node.box),
            request.prefetching(Node.box.topic, Node.parts, Node.tags, Node.box.nodes),
        ] {
            windows.withLock { $0 = 0 }
            let context = container.newContext()
            let nodes = try context.fetch(request)
            #expect(nodes.compactMap(\.box?.name) == ["0", "1", "2"])
            #expect(windows.withLock { $0 } == 2)
        }
    }

    /// The second of the statements waits, while a row comes that it would find.
    @Test(arguments: PostgresServer.some())
    func `a fetch does not see what is saved while it prefetches`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(
            Everything.model, server.description(schema: schema))
        let writer = container.newContext()
        let node = Node(in: writer, label: "a")
        _ = Part(in: writer, name: "1", node: node)
        try writer.save()
        let (locker, watcher) = (try server.connect(), try server.connect())
        let table = "\"\(schema)\".\"Part\""
        _ = try locker.run([
            PostgresConnection.begin(isReadOnly: false),
            PostgresStatement("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE"),
        ])
        let names = Mutex<[String]?>(nil)
        let reader = Thread {
            let context = container.newContext()
            let nodes = try? context.fetch(Node.fetchRequest().prefetching(Node.parts))
            let found = nodes?.flatMap { $0.parts.map(\.name) }
            names.withLock { $0 = found ?? [] }
        }
        reader.start()
        let end = Date.now + 20
        func isWaiting() throws -> Bool {
            try watcher.run(
                """
                SELECT count(*) FROM pg_locks WHERE NOT granted AND \
                relation = '\(table)'::regclass
                """
            ).integer(0, 0) > 0
        }
        while try !isWaiting(), .now < end { Thread.sleep(forTimeInterval: 0.01) }
        _ = try locker.run([
            PostgresStatement(
                """
                INSERT INTO \(table) ("_id", "_version", "name", "node") \
                VALUES (1000, 1, '2', \(node.key))
                """), PostgresStatement("COMMIT"),
        ])
        while names.withLock({ $0 }) == nil, .now < end { Thread.sleep(forTimeInterval: 0.01) }
        #expect(names.withLock { $0 } == ["1"])
        let later = container.newContext()
        try #expect(later.fetch(Part.fetchRequest()).count == 2)
    }
}

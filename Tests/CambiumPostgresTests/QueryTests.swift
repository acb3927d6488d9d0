@testable import Cambium
import CambiumEngine
import CambiumEngineSpecification
import EverythingModel
import Testing

@testable import CambiumPostgresStore

/// What is decided by the server, and what in memory.
struct QueryTests {
    /// Runs a body with a store of nodes, each in a box of its own.
    private func withNodes(
        _ engine: PostgresServer, count: Int = 50,
        _ body: (ManagedObjectContext, PostgresEngine) throws -> Void
    ) throws {
        try engine.entry.withStore(Everything.model) { store in
            let context = store.container.newContext()
            for number in 0..<count {
                let node = Node(in: context, label: number == 7 ? "É7" : "N\(number)")
                node.number = Int64(number)
                node.box = Box(in: context, name: "Box \(number)")
            }
            try context.save()
            try body(store.container.newContext(), try #require(store.engine as? PostgresEngine))
        }
    }

    /// The number of round trips that a body takes.
    private func roundTrips(
        _ engine: PostgresEngine, _ body: () throws -> Void
    ) throws -> Int {
        let before = try engine.pool.withConnection { $0.roundTrips }
        try body()
        return try engine.pool.withConnection { $0.roundTrips } - before
    }

    private let nodes = Node.fetchRequest()

    @Test(arguments: PostgresServer.some())
    func `only the rows that the server is not sure of are looked at`(
        _ engine: PostgresServer
    ) throws {
        try withNodes(engine) { context, store in
            let request = nodes.filter(format: "label BEGINSWITH[c] 'n1'")
            try #expect(context.fetch(request).count == 11)
            try #expect(context.count(for: request) == 11)
            try #expect(context.fetch(nodes.filter(format: "label CONTAINS[c] 'é'")).count == 1)
            let steps = try request.explain(in: context).steps
            #expect(
                steps.last
                    == "in memory: label BEGINSWITH[c] 'n1', for the rows that the server is not sure of"
            )
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a plan says whether a table is scanned`(_ engine: PostgresServer) throws {
        let context = try PersistentContainer(Everything.model, engine.description()).newContext()
        try #expect(nodes.filter(Node.label == "a").explain(in: context).scansTable)
        try #expect(nodes.explain(in: context).scansTable)
        let robots = Robot.fetchRequest().filter(Robot.serial == "a")
        try #expect(!robots.explain(in: context).scansTable)
    }

    @Test(arguments: PostgresServer.some())
    func `a part that the server cannot decide is named`(_ engine: PostgresServer) throws {
        try withNodes(engine) { context, _ in
            let request = nodes.filter(format: "number > 3 AND label LIKE label")
            let steps = try request.explain(in: context).steps
            #expect(steps.last == "in memory: label LIKE label")
            try #expect(context.fetch(request).count == 46)
            let order = nodes.sorted(by: Node.label.ascending(.natural))
            try #expect(order.explain(in: context).steps.last == "in memory: the order")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a request may refuse what is decided in memory`(_ engine: PostgresServer) throws {
        try withNodes(engine) { context, _ in
            let strict = nodes.allowsInMemoryFiltering(false)
            try #expect(context.fetch(strict.filter(Node.number > 3)).count == 46)
            for condition in ["label LIKE label", "label BEGINSWITH[c] 'n'"] {
                let request = strict.filter(format: condition)
                let error = #expect(throws: StoreError.self) { try context.fetch(request) }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains(condition) == true)
                #expect(throws: StoreError.self) { try context.count(for: request) }
            }
            let error = #expect(throws: StoreError.self) {
                try context.fetch(strict.sorted(by: Node.label.ascending(.natural)))
            }
            #expect(error?.message.contains("the order") == true)
            let prefetching = strict.filter(format: "label LIKE label").prefetching(Node.box)
            #expect(throws: StoreError.self) { try context.fetch(prefetching) }
            // The server computes no powers.
            let power = ModelExpression.arithmetic(
                .keyPath(root: .subject, names: ["number"]), .power, .literal(.int(2)))
            let columns = ["greatest": ResultExpression(.maximum, of: power)]
            let results = strict.dictionaries(columns)
            let refused = #expect(throws: StoreError.self) { try context.fetch(results) }
            #expect(refused?.message.contains("the results") == true)
            #expect(refused?.message.contains("allowsInMemoryFiltering") == true)
            try #expect(results.explain(in: context).steps.last == "in memory: the results")
            let found = try context.fetch(nodes.dictionaries(columns))
            #expect(found.map { $0["greatest"] } == [.value(.double(49 * 49))])
        }
    }

    @Test(arguments: PostgresServer.some())
    func `related rows are read together for what is decided in memory`(
        _ engine: PostgresServer
    ) throws {
        try withNodes(engine) { context, store in
            // The nodes, their boxes, COMMIT; what the boxes have.
            let trips = try roundTrips(store) {
                let request = nodes.filter(format: "box.name LIKE box.name")
                try #expect(context.fetch(request).count == 50)
            }
            #expect(trips == 3)
            let others = try roundTrips(store) {
                let request = nodes.filter(
                    format: "SUBQUERY(box.nodes, $n, $n.label LIKE label).@count == 1")
                try #expect(context.fetch(request).count == 50)
            }
            #expect(others == 4)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `results are one statement`(_ engine: PostgresServer) throws {
        try withNodes(engine) { context, store in
            let request = nodes.dictionaries([
                "name": Node.box.name.resultExpression, "sum": Node.number.sum.resultExpression,
            ]).grouped(by: Node.box.name).having(Node.number.sum > 47)
                .sorted(by: Node.number.sum.descending)
            let trips = try roundTrips(store) {
                let results = try context.fetch(request)
                #expect(results.count == 2)
            }
            #expect(trips == 1)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `results that may be in doubt are one round trip where none is`(
        _ engine: PostgresServer
    ) throws {
        try withNodes(engine) { context, store in
            func results(_ condition: String) throws -> [[String: PropertyValue]] {
                try context.fetch(
                    nodes.filter(format: condition).dictionaries([
                        "sum": Node.number.sum.resultExpression
                    ]))
            }
            let trips = try roundTrips(store) {
                try #expect(results("label BEGINSWITH[c] 'n4'").count == 1)
            }
            // One of the labels is not all ASCII: the program looks at it.
            #expect(trips == 3)
            let others = try roundTrips(store) {
                try #expect(results("number != 7 AND label BEGINSWITH[c] 'n4'").count == 1)
            }
            #expect(others == 1)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a window is found in a part of the rows`(_ engine: PostgresServer) throws {
        try withNodes(engine) { context, _ in
            let ordered = nodes.sorted(by: Node.number.descending)
            let labels = { (request: FetchRequest<Node>) in
                try context.fetch(request).map(\.label)
            }
            let few = ordered.filter(format: "label LIKE label").limit(2).offset(1)
            try #expect(labels(few) == ["N48", "N47"])
            let late = ordered.filter(format: "label ==[c] 'é7' OR label ENDSWITH[c] 'n0'").limit(3)
            try #expect(labels(late) == ["É7", "N0"])
        }
        // None of the first ones meets it: the others are read, with a cursor that is closed then.
        try withNodes(engine, count: 300) { context, store in
            let request = nodes.sorted(by: Node.number).filter(format: "number ** 2 >= 84100")
            let trips = try roundTrips(store) {
                try #expect(
                    context.fetch(request.limit(3).offset(2)).map(\.number) == [292, 293, 294])
            }
            #expect(trips == 4)
            try #expect(context.fetch(request.limit(30)).count == 10)
        }
    }

    /// However many rows there are, memory holds a page of them.
    @Test(arguments: PostgresServer.some())
    func `rows are counted, and found in a window, page by page`(
        _ engine: PostgresServer
    ) throws {
        try withNodes(engine, count: 4_100) { context, store in
            func count(_ condition: String) throws -> Int {
                try context.count(for: nodes.filter(format: condition))
            }
            // Two complete pages and the rest, CLOSE, COMMIT.
            let trips = try roundTrips(store) { try #expect(count("number ** 2 >= 9") == 4_097) }
            #expect(trips == 5)
            try #expect(count("label BEGINSWITH[c] 'n40'") == 111)
            try #expect(count("box.name LIKE box.name") == 4_100)
            let late = nodes.sorted(by: Node.number).filter(format: "number ** 2 >= 16728100")
            try #expect(context.fetch(late.limit(3).offset(1)).map(\.number) == [4091, 4092, 4093])
            try #expect(context.fetch(late.limit(30)).count == 10)
            // In one state, one cursor after the other is used.
            try context.setQueryGeneration(.current)
            for _ in 0..<2 {
                try #expect(count("number ** 2 >= 9") == 4_097)
                try #expect(context.fetch(late.limit(2)).map(\.number) == [4090, 4091])
            }
        }
    }

    @Test(arguments: PostgresServer.some())
    func `operators of texts mean what they mean in memory`(_ engine: PostgresServer) throws {
        try engine.entry.withStore(Everything.model) { store in
            let context = store.container.newContext()
            let words =
                ConditionWorld.awkwardWords + ["ab\ncd", "A1", "_", "a\r\n", "aB", "\u{1F}"]
            for word in words { _ = Node(in: context, label: word) }
            try context.save()
            let objects = try context.fetch(nodes)
            let allOptions: [ComparisonOptions] = [
                [], .caseInsensitive, .diacriticInsensitive,
                [.caseInsensitive, .diacriticInsensitive],
            ]
            let plain: [ComparisonOperator] = [.like, .contains, .beginsWith, .endsWith, .equal]
            let relations: [(ComparisonOperator, [String])] =
                [(.matches, RandomCondition.patterns)]
                + plain.map { ($0, TestSize.sample(words, oneIn: 4)) }
            let entity = try #require(store.container.coordinator.model["Node"])
            var decidedInMemory = 0
            for (relation, constants) in relations {
                for (constant, options) in constants.flatMap({ word in allOptions.map { (word, $0) }
                }) {
                    let condition = ModelExpression.comparison(
                        .keyPath(root: .subject, names: ["label"]), relation,
                        .literal(.string(constant)), options)
                    let evaluator = try ExpressionEvaluator(
                        condition: condition, entity: entity.entity, model: entity.model)
                    let expected = try objects.filter { try evaluator.isTrue(ObjectSubject($0)) }
                    let request = nodes.filter(Condition(condition))
                    let found = try context.fetch(request)
                    #expect(
                        found.map(\.label).map { Array($0.utf8) }
                            == expected.map(\.label).map { Array($0.utf8) },
                        "\(relation) \(constant) \(options)")
                    guard relation == .matches else { continue }
                    let steps = try request.explain(in: context).steps
                    if steps.last == "in memory: \(condition)" { decidedInMemory += 1 }
                }
            }
            // What the server reads otherwise: letters beyond ASCII, "(?i)", "a++" and the like.
            #expect(decidedInMemory == 7 * allOptions.count)
        }
    }
}

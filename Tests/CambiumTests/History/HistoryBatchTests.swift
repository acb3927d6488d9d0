import Cambium
import EverythingModel
import Testing

/// What the history says about batch operations.
struct HistoryBatchTests {
    private func withStore(
        _ body: (PersistentContainer, ManagedObjectContext) throws -> Void
    ) throws {
        try withHistory(.values, Everything.model) { container in
            let context = container.newContext()
            context.transactionAuthor = "batch"
            try body(container, context)
        }
    }

    @Test func `an insertion is one transaction with each object once`() throws {
        try withStore { container, context in
            let request = BatchInsertRequest<Node>(1...5) { node, number in
                node.number = Int64(number)
            }
            try context.execute(request)
            let transactions = try container.history()
            #expect(transactions.map(\.author) == ["batch"])
            let changes = transactions.flatMap(\.changes)
            #expect(changes.map(\.kind) == Array(repeating: .insert, count: 5))
            #expect(
                changes.map { $0.newValues["number"] } == (1...5).map { .value(.int($0)) })
        }
    }

    @Test func `an update names what it changed`() throws {
        try withStore { container, context in
            for number in 1...3 { _ = Node(in: context, number: Int64(number)) }
            try context.save()
            let token = try container.historyToken
            try context.execute(
                BatchUpdateRequest<Node>().filter(Node.number > 1).set(Node.label, to: "x"))
            let transactions = try container.history(after: token)
            #expect(transactions.words == [["update Node label", "update Node label"]])
            #expect(
                transactions.first?.changes.first?.newValues == ["label": .value(.string("x"))])
        }
    }

    @Test func `a deletion names what its delete rules changed`() throws {
        try withStore { container, context in
            let box = Box(in: context)
            let node = Node(in: context)
            node.box = box
            _ = Part(in: context, name: "p", node: node)
            try context.save()
            let token = try container.historyToken
            try context.execute(BatchDeleteRequest<Node>())
            #expect(
                try container.history(after: token).words == [
                    ["delete Node", "delete Part", "update Box nodes"]
                ])
        }
    }

    @Test func `an upsert that moves unique values changes objects`() throws {
        try withStore { container, context in
            let robots = ["1", "2"].map { Robot(in: context, name: "r", serial: $0) }
            try context.save()
            let token = try container.historyToken
            let request = BatchInsertRequest<Robot>(["2", "3"]) { robot, serial in
                robot.name = "new"
                robot.serial = serial
            }
            context.mergePolicy = .objectTrump
            try context.execute(request)
            #expect(
                try container.history(after: token).words == [
                    ["insert Robot", "update Robot name"]
                ])
            withExtendedLifetime(robots) {}
        }
    }
}

import Cambium
import EverythingModel
import Testing

struct ReadReportTests {
    /// Ten nodes in as many boxes, each with two parts and three topics, and a context that has
    /// read nothing.
    private func withNodes(
        on kind: StoreKind = .current, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let writer = container.newContext()
            let topics = (0..<3).map { Topic(in: writer, name: "t\($0)") }
            for index in 0..<10 {
                let node = Node(in: writer, number: Int64(index))
                node.box = Box(in: writer, name: "b\(index)")
                for _ in 0..<2 { _ = Part(in: writer, node: node) }
                for topic in topics { node.tags.insert(topic) }
                node.queue.append(topics[index % 3])
                node.queue.append(topics[(index + 1) % 3])
            }
            try writer.save()
            try body(container.newContext())
        }
    }

    @Test func `objects that are read one by one are told with the relationship`() throws {
        try withNodes { context in
            let error = #expect(throws: TooManyReadsError.self) {
                try context.withReads(atMost: 2) {
                    let nodes = try context.fetch(Node.fetchRequest())
                    #expect(nodes.compactMap { $0.box?.name }.count == 10)
                }
            }
            let report = try #require(error).report
            #expect(report.count == 11)
            #expect(report.repetitions.map(\.relationshipName) == ["box"])
            #expect(report.repetitions.first?.entityName == "Node")
            #expect(report.repetitions.first?.count == 10)
            #expect(error?.description.contains(".prefetching(Node.box)") == true)
            #expect(error?.place.contains("ReadReportTests.swift") == true)
        }
    }

    @Test func `lists that are read one by one are told`() throws {
        try withNodes { context in
            let (_, report) = try context.reads {
                for node in try context.fetch(Node.fetchRequest()) { _ = node.parts.count }
            }
            #expect(report.count == 11, "\(report)")
            #expect(report.repetitions.map(\.remedy) == [".prefetching(Node.parts)"])
        }
    }

    @Test(arguments: StoreKind.databases)
    func `what is prefetched takes a statement for each relationship`(_ kind: StoreKind) throws {
        try withNodes(on: kind) { context in
            let request = Node.fetchRequest().sorted(by: Node.number)
                .prefetching(Node.box).prefetching(Node.parts).prefetching(Node.tags)
                .prefetching(Node.queue)
            // The nodes, the boxes, the parts, pairs and topics of the tags, pairs of the queue.
            let nodes = try context.withReads(atMost: 6) {
                let nodes = try context.fetch(request)
                for (index, node) in nodes.enumerated() {
                    #expect(node.box?.name == "b\(index)")
                    #expect(node.parts.count == 2)
                    #expect(Set(node.tags.map(\.name)) == ["t0", "t1", "t2"])
                    #expect(node.queue.map(\.name) == ["t\(index % 3)", "t\((index + 1) % 3)"])
                }
                return nodes
            }
            #expect(nodes.count == 10)
        }
    }

    @Test func `unsaved changes of lists stay when those are prefetched`() throws {
        try withNodes { context in
            let nodes = try context.fetch(Node.fetchRequest().sorted(by: Node.number))
            let topic = try #require(
                try context.fetch(Topic.fetchRequest().sorted(by: Topic.name)).first)
            nodes[0].tags.remove(topic)
            nodes[1].queue.insert(Topic(in: context, name: "new"), at: 0)
            _ = try context.fetch(
                Node.fetchRequest().prefetching(Node.tags).prefetching(Node.queue))
            #expect(Set(nodes[0].tags.map(\.name)) == ["t1", "t2"])
            #expect(nodes[1].queue.map(\.name) == ["new", "t1", "t2"])
            #expect(nodes[2].tags.count == 3)
        }
    }

    @MainActor
    @Test func `a block that waits is held to a number of statements too`() async throws {
        try await withContainer(Everything.model) { container in
            let writer = container.newContext()
            for index in 0..<3 { _ = Node(in: writer, box: Box(in: writer, name: "b\(index)")) }
            try writer.save()
            let context = container.newContext()
            let error = await #expect(throws: TooManyReadsError.self) {
                try await context.withReads(atMost: 2) {
                    let nodes = try context.fetch(Node.fetchRequest())
                    await Task.yield()
                    #expect(nodes.compactMap { $0.box?.name }.count == 3)
                }
            }
            #expect(error?.report.repetitions.map(\.remedy) == [".prefetching(Node.box)"])
            #expect(error?.place.contains("ReadReportTests.swift") == true)
            let (count, report) = try await context.reads {
                try await context.fetchInBackground(Node.fetchRequest()).count
            }
            #expect(count == 3 && report.count == 1)
        }
    }

    @MainActor
    @Test func `blocks that wait may end in any order`() async throws {
        try await withContainer(Everything.model) { container in
            let context = container.newContext()
            let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let first = Task {
                try await context.reads {
                    _ = try context.count(for: Node.fetchRequest())
                    beginning.yield()
                    for await _ in ends { break }
                }.report.count
            }
            for await _ in beginnings { break }
            let second = Task {
                try await context.reads {
                    end.yield()
                    let count = try await first.value
                    _ = try context.count(for: Box.fetchRequest())
                    return count
                }
            }
            let (count, report) = try await second.value
            #expect(count == 1)
            #expect(report.reads.last?.contains("Box") == true)
            #expect(report.count == 1)
        }
    }

    @Test func `a block within the limit gives its result`() throws {
        try withNodes { context in
            let count = try context.withReads(atMost: 1) {
                try context.count(for: Node.fetchRequest())
            }
            #expect(count == 10)
        }
    }
}

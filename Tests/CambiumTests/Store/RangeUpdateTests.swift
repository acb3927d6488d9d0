import Cambium
import EverythingModel
import Foundation
import Testing

/// Rows whose keys follow each other are updated as a range: each gets its own values, those between
/// and beside them stay as they are, and nobody's changes are written over.
struct RangeUpdateTests {
    private func labels(in container: PersistentContainer) throws -> [String] {
        try container.newContext().fetch(Node.fetchRequest()).map(\.label)
    }

    @Test(arguments: [
        [], [0], [99], [17, 18, 50], [15, 32, 50], Array(stride(from: 0, to: 100, by: 16)),
        Array(stride(from: 0, to: 100, by: 2)),
    ])
    func `each row gets its own values, and what is between stays`(_ kept: [Int]) throws {
        try withNodes(100) { context, nodes, container in
            var expected = (0..<100).map { "node \($0)" }
            for (number, node) in nodes.enumerated().reversed() where !kept.contains(number) {
                node.label = "changed \(number)"
                expected[number] = "changed \(number)"
            }
            try context.save()
            let found = try labels(in: container)
            #expect(found == expected)
            // The versions are what the objects know: they can be saved again.
            for node in nodes { node.number = 7 }
            try context.save()
            let sevens = Node.fetchRequest().filter(Node.number == 7)
            #expect(try container.newContext().count(for: sevens) == 100)
        }
    }

    @Test func `neighbours of several versions are updated, each as it was`() throws {
        try withNodes(100) { context, nodes, container in
            for node in nodes[20..<40] { node.label = "once" }
            try context.save()
            for (number, node) in nodes.enumerated() { node.label = "twice \(number)" }
            try context.save()
            let found = try labels(in: container)
            #expect(found == (0..<100).map { "twice \($0)" })
        }
    }

    @Test func `one that somebody has changed meanwhile keeps all from being written`() throws {
        try withNodes(100) { context, nodes, container in
            context.automaticallyMergesChangesFromParent = false
            let other = container.newContext()
            try other.existingObject(with: nodes[50].objectID, as: Node.self).label = "theirs"
            try other.save()
            for node in nodes { node.label = "mine" }
            #expect(throws: ConflictError.self) { try context.save() }
            var found = try labels(in: container)
            #expect(found.filter { $0 == "mine" }.isEmpty)
            context.mergePolicy = .overwrite
            try context.save()
            found = try labels(in: container)
            #expect(found == Array(repeating: "mine", count: 100))
        }
    }

    @Test func `so does one that another process has changed`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            context.automaticallyMergesChangesFromParent = false
            let nodes = (0..<100).map { Node(in: context, label: "node \($0)") }
            try context.save()
            let elsewhere = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let other = elsewhere.newContext()
            try other.existingObject(with: nodes[50].objectID, as: Node.self).label = "theirs"
            try other.save()
            for node in nodes { node.label = "mine" }
            #expect(throws: ConflictError.self) { try context.save() }
            let found = try labels(in: elsewhere)
            #expect(found == (0..<100).map { $0 == 50 ? "theirs" : "node \($0)" })
        }
    }

    @Test func `values of every kind, and none, come to their rows`() throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let context = container.newContext()
        let samples = (0..<40).map { _ in Sample(in: context) }
        try context.save()
        for (number, sample) in samples.enumerated() {
            let isOdd = number % 2 == 1
            sample.long = .max - Int64(number)
            sample.double = Double(number) / 3
            sample.text = isOdd ? String(repeating: "ä\(number)", count: number) : ""
            sample.bytes = isOdd ? Data(repeating: UInt8(number), count: number * 9) : Data()
            sample.maybeText = isOdd ? nil : "text \(number)"
            sample.maybeDouble = isOdd ? nil : -Double(number)
            sample.maybeToken = isOdd ? UUID() : nil
            sample.size = isOdd ? .small : .large
        }
        try context.save()
        // Back to nothing, in some of them.
        for sample in samples[4..<36] { (sample.bytes, sample.maybeText) = (nil, nil) }
        try context.save()
        let reader = container.newContext()
        for sample in samples {
            let read = try reader.existingObject(with: sample.objectID, as: Sample.self)
            #expect(read.long == sample.long)
            #expect(read.double == sample.double)
            #expect(read.text == sample.text)
            #expect(read.bytes == sample.bytes)
            #expect(read.maybeText == sample.maybeText)
            #expect(read.maybeDouble == sample.maybeDouble)
            #expect(read.maybeToken == sample.maybeToken)
            #expect(read.size == sample.size)
        }
    }

    @Test func `members that move keep their places only with the owner that they are with`() throws
    {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let context = container.newContext()
        let topics = (0..<2).map { Topic(in: context, name: "topic \($0)") }
        let boxes = (0..<60).map { Box(in: context, name: "box \($0)") }
        topics[0].boxes.append(contentsOf: boxes.reversed())
        try context.save()
        for (number, box) in boxes.enumerated() where number % 20 != 3 {
            box.name = "moved \(number)"
            box.topic = topics[1]
        }
        try context.save()
        let reader = container.newContext()
        let read = try topics.map {
            try reader.existingObject(with: $0.objectID, as: Topic.self).boxes.map(\.name)
        }
        #expect(read[0] == ["box 43", "box 23", "box 3"])
        #expect(read[1] == topics[1].boxes.map(\.name))
        #expect(read[1].count == 57)
    }
}

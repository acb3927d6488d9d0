@testable import Cambium
import EverythingModel
import Observation
import Synchronization
import Testing

/// What `withObservationTracking` hears of objects.
struct ObservationTests {
    private func withObservable(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            context.objectsAreObservable = true
            try body(context)
        }
    }

    private final class Counter: Sendable {
        private let total = Mutex(0)
        func count() { total.withLock { $0 += 1 } }
        var value: Int { total.withLock { $0 } }
    }

    /// How often observers of what one closure reads hear of what the other one does.
    private func times(of change: () throws -> Void, reading read: () -> Void) rethrows -> Int {
        let counter = Counter()
        withObservationTracking(read) { counter.count() }
        try change()
        return counter.value
    }

    @Test func `a property that was read and is set is told of`() throws {
        try withObservable { context in
            let node = Node(in: context)
            #expect(times(of: { node.label = "new" }, reading: { _ = node.label }) == 1)
            try context.save()
            #expect(times(of: { node.label = "newer" }, reading: { _ = node.label }) == 1)
        }
    }

    @Test func `another property or another object is not told of`() throws {
        try withObservable { context in
            let node = Node(in: context)
            let other = Node(in: context)
            try context.save()
            let change = {
                node.number = 1
                other.label = "other"
            }
            #expect(times(of: change, reading: { _ = node.label }) == 0)
        }
    }

    @Test func `an object that nobody observes keeps nothing for it`() throws {
        try withObservable { context in
            let node = Node(in: context)
            try context.save()
            _ = node.label
            #expect(node.extras?.observation == nil)
            withObservationTracking {
                _ = node.label
            } onChange: {
            }
            #expect(node.extras?.observation != nil)
        }
    }

    @Test func `where objects are not observable nothing is told`() throws {
        try withObservable { context in
            let node = Node(in: context)
            context.objectsAreObservable = false
            #expect(times(of: { node.label = "new" }, reading: { _ = node.label }) == 0)
            context.objectsAreObservable = true
            #expect(times(of: { node.label = "newer" }, reading: { _ = node.label }) == 1)
        }
    }

    @Test @MainActor func `objects of the main actor's context are observable`() throws {
        try withContainer(Everything.model) { container in
            let context = container.viewContext
            let node = Node(in: context)
            #expect(times(of: { node.label = "new" }, reading: { _ = node.label }) == 1)
        }
    }

    @Test func `every kind of attribute is told of`() throws {
        try withObservable { context in
            let sample = Sample(in: context)
            let changes: [(Sample) -> Void] = [
                { $0.flag = true }, { $0.double = 2 }, { $0.amount = 3 }, { $0.text = "4" },
                { $0.bytes = Data([5]) }, { $0.size = .small }, { $0.maybeLong = nil },
                { $0.scratch = 9 },
            ]
            let reads: [(Sample) -> Void] = [
                { _ = $0.flag }, { _ = $0.double }, { _ = $0.amount }, { _ = $0.text },
                { _ = $0.bytes }, { _ = $0.size }, { _ = $0.maybeLong }, { _ = $0.scratch },
            ]
            for (changed, change) in changes.enumerated() {
                for (looked, read) in reads.enumerated() {
                    let heard = times(of: { change(sample) }, reading: { read(sample) })
                    #expect(heard == (changed == looked ? 1 : 0), "\(changed), \(looked)")
                }
            }
        }
    }

    @Test func `a value that is read by its name is told of`() throws {
        try withObservable { context in
            let node = Node(in: context)
            let heard = try times(
                of: { try node.setValue(.int(3), forKey: "number") },
                reading: { _ = try? node.value(forKey: "number") })
            #expect(heard == 1)
        }
    }

    @Test func `both sides of a relationship are told of`() throws {
        try withObservable { context in
            let node = Node(in: context)
            let (one, two) = (Box(in: context), Box(in: context))
            node.box = one
            try context.save()
            let heard = [
                times(of: { node.box = two }, reading: { _ = node.box }),
                times(of: { node.box = one }, reading: { _ = one.nodes.count }),
                times(of: { node.box = two }, reading: { _ = one.nodes.isEmpty }),
                times(of: { node.tags.insert(Topic(in: context)) }) { _ = Array(node.tags) },
            ]
            #expect(heard == [1, 1, 1, 1])
        }
    }

    @Test func `what another context saves is told of when it is merged`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            context.objectsAreObservable = true
            let node = Node(in: context, box: Box(in: context))
            try context.save()
            let other = container.newContext()
            let theirs: Node = try other.get(node.objectID)
            theirs.label = "theirs"
            try other.save()
            let heard = times(of: { context.mergePending() }, reading: { _ = node.label })
            #expect(heard == 1)
            #expect(node.label == "theirs")
            let box = try #require(node.box)
            Node(in: other).box = theirs.box
            try other.save()
            #expect(times(of: { context.mergePending() }, reading: { _ = box.nodes.count }) == 1)
            #expect(box.nodes.count == 2)
            other.delete(theirs)
            try other.save()
            #expect(times(of: { context.mergePending() }, reading: { _ = node.isDeleted }) == 1)
        }
    }

    @Test func `undo, rollback, refresh and reset are told of`() throws {
        try withObservable { context in
            context.undoManager = ContextUndoManager()
            let node = Node(in: context)
            try context.save()
            node.label = "changed"
            context.processPendingChanges()
            #expect(times(of: { context.undo() }, reading: { _ = node.label }) == 1)
            #expect(times(of: { context.redo() }, reading: { _ = node.label }) == 1)
            #expect(times(of: { context.rollback() }, reading: { _ = node.label }) == 1)
            let refresh = { context.refresh(node, mergeChanges: false) }
            #expect(times(of: refresh, reading: { _ = node.label }) == 1)
            #expect(times(of: { context.reset() }, reading: { _ = node.label }) == 1)
        }
    }

    @Test(arguments: ["undo", "rollback", "merge policy"])
    func `a deletion and its being taken back are told of at the other ends`(
        _ how: String
    ) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            context.objectsAreObservable = true
            context.mergePolicy = .rollback
            context.undoManager = ContextUndoManager()
            let (box, topic) = (Box(in: context), Topic(in: context))
            let node = Node(in: context, box: box)
            node.tags.insert(topic)
            node.queue.append(topic)
            try context.save()
            let sibling = container.newContext()
            if how == "merge policy" {
                try sibling.get(node.objectID, as: Node.self).label = "theirs"
            }
            let reads = [
                { _ = box.nodes.count }, { _ = topic.nodes.count }, { _ = topic.waiting.count },
            ]
            let counters = reads.map { read in
                let counter = Counter()
                withObservationTracking(read) { counter.count() }
                return counter
            }
            context.delete(node)
            context.processPendingChanges()
            #expect(counters.map(\.value) == [1, 1, 1])
            try sibling.save()
            let others = reads.map { read in
                let counter = Counter()
                withObservationTracking(read) { counter.count() }
                return counter
            }
            switch how {
            case "undo": context.undo()
            case "rollback": context.rollback()
            default: try context.save()
            }
            #expect(others.map(\.value) == [1, 1, 1])
            #expect(box.nodes.count == 1 && topic.nodes.count == 1 && topic.waiting.count == 1)
        }
    }

    @Test func `whether an object is changed or deleted is told of`() throws {
        try withObservable { context in
            let node = Node(in: context)
            let save = { try context.save() }
            try #expect(times(of: save, reading: { _ = node.isInserted }) == 1)
            #expect(times(of: { node.number = 1 }, reading: { _ = node.hasChanges }) == 1)
            try #expect(times(of: save, reading: { _ = node.hasChanges }) == 1)
            #expect(times(of: { context.delete(node) }, reading: { _ = node.isDeleted }) == 1)
        }
    }
}

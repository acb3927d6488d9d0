import Cambium
import EverythingModel
import Testing

/// Contexts that take transactions of the history over.
@MainActor
struct HistoryMergingTests {
    /// Two containers on one file, as two processes have them.
    private func withTwo(
        _ body: (PersistentContainer, ManagedObjectContext, HistoryToken) throws -> Void
    ) throws {
        try withStoreFile { path in
            let mine = try openHistory(at: .temporary(path), .properties, Everything.model)
            let theirs = try openHistory(at: .temporary(path), .properties, Everything.model)
            let context = theirs.newContext()
            for label in ["a", "b"] { _ = Node(in: context, label: label) }
            try context.save()
            try body(mine, context, mine.historyToken)
        }
    }

    @Test func `objects get the new values, and keep what was changed here`() throws {
        try withTwo { container, theirs, token in
            let context = container.newContext()
            let nodes = try context.fetch(Node.fetchRequest().sorted(by: Node.label))
            nodes[0].number = 7
            for node in try theirs.fetch(Node.fetchRequest()) { node.label += "!" }
            try theirs.save()
            #expect(nodes.map(\.label) == ["a", "b"])
            context.mergeChanges(from: try container.history(after: token))
            #expect(nodes.map(\.label) == ["a!", "b!"])
            #expect(nodes[0].number == 7)
            #expect(nodes.map(\.hasChanges) == [true, false])
            try context.save()
        }
    }

    @Test func `a controller hears of what came, changed and went`() throws {
        try withTwo { container, theirs, token in
            let context = container.viewContext
            let controller = FetchedResultsController(
                Node.fetchRequest().filter(Node.number < 5).sorted(by: Node.label), in: context)
            let followed = try FollowedController(controller) { "\($0.label) \($0.number)" }
            let nodes = try theirs.fetch(Node.fetchRequest().sorted(by: Node.label))
            nodes[0].label = "z"
            theirs.delete(nodes[1])
            _ = Node(in: theirs, label: "c")
            let outside = Node(in: theirs, label: "d", number: 9)
            try theirs.save()
            outside.number = 1
            try theirs.save()
            let transactions = try container.history(after: token)
            let touched = Set(transactions.flatMap(\.changes).map(\.objectID))
            context.mergeChanges(from: transactions)
            #expect(controller.fetchedObjects?.map(\.label) == ["c", "d", "z"])
            #expect(try followed.faults(touched: touched, looks: true) == [])
        }
    }

    @Test func `relationships are read again, of both sides`() throws {
        try withTwo { container, theirs, token in
            let box = Box(in: theirs)
            let theirNodes = try theirs.fetch(Node.fetchRequest().sorted(by: Node.label))
            theirNodes[0].box = box
            try theirs.save()
            let context = container.newContext()
            let mine = try context.get(box.objectID, as: Box.self)
            #expect(mine.nodes.map(\.label) == ["a"])
            theirNodes[0].box = nil
            theirNodes[1].box = box
            try theirs.save()
            context.mergeChanges(from: try container.history(after: token))
            #expect(mine.nodes.map(\.label) == ["b"])
        }
    }

    @Test func `what came and went meanwhile is not told of`() throws {
        try withTwo { container, theirs, token in
            let context = container.newContext()
            var told: [Int] = []
            let observation = context.observe(.didMergeChangesObjectIDs) { ids in
                told.append(ids.inserted.count + ids.updated.count + ids.deleted.count)
            }
            let node = Node(in: theirs, label: "c")
            try theirs.save()
            theirs.delete(node)
            try theirs.save()
            context.mergeChanges(from: try container.history(after: token))
            withExtendedLifetime(observation) {}
            #expect(told == [])
        }
    }

    @Test func `the ids of a transaction can be merged as those of any remote change`() throws {
        try withTwo { container, theirs, token in
            let contexts = [container.newContext(), container.newContext()]
            let nodes = try contexts.map {
                try $0.fetch(Node.fetchRequest().sorted(by: Node.label))
            }
            try theirs.fetch(Node.fetchRequest().sorted(by: Node.label))[0].label = "0"
            try theirs.save()
            let transaction = try #require(try container.history(after: token).first)
            #expect(transaction.objectIDs.updated == [nodes[0][0].objectID])
            ManagedObjectContext.mergeChanges(
                fromRemoteContextSave: transaction.objectIDs, into: [contexts[0]])
            ManagedObjectContext.mergeChanges(from: [transaction], into: [contexts[1]])
            // They were read at once.
            #expect(nodes.map { $0[0].isFault } == [false, false])
            #expect(nodes.map { $0[0].label } == ["0", "0"])
        }
    }

    @Test(arguments: ["transactions", "remote changes", "remote changes, faults"])
    func `observers are told of updated objects as refreshed`(_ way: String) throws {
        try withTwo { container, theirs, token in
            let context = container.newContext()
            let nodes = try context.fetch(Node.fetchRequest().sorted(by: Node.label))
            if way.hasSuffix("faults") { context.refreshAllObjects() }
            context.processPendingChanges()
            let told = Told(context)
            let theirNodes = try theirs.fetch(Node.fetchRequest().sorted(by: Node.label))
            theirNodes[0].label = "z"
            theirs.delete(theirNodes[1])
            let new = Node(in: theirs)
            try theirs.save()
            let transactions = try container.history(after: token)
            if way == "transactions" {
                context.mergeChanges(from: transactions)
            } else {
                for transaction in transactions {
                    ManagedObjectContext.mergeChanges(
                        fromRemoteContextSave: transaction.objectIDs, into: [context])
                }
            }
            // Of an object that was a fault there were no values that could be others now.
            let refreshed: Set<ManagedObject> = way.hasSuffix("faults") ? [] : [nodes[0]]
            #expect(told.changes.map(\.refreshed) == [refreshed])
            #expect(told.changes.map(\.deleted) == [[nodes[1]]])
            #expect(told.changes.first?.inserted.map(\.objectID) == [new.objectID])
            #expect(told.ids.map(\.refreshed) == [Set(refreshed.map(\.objectID))])
            #expect(told.merged.map(\.refreshed) == [Set(refreshed.map(\.objectID))])
            #expect(told.merged.map(\.updated) == [[nodes[0].objectID]])
            #expect(told.labels == (refreshed.isEmpty ? [] : ["z"]), "read before they are told")
            #expect(nodes[0].label == "z")
        }
    }

    /// What a context tells its observers.
    private final class Told {
        var changes: [ObjectsDidChange] = []
        var labels: [String] = []
        var ids: [ChangedObjectIDs] = []
        var merged: [ChangedObjectIDs] = []
        private var tokens: [ObservationToken] = []

        init(_ context: ManagedObjectContext) {
            tokens = [
                context.observe(.objectsDidChange) { [unowned self] change in
                    changes.append(change)
                    labels += change.refreshed.compactMap { $0 as? Node }
                        .filter { !$0.isFault }.map(\.label)
                },
                context.observe(.objectIDsDidChange) { [unowned self] in ids.append($0) },
                context.observe(.didMergeChangesObjectIDs) { [unowned self] in merged.append($0) },
            ]
        }
    }
}

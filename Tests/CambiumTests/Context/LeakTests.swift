@testable import Cambium
import EverythingModel
import Testing

/// Nothing that a program has let go of stays behind: no object holds another one or its context,
/// and nobody holds a container.
struct LeakTests {
    /// Remembers objects without holding them.
    private final class Watch {
        private struct Entry {
            weak var object: AnyObject?
            let name: String
        }

        private var entries: [ObjectIdentifier: Entry] = [:]

        func callAsFunction(_ object: some AnyObject, _ name: String) {
            // An object that came to where another one was is another object.
            if entries[ObjectIdentifier(object)]?.object !== object {
                entries[ObjectIdentifier(object)] = Entry(object: object, name: name)
            }
        }

        func callAsFunction(_ context: ManagedObjectContext) {
            self(context, "context")
            self(context.state, "context state")
            for object in context.registeredObjects { self(object, "\(object)") }
            for object in context.changes.noted + context.changes.deleted {
                self(object, "\(object)")
            }
            if let manager = context.undoManager { self(manager, "undo manager") }
        }

        var count: Int { entries.count }
        var alive: [String] { entries.values.filter { $0.object != nil }.map(\.name) }
    }

    @Test(arguments: StoreKind.kinds)
    func `random work leaves nothing behind`(_ kind: StoreKind) throws {
        let watch = Watch()
        var seed: UInt64 = 0
        try forEachSeed(share: 1 / Double(StoreKind.kinds.count), for: 0.1) {
            seed = $0
            try withContainer(Everything.model, on: kind) { container in
                watch(container, "container")
                watch(container.coordinator, "coordinator")
                for store in container.coordinator.persistentStores { watch(store.store, "store") }
                var work = GraphWork(container, isUndoable: true, seed: seed)
                for _ in 0..<5 {
                    try work.run(steps: 10)
                    watch(work.context)
                    watch(work.sibling)
                }
            }
            #expect(watch.alive.isEmpty, "CAMBIUM_SEED=\(seed)")
        }
        #expect(watch.count > 8)
    }

    @Test func `an object goes when it is dropped, deleted, rolled back or reset`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let watch = Watch()
            func make(_ end: ([Node]) throws -> Void) throws {
                let nodes = (0..<3).map { Node(in: context, label: "\($0)") }
                let topic = Topic(in: context)
                for node in nodes {
                    node.next = nodes[0]
                    node.tags.insert(topic)
                    node.follows.insert(nodes[1])
                }
                for object in nodes + [topic] as [ManagedObject] { watch(object, "\(object)") }
                try end(nodes)
            }
            try make { _ in context.rollback() }
            #expect(watch.alive.isEmpty, "rolled back")
            try make { _ in context.reset() }
            #expect(watch.alive.isEmpty, "reset")
            try make { nodes in
                try context.save()
                for object in try context.fetch(Topic.fetchRequest()) { context.delete(object) }
                for node in nodes { context.delete(node) }
                try context.save()
            }
            #expect(watch.alive.isEmpty, "deleted")
            try make { _ in
                try context.save()
                context.registry.sweptCount = 0
            }
            context.sweepIfGrown()
            #expect(watch.alive.isEmpty, "dropped")
        }
    }

    @Test func `controllers, observers and what they follow go`() throws {
        let watch = Watch()
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            context.undoManager = ContextUndoManager()
            let followed = try FollowedController(
                FetchedResultsController(
                    Node.fetchRequest().sorted(by: Node.number), in: context,
                    sectionedBy: Node.label),
                sectionName: \.label, summary: { "\($0.number)" })
            let token = context.observe(.objectsDidChange) { [weak context] _ in
                _ = context?.hasChanges
            }
            Node(in: context, box: Box(in: context)).number = 3
            try context.save()
            context.undo()
            try #expect(followed.faults(touched: [], looks: true).isEmpty)
            watch(context)
            watch(followed.controller, "controller")
            watch(token, "token")
            watch(container.coordinator, "coordinator")
        }
        #expect(watch.alive.isEmpty)
    }

    @MainActor
    @Test func `contexts with an isolation go`() async throws {
        let watch = Watch()
        try await withContainer(Everything.model) { container in
            let view = container.viewContext
            let node = Node(in: view, box: Box(in: view))
            try view.save()
            let id = node.objectID
            let background = container.newBackgroundContext()
            try await background.perform { context in
                try context.get(id, as: Node.self).number = 5
                try context.save()
            }
            try await eventually { node.number == 5 }
            #expect(node.number == 5)
            watch(view)
            watch(background, "background context")
            watch(container, "container")
            watch(container.coordinator, "coordinator")
        }
        // The jobs that were enqueued for the ends of events.
        try await eventually { watch.alive.isEmpty }
        #expect(watch.alive.isEmpty)
    }
}

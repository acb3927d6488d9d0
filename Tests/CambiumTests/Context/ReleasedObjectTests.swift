@testable import Cambium
import EverythingModel
import Testing

/// What a program's object holds may use the context as it goes: it never meets a structure that is
/// being changed.
struct ReleasedObjectTests {
    /// Runs a closure when it goes.
    private final class Parting {
        private let body: () -> Void

        init(_ body: @escaping () -> Void) {
            self.body = body
        }

        deinit {
            body()
        }
    }

    /// A context with faults that nobody else holds, each with a companion that acts when it goes.
    private func withFaults(
        _ count: Int = 3000, on kind: StoreKind = .current,
        _ act: @escaping (ManagedObjectContext) -> Void,
        _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            for _ in 0..<count {
                Watched(in: context).companion = Parting { [unowned context] in act(context) }
            }
            try context.save()
            context.refreshAllObjects()
            // The event has noted them.
            context.processPendingChanges()
            try body(context)
            // The context goes before its objects do, and nothing can be asked of it.
            for object in context.registeredObjects { (object as? Watched)?.companion = nil }
        }
    }

    enum Act: CaseIterable {
        case reset, fetch, insert, look
    }

    @Test(arguments: Act.allCases)
    func `objects that are swept away may use the context`(_ act: Act) throws {
        var acts = 0
        try withFaults { context in
            acts += 1
            guard acts < 50 else { return }
            switch act {
            case .reset: context.reset()
            case .fetch: _ = try? context.fetch(Watched.fetchRequest().limit(10))
            case .insert: _ = Node(in: context)
            case .look: #expect(context.registeredObjects.count <= 3000)
            }
        } _: { context in
            context.registry.sweptCount = 1
            _ = try context.fetch(Node.fetchRequest())
            #expect(acts >= 3000)
            context.rollback()
            #expect(try context.count(for: Watched.fetchRequest()) == 3000)
        }
    }

    @Test func `objects that a reset lets go of may use the context`() throws {
        var acts = 0
        try withFaults(100) { context in
            acts += 1
            #expect(context.registeredObjects.isEmpty)
            context.reset()
        } _: { context in
            context.reset()
            #expect(acts == 100)
        }
    }

    @Test func `an undo manager that forgets lets objects ask it`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let manager = ContextUndoManager()
            context.undoManager = manager
            var acts = 0
            for _ in 0..<3 {
                let watched = Watched(in: context)
                watched.companion = Parting { [unowned context] in
                    acts += 1
                    #expect(!manager.canUndo && !manager.canRedo)
                    context.undo()
                    manager.removeAllActions()
                }
                context.processPendingChanges()
                context.delete(watched)
                context.processPendingChanges()
            }
            try context.save()
            manager.removeAllActions()
            #expect(acts == 3)
        }
    }

    @Test func `a group that is forgotten for another one lets objects ask the manager`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let manager = ContextUndoManager()
            manager.levelsOfUndo = 1
            context.undoManager = manager
            var acts = 0
            for _ in 0..<3 {
                let watched = Watched(in: context)
                watched.companion = Parting {
                    acts += 1
                    #expect(manager.canUndo || manager.canRedo)
                }
                context.delete(watched)
                _ = Node(in: context)
                context.processPendingChanges()
            }
            manager.removeAllActions()
            #expect(acts == 3)
        }
    }

    @Test func `what a hook brings while the context is reset is forgotten with the rest`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let watched = Watched(in: context)
            try context.save()
            var late: Node?
            watched.onWillTurnIntoFault = { [unowned context] in
                late = Node(in: context)
                context.reset()
            }
            context.reset()
            #expect(late?.managedObjectContext == nil)
            #expect(context.registeredObjects.isEmpty && !context.hasChanges)
        }
    }

    @Test func `a handler that is let go of lets its objects observe`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            var tokens: [ObservationToken] = []
            var heard = 0
            do {
                let parting = Parting { [unowned context] in
                    tokens.append(context.observe(.willSave) { heard += 1 })
                }
                let token = context.observe(.willSave) { withExtendedLifetime(parting) {} }
                token.cancel()
            }
            tokens.append(context.observe(.willSave) { heard += 1 })
            _ = Node(in: context)
            try context.save()
            #expect(tokens.count == 2 && heard == 2)
        }
    }

    @Test func `a handler of a coordinator that is let go of lets its objects observe`() throws {
        try withContainer(Everything.model) { container in
            let coordinator = container.coordinator
            let log = Log()
            do {
                let parting = SendableParting { [unowned coordinator] in
                    _ = coordinator.observeStoreChanges { _ in log.append("late") }
                    log.append("gone")
                }
                let token = coordinator.observeStoreChanges { _ in
                    withExtendedLifetime(parting) {}
                }
                token.cancel()
            }
            try coordinator.remove(coordinator.persistentStores[0])
            #expect(log.entries == ["gone"])
        }
    }

    private final class SendableParting: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }

        deinit {
            body()
        }
    }
}

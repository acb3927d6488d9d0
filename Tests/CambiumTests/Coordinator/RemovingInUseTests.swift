@testable import Cambium
import EverythingModel
import Synchronization
import Testing

/// A store that has called the program cannot be removed by it, and nobody waits for himself.
struct RemovingInUseTests {
    /// The error that a body was given, from wherever it was called.
    private final class Caught: Sendable {
        private let errors = Mutex<[any Error]>([])

        func run(_ body: () throws -> Void) {
            do {
                try body()
                Issue.record("No error was thrown.")
            } catch {
                errors.withLock { $0.append(error) }
            }
        }

        /// The codes, each once.
        var codes: Set<StoreError.Code?> {
            Set(errors.withLock { $0 }.map { ($0 as? StoreError)?.code })
        }
    }

    /// A container with a saved object, and one that is to be deleted.
    private func withStore(
        on kind: StoreKind, options: StoreOptions = StoreOptions(),
        _ body: (PersistentContainer, PersistentStore, ManagedObjectContext) throws -> Void
    ) throws {
        try withStoreFile { path in
            let container = PersistentContainer(name: "Test", model: Everything.model)
            var description = try kind.description(path: path)
            description.options = options
            container.persistentStoreDescriptions = [description]
            container.loadPersistentStores { if let error = $1 { Issue.record(error) } }
            let writer = container.newContext()
            _ = Watched(in: writer, name: "watched")
            try writer.save()
            container.coordinator.rowCache.removeAll()
            let store = try #require(container.coordinator.persistentStores.first)
            try body(container, store, container.newContext())
            #expect(container.coordinator.persistentStores == [store])
            #expect(
                try container.newContext().fetch(Watched.fetchRequest()).map(\.name).first
                    == "watched")
            try container.coordinator.remove(store)
            #expect(throws: StoreError.self) {
                try container.newContext().fetch(Watched.fetchRequest())
            }
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `an object that is being read cannot remove its store`(_ kind: StoreKind) throws {
        try withStore(on: kind) { container, store, context in
            let caught = Caught()
            let coordinator = container.coordinator
            let found = try Watched.$onMaking.withValue(
                { _ in
                    caught.run { try coordinator.remove(store) }
                    caught.run { try coordinator.migratePersistentStore(store, to: .temporary) }
                },
                operation: { try context.fetch(Watched.fetchRequest()) })
            #expect(found.map(\.name) == ["watched"])
            #expect(caught.codes == [.invalidRequest])
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `a merge policy cannot remove the store that asks it`(_ kind: StoreKind) throws {
        try withStore(on: kind) { container, store, context in
            let caught = Caught()
            let coordinator = container.coordinator
            let watched = try #require(try context.fetch(Watched.fetchRequest()).first)
            let other = container.newContext()
            try #require(try other.fetch(Watched.fetchRequest()).first).count = 1
            try other.save()
            context.mergePolicy = .custom(
                CustomMergePolicy(resolve: { _ in
                    caught.run { try coordinator.remove(store) }
                    let third = coordinator.newContext()
                    _ = Node(in: third)
                    caught.run { try third.save() }
                }))
            watched.count = 2
            try? context.save()
            #expect(caught.codes == [.invalidRequest])
            context.rollback()
        }
    }

    @Test(arguments: StoreKind.databases)
    func `a statement hook cannot remove the store that it watches`(_ kind: StoreKind) throws {
        let hooked = Mutex<(PersistentStoreCoordinator, PersistentStore)?>(nil)
        let caught = Caught()
        var options = StoreOptions()
        options.statementHook = StatementHook { _ in
            guard let (coordinator, store) = hooked.withLock({ $0 }) else { return }
            caught.run { try coordinator.remove(store) }
        }
        try withStore(on: kind, options: options) { container, store, context in
            hooked.withLock { $0 = (container.coordinator, store) }
            defer { hooked.withLock { $0 = nil } }
            _ = try context.fetch(Watched.fetchRequest())
            _ = Node(in: context)
            try context.save()
            #expect(caught.codes == [.invalidRequest])
        }
    }

    @Test func `an object that is being read may end the generation that it is read from`() throws {
        try withStore(on: .lasting) { container, store, context in
            try context.setQueryGeneration(.current)
            let caught = Caught()
            let found = try Watched.$onMaking.withValue(
                { watched in
                    caught.run { try container.coordinator.remove(store) }
                    try? watched.managedObjectContext?.setQueryGeneration(.unpinned)
                },
                operation: { try context.fetch(Watched.fetchRequest()) })
            #expect(found.map(\.name) == ["watched"])
            #expect(caught.codes == [.invalidRequest])
            #expect(try context.fetch(Watched.fetchRequest()) == found)
        }
    }
}

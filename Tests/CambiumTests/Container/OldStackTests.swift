import Cambium
import FirstPackagesModel
import Foundation
import PackagesModel
import Testing

/// The stack that programs built before there were containers: a model, a coordinator, a store with
/// options, a main and a background context, each of which merges what the other one saves.
@MainActor
private final class OldStack {
    var errorHandler: (any Error) -> Void = { _ in }

    private let storePath: String

    init(storePath: String) {
        self.storePath = storePath
    }

    lazy var coordinator: PersistentStoreCoordinator = {
        let coordinator = PersistentStoreCoordinator(model: PackagesModel.Packages.model)
        var options = StoreOptions()
        options.migratesAutomatically = true
        do {
            try coordinator.addPersistentStore(
                configuration: nil, at: .temporary(storePath), options: options)
        } catch {
            errorHandler(error)
        }
        return coordinator
    }()

    lazy var mainContext: ManagedObjectContext = coordinator.newMainContext()

    lazy var backgroundContext: BackgroundContext = coordinator.newBackgroundContext()

    func mergeIntoMain() {
        mainContext.mergePending()
    }

    func mergeIntoBackground() async throws {
        try await backgroundContext.perform { $0.mergePending() }
    }
}

@MainActor
@Suite(.onServers)
struct OldStackTests {
    private func withStack(_ body: (OldStack) async throws -> Void) async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        // A store of an earlier version lies there, as in the field. No server's is migrated yet.
        if StoreKind.isSQLite {
            _ = try PersistentContainer(
                model: FirstPackagesModel.Packages.model, at: .temporary(path))
        }
        try await body(OldStack(storePath: path))
    }

    @Test func `two contexts on one coordinator merge both ways`() async throws {
        try await withStack { stack in
            stack.errorHandler = { Issue.record($0) }
            let section = Section(in: stack.mainContext, name: "shells")
            try stack.mainContext.save()
            let id = section.objectID

            // From main to background …
            try await stack.backgroundContext.perform { context in
                let same: Section = try context.get(id)
                #expect(same.name == "shells")
            }
            section.name = "editors"
            try stack.mainContext.save()
            try await stack.mergeIntoBackground()
            try await stack.backgroundContext.perform { context in
                let same: Section = try context.get(id)
                #expect(same.name == "editors")

                // … and from background to main.
                same.name = "libs"
                try context.save()
            }
            #expect(section.name == "editors")
            stack.mergeIntoMain()
            #expect(section.name == "libs")
        }
    }

    @Test func `each context merges what the other one says it has saved`() async throws {
        try await withStack { stack in
            stack.errorHandler = { Issue.record($0) }
            // What a context says of a save may be handed to the other one's isolation.
            let (saves, continuation) = AsyncStream.makeStream(of: ChangeSet.self)
            var arrivals = saves.makeAsyncIterator()
            let observe: @Sendable (ManagedObjectContext) -> ObservationToken = { context in
                context.observe(.didSave) { $0.changeSets.forEach { continuation.yield($0) } }
            }
            let tokens = [
                observe(stack.mainContext), try await stack.backgroundContext.perform(observe),
            ]
            let section = Section(in: stack.mainContext, name: "shells")
            try stack.mainContext.save()
            let id = section.objectID
            let first = try #require(await arrivals.next())
            #expect(first.insertedObjectIDs == [id])
            try await stack.backgroundContext.perform { context in
                context.mergeChanges(from: first)
                let same: Section = try context.get(id)
                same.name = "libs"
                try context.save()
            }
            #expect(section.name == "shells")
            stack.mainContext.mergeChanges(from: try #require(await arrivals.next()))
            #expect(section.name == "libs")
            section.name = "editors"
            try stack.mainContext.save()
            let last = try #require(await arrivals.next())
            try await stack.backgroundContext.perform { context in
                context.mergeChanges(from: last)
                let same: Section = try context.get(id)
                #expect(same.name == "editors")
            }
            withExtendedLifetime(tokens) {}
        }
    }

    @Test func `contexts by hand merge nothing by themselves`() async throws {
        try await withStack { stack in
            let section = Section(in: stack.mainContext, name: "shells")
            try stack.mainContext.save()
            let id = section.objectID
            try await stack.backgroundContext.perform { context in
                let same: Section = try context.get(id)
                same.name = "libs"
                try context.save()
            }
            #expect(!stack.mainContext.automaticallyMergesChangesFromParent)
            _ = try stack.mainContext.fetch(Section.fetchRequest())
            #expect(section.name == "shells")
        }
    }

    @Test(.onSQLite("A file that is no store lies there."))
    func `a store that cannot be opened comes to the error handler`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        try "no store".write(toFile: path, atomically: true, encoding: .utf8)
        let stack = OldStack(storePath: path)
        var errors: [any Error] = []
        stack.errorHandler = { errors.append($0) }
        #expect(stack.coordinator.persistentStores.isEmpty)
        #expect((errors.first as? StoreLoadingError)?.code == .notAStore)
    }
}

import Cambium
import EverythingModel
import Testing

struct HookTests {
    private func withWatched(
        _ body: (ManagedObjectContext, Watched) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            try body(context, Watched(in: context))
        }
    }

    @Test func `hooks are called once and in order`() throws {
        try withWatched { context, watched in
            try context.save()
            #expect(watched.calls == ["awakeFromInsert", "willSave", "didSave"])
        }
    }

    @Test func `what is set on awaking stays and makes no update`() throws {
        try withWatched { context, watched in
            #expect(watched.name == "awoken")
            #expect(watched.isInserted && !watched.isUpdated)
            let named = Watched(in: context, name: "given")
            #expect(named.name == "given")
        }
    }

    @Test func `an object awakes when it is fetched and when its fault is read`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let id = Watched(in: context).objectID
            try context.save()
            let reader = container.newContext()
            let fetched = try reader.fetch(Watched.fetchRequest())
            #expect(fetched.first?.calls == ["awakeFromFetch"])
            let other = container.newContext()
            let fault: Watched = try other.get(id)
            #expect(fault.calls.isEmpty)
            _ = fault.name
            #expect(fault.calls == ["awakeFromFetch"])
        }
    }

    @Test func `what willSave changes is validated and saved`() throws {
        try withWatched { context, watched in
            watched.onWillSave = { $0.count = min($0.count + 1, 3) }
            try context.save()
            #expect(watched.count == 3)
            #expect(!context.hasChanges)
            watched.onWillSave = { $0.count = 2_000_000 }
            watched.name = "changed"
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .numberTooLarge)
        }
    }

    @Test func `what willSave inserts is validated and saved`() throws {
        try withWatched { context, watched in
            watched.onWillSave = { watched in
                guard watched.parts.isEmpty, let context = watched.managedObjectContext else {
                    return
                }
                _ = WatchedPart(in: context, name: "made", whole: watched)
            }
            try context.save()
            #expect(try context.fetch(WatchedPart.fetchRequest()).map(\.name) == ["made"])

            context.delete(watched)
            let other = Watched(in: context)
            other.onWillSave = { other in
                guard other.parts.isEmpty, let context = other.managedObjectContext else { return }
                _ = WatchedPart(in: context, name: "", whole: other)
            }
            #expect(throws: ValidationError.self) { try context.save() }
        }
    }

    @Test func `a willSave that never rests is an error`() throws {
        try withWatched { context, watched in
            watched.onWillSave = { $0.count += 1 }
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .unsettled)
            #expect(error?.message.contains("Watched") == true)
            watched.onWillSave = nil
            try context.save()
        }
    }

    @Test func `what didSave changes waits for the next save`() throws {
        try withWatched { context, watched in
            watched.onDidSave = { watched in
                if watched.count == 0 { watched.count = 1 }
            }
            try context.save()
            #expect(context.updatedObjects == [watched])
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `an object about to be deleted still has its relationships`() throws {
        try withWatched { context, watched in
            _ = WatchedPart(in: context, name: "part", whole: watched)
            try context.save()
            context.delete(watched)
            #expect(watched.partsAtDeletion == 1)
            #expect(watched.calls.last == "prepareForDeletion")
            try context.save()
            #expect(watched.calls.suffix(2) == ["willSave", "didSave"])
        }
    }
}

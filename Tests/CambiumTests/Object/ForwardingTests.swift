@testable import Cambium
import CambiumEngineSpecification
import Testing

/// A new object that a save gave up for one with the same unique values, as others see it.
struct ForwardingTests {
    /// - Parameter body: Gets a new thing in a context that has saved it, and the id of the thing
    ///   that was there before.
    private func withForward(
        before: (ManagedObjectContext) -> Void = { _ in },
        _ body: (_ thing: ManagedObject, _ context: ManagedObjectContext, _ id: ObjectID) throws ->
            Void
    ) throws {
        try withContainer(Dispute.model) { container in
            let other = container.newContext()
            let theirs = try other.make("Thing", ["code": "same", "both": "theirs"])
            try other.save()
            let context = container.newContext()
            context.mergePolicy = .objectTrump
            before(context)
            let thing = try context.make("Thing", ["code": "same", "both": "ours"])
            thing[one: "shelf"] = try context.make("Shelf", ["name": "shelf"])
            try context.save()
            #expect(thing.objectID == theirs.objectID)
            try body(thing, context, theirs.objectID)
        }
    }

    @Test func `undo does not take back what was never inserted`() throws {
        try withForward(before: { $0.undoManager = ContextUndoManager() }) { thing, context, id in
            context.undo()
            #expect(thing[one: "shelf"] == nil)
            try context.save()
            let reader = context.coordinator.newContext()
            #expect(try reader.all("Thing").map(\.objectID) == [id])
            #expect(try reader.all("Shelf").isEmpty)
            context.redo()
            try context.save()
            #expect(try context.coordinator.newContext().all("Shelf").count == 1)
            #expect(thing["both"] == "ours")
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback], [false, true])
    func `the object that stayed shows what others saved before`(
        _ policy: MergePolicy, isLinked: Bool
    ) throws {
        try withContainer(Dispute.model) { container in
            let other = container.newContext()
            let theirs = try other.make("Thing", ["code": "first", "both": "old"])
            try other.save()
            let context = container.newContext()
            context.mergePolicy = policy
            let known = try context.existingObject(with: theirs.objectID)
            #expect(known["both"] == "old")
            try theirs.setValue(.string("same"), forKey: "code")
            try theirs.setValue(.string("new"), forKey: "both")
            try other.save()
            // Its links count as a change, but are kept by others.
            if isLinked { try context.make("Thing", ["code": "other"])[one: "mate"] = known }
            let thing = try context.make("Thing", ["code": "same", "both": "ours"])
            try context.save()
            #expect(thing.objectID == theirs.objectID)
            #expect(thing["both"] == "new" && known["both"] == "new" && known["code"] == "same")
            try thing.setValue(.string("newer"), forKey: "both")
            try context.save()
            #expect(try container.newContext().all("Thing").first?["both"] == "newer")
        }
    }

    @Test func `observers hear of the object that stayed`() throws {
        var saved: SavedObjects?
        var ids: [ChangedObjectIDs] = []
        var tokens: [ObservationToken] = []
        try withForward(before: { context in
            tokens = [
                context.observe(.didSave) { saved = $0 },
                context.observe(.didSaveObjectIDs) { ids.append($0) },
                context.observe(.objectIDsDidChange) { ids.append($0) },
            ]
        }) { thing, _, id in
            #expect(saved?.inserted.map(\.entity.name) == ["Shelf"])
            let saves = try #require(ids.first { $0.updated.contains(id) })
            #expect(saves.inserted.map(\.entityName) == ["Shelf"])
            #expect(!ids.contains { $0.deleted.contains(id) })
            #expect(ids.contains { $0.deleted.contains(thing.ownObjectID) })
        }
        withExtendedLifetime(tokens) {}
    }

    @Test func `primitive values and deletion reach the object that stayed`() throws {
        try withForward { thing, context, id in
            #expect(thing["both"] == "ours")
            #expect(try thing.primitiveValue(forKey: "both") == .string("ours"))
            #expect(try thing.objectIDs(forRelationship: "shelf").count == 1)
            context.delete(thing)
            #expect(context.deletedObjects.map(\.objectID) == [id])
            try context.save()
            #expect(try context.coordinator.newContext().all("Thing").isEmpty)
        }
    }
}

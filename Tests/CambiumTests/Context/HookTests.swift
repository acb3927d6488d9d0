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

    @Test func `rule 18: willSave and didSave are called once and in order`() throws {
        try withWatched { context, watched in
            try context.save()
            #expect(watched.calls == ["awakeFromInsert", "willSave", "didSave"])
        }
    }

    @Test func `rule 12: what is set on awaking stays and makes no update`() throws {
        try withWatched { context, watched in
            #expect(watched.nameOnAwaking == "unnamed", "the model's default")
            #expect(watched.name == "awoken")
            #expect(watched.isInserted && !watched.isUpdated)
            let named = Watched(in: context, name: "given")
            #expect(named.nameOnAwaking == "unnamed", "before the first value")
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

    @Test func `rule 17: what willSave changes is validated and saved`() throws {
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

    @Test func `rule 17: a willSave that never rests is an error`() throws {
        try withWatched { context, watched in
            watched.onWillSave = { $0.count += 1 }
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .unsettled)
            #expect(error?.message.contains("Watched") == true)
            watched.onWillSave = nil
            try context.save()
        }
    }

    /// The rule of the model is the store's too, a rule in code is not.
    @Test func `what a hook sets before it fetches is validated, too`() throws {
        try withWatched { context, watched in
            watched.onWillSave = { watched in
                watched.count = 5
                _ = try? watched.managedObjectContext?.fetch(WatchedPart.fetchRequest())
            }
            var validated: [Int] = []
            watched.onValidate = { [unowned watched] _ in validated.append(Int(watched.count)) }
            try context.save()
            #expect(validated.last == 5)
        }
    }

    // MARK: Insertions without an end

    @Test(arguments: [false, true])
    func `hooks that insert an object for each object are an error that names the entity`(
        isValidation: Bool
    ) throws {
        try withWatched { context, watched in
            func insertAnother(_ watched: Watched) {
                guard let context = watched.managedObjectContext else { return }
                let other = Watched(in: context)
                watch(other)
            }
            func watch(_ watched: Watched) {
                if isValidation {
                    watched.onValidate = { [unowned watched] _ in insertAnother(watched) }
                } else {
                    watched.onWillSave = insertAnother
                }
            }
            watch(watched)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .unsettled)
            #expect(error?.message.contains("Watched") == true)
            #expect(context.insertedObjects.count == 1 << 10)
        }
    }

    @Test func `one round may insert any number, and nine rounds may insert`() throws {
        try withWatched { context, watched in
            var rounds = 0
            watched.onWillSave = { watched in
                guard rounds < 9, let context = watched.managedObjectContext else { return }
                rounds += 1
                for _ in 0..<1000 { _ = WatchedPart(in: context, name: "part") }
            }
            try context.save()
            #expect(try context.count(for: WatchedPart.fetchRequest()) == 9000)
        }
    }

    @Test(arguments: [false, true])
    func `hooks that save child contexts without an end are an error`(isSibling: Bool) throws {
        try withWatched { context, watched in
            var saves = 0
            func saveChild(_ watched: Watched) {
                guard let own = watched.managedObjectContext else { return }
                saves += 1
                let child = (isSibling ? context : own).newChildContext()
                Watched(in: child).onWillSave = saveChild
                // The program may not look at the error.
                try? child.save()
            }
            watched.onWillSave = saveChild
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .unsettled)
            #expect(error?.message.contains("Watched") == true)
            #expect(saves < 100)
            watched.onWillSave = nil
            context.rollback()
            _ = Watched(in: context)
            try context.save()
        }
    }

    @Test func `rule 18: what didSave changes waits for the next save`() throws {
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

    @Test func `rule 15: an object about to be deleted still has its relationships`() throws {
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

    @Test func `rule 14: what is set on awaking from a fetch is no change`() throws {
        try withWatched { context, watched in
            watched.name = "counts on awaking"
            try context.save()
            context.refresh(watched, mergeChanges: false)
            #expect(watched.name == "counts on awaking")
            #expect(watched.count == 7)
            #expect(!watched.hasChanges && !context.hasChanges)
            watched.name = "other"
            #expect(watched.changedValues() == ["name": .value(.string("other"))])
            try context.save()
            context.refresh(watched, mergeChanges: false)
            #expect(watched.count == 7)
        }
    }

    @Test func `rule 15: a second deletion prepares again, a cascade and a merge say so`() throws {
        try withContainer(Everything.model) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let (first, second) = (Watched(in: context), Watched(in: context))
            first.successor = second
            try context.save()
            let seen = try (
                other.get(first.objectID, as: Watched.self),
                other.get(second.objectID, as: Watched.self)
            )
            #expect(seen.0.deletionCause == nil)
            context.delete(first)
            context.delete(first)
            context.processPendingChanges()
            #expect(first.deletionCauses == [.request, .request])
            #expect(second.deletionCauses == [.cascade])
            try context.save()
            other.mergePending()
            #expect(seen.0.deletionCauses == [.merge])
            #expect(seen.1.deletionCauses == [.merge])
        }
    }

    @Test func `a hook that fetches at a merged deletion makes nothing to be undone`() throws {
        try withContainer(Everything.model) { container in
            let (context, sibling) = (container.newContext(), container.newContext())
            let objects = (0..<3).map { _ in Watched(in: context) }
            let part = WatchedPart(in: context, name: "part")
            try context.save()
            context.undoManager = ContextUndoManager()
            part.whole = objects[0]
            objects[2].predecessor = objects[0]
            context.processPendingChanges()
            context.undoManager?.removeAllActions()
            objects[1].onPrepareForDeletion = { _ in
                _ = try? context.fetch(WatchedPart.fetchRequest())
            }
            for object in objects[0..<2] {
                sibling.delete(sibling.object(with: object.objectID))
            }
            try sibling.save()
            context.mergePending()
            #expect(objects[0].isDeleted && objects[1].isDeleted)
            #expect(part.whole == nil && objects[2].predecessor == nil)
            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test func `an object that turns into a fault is told before and after`() throws {
        try withWatched { context, watched in
            try context.save()
            let before = watched.calls
            context.refresh(watched, mergeChanges: false)
            #expect(watched.calls == before + ["willTurnIntoFault", "didTurnIntoFault"])
            // It is a fault already.
            context.refresh(watched, mergeChanges: false)
            #expect(watched.calls == before + ["willTurnIntoFault", "didTurnIntoFault"])
            _ = watched.name
            context.reset()
            #expect(
                watched.calls.suffix(3)
                    == ["awakeFromFetch", "willTurnIntoFault", "didTurnIntoFault"])
        }
    }

    @Test func `objects are told of values that a merge policy gave them`() throws {
        try withContainer(Everything.model) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let watched = Watched(in: context)
            try context.save()
            let same: Watched = try other.get(watched.objectID)
            #expect(same.count == 0)
            watched.count = 1
            try context.save()
            other.mergePolicy = .objectTrump
            same.name = "other"
            try other.save()
            #expect(same.snapshotEvents == [.mergePolicy])
            #expect(same.count == 1)
            #expect(!same.hasChanges)
        }
    }

    @Test func `objects are told of values that came by a rollback and a refresh`() throws {
        try withWatched { context, watched in
            try context.save()
            watched.count = 5
            context.refresh(watched, mergeChanges: true)
            #expect(watched.snapshotEvents == [.refresh])
            #expect(watched.count == 5)
            context.rollback()
            #expect(watched.snapshotEvents == [.refresh, .rollback])
            #expect(watched.count == 0)
        }
    }

    @Test func `objects that delete each other, and themselves, are deleted`() throws {
        try withWatched { context, one in
            let other = Watched(in: context)
            try context.save()
            one.onPrepareForDeletion = { [unowned other] in
                $0.managedObjectContext?.delete(other)
                $0.managedObjectContext?.delete($0)
            }
            other.onPrepareForDeletion = { [unowned one] in
                $0.managedObjectContext?.delete(one)
            }
            context.delete(one)
            #expect(one.isDeleted && other.isDeleted)
            #expect(one.deletionCauses.count == 1 && other.deletionCauses.count == 1)
            try context.save()
            try #expect(context.count(for: Watched.fetchRequest()) == 0)
        }
    }

    @Test func `a hook or an observer of a save that is going on cannot save`() throws {
        try withWatched { context, watched in
            var errors: [any Error] = []
            func save() {
                do {
                    try context.save()
                } catch {
                    errors.append(error)
                }
            }
            watched.onWillSave = { _ in save() }
            watched.onValidate = { _ in save() }
            let token = context.observe(.willSave) { save() }
            try context.save()
            #expect(errors.count >= 3)
            #expect(errors.allSatisfy { ($0 as? StoreError)?.code == .invalidRequest })
            #expect(!context.hasChanges)
            token.cancel()
        }
    }

    @Test func `an observer may reset the context`() throws {
        try withWatched { context, watched in
            var calls = 0
            let token = context.observe(.objectsDidChange) { _ in
                calls += 1
                context.reset()
            }
            context.processPendingChanges()
            #expect(calls == 2)
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
            token.cancel()
            withExtendedLifetime(watched) {}
        }
    }
}

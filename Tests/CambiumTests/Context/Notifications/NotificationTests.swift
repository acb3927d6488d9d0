import Cambium
import EverythingModel
import ExtendedModel
import Testing

/// What observers of a context are told, and when.
struct NotificationTests {
    /// Keeps what was told, and the tokens.
    private final class Recorder {
        var changes: [ObjectsDidChange] = []
        var entries: [String] = []
        var tokens: [ObservationToken] = []

        init(_ context: ManagedObjectContext) {
            tokens = [
                context.observe(.objectsDidChange) { [unowned self] in
                    changes.append($0)
                    entries.append("objectsDidChange")
                },
                context.observe(.willSave) { [unowned self] in entries.append("willSave") },
                context.observe(.didSave) { [unowned self] _ in entries.append("didSave") },
                context.observe(.didSaveObjectIDs) { [unowned self] _ in
                    entries.append("didSaveObjectIDs")
                },
            ]
        }
    }

    private func withRecorder(
        _ body: (ManagedObjectContext, Recorder) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            try body(context, Recorder(context))
        }
    }

    @Test func `rule 11: an event is told once, with net sets, and a fetch tells nothing`() throws {
        try withRecorder { context, recorder in
            let (one, two) = (Node(in: context), Node(in: context))
            try context.save()
            recorder.changes = []
            _ = try context.fetch(Node.fetchRequest())
            #expect(recorder.changes.isEmpty)

            one.label = "a"
            one.label = "b"
            let new = Node(in: context)
            new.label = "new"
            context.delete(two)
            context.processPendingChanges()
            context.processPendingChanges()
            #expect(recorder.changes.count == 1)
            let change = try #require(recorder.changes.first)
            #expect(change.inserted == [new])
            #expect(change.updated == [one])
            #expect(change.deleted == [two])
            #expect(change.refreshed.isEmpty && !change.invalidatedAll)
        }
    }

    @Test func `rule 2: what came and went in one event is told nowhere`() throws {
        try withRecorder { context, recorder in
            let node = Node(in: context)
            context.delete(node)
            try context.save()
            #expect(recorder.entries.isEmpty)
            let earlier = Node(in: context)
            context.processPendingChanges()
            context.delete(earlier)
            context.processPendingChanges()
            #expect(recorder.changes.map(\.deleted) == [[], [earlier]])
        }
    }

    @Test func `a new object that is changed in a later event is told as changed`() throws {
        try withRecorder { context, recorder in
            let node = Node(in: context)
            context.processPendingChanges()
            node.label = "changed"
            context.processPendingChanges()
            #expect(recorder.changes.map(\.inserted) == [[node], []])
            #expect(recorder.changes.map(\.updated) == [[], [node]])
        }
    }

    @Test func `rule 16: a save tells in order, around the objects' own hooks`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let recorder = Recorder(context)
            let watched = Watched(in: context)
            watched.onWillSave = { _ in recorder.entries.append("object.willSave") }
            watched.onDidSave = { _ in recorder.entries.append("object.didSave") }
            watched.onValidate = { _ in recorder.entries.append("object.validate") }
            try context.save()
            #expect(
                recorder.entries == [
                    "objectsDidChange", "willSave", "object.validate", "object.willSave",
                    "object.didSave", "didSave", "didSaveObjectIDs",
                ])
            recorder.entries = []
            try context.save()
            #expect(recorder.entries.isEmpty)
        }
    }

    @Test func `what a handler changes before the save is saved with it`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context)
            let token = context.observe(.willSave) { node.label = "stamped" }
            try context.save()
            #expect(!context.hasChanges)
            let labels = try container.newContext().fetch(Node.fetchRequest()).map(\.label)
            #expect(labels == ["stamped"])
            withExtendedLifetime(token) {}
        }
    }

    @Test func `rule 3: a save tells of a changed and deleted object as deleted only`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let (changed, deleted) = (Node(in: context), Node(in: context))
            let equal = Node(in: context, label: "same")
            try context.save()
            var saves: [SavedObjects] = []
            let token = context.observe(.didSave) { saves.append($0) }
            changed.label = "changed"
            deleted.label = "changed"
            equal.label = "same"
            context.delete(deleted)
            let new = Node(in: context)
            try context.save()
            #expect(saves.count == 1)
            #expect(saves.first?.inserted == [new])
            #expect(saves.first?.updated == [changed, equal])
            #expect(saves.first?.deleted == [deleted])
            withExtendedLifetime(token) {}
        }
    }

    @Test func `a save that fails tells of none`() throws {
        try withRecorder { context, recorder in
            let limited = Limited(in: context)
            limited.count = 11
            #expect(throws: ValidationError.self) { try context.save() }
            #expect(recorder.entries == ["objectsDidChange", "willSave"])
        }
    }

    @Test func `rule 37: a merge tells of inserts, of changes as refreshed, of deletions`() throws {
        try withContainer(Everything.model) { container in
            let (writer, reader) = (container.newContext(), container.newContext())
            let nodes = (0..<6).map { _ in Node(in: writer) }
            try writer.save()
            reader.mergePending()
            let known = try nodes.prefix(2).map { try reader.get($0.objectID, as: Node.self) }
            for node in known { _ = node.label }
            let recorder = Recorder(reader)
            var merged: [ChangedObjectIDs] = []
            let token = reader.observe(.didMergeChangesObjectIDs) { merged.append($0) }

            nodes[0].label = "changed"
            nodes[2].label = "changed"
            writer.delete(nodes[1])
            writer.delete(nodes[3])
            let new = Node(in: writer, label: "new")
            try writer.save()
            reader.mergePending()

            let change = try #require(recorder.changes.first)
            #expect(recorder.changes.count == 1)
            #expect(change.inserted.map(\.objectID) == [new.objectID])
            #expect(change.refreshed == [known[0]])
            #expect(change.deleted == [known[1]])
            #expect(change.updated.isEmpty)
            #expect(merged.count == 1)
            #expect(merged.first?.inserted == [new.objectID])
            #expect(merged.first?.updated == [nodes[0].objectID, nodes[2].objectID])
            #expect(merged.first?.deleted == [nodes[1].objectID, nodes[3].objectID])
            withExtendedLifetime(token) {}
        }
    }

    @Test func `a refresh and a rollback are told as refreshed`() throws {
        try withRecorder { context, recorder in
            let (one, two) = (Node(in: context), Node(in: context))
            try context.save()
            recorder.changes = []
            context.refresh(one, mergeChanges: false)
            two.label = "changed"
            context.processPendingChanges()
            context.refresh(two, mergeChanges: true)
            context.processPendingChanges()
            let new = Node(in: context)
            context.rollback()
            #expect(recorder.changes.map(\.refreshed) == [[one], [two], [two]])
            #expect(recorder.changes.map(\.updated) == [[two], [], []])
            #expect(recorder.changes.allSatisfy { $0.deleted.isEmpty && $0.inserted.isEmpty })
            #expect(new.managedObjectContext == nil)
        }
    }

    @Test func `a reset is told as a whole`() throws {
        try withRecorder { context, recorder in
            let node = Node(in: context, label: "a")
            context.processPendingChanges()
            recorder.changes = []
            context.reset()
            #expect(recorder.changes.map(\.invalidatedAll) == [true])
            #expect(!context.hasChanges)
            #expect(context.registeredObjects.isEmpty)
            #expect(node.managedObjectContext == nil)
            #expect(node.label == "")
            try context.save()
            #expect(try context.count(for: Node.fetchRequest()) == 0)
        }
    }

    @Test func `an observation ends with its token`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            var told = 0
            var token: ObservationToken? = context.observe(.objectsDidChange) { _ in told += 1 }
            _ = Node(in: context)
            context.processPendingChanges()
            token?.cancel()
            _ = Node(in: context)
            context.processPendingChanges()
            #expect(told == 1)
            token = context.observe(.objectsDidChange) { _ in told += 1 }
            #expect(token != nil)
            token = nil
            _ = Node(in: context)
            context.processPendingChanges()
            #expect(told == 1)
        }
    }

    @Test func `what a handler changes is told in the next event`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context)
            var told: [Int64] = []
            let token = context.observe(.objectsDidChange) { _ in
                told.append(node.number)
                if node.number < 2 { node.number += 1 }
            }
            for _ in 0..<5 { context.processPendingChanges() }
            #expect(told == [0, 1, 2])
            withExtendedLifetime(token) {}
        }
    }

    @Test @MainActor func `ids are told as a sequence that ends with the context`() async throws {
        try await withContainer(Everything.model) { container in
            var context: ManagedObjectContext? = container.newContext()
            let saves = try #require(context?.notifications(.didSaveObjectIDs))
            let reader = Task.detached { () -> [Int] in
                var counts: [Int] = []
                for await ids in saves { counts.append(ids.inserted.count) }
                return counts
            }
            for count in 1...3 {
                for _ in 0..<count { _ = context.map { Node(in: $0) } }
                try context?.save()
            }
            context = nil
            #expect(await reader.value == [1, 2, 3])
        }
    }

    @Test func `ids are told by kind`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let (changed, deleted) = (Node(in: context), Node(in: context))
            try context.save()
            var told: [ChangedObjectIDs] = []
            let tokens = [
                context.observe(.objectIDsDidChange) { told.append($0) },
                context.observe(.didSaveObjectIDs) { told.append($0) },
            ]
            changed.label = "changed"
            context.delete(deleted)
            let new = Node(in: context)
            try context.save()
            #expect(told.count == 2)
            for ids in told {
                #expect(ids.inserted == [new.objectID])
                #expect(ids.updated == [changed.objectID])
                #expect(ids.deleted == [deleted.objectID])
                #expect(ids.refreshed.isEmpty && ids.invalidated.isEmpty && !ids.invalidatedAll)
            }
            #expect(tokens.count == 2)
        }
    }

    @Test func `a sibling can be brought up to date by hand from what is told`() throws {
        try withContainer(Everything.model) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let node = Node(in: context, label: "old")
            try context.save()
            let same: Node = try other.get(node.objectID)
            #expect(same.label == "old")
            let token = context.observe(.didSave) { saved in
                for changeSet in saved.changeSets { other.mergeChanges(from: changeSet) }
            }
            node.label = "new"
            try context.save()
            #expect(same.label == "new")
            withExtendedLifetime(token) {}
        }
    }

    @Test func `an object whose row is gone is told as invalid`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let first = container.newContext()
            let id = Node(in: first).objectID
            try first.save()
            try execute(#"DELETE FROM "Node""#, in: path)
            let context = container.newContext()
            context.shouldDeleteInaccessibleFaults = true
            let recorder = Recorder(context)
            let node: Node = try context.get(id)
            _ = node.label
            context.processPendingChanges()
            #expect(recorder.changes.map(\.invalidated) == [[node]])
        }
    }

    @Test func `a change set tells whose derived values have changed`() throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            let ann = ExtendedModel.Person(
                in: context, name: "Ann", home: Address(street: "Low St", number: 1, spot: nil))
            try context.save()
            var told: [ChangeSet] = []
            let token = context.observe(.didSave) { told += $0.changeSets }
            _ = Letter(in: context, sender: ann)
            try context.save()
            let refreshed = try #require(told.first?.refreshedObjectIDs)
            #expect(Array(refreshed.keys) == [ann.objectID])
            #expect(refreshed[ann.objectID]?.contains("letterCount") == true)
            // She was given a letter: that is a change of hers, but not of a derived value.
            #expect(told.first?.updatedObjectIDs[ann.objectID] == ["letters"])
            withExtendedLifetime(token) {}
        }
    }
}

import Cambium
import EverythingModel
import Foundation
import Testing

/// The save of a child context into its parent.
struct ChildSavingTests {
    @Test func `what a child has saved is temporary until it is in a store`() throws {
        try withFamily { family in
            var told: [ChangedObjectIDs] = []
            let token = family.child.observe(.didSaveObjectIDs) { told.append($0) }
            let new = Node(in: family.child)
            family.same.label = "changed"
            try family.child.save()
            #expect(told.last?.inserted.map(\.isTemporary) == [true])
            #expect(told.last?.updated.map(\.isTemporary) == [false])
            new.label = "again"
            try family.child.save()
            #expect(told.last?.updated.map(\.isTemporary) == [true])
            try family.parent.save()
            new.label = "and again"
            try family.child.save()
            #expect(told.last?.updated.map(\.isTemporary) == [false])
            withExtendedLifetime(token) {}
        }
    }

    @Test func `new objects appear in the parent as new ones, with their identity`() throws {
        try withFamily { family in
            let new = Node(in: family.child, label: "new", number: 4)
            let id = new.objectID
            try family.child.save()
            #expect(!new.hasChanges && !family.child.hasChanges)
            let taken = try #require(family.parent.insertedObjects.first as? Node)
            #expect(taken.objectID == id)
            #expect((taken.label, taken.number) == ("new", 4))
            #expect(taken.isInserted)
            try family.parent.save()
            let reader = family.container.newContext()
            #expect(try reader.get(id, as: Node.self).label == "new")
        }
    }

    @Test func `a new object awakes once, in the child`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let child = parent.newChildContext()
            let watched = Watched(in: child)
            watched.name = "named"
            try child.save()
            let taken = try #require(parent.insertedObjects.first as? Watched)
            #expect(taken.calls.isEmpty)
            #expect(taken.name == "named")
            #expect(watched.calls == ["awakeFromInsert", "willSave", "didSave"])
        }
    }

    @Test func `who asked the parent for a new object before has that object afterwards`() throws {
        try withFamily { family in
            let new = Node(in: family.child, label: "new")
            let fault = family.parent.object(with: new.objectID)
            try family.child.save()
            #expect(family.parent.insertedObjects == [fault])
            #expect((fault as? Node)?.label == "new")
        }
    }

    @Test func `exactly the changed properties are set in the parent`() throws {
        try withFamily { family in
            family.node.label = "parent's"
            family.same.number = 2
            try family.child.save()
            #expect((family.node.label, family.node.number) == ("parent's", 2))
            #expect(
                family.node.changedValues() == [
                    "label": .value(.string("parent's")), "number": .value(.int(2)),
                ])
            // What the parent had changed meanwhile is taken over.
            #expect(family.same.label == "parent's")
            #expect(!family.child.hasChanges)
        }
    }

    @Test func `a parent without changes has those of its child after the save`() throws {
        try withFamily { family in
            family.same.number = 2
            try family.child.save()
            #expect(family.node.changedValues() == ["number": .value(.int(2))])
            #expect(family.parent.updatedObjects == [family.node])
            #expect(family.same.changedValues().isEmpty)
        }
    }

    @Test func `of a property that both changed the child's value wins`() throws {
        try withFamily { family in
            family.node.label = "parent's"
            family.same.label = "child's"
            try family.child.save()
            #expect(family.node.label == "child's")
        }
    }

    @Test func `a property set to its old value wins too`() throws {
        try withFamily { family in
            family.node.label = "parent's"
            family.same.label = "base"
            try family.child.save()
            #expect(family.node.label == "base")
        }
    }

    @Test func `a deletion deletes in the parent, and follows the delete rules`() throws {
        try withFamily { family in
            let part = Part(in: family.parent, node: family.node)
            let box = Box(in: family.parent, name: "box")
            family.node.box = box
            try family.parent.save()
            family.child.delete(family.same)
            try family.child.save()
            #expect(family.parent.deletedObjects == [family.node, part])
            #expect(box.nodes.isEmpty)
            #expect(family.same.managedObjectContext == nil)
            try family.parent.save()
            #expect(try family.container.newContext().count(for: Part.fetchRequest()) == 0)
        }
    }

    @Test func `a cascade in the parent reaches what the child did not know`() throws {
        try withFamily { family in
            #expect(family.same.parts.isEmpty)
            let part = Part(in: family.parent, node: family.node)
            family.child.delete(family.same)
            try family.child.save()
            #expect(part.isDeleted || part.managedObjectContext == nil)
            #expect(family.parent.insertedObjects.isEmpty)
        }
    }

    @Test func `a new object of the parent that the child deletes vanishes`() throws {
        try withFamily { family in
            let new = Node(in: family.parent, label: "new")
            family.child.delete(try family.child.get(new.objectID))
            try family.child.save()
            #expect(family.parent.insertedObjects.isEmpty)
            #expect(!family.parent.hasChanges)
        }
    }

    @Test func `what the child inserts and deletes again reaches nobody`() throws {
        try withFamily { family in
            family.child.delete(Node(in: family.child))
            try family.child.save()
            #expect(!family.parent.hasChanges)
        }
    }

    @Test func `what is in memory only goes up and down`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let sample = Sample(in: parent)
            sample.scratch = 1
            let child = parent.newChildContext()
            let same: Sample = try child.get(sample.objectID)
            #expect(same.scratch == 1)
            same.scratch = 2
            let new = Sample(in: child)
            new.scratch = 3
            try child.save()
            #expect(sample.scratch == 2)
            #expect(try parent.get(new.objectID, as: Sample.self).scratch == 3)
        }
    }

    @Test func `every attribute of every type goes up`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let child = parent.newChildContext()
            let new = Sample(in: child)
            new.text = "text"
            new.bytes = Data([1, 2, 3])
            new.maybeDouble = 1.5
            new.colour = .allCases.first
            try child.save()
            let taken: Sample = try parent.get(new.objectID)
            #expect((taken.text, taken.bytes, taken.maybeDouble) == ("text", Data([1, 2, 3]), 1.5))
            #expect(taken.colour == new.colour)
            #expect((taken.moment, taken.token) == (new.moment, new.token))
            new.text = "a text that is longer than the one before"
            new.bytes = nil
            new.maybeDouble = nil
            try child.save()
            #expect(taken.text == "a text that is longer than the one before")
            #expect(taken.bytes == nil && taken.maybeDouble == nil)
        }
    }

    // MARK: Failures

    @Test func `a change that is not valid fails, and nothing has changed anywhere`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let limited = Limited(in: parent)
            try parent.save()
            let child = parent.newChildContext()
            let same: Limited = try child.get(limited.objectID)
            same.count = 11
            let new = Node(in: child)
            #expect(throws: ValidationError.self) { try child.save() }
            #expect(!parent.hasChanges)
            #expect(limited.count == 5)
            #expect(same.count == 11)
            #expect(child.updatedObjects == [same] && child.insertedObjects == [new])
            same.count = 7
            try child.save()
            #expect(limited.count == 7)
        }
    }

    @Test func `a deletion that is denied is denied in the child`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let person = Person(in: parent, name: "Ann")
            let home = Home(in: parent)
            home.owner = person
            let child = parent.newChildContext()
            child.delete(try child.get(person.objectID))
            #expect(throws: ValidationError.self) { try child.save() }
            #expect(person.isInserted)
        }
    }

    @Test func `changing what the parent has deleted is an error, and nothing is lost`() throws {
        try withFamily { family in
            let other = Node(in: family.parent, label: "other")
            let sameOther: Node = try family.child.get(other.objectID)
            sameOther.label = "other, changed"
            family.same.label = "changed"
            family.parent.delete(family.node)
            let error = #expect(throws: StoreError.self) { try family.child.save() }
            #expect(error?.code == .missingRow)
            #expect(error?.message.contains("\(family.node.objectID)") == true)
            #expect(other.label == "other")
            #expect(family.same.label == "changed" && family.same.isUpdated)
            #expect(family.child.updatedObjects == [family.same, sameOther])
            family.child.refresh(family.same, mergeChanges: false)
            try family.child.save()
            #expect(other.label == "other, changed")
        }
    }

    @Test func `deleting what the parent has deleted is none`() throws {
        try withFamily { family in
            family.parent.delete(family.node)
            family.child.delete(family.same)
            try family.child.save()
            #expect(family.parent.deletedObjects == [family.node])
        }
    }

    @Test func `an object that only lost a link with what the child deletes may be gone`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            family.node.box = box
            try family.parent.save()
            family.child.refreshAllObjects()
            let sameBox = try #require(family.same.box)
            #expect(sameBox.nodes.count == 1)
            family.parent.delete(family.node)
            family.child.delete(sameBox)
            try family.child.save()
            #expect(family.parent.deletedObjects == [family.node, box])
            #expect(family.same.isDeleted)
        }
    }

    @Test func `a link to what the parent has deleted is cleared`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            let topic = Topic(in: family.parent)
            let sameBox: Box = try family.child.get(box.objectID)
            let sameTopic: Topic = try family.child.get(topic.objectID)
            #expect(sameTopic.name.isEmpty)
            family.same.box = sameBox
            family.same.tags.insert(sameTopic)
            family.parent.delete(box)
            family.parent.delete(topic)
            try family.child.save()
            #expect(sameBox.isDeleted && sameTopic.isDeleted)
            #expect(family.same.box == nil && family.same.tags.isEmpty)
            #expect(family.node.box == nil && family.node.tags.isEmpty)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `links of every kind to what the parent has deleted are cleared`(
        isSaved: Bool, merges: Bool
    ) throws {
        try withFamily { family in
            let (box, topic, next) = (
                Box(in: family.parent), Topic(in: family.parent), Node(in: family.parent)
            )
            try family.parent.save()
            let child = family.child
            child.automaticallyMergesChangesFromParent = merges
            let same = family.same
            same.box = try child.get(box.objectID)
            same.tags.insert(try child.get(topic.objectID))
            same.queue.append(try child.get(topic.objectID))
            let ends: [ManagedObject] = try [
                child.get(box.objectID) as Box, child.get(topic.objectID) as Topic,
                child.get(next.objectID) as Node,
            ]
            // The key of the one is in its own row, that of the other in the row that goes.
            same.next = ends[2] as? Node
            same.previous = ends[2] as? Node
            child.processPendingChanges()
            child.undoManager = ContextUndoManager()
            for object in [box, topic, next] { family.parent.delete(object) }
            if isSaved { try family.parent.save() }
            try child.save()
            #expect(ends.filter { $0.isDeleted } == ends)
            #expect(same.box == nil && same.next == nil && same.previous == nil)
            #expect(same.tags.isEmpty && same.queue.isEmpty)
            #expect(child.undoManager?.canUndo == false)
            try family.parent.save()
            #expect(child.invariantFaults() == [])
        }
    }

    @Test func `what a child has changed in what the parent has deleted is an error`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            try family.parent.save()
            let same: Box = try family.child.get(box.objectID)
            same.name = "changed"
            family.same.box = same
            family.parent.delete(box)
            for _ in 0..<2 {
                let error = #expect(throws: StoreError.self) { try family.child.save() }
                #expect(error?.code == .missingRow)
            }
            family.child.refresh(same, mergeChanges: false)
            try family.child.save()
            #expect(family.same.box == nil)
        }
    }

    @Test func `a child deletes what a link from above leads to`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            try family.parent.save()
            family.parent.undoManager = ContextUndoManager()
            family.node.box = box
            family.parent.processPendingChanges()
            family.parent.undo()
            let same: Box = try family.child.get(box.objectID)
            family.same.box = same
            family.child.processPendingChanges()
            family.child.delete(same)
            family.child.processPendingChanges()
            family.parent.redo()
            family.child.mergePending()
            try family.child.save()
            #expect(family.node.box == nil && family.same.box == nil)
            #expect(box.isDeleted)
            try family.parent.save()
        }
    }

    @Test func `a save without changes changes nothing`() throws {
        try withFamily { family in
            try family.child.save()
            #expect(!family.parent.hasChanges)
        }
    }

    @Test func `a lock of the child holds for the save of the root`() throws {
        try withFamily { family in
            family.child.detectConflicts(for: family.same)
            try family.child.save()
            let writer = family.container.newContext()
            try writer.get(family.node.objectID, as: Node.self).label = "theirs"
            try writer.save()
            _ = Node(in: family.parent)
            #expect(throws: ConflictError.self) { try family.parent.save() }
        }
    }

    @Test func `unique values are judged when the root is saved`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let child = parent.newChildContext()
            _ = Robot(in: parent, name: "one", serial: "same")
            _ = Robot(in: child, name: "two", serial: "same")
            try child.save()
            #expect(parent.insertedObjects.count == 2)
            #expect(throws: ConstraintConflictError.self) { try parent.save() }
        }
    }

    // MARK: Telling

    @Test func `a child's save tells the child of a save, and the parent of a change`() throws {
        try withFamily { family in
            var log: [String] = []
            var saved: [SavedObjects] = []
            var changes: [ObjectsDidChange] = []
            let gone = Node(in: family.parent)
            try family.parent.save()
            let tokens = [
                family.child.observe(.willSave) { log.append("child will save") },
                family.child.observe(.didSave) {
                    log.append("child did save")
                    saved.append($0)
                },
                family.child.observe(.didSaveObjectIDs) { _ in log.append("child did save ids") },
                family.parent.observe(.willSave) { log.append("parent will save") },
                family.parent.observe(.objectsDidChange) {
                    log.append("parent did change")
                    changes.append($0)
                },
            ]
            family.same.label = "changed"
            let new = Node(in: family.child)
            let sameGone: Node = try family.child.get(gone.objectID)
            family.child.delete(sameGone)
            try family.child.save()
            #expect(
                log == [
                    "child will save", "parent did change", "child did save", "child did save ids",
                ])
            #expect(saved.map(\.inserted) == [[new]])
            #expect(saved.map(\.updated) == [[family.same]])
            #expect(saved.map(\.deleted) == [[sameGone]])
            let set = try #require(saved.first?.changeSets.first)
            #expect(set.insertedObjectIDs == [new.objectID])
            #expect(set.updatedObjectIDs == [family.node.objectID: ["label"]])
            #expect(set.deletedObjectIDs == [gone.objectID])
            let change = try #require(changes.first)
            #expect(change.inserted.map(\.objectID) == [new.objectID])
            #expect(change.updated == [family.node])
            #expect(change.deleted == [gone])
            _ = tokens
        }
    }

    @Test func `hooks are called in the child, and its changes in them go up`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let child = parent.newChildContext()
            let watched = Watched(in: child)
            watched.onWillSave = { if $0.count == 0 { $0.count = 3 } }
            try child.save()
            let taken = try #require(parent.insertedObjects.first as? Watched)
            #expect(taken.count == 3)
            #expect(watched.calls.last == "didSave")
            try parent.save()
            #expect(taken.calls == ["willSave", "didSave"])
        }
    }

    @Test func `an object that the child deletes is asked in both contexts`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let watched = Watched(in: parent)
            watched.parts.insert(WatchedPart(in: parent, name: "part"))
            try parent.save()
            let child = parent.newChildContext()
            let same: Watched = try child.get(watched.objectID)
            child.delete(same)
            try child.save()
            #expect(same.deletionCauses == [.request])
            #expect(watched.deletionCauses == [.request])
            #expect(watched.partsAtDeletion == 1)
        }
    }

    @Test func `a controller over the parent follows the child's saves`() throws {
        try withFamily { family in
            let followed = try FollowedController(
                FetchedResultsController(
                    Node.fetchRequest().filter(Node.number > 0).sorted(by: Node.number),
                    in: family.parent),
                summary: { "\($0.label) \($0.number)" })
            let new = Node(in: family.child, label: "new", number: 2)
            family.same.number = 3
            #expect(followed.controller.fetchedObjects == [family.node])
            try family.child.save()
            #expect(followed.controller.fetchedObjects?.map(\.number) == [2, 3])
            let faults = try followed.faults(
                touched: [new.objectID, family.node.objectID], looks: true)
            #expect(faults == [])
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `what was saved up reaches every kind of store with the root`(_ kind: StoreKind) throws {
        try withFamily(on: kind) { family in
            let box = Box(in: family.child, name: "box")
            family.same.box = box
            family.same.label = "changed"
            try family.child.save()
            try family.parent.save()
            let reader = family.container.newContext()
            let read: Node = try reader.get(family.node.objectID)
            #expect(read.label == "changed")
            #expect(read.box?.name == "box")
        }
    }
}

import Cambium
import EverythingModel
import Testing

private typealias Node = Seen<EverythingModel.Node>
private typealias Box = Seen<EverythingModel.Box>
private typealias Topic = Seen<EverythingModel.Topic>
private typealias Part = Seen<EverythingModel.Part>

/// The flags of objects and the sets of contexts (rules 1–9 of Core Data's change state).
@Suite(.bothKinds) struct ObjectStateTests {
    private func withSavedNode(
        _ body: (ManagedObjectContext, Node) throws -> Void
    ) throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "saved", number: 1)
            try context.save()
            try body(context, node)
        }
    }

    @Test func `rule 1: a new object that is changed is inserted and not updated`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let node = Node(in: context)
            node.label = "changed"
            context.processPendingChanges()
            #expect(node.isInserted)
            #expect(!node.isUpdated)
            #expect(node.hasChanges)
            #expect(context.insertedObjects == [node])
            #expect(context.updatedObjects.isEmpty)
        }
    }

    @Test func `rule 2: a new object that is deleted leaves no trace`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let node = Node(in: context)
            context.delete(node)
            context.processPendingChanges()
            #expect(!context.hasChanges)
            #expect(context.insertedObjects.isEmpty)
            #expect(context.deletedObjects.isEmpty)
            #expect(node.managedObjectContext == nil)
            #expect(context.registeredObject(for: node.objectID) == nil)
            try context.save()
            #expect(try container.newContext().countSeen(Node.fetchRequest()) == 0)
        }
    }

    @Test func `rule 3: a changed object that is deleted is in both sets until it is processed`()
        throws
    {
        try withSavedNode { context, node in
            node.label = "changed"
            context.delete(node)
            #expect(context.updatedObjects == [node])
            #expect(context.deletedObjects == [node])
            context.processPendingChanges()
            #expect(node.isDeleted)
            #expect(!node.isUpdated)
            #expect(context.updatedObjects.isEmpty)
            #expect(context.deletedObjects == [node])
        }
    }

    @Test func `rule 25: after the save of its deletion an object is of no context`() throws {
        try withSavedNode { context, node in
            context.delete(node)
            try context.save()
            #expect(!node.isDeleted)
            #expect(node.managedObjectContext == nil)
            #expect(!node.hasChanges)
            #expect(node.label == "saved")
        }
    }

    @Test func `rule 9: a save makes objects clean and empties the sets`() throws {
        try withSavedNode { context, node in
            node.label = "changed"
            try context.save()
            #expect(!node.isUpdated)
            #expect(!node.hasChanges)
            #expect(!context.hasChanges)
            #expect(context.updatedObjects.isEmpty)
            #expect(node.changedValues().isEmpty)
            #expect(
                try node.object.committedValues(forKeys: ["label"]) == [
                    "label": .value(.string("changed"))
                ])
            #expect(node.label == "changed")
        }
    }

    @Test func `rule 4: a value set to what it is makes the object updated, not different`()
        throws
    {
        try withSavedNode { context, node in
            node.label = "saved"
            #expect(node.isUpdated)
            #expect(context.hasChanges)
            #expect(node.changedValues() == ["label": .value(.string("saved"))])
            #expect(!node.hasPersistentChangedValues)
        }
    }

    @Test func `saving equal values writes nothing and leaves the version`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(
                model: ObjectKind.current.everything, at: .temporary(path))
            let context = container.newContext()
            let node = Node(in: context, label: "saved")
            try context.save()
            node.label = "other"
            node.label = "saved"
            try context.save()
            #expect(!node.hasChanges)
            #expect(try rows(#"SELECT "_version" FROM "Node""#, in: path) == [[.integer(1)]])
            node.label = "other"
            try context.save()
            #expect(try rows(#"SELECT "_version" FROM "Node""#, in: path) == [[.integer(2)]])
        }
    }

    @Test func `rule 7: changed values are the new ones, those of the event the old`() throws {
        try withSavedNode { context, node in
            node.label = "first"
            #expect(
                node.object.changedValuesForCurrentEvent() == ["label": .value(.string("saved"))])
            context.processPendingChanges()
            #expect(node.object.changedValuesForCurrentEvent().isEmpty)
            node.label = "second"
            #expect(
                node.object.changedValuesForCurrentEvent() == ["label": .value(.string("first"))])
            #expect(node.changedValues() == ["label": .value(.string("second"))])
            #expect(node.hasPersistentChangedValues)
        }
    }

    @Test func `a new object has no values before its event`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "new")
            #expect(node.object.changedValuesForCurrentEvent().isEmpty)
            context.processPendingChanges()
            node.label = "newer"
            #expect(node.object.changedValuesForCurrentEvent() == ["label": .value(.string("new"))])
            #expect(node.changedValues()["label"] == .value(.string("newer")))
        }
    }

    @Test func `changed relationships are told by object ids`() throws {
        try withSavedNode { context, node in
            let (box, topic) = (Box(in: context), Topic(in: context))
            try context.save()
            #expect(node.tags.isEmpty && box.nodes.isEmpty)
            node.box = box
            node.tags.insert(topic)
            #expect(
                node.changedValues() == [
                    "box": .toOne(box.objectID), "tags": .toMany([topic.objectID]),
                ])
            #expect(box.changedValues() == ["nodes": .toMany([node.objectID])])
            #expect(
                node.object.changedValuesForCurrentEvent() == [
                    "box": .toOne(nil), "tags": .toMany([]),
                ])
            #expect(
                try node.object.committedValues(forKeys: ["box", "tags"]) == [
                    "box": .toOne(nil), "tags": .toMany([]),
                ])
        }
    }

    @Test func `rule 8: committed values are the former ones and read no relationship`() throws {
        try withContainer(Everything.model) { container in
            let writer = container.newContext()
            let saved = Sample(in: writer, text: "saved")
            let tagged = Node(in: writer)
            tagged.tags.insert(Topic(in: writer))
            try writer.save()
            let context = container.newContext()
            let sample: Sample = try context.get(saved.objectID)
            #expect(try sample.committedValues().isEmpty)
            sample.text = "changed"
            sample.maybeText = "set"
            sample.scratch = 3
            let values = try sample.committedValues()
            #expect(values["text"] == .value(.string("saved")))
            #expect(values["maybeText"] == .value(.null))
            #expect(values["scratch"] == nil)
            let node: Node = try context.get(tagged.objectID)
            _ = node.label
            let tags = try node.object.committedValues(forKeys: ["tags"])
            #expect(tags == ["tags": .unread(added: [], removed: [])])
            #expect(try node.object.hasFault(forRelationship: "tags"))
            #expect(throws: StoreError.self) {
                try node.object.committedValues(forKeys: ["nothing"])
            }
        }
    }

    @Test func `rule 5: a primitive value is set without any sign of it`() throws {
        try withSavedNode { context, node in
            var told = 0
            let token = context.observe(.objectsDidChange) { _ in told += 1 }
            try node.object.setPrimitiveValue(.string("quiet"), forKey: "label")
            #expect(node.label == "quiet")
            #expect(try node.object.primitiveValue(forKey: "label") == .string("quiet"))
            #expect(!node.hasChanges && !context.hasChanges)
            #expect(node.changedValues().isEmpty)
            context.processPendingChanges()
            #expect(told == 0)
            // A change that is noted takes it along.
            node.number = 2
            #expect(node.changedValues() == ["number": .value(.int(2))])
            #expect(
                try node.object.committedValues(forKeys: ["label"]) == [
                    "label": .value(.string("saved"))
                ])
            try context.save()
            withExtendedLifetime(token) {}
        }
    }

    @Test func `a primitive value is saved with other changes`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let (clean, changed) = (Node(in: context), Node(in: context))
            let linked = Node(in: context)
            try context.save()
            try linked.object.setPrimitiveValue(.string("linked"), forKey: "label")
            linked.tags.insert(Topic(in: context))
            try clean.object.setPrimitiveValue(.string("before"), forKey: "label")
            clean.number = 1
            changed.number = 1
            context.processPendingChanges()
            try changed.object.setPrimitiveValue(.string("after"), forKey: "label")
            #expect(changed.changedValues() == ["number": .value(.int(1))])
            try context.save()
            let labels = try container.newContext().see(Node.fetchRequest()).map(\.label)
            #expect(labels == ["before", "after", "linked"])
        }
    }

    @Test func `a custom setter brackets a primitive value and is noted`() throws {
        try withSavedNode { _, node in
            node.object.willChangeValue(forKey: "label")
            try node.object.setPrimitiveValue(.string("custom"), forKey: "label")
            node.object.didChangeValue(forKey: "label")
            #expect(node.isUpdated)
            #expect(node.changedValues() == ["label": .value(.string("custom"))])
        }
    }

    @Test func `primitive values of faults and of unknown names`() throws {
        try withSavedNode { context, node in
            context.refresh(node, mergeChanges: false)
            let before = try node.object.primitiveValue(forKey: "label")
            #expect(before == .null)
            #expect(node.isFault)
            node.object.willAccessValue(forKey: "label")
            let after = try node.object.primitiveValue(forKey: "label")
            #expect(after == .string("saved"))
            node.object.didAccessValue(forKey: "label")
            #expect(!node.isFault && !node.hasChanges, "looking at a value changes nothing")
            #expect(throws: StoreError.self) { try node.object.primitiveValue(forKey: "nothing") }
            #expect(throws: StoreError.self) {
                try node.object.setPrimitiveValue(.int(1), forKey: "nothing")
            }
        }
    }

    @Test func `rule 6: a change of a transient value alone is no persistent change`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            let sample = Sample(in: context)
            try context.save()
            sample.scratch = 5
            #expect(sample.hasChanges)
            #expect(!sample.hasPersistentChangedValues)
            #expect(sample.changedValues().isEmpty)
            try context.save()
            #expect(try rows(#"SELECT "_version" FROM "Sample""#, in: path) == [[.integer(1)]])
        }
    }

    @Test func `an object that outlives its context answers with placeholders`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            var context: ManagedObjectContext? = container.newContext()
            let id = try #require(context.map { Node(in: $0, label: "a").objectID })
            try context?.save()
            context = container.newContext()
            let object = try #require(context?.object(with: id))
            context = nil
            #expect(object.managedObjectContext == nil)
            let label = try object.value(forKey: "label")
            #expect(label == .string(""))
            guard let fault = object as? EverythingModel.Node else { return }
            #expect(fault.label == "")
            fault.label = "nobody hears"
            #expect(fault.box == nil)
            #expect(fault.tags.isEmpty)
        }
    }
}

import Cambium
import EverythingModel
import Testing

/// The flags of objects and the sets of contexts (rules 1–9 of Core Data's change state).
struct ObjectStateTests {
    private func withSavedNode(
        _ body: (ManagedObjectContext, Node) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "saved", number: 1)
            try context.save()
            try body(context, node)
        }
    }

    @Test func `a new object that is changed is inserted and not updated`() throws {
        try withContainer(Everything.model) { container in
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

    @Test func `a new object that is deleted leaves no trace`() throws {
        try withContainer(Everything.model) { container in
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
            #expect(try container.newContext().count(for: Node.fetchRequest()) == 0)
        }
    }

    @Test func `a changed object that is deleted is deleted only`() throws {
        try withSavedNode { context, node in
            node.label = "changed"
            context.delete(node)
            context.processPendingChanges()
            #expect(node.isDeleted)
            #expect(!node.isUpdated)
            #expect(context.updatedObjects.isEmpty)
            #expect(context.deletedObjects == [node])
        }
    }

    @Test func `after the save of its deletion an object is of no context`() throws {
        try withSavedNode { context, node in
            context.delete(node)
            try context.save()
            #expect(!node.isDeleted)
            #expect(node.managedObjectContext == nil)
            #expect(!node.hasChanges)
            #expect(node.label == "saved")
        }
    }

    @Test func `a save makes objects clean and empties the sets`() throws {
        try withSavedNode { context, node in
            node.label = "changed"
            try context.save()
            #expect(!node.isUpdated)
            #expect(!node.hasChanges)
            #expect(!context.hasChanges)
            #expect(context.updatedObjects.isEmpty)
            #expect(node.changedValues().isEmpty)
            #expect(node.label == "changed")
        }
    }

    @Test func `a value that is set to what it is makes the object updated but not different`()
        throws
    {
        try withSavedNode { context, node in
            node.label = "saved"
            #expect(node.isUpdated)
            #expect(context.hasChanges)
            #expect(!node.hasPersistentChangedValues)
        }
    }

    @Test func `saving equal values writes nothing and leaves the version`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .file(path))
            let context = container.newContext()
            let node = Node(in: context, label: "saved")
            try context.save()
            node.label = "other"
            node.label = "saved"
            try context.save()
            #expect(!node.hasChanges)
            #expect(try rows("SELECT _version FROM Node", in: path) == [[.integer(1)]])
            node.label = "other"
            try context.save()
            #expect(try rows("SELECT _version FROM Node", in: path) == [[.integer(2)]])
        }
    }

    @Test func `changed values are those that differ from the saved ones`() throws {
        try withSavedNode { _, node in
            node.label = "changed"
            node.number = 2
            node.number = 1
            #expect(node.changedValues() == ["label": .string("changed")])
            #expect(node.hasPersistentChangedValues)
        }
    }

    @Test func `a change of a transient value alone is no persistent change`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .file(path))
            let context = container.newContext()
            let sample = Sample(in: context)
            try context.save()
            sample.scratch = 5
            #expect(sample.hasChanges)
            #expect(!sample.hasPersistentChangedValues)
            #expect(sample.changedValues().isEmpty)
            try context.save()
            #expect(try rows("SELECT _version FROM Sample", in: path) == [[.integer(1)]])
        }
    }

    @Test func `an object that outlives its context answers with placeholders`() throws {
        try withContainer(Everything.model) { container in
            var context: ManagedObjectContext? = container.newContext()
            let id = try #require(context.map { Node(in: $0, label: "a").objectID })
            try context?.save()
            context = container.newContext()
            let fault = try #require(context?.object(with: id) as? Node)
            context = nil
            #expect(fault.managedObjectContext == nil)
            #expect(fault.label == "")
            fault.label = "nobody hears"
            #expect(fault.box == nil)
            #expect(fault.tags.isEmpty)
        }
    }
}

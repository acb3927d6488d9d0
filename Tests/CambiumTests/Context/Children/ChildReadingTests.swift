import Cambium
import EverythingModel
import Observation
import Testing

/// What a child context reads of its parent.
struct ChildReadingTests {
    @Test func `a child knows its parent and keeps it alive`() throws {
        try withContainer(Everything.model) { container in
            weak var parent: ManagedObjectContext?
            let child: ManagedObjectContext
            do {
                let context = container.newContext()
                parent = context
                child = context.newChildContext()
            }
            #expect(child.parent === parent)
            #expect(parent != nil)
            #expect(parent?.parent == nil)
            _ = Node(in: child)
            try child.save()
            #expect(parent?.insertedObjects.count == 1)
        }
    }

    @Test func `a parent does not keep its children alive`() throws {
        try withFamily { family in
            weak var other: ManagedObjectContext?
            do {
                let context = family.parent.newChildContext()
                _ = try context.fetch(Node.fetchRequest())
                other = context
            }
            #expect(other == nil)
            family.node.label = "changed"
            try family.parent.save()
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `a fetch finds what the parent has not saved, and not what it deletes`(
        _ kind: StoreKind
    ) throws {
        try withFamily(on: kind) { family in
            let new = Node(in: family.parent, label: "new", number: 2)
            let gone = Node(in: family.parent, label: "gone", number: 3)
            try family.parent.save()
            new.number = 5
            family.parent.delete(gone)
            let unsaved = Node(in: family.parent, label: "unsaved", number: 6)
            let found = try family.child.fetch(
                Node.fetchRequest().filter(Node.number > 1).sorted(by: Node.number))
            #expect(found.map(\.label) == ["new", "unsaved"])
            #expect(found.map(\.objectID) == [new.objectID, unsaved.objectID])
            #expect(found.map(\.number) == [5, 6])
            #expect(found.allSatisfy { $0.managedObjectContext === family.child })
            #expect(!family.child.hasChanges)
        }
    }

    @Test func `the child's unsaved changes lie over the parent's`() throws {
        try withFamily { family in
            let other = Node(in: family.parent, label: "other", number: 3)
            family.node.number = 7
            family.same.number = 2
            let new = Node(in: family.child, label: "new", number: 2)
            family.child.delete(try family.child.get(other.objectID))
            let request = Node.fetchRequest().sorted(by: Node.label)
            #expect(try family.child.fetch(request).map(\.label) == ["base", "new"])
            let two = Node.fetchRequest().filter(Node.number == 2).sorted(by: Node.label)
            #expect(try family.child.fetch(two) == [family.same, new])
            #expect(try family.child.count(for: two) == 2)
            #expect(try family.parent.fetch(two).isEmpty)
            #expect(try family.parent.count(for: Node.fetchRequest()) == 2)
        }
    }

    @Test func `a fetch without pending changes goes by what the parent shows`() throws {
        try withFamily { family in
            family.same.number = 9
            _ = Node(in: family.parent, number: 9)
            var request = Node.fetchRequest().filter(Node.number == 9)
            request.includesPendingChanges = false
            let found = try family.child.fetch(request)
            #expect(found.count == 1)
            #expect(try family.child.count(for: request) == 1)
        }
    }

    @Test(arguments: StoreKind.databases)
    func `windows and counts are those of the parent's view`(_ kind: StoreKind) throws {
        try withFamily(on: kind) { family in
            for number in 2...6 { _ = Node(in: family.parent, number: Int64(number)) }
            let request = Node.fetchRequest().sorted(by: Node.number).offset(1).limit(3)
            for _ in 0..<2 {
                #expect(try family.child.fetch(request).map(\.number) == [2, 3, 4])
                #expect(try family.child.count(for: request) == 3)
                #expect(try family.child.count(for: Node.fetchRequest()) == 6)
                try family.parent.save()
            }
        }
    }

    @Test func `an object that the child has keeps its values until it is refreshed`() throws {
        try withFamily { family in
            family.node.label = "changed"
            _ = try family.child.fetch(Node.fetchRequest())
            #expect(family.same.label == "base")
            family.child.refresh(family.same, mergeChanges: true)
            #expect(family.same.label == "changed")
            #expect(!family.child.hasChanges)
        }
    }

    @Test func `a refresh that merges keeps the child's changes on top of the parent's`() throws {
        try withFamily { family in
            family.node.label = "parent's"
            family.node.number = 2
            family.same.number = 3
            family.child.refresh(family.same, mergeChanges: true)
            #expect((family.same.label, family.same.number) == ("parent's", 3))
            family.child.refresh(family.same, mergeChanges: false)
            #expect((family.same.label, family.same.number) == ("parent's", 2))
            #expect(!family.child.hasChanges)
        }
    }

    @Test func `refreshing all objects shows what the parent shows`() throws {
        try withFamily { family in
            let box = Box(in: family.parent, name: "box")
            #expect(family.same.box == nil)
            family.node.box = box
            family.node.label = "changed"
            family.child.refreshAllObjects()
            #expect(family.same.label == "changed")
            #expect(family.same.box?.objectID == box.objectID)
            #expect(family.same.box?.nodes.contains(family.same) == true)
        }
    }

    @Test func `a change of the child is not seen in the parent, and the reverse`() throws {
        try withFamily { family in
            family.same.label = "child's"
            #expect(family.node.label == "base")
            #expect(!family.parent.hasChanges)
            family.node.number = 2
            #expect(family.same.number == 1)
        }
    }

    @Test func `objects are found by their identity, new ones of the parent too`() throws {
        try withFamily { family in
            let new = Node(in: family.parent, label: "new")
            let read = try family.child.existingObject(with: new.objectID, as: Node.self)
            #expect(read.label == "new")
            #expect(!read.isInserted)
            family.parent.delete(new)
            let other = family.parent.newChildContext()
            #expect(throws: StoreError.self) { try other.existingObject(with: new.objectID) }
            #expect(other.object(with: new.objectID).isFault)
        }
    }

    @Test func `the parent gets objects for what its child reads`() throws {
        try withContainer(Everything.model) { container in
            let writer = container.newContext()
            for _ in 0..<3 { _ = Node(in: writer) }
            try writer.save()
            let parent = container.newContext()
            let child = parent.newChildContext()
            #expect(parent.registeredObjects.isEmpty)
            #expect(try child.fetch(Node.fetchRequest()).count == 3)
            #expect(parent.registeredObjects.count == 3)
        }
    }

    @Test func `relationships of every shape are read from the parent's unsaved ones`() throws {
        try withFamily { family in
            let (parent, child) = (family.parent, family.child)
            let box = Box(in: parent, name: "box")
            let topic = Topic(in: parent, name: "topic")
            let other = Node(in: parent, label: "other", box: box)
            family.node.box = box
            family.node.next = other
            family.node.tags.insert(topic)
            other.follows.insert(family.node)
            let part = Part(in: parent, node: family.node)
            child.refreshAllObjects()
            let same = family.same
            #expect(Set(same.box?.nodes.map(\.label) ?? []) == ["base", "other"])
            #expect(same.next?.previous === same)
            #expect(same.tags.map(\.name) == ["topic"])
            #expect(same.followers.map(\.label) == ["other"])
            #expect(same.parts.map(\.objectID) == [part.objectID])
            #expect(same.next?.follows.contains(same) == true)
        }
    }

    @Test func `a relationship to a hierarchy leads to objects of their own classes`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let home = Home(in: parent, street: "Main Street")
            let person = Person(in: parent, name: "Ann", home: home)
            let robot = Robot(in: parent, name: "Rob", serial: "1", home: home)
            let child = parent.newChildContext()
            let same: Home = try child.get(home.objectID)
            let residents = Array(same.residents)
            #expect(Set(residents.map(\.objectID)) == [person.objectID, robot.objectID])
            #expect(residents.contains { $0 is Person } && residents.contains { $0 is Robot })
            #expect(residents.allSatisfy { $0.home === same })
        }
    }

    @Test func `a far relationship is prefetched from the parent`() throws {
        try withFamily { family in
            for name in ["a", "b"] {
                let node = Node(in: family.parent, label: name)
                _ = Part(in: family.parent, node: node)
                _ = Part(in: family.parent, node: node)
            }
            let found = try family.child.fetch(
                Node.fetchRequest().sorted(by: Node.label).prefetching(Node.parts))
            #expect(found.map { $0.parts.count } == [2, 2, 0])
            for node in found { #expect(try !node.hasFault(forRelationship: "parts")) }
        }
    }

    @Test func `a query generation is the parent's, and cannot be set`() throws {
        try withFamily(on: .lasting) { family in
            #expect(throws: StoreError.self) { try family.child.setQueryGeneration(.current) }
            try family.parent.setQueryGeneration(.current)
            #expect(family.child.queryGeneration == family.parent.queryGeneration)
            family.child.refreshAllObjects()
            family.parent.refreshAllObjects()
            #expect(family.same.label == "base")
            let writer = family.container.newContext()
            try writer.get(family.node.objectID, as: Node.self).label = "later"
            try writer.save()
            family.parent.refreshAllObjects()
            family.child.refreshAllObjects()
            #expect(family.same.label == "base")
            #expect(family.child.queryGeneration == family.parent.queryGeneration)
        }
    }

    @Test func `snapshots carry values between a parent and its child`() throws {
        try withFamily { family in
            family.same.label = "child's"
            let snapshot = family.same.snapshot
            #expect(snapshot.objectID == family.node.objectID)
            try family.node.update(from: snapshot)
            #expect(family.node.label == "child's")
            let copy = try Node(in: family.child, family.node.snapshot)
            #expect(copy.label == "child's" && copy.isInserted)
        }
    }

    @Test func `a background context can have children`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let label = try await container.performBackgroundTask { context in
            let child = context.newChildContext()
            let node = Node(in: child, label: "background")
            try child.save()
            try context.save()
            return try context.get(node.objectID, as: Node.self).label
        }
        #expect(label == "background")
    }

    @Test func `objects of a child are observable where the parent's are`() throws {
        try withFamily { family in
            #expect(!family.child.objectsAreObservable)
            family.parent.objectsAreObservable = true
            let child = family.parent.newChildContext()
            #expect(child.objectsAreObservable)
            child.automaticallyMergesChangesFromParent = true
            let node: Node = try child.get(family.node.objectID)
            var label = ""
            let changes = Log()
            withObservationTracking {
                label = node.label
            } onChange: {
                changes.append("changed")
            }
            #expect(label == "base")
            family.node.label = "new"
            try family.parent.save()
            _ = try child.fetch(Box.fetchRequest())
            #expect(changes.entries == ["changed"])
            #expect(node.label == "new")
        }
    }

    @Test func `new objects of parent and child get keys of one series`() throws {
        try withFamily { family in
            let one = Node(in: family.child)
            let two = Node(in: family.parent)
            let three = Node(in: family.child.newChildContext())
            #expect(two.objectID.key == one.objectID.key + 1)
            #expect(three.objectID.key == two.objectID.key + 1)
        }
    }
}

@testable import Cambium
import EverythingModel
import Testing

/// One object for a row in each context.
struct IdentityTests {
    @Test func `rule 49: two contexts have different objects with equal ids`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context)
            try context.save()
            let reader = container.newContext()
            let other: Node = try reader.get(node.objectID)
            #expect(other !== node)
            #expect(other != node)
            #expect(other.objectID == node.objectID)
        }
    }

    @Test func `a new object takes the place of a fault for a key that was free`() throws {
        try withContainer(Everything.model) { container in
            let maker = container.newContext()
            let first = Node(in: maker)
            try maker.save()
            // The id that the next one in the other context is given.
            let context = container.newContext()
            let second = Node(in: context)
            try context.save()
            let third = ObjectID(
                second.entityDescription, key: second.key + 1, store: first.objectID.store)
            let fault = context.object(with: third)
            let node = Node(in: context, label: "new")
            #expect(node.objectID == fault.objectID)
            try context.save()
            #expect(context.object(with: third) === node)
            #expect(try container.newContext().count(for: Node.fetchRequest()) == 3)
        }
    }

    /// Core Data's ids change with the save; ours are final.
    @Test func `rule 56: an id is temporary until the save, and does not change with it`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context)
            let id = node.objectID
            #expect(id.isTemporary)
            try context.obtainPermanentIDs(for: [node])
            #expect(node.isInserted)
            try context.save()
            #expect(node.objectID == id)
            #expect(!node.objectID.isTemporary)
            #expect(throws: StoreError.self) {
                try container.newContext().obtainPermanentIDs(for: [node])
            }
            #expect(context.registeredObject(for: id) === node)
        }
    }

    @Test func `ids of different entities and stores differ`() throws {
        try withContainer(Everything.model) { one in
            try withContainer(Everything.model) { other in
                let context = one.newContext()
                let node = Node(in: context)
                let box = Box(in: context)
                let twin = Node(in: other.newContext())
                #expect(node.objectID.key == box.objectID.key)
                #expect(node.objectID != box.objectID)
                #expect(node.objectID.key == twin.objectID.key)
                #expect(node.objectID != twin.objectID)
            }
        }
    }

    @Test func `an id found through the parent entity is the same`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let robot = Robot(in: context, name: "R", serial: "1")
            try context.save()
            let being = try #require(try context.fetch(Being.fetchRequest()).first)
            #expect(being === robot)
            #expect(being.objectID == robot.objectID)
        }
    }

    @Test func `rule 54: looking up an id reads nothing and gives a fault`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "a")
            try context.save()
            let other = container.newContext()
            #expect(other.registeredObject(for: node.objectID) == nil)
            let fault: Node = try other.get(node.objectID)
            #expect(fault.isFault)
            #expect(other.registeredObject(for: node.objectID) === fault)
            #expect(fault.label == "a")
            #expect(!fault.isFault)
        }
    }

    @Test func `an existing object is read at once`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "a")
            try context.save()
            let reader = container.newContext()
            #expect(try !reader.existingObject(with: node.objectID).isFault)
        }
    }

    @Test func `an existing object comes as its class, and no other`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "a")
            try context.save()
            let reader = container.newContext()
            #expect(try reader.existingObject(with: node.objectID, as: Node.self).label == "a")
            let error = #expect(throws: StoreError.self) {
                try reader.existingObject(with: node.objectID, as: Place.self)
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `an existing object that does not exist is an error`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let node = Node(in: context, label: "a")
            try context.save()
            let other = container.newContext()
            context.delete(node)
            try context.save()
            let error = #expect(throws: StoreError.self) {
                try other.existingObject(with: node.objectID)
            }
            #expect(error?.code == .missingRow)
            #expect(error?.coreDataCode == 133000)
        }
    }

    @Test func `an id of another store leads to an object that is gone`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            var ghosts: [ManagedObject] = []
            try withContainer(Everything.model) { other in
                ghosts.append(context.object(with: Node(in: other.newContext()).objectID))
            }
            #expect(ghosts[0].isDeleted)
            #expect((ghosts[0] as? Node)?.label == "")
            #expect(context.registeredObject(for: ghosts[0].objectID) == nil)
            #expect(throws: StoreError.self) {
                try context.existingObject(with: ghosts[0].objectID)
            }
        }
    }

    @Test func `rule 55: clean objects that nobody holds are dropped when more have come`() throws {
        try withContainer(Everything.model) { container in
            let first = container.newContext()
            for number in 0..<3_000 { _ = Node(in: first, number: Int64(number)) }
            for _ in 0..<4_000 { _ = Box(in: first) }
            try first.save()

            let context = container.newContext()
            var nodes = try context.fetch(Node.fetchRequest())
            let held = nodes[10]
            nodes[20].label = "changed"
            let changed = nodes[20].objectID
            nodes = []
            let boxes = try context.fetch(Box.fetchRequest())
            #expect(context.registeredObjects.count == boxes.count + 2)
            #expect(context.registeredObject(for: held.objectID) === held)
            #expect(try context.get(changed, as: Node.self).label == "changed")
        }
    }

    @Test func `rule 55: a context that retains its objects drops none`() throws {
        try withContainer(Everything.model) { container in
            let first = container.newContext()
            for _ in 0..<3_000 { _ = Node(in: first) }
            for _ in 0..<4_000 { _ = Box(in: first) }
            try first.save()

            let context = container.newContext()
            context.retainsRegisteredObjects = true
            _ = try context.fetch(Node.fetchRequest())
            _ = try context.fetch(Box.fetchRequest())
            #expect(context.registeredObjects.count == 7_000)
        }
    }
}

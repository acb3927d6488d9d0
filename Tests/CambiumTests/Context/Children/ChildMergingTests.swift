import Cambium
import EverythingModel
import Testing

/// What a child takes over of what comes to its parent.
struct ChildMergingTests {
    /// How something comes to the parent.
    enum Way: CaseIterable {
        case parentSaves, siblingSaves, parentMerges

        /// Changes the label of the family's node.
        func bring(_ label: String, to family: Family) throws {
            switch self {
            case .parentSaves:
                family.node.label = label
                try family.parent.save()
            case .siblingSaves:
                let sibling = family.parent.newChildContext()
                try sibling.get(family.node.objectID, as: Node.self).label = label
                try sibling.save()
            case .parentMerges:
                let writer = family.container.newContext()
                try writer.get(family.node.objectID, as: Node.self).label = label
                try writer.save()
                family.parent.mergePending()
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a child merges when it is asked to`(_ way: Way) throws {
        try withFamily { family in
            #expect(!family.child.automaticallyMergesChangesFromParent)
            try way.bring("new", to: family)
            _ = try family.child.fetch(Node.fetchRequest())
            #expect(family.same.label == "base")
            family.child.mergePending()
            #expect(family.same.label == "new")
            #expect(!family.child.hasChanges)
        }
    }

    @Test(arguments: Way.allCases)
    func `a child that merges automatically does at each fetch`(_ way: Way) throws {
        try withFamily { family in
            family.child.automaticallyMergesChangesFromParent = true
            try way.bring("new", to: family)
            _ = try family.child.fetch(Box.fetchRequest())
            #expect(family.same.label == "new")
        }
    }

    @Test(arguments: Way.allCases)
    func `the child's unsaved changes stay on top`(_ way: Way) throws {
        try withFamily { family in
            family.same.number = 5
            try way.bring("new", to: family)
            family.child.mergePending()
            #expect((family.same.label, family.same.number) == ("new", 5))
            #expect(family.same.changedValues() == ["number": .value(.int(5))])
            try family.child.save()
            #expect((family.node.label, family.node.number) == ("new", 5))
        }
    }

    @Test func `what the parent sets is not merged before it is saved`() throws {
        try withFamily { family in
            family.child.automaticallyMergesChangesFromParent = true
            family.node.label = "set"
            family.parent.processPendingChanges()
            _ = try family.child.fetch(Node.fetchRequest())
            #expect(family.same.label == "base")
        }
    }

    @Test func `an automatic parent merges when its child fetches`() throws {
        try withFamily { family in
            family.parent.automaticallyMergesChangesFromParent = true
            family.child.automaticallyMergesChangesFromParent = true
            let writer = family.container.newContext()
            try writer.get(family.node.objectID, as: Node.self).label = "new"
            try writer.save()
            _ = try family.child.fetch(Node.fetchRequest())
            #expect(family.node.label == "new")
            #expect(family.same.label == "new")
        }
    }

    @MainActor @Test func `children of the view context end their events with it`() async throws {
        try await withContainer(Everything.model) { container in
            let parent = container.viewContext
            let node = Node(in: parent, label: "base")
            try parent.save()
            let child = parent.newChildContext()
            child.automaticallyMergesChangesFromParent = true
            let same: Node = try child.get(node.objectID)
            #expect(same.label == "base")
            var told = 0
            let token = child.observe(.objectsDidChange) { told += $0.updated.count }
            same.number = 2
            node.label = "new"
            try parent.save()
            try await eventually { told > 0 && same.label == "new" }
            #expect(told == 1)
            #expect(same.label == "new")
            _ = token
        }
    }

    @Test func `insertions and deletions of a sibling are taken over`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            family.node.box = box
            try family.parent.save()
            family.child.refreshAllObjects()
            #expect(family.same.box?.nodes.count == 1)
            let sibling = family.parent.newChildContext()
            let siblingBox: Box = try sibling.get(box.objectID)
            let new = Node(in: sibling, label: "new", box: siblingBox)
            try sibling.save()
            family.child.mergePending()
            #expect(family.same.box?.nodes.map(\.label) == ["base", "new"])
            sibling.delete(new)
            sibling.delete(try sibling.get(family.node.objectID))
            try sibling.save()
            family.child.mergePending()
            #expect(family.same.isDeleted)
            #expect(try family.child.get(box.objectID, as: Box.self).nodes.isEmpty)
        }
    }

    @Test func `two children that change different objects come together in the parent`() throws {
        try withFamily { family in
            let other = Node(in: family.parent, label: "other")
            try family.parent.save()
            let second = family.parent.newChildContext()
            try second.get(other.objectID, as: Node.self).label = "second"
            family.same.label = "first"
            try second.save()
            try family.child.save()
            #expect((family.node.label, other.label) == ("first", "second"))
            try family.parent.save()
        }
    }

    @Test func `a change set of the parent's save can be merged by hand`() throws {
        try withFamily { family in
            var changeSets: [ChangeSet] = []
            let token = family.parent.observe(.didSave) { changeSets += $0.changeSets }
            family.node.label = "new"
            try family.parent.save()
            for changeSet in changeSets { family.child.mergeChanges(from: changeSet) }
            #expect(family.same.label == "new")
            family.node.box = Box(in: family.parent)
            try family.parent.save()
            family.child.mergePending()
            #expect(family.same.box != nil)
            _ = token
        }
    }

    @Test func `a change set of a child's save means nothing outside of the family`() throws {
        try withFamily { family in
            var changeSets: [ChangeSet] = []
            let token = family.child.observe(.didSave) { changeSets += $0.changeSets }
            family.child.delete(family.same)
            try family.child.save()
            let other = family.container.newContext()
            let node: Node = try other.get(family.node.objectID)
            #expect(node.label == "base")
            #expect(!changeSets.isEmpty)
            for changeSet in changeSets {
                other.mergeChanges(from: changeSet)
                family.parent.mergeChanges(from: changeSet)
            }
            #expect(!node.isDeleted)
            #expect(family.parent.deletedObjects == [family.node])
            try family.parent.save()
            other.mergePending()
            #expect(node.isDeleted)
            _ = token
        }
    }

    @Test func `a controller over a child follows what is merged`() throws {
        try withFamily { family in
            family.child.automaticallyMergesChangesFromParent = true
            let followed = try FollowedController(
                FetchedResultsController(
                    Node.fetchRequest().filter(Node.number > 0).sorted(by: Node.number),
                    in: family.child),
                summary: { "\($0.label) \($0.number)" })
            let sibling = family.parent.newChildContext()
            let new = Node(in: sibling, label: "new", number: 2)
            try sibling.get(family.node.objectID, as: Node.self).label = "changed"
            try sibling.save()
            family.child.mergePending()
            #expect(followed.controller.fetchedObjects?.map(\.label) == ["changed", "new"])
            let touched: Set = [new.objectID, family.node.objectID]
            #expect(try followed.faults(touched: touched, looks: true) == [])
            family.same.number = 3
            family.child.processPendingChanges()
            #expect(followed.controller.fetchedObjects?.map(\.label) == ["new", "changed"])
            sibling.delete(new)
            try sibling.save()
            family.child.mergePending()
            #expect(followed.controller.fetchedObjects == [family.same])
            #expect(try followed.faults(touched: touched, looks: true) == [])
            try family.child.save()
            try family.parent.save()
            family.child.mergePending()
            #expect(try followed.faults(touched: touched, looks: true) == [])
        }
    }

    @Test func `what was merged is told`() throws {
        try withFamily { family in
            var merged: [ChangedObjectIDs] = []
            let token = family.child.observe(.didMergeChangesObjectIDs) { merged.append($0) }
            let sibling = family.parent.newChildContext()
            let new = Node(in: sibling)
            try sibling.save()
            family.child.mergePending()
            #expect(merged.map(\.inserted) == [[new.objectID]])
            _ = token
        }
    }

    @Test func `changes from elsewhere that the parent merges by identity come down`() throws {
        try withFamily(on: .lasting) { family in
            let writer = family.container.newContext()
            try writer.get(family.node.objectID, as: Node.self).label = "new"
            try writer.save()
            ManagedObjectContext.mergeChanges(
                fromRemoteContextSave: RemoteChanges(updated: [family.node.objectID]),
                into: [family.parent])
            family.child.mergePending()
            #expect(family.same.label == "new")
        }
    }

    // MARK: What the parent takes back

    @Test func `a rollback of the parent takes back what a child has saved`() throws {
        try withFamily { family in
            family.same.label = "saved up"
            let new = Node(in: family.child, label: "new")
            try family.child.save()
            family.same.number = 9
            family.parent.rollback()
            #expect(family.node.label == "base" && !family.parent.hasChanges)
            family.child.mergePending()
            // Its own unsaved change stays.
            #expect((family.same.label, family.same.number) == ("base", 9))
            #expect(new.isDeleted)
            try family.child.save()
            #expect((family.node.label, family.node.number) == ("base", 9))
        }
    }

    @Test func `changing what a rollback of the parent has dropped is an error`() throws {
        try withFamily { family in
            let new = Node(in: family.child, label: "new")
            try family.child.save()
            family.parent.rollback()
            new.label = "changed"
            #expect(throws: StoreError.self) { try family.child.save() }
            #expect(new.label == "changed")
            #expect(!family.parent.hasChanges)
            family.child.rollback()
            try family.child.save()
        }
    }

    @Test func `what a rollback of the parent brings back is there again`() throws {
        try withFamily { family in
            let sibling = family.parent.newChildContext()
            sibling.delete(try sibling.get(family.node.objectID))
            try sibling.save()
            family.child.mergePending()
            #expect(family.same.isDeleted)
            family.parent.rollback()
            family.child.mergePending()
            let found = try family.child.fetch(Node.fetchRequest())
            #expect(found.map(\.label) == ["base"])
            #expect(try sibling.existingObject(with: family.node.objectID).isDeleted == false)
        }
    }

    @Test func `a reset of the parent leaves the child its own changes`() throws {
        try withFamily { family in
            let unsaved = Node(in: family.parent, label: "unsaved")
            let same: Node = try family.child.get(unsaved.objectID)
            #expect(same.label == "unsaved")
            family.same.number = 9
            let new = Node(in: family.child, label: "new")
            family.node.label = "never saved"
            family.child.refresh(family.same, mergeChanges: true)
            #expect(family.same.label == "never saved")
            family.parent.reset()
            family.child.mergePending()
            #expect((family.same.label, family.same.number) == ("base", 9))
            #expect(same.isDeleted)
            try family.child.save()
            #expect(family.parent.insertedObjects.map(\.objectID) == [new.objectID])
            let node: Node = try family.parent.get(family.same.objectID)
            #expect((node.label, node.number) == ("base", 9))
            try family.parent.save()
        }
    }

    @Test func `after a reset of the parent, changing what was new in it is an error`() throws {
        try withFamily { family in
            let unsaved = Node(in: family.parent, label: "unsaved")
            try family.child.get(unsaved.objectID, as: Node.self).number = 2
            family.parent.reset()
            #expect(throws: StoreError.self) { try family.child.save() }
            #expect(family.child.hasChanges && !family.parent.hasChanges)
        }
    }

    // MARK: What the child takes back

    @Test func `a rollback of the child shows what it had read of the parent`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            family.node.box = box
            family.child.refreshAllObjects()
            family.same.label = "changed"
            family.same.box = nil
            _ = Node(in: family.child)
            let sameBox: Box = try family.child.get(box.objectID)
            family.child.delete(sameBox)
            family.child.rollback()
            #expect(!family.child.hasChanges)
            #expect(family.same.label == "base")
            #expect(family.same.box === sameBox)
            #expect(sameBox.nodes.count == 1)
            #expect(try family.child.count(for: Node.fetchRequest()) == 1)
            #expect(family.node.box === box)
        }
    }

    @Test func `a reset of the child forgets its changes and nothing of the parent`() throws {
        try withFamily { family in
            family.node.label = "parent's"
            family.same.label = "child's"
            _ = Node(in: family.child)
            family.child.reset()
            #expect(!family.child.hasChanges && family.child.registeredObjects.isEmpty)
            #expect(family.parent.hasChanges)
            let found = try family.child.fetch(Node.fetchRequest())
            #expect(found.map(\.label) == ["parent's"])
        }
    }

    // MARK: What the root's save decides

    /// A root whose policy merges unique values, a robot in the store that it does not know, and
    /// one of the same serial in its child, saved up.
    private func withTwins(
        _ policy: MergePolicy,
        _ body: (ManagedObjectContext, ManagedObjectContext, Robot, _ theirs: ObjectID) throws
            -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let writer = container.newContext()
            let theirs = Robot(in: writer, name: "theirs", serial: "same")
            try writer.save()
            let parent = container.newContext()
            parent.mergePolicy = policy
            let child = parent.newChildContext()
            let ours = Robot(in: child, name: "ours", serial: "same")
            ours.home = Home(in: child, street: "ours")
            try child.save()
            try body(parent, child, ours, theirs.objectID)
        }
    }

    @Test(arguments: [MergePolicy.objectTrump, .storeTrump])
    func `a new object that the root's save merges into another one follows it`(
        _ policy: MergePolicy
    ) throws {
        try withTwins(policy) { parent, child, ours, theirs in
            try parent.save()
            child.mergePending()
            #expect(ours.objectID == theirs)
            #expect(ours.name == (policy == .objectTrump ? "ours" : "theirs"))
            #expect(child.registeredObjects.filter { $0 is Robot }.count == 1)
            ours.name = "later"
            try child.save()
            try parent.save()
            #expect(try parent.get(theirs, as: Robot.self).name == "later")
        }
    }

    @Test func `it follows when it is refreshed, too`() throws {
        try withTwins(.objectTrump) { parent, child, ours, theirs in
            try parent.save()
            child.refresh(ours, mergeChanges: false)
            #expect(ours.name == "ours")
            #expect(ours.objectID == theirs)
            let read = try child.existingObject(with: theirs, as: Robot.self)
            #expect(read.name == "ours")
        }
    }

    @Test func `its unsaved changes become changes of the other one`() throws {
        try withTwins(.objectTrump) { parent, child, ours, theirs in
            ours.name = "unsaved"
            ours.home = nil
            try parent.save()
            child.mergePending()
            #expect(ours.objectID == theirs)
            #expect(ours.name == "unsaved" && ours.home == nil)
            try child.save()
            let robot: Robot = try parent.get(theirs)
            #expect(robot.name == "unsaved" && robot.home == nil)
        }
    }

    @Test func `its unsaved changes reach the other one without a merge`() throws {
        try withTwins(.objectTrump) { parent, child, ours, theirs in
            ours.name = "unsaved"
            try parent.save()
            try child.save()
            #expect(try parent.get(theirs, as: Robot.self).name == "unsaved")
            #expect(ours.objectID == theirs)
        }
    }

    @Test func `an object that yields to the store at the root's save yields below`() throws {
        try withFamily { family in
            family.parent.mergePolicy = .rollback
            family.same.label = "ours"
            try family.child.save()
            let writer = family.container.newContext()
            try writer.get(family.node.objectID, as: Node.self).label = "theirs"
            try writer.save()
            try family.parent.save()
            #expect(family.node.label == "theirs")
            #expect(family.same.label == "ours")
            family.child.mergePending()
            #expect(family.same.label == "theirs")
        }
    }
}

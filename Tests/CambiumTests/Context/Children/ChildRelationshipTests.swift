import Cambium
import EverythingModel
import Testing

/// Relationships of every shape, changed in a child and saved into its parent.
struct ChildRelationshipTests {
    @Test func `a to-one and its to-many arrive on both sides`() throws {
        try withFamily { family in
            let (old, new) = (Box(in: family.parent), Box(in: family.parent))
            family.node.box = old
            try family.parent.save()
            family.child.refreshAllObjects()
            family.same.box = try family.child.get(new.objectID)
            try family.child.save()
            #expect(family.node.box === new)
            #expect(Array(new.nodes) == [family.node])
            #expect(old.nodes.isEmpty)
            family.same.box = nil
            try family.child.save()
            #expect(family.node.box == nil)
            #expect(new.nodes.isEmpty)
        }
    }

    @Test func `new objects arrive linked to each other and to old ones`() throws {
        try withFamily { family in
            let box = Box(in: family.child, name: "box")
            let node = Node(in: family.child, label: "new", box: box)
            box.nodes.insert(family.same)
            let part = Part(in: family.child, node: node)
            try family.child.save()
            let taken: Box = try family.parent.get(box.objectID)
            #expect(Set(taken.nodes.map(\.label)) == ["new", "base"])
            #expect(family.node.box === taken)
            let takenNode: Node = try family.parent.get(node.objectID)
            #expect(takenNode.parts.map(\.objectID) == [part.objectID])
        }
    }

    @Test func `a one-to-one is taken from its former partner`() throws {
        try withFamily { family in
            let (parent, child) = (family.parent, family.child)
            let (two, three) = (Node(in: parent, label: "two"), Node(in: parent, label: "three"))
            family.node.next = two
            try parent.save()
            child.refreshAllObjects()
            let sameThree: Node = try child.get(three.objectID)
            sameThree.next = family.same.next
            try child.save()
            #expect(three.next === two)
            #expect(two.previous === three)
            #expect(family.node.next == nil)
            #expect(parent.updatedObjects == [family.node, two, three])
        }
    }

    @Test func `partners of one-to-ones can be exchanged`() throws {
        try withFamily { family in
            let (parent, child) = (family.parent, family.child)
            let others = (0..<3).map { Node(in: parent, label: "\($0)") }
            family.node.next = others[0]
            others[1].next = others[2]
            try parent.save()
            child.refreshAllObjects()
            let one: Node = try child.get(others[0].objectID)
            let two: Node = try child.get(others[2].objectID)
            one.previous = try child.get(others[1].objectID)
            two.previous = family.same
            try child.save()
            #expect(family.node.next === others[2])
            #expect(others[1].next === others[0])
            #expect(others[2].previous === family.node)
        }
    }

    @Test func `a one-to-one that the parent changed meanwhile goes to who is saved last`() throws {
        try withFamily { family in
            let (parent, child) = (family.parent, family.child)
            let (two, three) = (Node(in: parent, label: "two"), Node(in: parent, label: "three"))
            try parent.save()
            family.same.next = try child.get(two.objectID)
            three.next = two
            try child.save()
            #expect(family.node.next === two)
            #expect(two.previous === family.node)
            #expect(three.next == nil)
        }
    }

    @Test func `pairs of a many-to-many are added and removed`() throws {
        try withFamily { family in
            let (parent, child) = (family.parent, family.child)
            let topics = (0..<3).map { Topic(in: parent, name: "\($0)") }
            family.node.tags.insert(topics[0])
            family.node.tags.insert(topics[1])
            try parent.save()
            child.refreshAllObjects()
            // From either side, one unread.
            family.same.tags.remove(try child.get(topics[0].objectID))
            try child.get(topics[2].objectID, as: Topic.self).nodes.insert(family.same)
            try child.save()
            #expect(Set(family.node.tags) == [topics[1], topics[2]])
            #expect(topics[0].nodes.isEmpty)
            #expect(Array(topics[2].nodes) == [family.node])
        }
    }

    @Test func `members that parent and child add come together`() throws {
        try withFamily { family in
            let (parent, child) = (family.parent, family.child)
            let topics = (0..<2).map { Topic(in: parent, name: "\($0)") }
            #expect(family.same.tags.isEmpty)
            family.same.tags.insert(try child.get(topics[1].objectID))
            family.node.tags.insert(topics[0])
            try child.save()
            #expect(Set(family.node.tags) == Set(topics))
        }
    }

    @Test func `a many-to-many to the same entity arrives on both sides`() throws {
        try withFamily { family in
            let other = Node(in: family.parent, label: "other")
            let sameOther: Node = try family.child.get(other.objectID)
            family.same.follows.insert(sameOther)
            family.same.followers.insert(family.same)
            try family.child.save()
            #expect(Set(family.node.follows) == [other, family.node])
            #expect(Array(other.followers) == [family.node])
            sameOther.followers.remove(family.same)
            try family.child.save()
            #expect(Array(family.node.follows) == [family.node])
            #expect(other.followers.isEmpty)
        }
    }

    @Test func `a tree of one entity arrives, and is deleted as a whole`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let child = parent.newChildContext()
            let root = Link(in: child, name: "root")
            let leaf = Link(in: child, name: "leaf", parent: root)
            leaf.children.insert(Link(in: child, name: "deeper"))
            try child.save()
            #expect(parent.insertedObjects.count == 3)
            let taken: Link = try parent.get(root.objectID)
            #expect(taken.children.first { _ in true }?.children.count == 1)
            try parent.save()
            child.delete(root)
            try child.save()
            #expect(parent.deletedObjects.count == 3)
        }
    }

    @Test func `a to-one to a hierarchy leads to the right class`() throws {
        try withContainer(Everything.model) { container in
            let parent = container.newContext()
            let home = Home(in: parent)
            let robot = Robot(in: parent, name: "Rob", serial: "1")
            try parent.save()
            let child = parent.newChildContext()
            let sameHome: Home = try child.get(home.objectID)
            sameHome.owner = try child.get(robot.objectID, as: Robot.self)
            sameHome.residents.insert(Person(in: child, name: "Ann"))
            try child.save()
            #expect(home.owner === robot)
            #expect(Array(robot.owned) == [home])
            #expect(home.residents.map(\.name) == ["Ann"])
            #expect(home.residents.allSatisfy { $0 is Person })
        }
    }

    // MARK: Orders

    private func withAlbum(
        _ body: (PersistentContainer, ManagedObjectContext, Album, ManagedObjectContext, Album)
            throws -> Void
    ) throws {
        try withContainer(OrderedModel.model) { container in
            let parent = container.newContext()
            let album = Album(in: parent, title: "album")
            for title in ["a", "b", "c"] { album.tracks.append(Track(in: parent, title: title)) }
            for name in ["x", "y", "z"] {
                album.moods.append(Mood(in: parent, name: name))
                album.guests.append(Guest(in: parent, name: name))
            }
            try parent.save()
            let child = parent.newChildContext()
            try body(container, parent, album, child, child.get(album.objectID))
        }
    }

    @Test func `a list is read in its order`() throws {
        try withAlbum { _, _, album, child, same in
            #expect(same.tracks.map(\.title) == ["a", "b", "c"])
            album.tracks.move(from: 2, to: 0)
            child.refreshAllObjects()
            #expect(same.tracks.map(\.title) == ["c", "a", "b"])
            #expect(same.moods.map(\.name) == ["x", "y", "z"])
        }
    }

    @Test func `what is done to a one-to-many list is done to the parent's`() throws {
        try withAlbum { container, parent, album, child, same in
            same.tracks.insert(Track(in: child, title: "new"), at: 1)
            same.tracks.move(from: 3, to: 0)
            same.tracks.append(Track(in: child, title: "last"))
            same.tracks.remove(same.tracks[1])
            let expected = ["c", "new", "b", "last"]
            #expect(same.tracks.map(\.title) == expected)
            try child.save()
            #expect(album.tracks.map(\.title) == expected)
            try parent.save()
            let reader = container.newContext()
            #expect(try reader.get(album.objectID, as: Album.self).tracks.map(\.title) == expected)
        }
    }

    @Test func `what is done to many-to-many lists is done to the parent's`() throws {
        try withAlbum { container, parent, album, child, same in
            same.moods.swapAt(0, 2)
            same.moods.insert(Mood(in: child, name: "new"), at: 0)
            same.guests.append(Guest(in: child, name: "new"))
            same.guests.move(from: 0, to: 2)
            let new: Guest = same.guests[3]
            new.albums.insert(Album(in: child, title: "other"), at: 0)
            try child.save()
            try parent.save()
            for context in [parent, container.newContext()] {
                let shown: Album = try context.get(album.objectID)
                #expect(shown.moods.map(\.name) == ["new", "z", "y", "x"])
                #expect(shown.guests.map(\.name) == ["y", "z", "x", "new"])
                #expect(shown.guests[3].albums.map(\.title) == ["other", "album"])
            }
        }
    }

    @Test func `appended members come in the order of the child's list`() throws {
        try withAlbum { _, _, album, child, same in
            let tracks = (0..<4).map { Track(in: child, title: "\($0)") }
            for index in [2, 0, 3, 1] { same.tracks.append(tracks[index]) }
            try child.save()
            #expect(album.tracks.map(\.title) == ["a", "b", "c", "2", "0", "3", "1"])
        }
    }

    @Test func `a list of the parent's that grew meanwhile keeps its own`() throws {
        try withAlbum { _, parent, album, child, same in
            same.tracks.append(Track(in: child, title: "child's"))
            same.tracks.insert(Track(in: child, title: "first"), at: 0)
            album.tracks.append(Track(in: parent, title: "parent's"))
            try child.save()
            #expect(
                album.tracks.map(\.title) == ["first", "a", "b", "c", "parent's", "child's"])
        }
    }

    @Test func `a list without an inverse arrives`() throws {
        try withAlbum { container, parent, album, child, same in
            same.favourites.append(same.tracks[2])
            same.favourites.append(same.tracks[0])
            same.related.append(Album(in: child, title: "related"))
            try child.save()
            #expect(album.favourites.map(\.title) == ["c", "a"])
            #expect(album.related.map(\.title) == ["related"])
            try parent.save()
            let reader = container.newContext()
            let read: Album = try reader.get(album.objectID)
            #expect(read.favourites.map(\.title) == ["c", "a"])
        }
    }

    @Test func `a list of a hierarchy arrives`() throws {
        try withContainer(OrderedModel.model) { container in
            let parent = container.newContext()
            let child = parent.newChildContext()
            let shelf = Shelf(in: child, name: "shelf")
            shelf.holdings.append(Volume(in: child, name: "volume"))
            shelf.holdings.insert(Disc(in: child, name: "disc"), at: 0)
            try child.save()
            let taken: Shelf = try parent.get(shelf.objectID)
            #expect(taken.holdings.map(\.name) == ["disc", "volume"])
            #expect(taken.holdings[0] is Disc)
        }
    }

    // MARK: In memory only

    @Test func `transient links go up and down`() throws {
        try withContainer(Widened.model) { container in
            let parent = container.newContext()
            let (ann, bob, cid) = (
                parent.makeCustomer("Ann"), parent.makeCustomer("Bob"), parent.makeCustomer("Cid")
            )
            ann.partner = bob
            ann.guided.insert(cid)
            let child = parent.newChildContext()
            let sameAnn: Customer = try child.get(ann.objectID)
            let sameBob: Customer = try child.get(bob.objectID)
            #expect(sameAnn.partner === sameBob)
            #expect(sameAnn.guided.map(\.objectID) == [cid.objectID])
            sameAnn.guided.insert(sameBob)
            sameAnn.partner = nil
            #expect(ann.partner === bob)
            try child.save()
            #expect(ann.partner == nil && bob.partner == nil)
            #expect(Set(ann.guided) == [bob, cid])
            #expect(bob.guide === ann)
        }
    }

    @Test func `a transient list keeps its order`() throws {
        try withAlbum { _, _, album, child, same in
            same.queue.append(same.tracks[1])
            same.queue.insert(same.tracks[2], at: 0)
            try child.save()
            #expect(album.queue.map(\.title) == ["c", "b"])
        }
    }

    @Test func `a refresh of the child shows the parent's transient links again`() throws {
        try withContainer(Widened.model) { container in
            let parent = container.newContext()
            let (ann, bob) = (parent.makeCustomer("Ann"), parent.makeCustomer("Bob"))
            ann.partner = bob
            let child = parent.newChildContext()
            let same: Customer = try child.get(ann.objectID)
            same.partner = nil
            child.refresh(same, mergeChanges: false)
            #expect(same.partner?.objectID == bob.objectID)
            try child.save()
            #expect(ann.partner === bob)
        }
    }
}

@testable import Cambium
import EverythingModel
import Testing

/// Conflicts between two contexts that changed one object.
@Suite(.onServers)
struct Rules66To70Tests {
    /// One context changes a property and saves, then the other changes one and saves.
    private func resolve(
        _ policy: MergePolicy, theirs: (Node) -> Void, ours: (Node) -> Void,
        _ check: (_ label: String, _ number: Int64, _ ours: Node) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let node = Node(in: first, label: "old", number: 1)
            try first.save()
            let same: Node = try second.get(node.objectID)
            #expect(same.label == "old")
            theirs(node)
            try first.save()
            ours(same)
            second.mergePolicy = policy
            try second.save()
            #expect(!second.hasChanges)
            #expect(same.changedValues().isEmpty)
            let reader = container.newContext()
            let read: Node = try reader.get(node.objectID)
            #expect(read.label == same.label)
            #expect(read.number == same.number)
            try check(read.label, read.number, same)
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump, .overwrite, .rollback])
    func `rule 66: of changes of different properties each policy keeps what it should`(
        _ policy: MergePolicy
    ) throws {
        try resolve(policy, theirs: { $0.label = "new" }, ours: { $0.number = 2 }) {
            label, number, _ in
            #expect(label == (policy == .overwrite ? "old" : "new"))
            #expect(number == (policy == .rollback ? 1 : 2))
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump, .overwrite, .rollback])
    func `rule 67: of changes of one property each policy keeps its side's`(
        _ policy: MergePolicy
    ) throws {
        try resolve(policy, theirs: { $0.label = "theirs" }, ours: { $0.label = "ours" }) {
            label, number, _ in
            #expect(label == (policy == .objectTrump || policy == .overwrite ? "ours" : "theirs"))
            #expect(number == 1)
        }
    }

    @Test func `rule 67: rollback lets other objects of the save through`() throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let (node, other) = (Node(in: first, label: "a"), Node(in: first, label: "b"))
            try first.save()
            let (same, sameOther): (Node, Node) = (
                try second.get(node.objectID), try second.get(other.objectID)
            )
            same.label = "ours"
            sameOther.label = "ours"
            node.label = "theirs"
            try first.save()
            second.mergePolicy = .rollback
            try second.save()
            #expect([same.label, sameOther.label] == ["theirs", "ours"])
        }
    }

    @Test(arguments: [true, false])
    func `rule 68: a conflict has three snapshots`(_ isInRowCache: Bool) throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let node = Node(in: first, label: "old", number: 1)
            try first.save()
            let same: Node = try second.get(node.objectID)
            same.label = "ours"
            node.label = "theirs"
            try first.save()
            if !isInRowCache { container.coordinator.rowCache.removeAll() }
            let error = #expect(throws: ConflictError.self) { try second.save() }
            let conflict = try #require(error?.conflicts.first)
            #expect(conflict.objectSnapshot["label"] == .string("old"))
            #expect(conflict.objectValues["label"] == .string("ours"))
            #expect(conflict.oldVersion == 1)
            #expect(conflict.newVersion == 2)
            if isInRowCache {
                #expect(conflict.cachedSnapshot?["label"] == .string("theirs"))
                #expect(conflict.persistedSnapshot == nil)
            } else {
                #expect(conflict.cachedSnapshot == nil)
                #expect(conflict.persistedSnapshot?["label"] == .string("theirs"))
            }
            #expect(conflict.objectSnapshot["number"] == .int(1))
            #expect(conflict.objectSnapshot["box"] == .null)
            // What was found is in the row cache now: the object can be refreshed and saved.
            second.refresh(same, mergeChanges: true)
            #expect(same.label == "ours")
            try second.save()
        }
    }

    @Test func `rule 68: a refreshed object shows what the conflict has found`() throws {
        try withStoreFile { path in
            let one = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let two = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let (first, second) = (one.newContext(), two.newContext())
            let node = Node(in: first, label: "old")
            try first.save()
            let same: Node = try second.get(node.objectID)
            same.label = "ours"
            node.label = "theirs"
            try first.save()
            #expect(throws: ConflictError.self) { try second.save() }
            second.refresh(same, mergeChanges: false)
            #expect(same.label == "theirs")
            same.label = "again"
            try second.save()
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump, .overwrite, .rollback])
    func `rule 69: additions and removals of both sides count`(_ policy: MergePolicy) throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let topics = (0..<3).map { Topic(in: first, name: "\($0)") }
            let (one, two) = (Node(in: first), Node(in: first))
            two.tags.insert(topics[0])
            try first.save()
            let (sameOne, sameTwo): (Node, Node) = (
                try second.get(one.objectID), try second.get(two.objectID)
            )
            #expect(sameOne.tags.isEmpty)
            #expect(sameTwo.tags.count == 1)
            for (node, same) in [(one, sameOne), (two, sameTwo)] {
                same.label = "ours"
                same.tags.insert(try second.get(topics[2].objectID))
                node.label = "theirs"
            }
            one.tags.insert(topics[1])
            two.tags.remove(topics[0])
            try first.save()
            second.mergePolicy = policy
            try second.save()
            let expected: [[String]] =
                switch policy {
                case .rollback: [["1"], []]
                case .overwrite: [["2"], ["0", "2"]]
                default: [["1", "2"], ["2"]]
                }
            #expect([sameOne, sameTwo].map { $0.tags.map(\.name) } == expected)
            let reader = container.newContext()
            let read: [Node] = try [one, two].map { try reader.get($0.objectID) }
            #expect(read.map { $0.tags.map(\.name) } == expected)
        }
    }

    @Test(arguments: [MergePolicy.error, .storeTrump, .objectTrump, .overwrite, .rollback])
    func `rule 70: a change of what another one deleted leaves no half object and no dangling key`(
        _ policy: MergePolicy
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let (first, second) = (container.newContext(), container.newContext())
            let box = Box(in: first)
            let node = Node(in: first, box: box)
            let part = Part(in: first, node: node)
            node.tags.insert(Topic(in: first, name: "tag"))
            try first.save()
            let (same, samePart): (Node, Part) = (
                try second.get(node.objectID), try second.get(part.objectID)
            )
            #expect(same.tags.count == 1)
            #expect(samePart.name == "")
            same.label = "ours"
            samePart.name = "ours"
            // The box goes too, and the part with the node.
            first.delete(node)
            first.delete(box)
            try first.save()
            second.mergePolicy = policy
            if policy == .error {
                let error = #expect(throws: ConflictError.self) { try second.save() }
                #expect(error?.conflicts.map(\.isRowDeleted) == [true, true])
                #expect(error?.conflicts.map(\.newVersion) == [0, 0])
                #expect(same.label == "ours")
                #expect(second.updatedObjects == [same, samePart])
                return
            }
            try second.save()
            #expect(try danglingKeys(in: path).isEmpty)
            let reader = container.newContext()
            let read = try reader.fetch(Node.fetchRequest())
            if policy == .objectTrump || policy == .overwrite {
                #expect(read.map(\.label) == ["ours"])
                #expect(read.first?.box == nil)
                #expect(same.box == nil)
                #expect(read.first?.tags.map(\.name) == ["tag"])
                #expect(read.first?.parts.map(\.name) == ["ours"])
                #expect(samePart.node === same)
            } else {
                #expect(read.isEmpty)
                #expect(same.isDeleted)
                #expect(try reader.fetch(Part.fetchRequest()).isEmpty)
            }
            #expect(!second.hasChanges)
        }
    }

    @Test(arguments: [MergePolicy.objectTrump, .overwrite])
    func `rule 70: what cannot be without a deleted object stays deleted with it`(
        _ policy: MergePolicy
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let (first, second) = (container.newContext(), container.newContext())
            let node = Node(in: first)
            let part = Part(in: first, node: node)
            try first.save()
            let samePart: Part = try second.get(part.objectID)
            samePart.name = "ours"
            first.delete(node)
            try first.save()
            second.mergePolicy = policy
            try second.save()
            #expect(samePart.isDeleted)
            #expect(try container.newContext().fetch(Part.fetchRequest()).isEmpty)
            #expect(try danglingKeys(in: path).isEmpty)
        }
    }

    @Test(arguments: [MergePolicy.error, .storeTrump, .objectTrump, .overwrite, .rollback])
    func `rule 70: a delete of what another one links to leaves no dangling key`(
        _ policy: MergePolicy
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let (first, second) = (container.newContext(), container.newContext())
            let (box, node) = (Box(in: first), Node(in: first, label: "node"))
            try first.save()
            second.delete(try second.get(box.objectID))
            second.delete(try second.get(node.objectID))
            second.processPendingChanges()
            // Both become the other ends of links that the second context does not know.
            _ = Node(in: first, label: "new", box: box)
            _ = Part(in: first, node: node)
            try first.save()
            second.mergePolicy = policy
            if policy == .error {
                let error = #expect(throws: ConflictError.self) { try second.save() }
                #expect(error?.conflicts.map(\.properties) == [["box"], ["node"]])
                #expect(second.deletedObjects.count == 2)
                return
            }
            try second.save()
            let reader = container.newContext()
            let nodes = try reader.fetch(Node.fetchRequest())
            // The store's side is the links: what they lead to lives.
            let isKept = policy == .storeTrump || policy == .rollback
            #expect(nodes.map(\.label) == (isKept ? ["node", "new"] : ["new"]))
            #expect(nodes.last?.box?.objectID == (isKept ? box.objectID : nil))
            #expect(try reader.fetch(Part.fetchRequest()).count == (isKept ? 1 : 0))
            #expect(try danglingKeys(in: path).isEmpty)
            first.mergePending()
            let seen = try first.fetch(Node.fetchRequest()).map { $0.box == nil }
            #expect(seen == (isKept ? [true, false] : [true]))
        }
    }
}

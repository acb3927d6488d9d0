import Cambium
import EverythingModel
import Synchronization
import Testing

extension EngineSuite {
    /// Two contexts change or delete one row, under every merge policy.
    package static let conflicts = EngineSuite("conflicts") {

        EngineCase("by default a conflict is an error that names both sides' properties") {
            engine in
            try withRivals(engine, nil) { rivals in
                (rivals.ours.title, rivals.ours.note) = ("ours", "ours")
                rivals.theirs.title = "theirs"
                try rivals.first.save()
                let error = #expect(throws: ConflictError.self) { try rivals.second.save() }
                #expect(error?.conflicts.map(\.objectID) == [rivals.ours.objectID])
                #expect(error?.conflicts.first?.properties == ["title"])
                #expect(error?.conflicts.first?.isDeletion == false)
                #expect(
                    rivals.ours.title == "ours" && rivals.second.updatedObjects == [rivals.ours])
                #expect(try rivals.stored() == ["theirs", "base"])
            }
        }

        EngineCase("an error names conflicts in the order of entities and keys") { engine in
            try engine.withContainer(Dispute.model) { container in
                let (first, second) = (container.newContext(), container.newContext())
                let names = ["Thing", "Gadget", "Thing", "Gadget", "Thing", "Shelf", "Shelf"]
                let objects = try names.map { try first.make($0) }
                try first.save()
                let rivals = try objects.map { try second.existingObject(with: $0.objectID) }
                for object in objects {
                    object[object.entity.name == "Shelf" ? "name" : "both"] = "theirs"
                }
                try first.save()
                rivals[6]["name"] = "ours"
                rivals[2]["second"] = "ours"
                rivals[0]["first"] = "ours"
                second.detectConflicts(for: rivals[1])
                for index in [5, 4, 3] { second.delete(rivals[index]) }
                let error = #expect(throws: ConflictError.self) { try second.save() }
                #expect(error?.conflicts.map(\.objectID) == objects.map(\.objectID))
            }
        }

        EngineCase("a custom policy is asked once where a dangling key refuses the save") {
            engine in
            try engine.withContainer(Dispute.model) { container in
                let (first, second) = (container.newContext(), container.newContext())
                second.automaticallyMergesChangesFromParent = false
                let (changed, deleted) = (try first.make("Thing"), try first.make("Thing"))
                try first.save()
                second.object(with: changed.objectID)["both"] = "ours"
                let piece = try second.make("Piece")
                piece[one: "thing"] = second.object(with: deleted.objectID)
                changed["both"] = "theirs"
                first.delete(deleted)
                try first.save()
                let questions = Atomic(0)
                second.mergePolicy = .custom(
                    CustomMergePolicy(basedOn: .objectTrump) { _ in
                        questions.add(1, ordering: .relaxed)
                    })
                let error = #expect(throws: ValidationError.self) { try second.save() }
                #expect(error?.code == .missing)
                #expect(questions.load(ordering: .relaxed) == 1)
            }
        }

        for policy in mergingPolicies {
            EngineCase("both changed one row (\(policy))") { engine in
                try withRivals(engine, policy) { rivals in
                    (rivals.ours.title, rivals.ours.note) = ("ours", "ours")
                    rivals.theirs.title = "theirs"
                    try rivals.first.save()
                    try rivals.second.save()
                    let expected =
                        switch policy {
                        case .storeTrump: ["theirs", "ours"]
                        case .rollback: ["theirs", "base"]
                        default: ["ours", "ours"]
                        }
                    #expect(try rivals.stored() == expected)
                    #expect([rivals.ours.title, rivals.ours.note] == expected)
                    // The context knows the version of the row: its next save meets no conflict.
                    rivals.second.mergePolicy = .error
                    rivals.ours.note = "after"
                    try rivals.second.save()
                    #expect(try rivals.stored() == [expected[0], "after"])
                }
            }

            EngineCase("a changed row was deleted by another context (\(policy))") { engine in
                try withRivals(engine, policy) { rivals in
                    rivals.ours.title = "ours"
                    rivals.first.delete(rivals.theirs)
                    try rivals.first.save()
                    try rivals.second.save()
                    #expect(!rivals.second.hasChanges)
                    if policy == .objectTrump || policy == .overwrite {
                        #expect(try rivals.stored() == ["ours", "base"])
                        rivals.ours.note = "after"
                        try rivals.second.save()
                    } else {
                        #expect(try rivals.stored() == nil)
                        #expect(rivals.ours.isDeleted)
                    }
                }
            }

            EngineCase("a deleted row was changed by another context (\(policy))") { engine in
                try withRivals(engine, policy) { rivals in
                    rivals.second.delete(rivals.ours)
                    rivals.theirs.title = "theirs"
                    try rivals.first.save()
                    try rivals.second.save()
                    #expect(!rivals.second.hasChanges)
                    if policy == .objectTrump || policy == .overwrite {
                        #expect(try rivals.stored() == nil)
                    } else {
                        #expect(try rivals.stored() == ["theirs", "base"])
                        #expect(!rivals.ours.isDeleted && rivals.ours.title == "theirs")
                    }
                }
            }

            EngineCase("additions to and removals from a to-many (\(policy))") { engine in
                try engine.withContainer(Everything.model) { container in
                    let (first, second) = (container.newContext(), container.newContext())
                    let node = Node(in: first)
                    let topics = (0..<3).map { Topic(in: first, name: "\($0)") }
                    node.tags.insert(topics[0])
                    try first.save()
                    let same: Node = try second.get(node.objectID)
                    second.mergePolicy = policy
                    same.tags.insert(try second.get(topics[2].objectID))
                    same.label = "ours"
                    node.tags.remove(topics[0])
                    node.tags.insert(topics[1])
                    node.label = "theirs"
                    try first.save()
                    try second.save()
                    let reader = container.newContext()
                    let read: Node = try reader.get(node.objectID)
                    #expect(read.tags.map(\.name) == same.tags.map(\.name))
                    if policy == .storeTrump || policy == .objectTrump {
                        #expect(read.tags.map(\.name) == ["1", "2"])
                    }
                }
            }

            EngineCase("a link to a row that was deleted meanwhile never dangles (\(policy))") {
                engine in
                try engine.withContainer(Everything.model) { container in
                    let (first, second) = (container.newContext(), container.newContext())
                    let (box, node) = (Box(in: first), Node(in: first))
                    try first.save()
                    second.mergePolicy = policy
                    try second.get(node.objectID, as: Node.self).box = try second.get(box.objectID)
                    first.delete(box)
                    try first.save()
                    try second.save()
                    let reader = container.newContext()
                    let read: Node = try reader.get(node.objectID)
                    #expect(read.box == nil)
                }
            }
        }

        for policy in [MergePolicy.objectTrump, .overwrite] {
            EngineCase("a relationship that is its own inverse is seen from both sides (\(policy))")
            { engine in
                try engine.withContainer(circle) { container in
                    let (ours, theirs) = (container.newContext(), container.newContext())
                    let reader = container.newContext()
                    ours.automaticallyMergesChangesFromParent = false
                    let people = try (0..<4).map { try ours.make("Person", ["name": "\($0)"]) }
                    try people[0].many("friends").insert(people[1])
                    try people[2].many("friends").insert(people[1])
                    try ours.save()
                    ours.refreshAllObjects()
                    #expect(try people.map { try $0.many("friends").count } == [1, 2, 1, 0])
                    let known = try theirs.all("Person")
                    // One is changed by both, the other deleted by them.
                    known[0]["name"] = "theirs"
                    try known[0].many("friends").replace(with: [known[3]])
                    theirs.delete(known[2])
                    try theirs.save()
                    (people[0]["name"], people[2]["name"]) = ("ours", "ours")
                    ours.mergePolicy = policy
                    try ours.save()
                    let friends = try reader.all("Person").map { person in
                        try person.many("friends").map { $0.objectID.key }.sorted()
                    }
                    let keys = people.map(\.objectID.key)
                    #expect(
                        friends
                            == (policy == .overwrite
                                ? [[keys[1]], [keys[0], keys[2]], [keys[1]], []]
                                : [[keys[3]], [keys[2]], [keys[1]], [keys[0]]]))
                }
            }
        }

        EngineCase("a pair that both added is there once") { engine in
            try engine.withContainer(Everything.model) { container in
                let (first, second) = (container.newContext(), container.newContext())
                let (node, topic) = (Node(in: first), Topic(in: first))
                try first.save()
                let same: Node = try second.get(node.objectID)
                #expect(same.tags.isEmpty)
                node.tags.insert(topic)
                try first.save()
                same.tags.insert(try second.get(topic.objectID))
                try second.save()
                let reader = container.newContext()
                let read: Node = try reader.get(node.objectID)
                #expect(read.tags.map(\.objectID) == [topic.objectID])
            }
        }

        EngineCase("by default a second partner in a one-to-one is an error that names the first") {
            engine in
            try withPartners(engine, nil) { container, nodes, second, same in
                let error = #expect(throws: ConstraintConflictError.self) { try second.save() }
                #expect(error?.conflicts.map(\.constraint) == [["next"]])
                #expect(error?.conflicts.first?.databaseObjectID == nodes[0].objectID)
                #expect(same[2].previous == same[1])
                let reader = container.newContext()
                let read: Node = try reader.get(nodes[2].objectID)
                #expect(read.previous?.objectID == nodes[0].objectID)
            }
        }

        for policy in mergingPolicies {
            EngineCase("of two partners in a one-to-one one is kept (\(policy))") { engine in
                try withPartners(engine, policy) { container, nodes, second, same in
                    try second.save()
                    let keepsOurs = policy == .objectTrump || policy == .overwrite
                    #expect(same[2].previous == same[keepsOurs ? 1 : 0])
                    #expect(same.map { $0.next != nil } == [!keepsOurs, keepsOurs, false])
                    let reader = container.newContext()
                    let read: [Node] = try nodes.map { try reader.get($0.objectID) }
                    #expect(read[2].previous == read[keepsOurs ? 1 : 0])
                    #expect(read.map { $0.next != nil } == [!keepsOurs, keepsOurs, false])
                    #expect(read[1].label == (policy == .rollback ? "1" : "ours"))
                }
            }
        }

        EngineCase("a row that another context changed or deleted is an error by default") {
            engine in
            try withRivals(engine, nil) { rivals in
                rivals.second.delete(rivals.ours)
                rivals.theirs.title = "theirs"
                try rivals.first.save()
                let deletion = #expect(throws: ConflictError.self) { try rivals.second.save() }
                #expect(deletion?.conflicts.first?.isDeletion == true)
                #expect(try rivals.stored() == ["theirs", "base"])
            }
            try withRivals(engine, nil) { rivals in
                rivals.ours.title = "ours"
                rivals.first.delete(rivals.theirs)
                try rivals.first.save()
                let change = #expect(throws: ConflictError.self) { try rivals.second.save() }
                #expect(change?.conflicts.first?.isRowDeleted == true)
                #expect(
                    rivals.ours.title == "ours" && rivals.second.updatedObjects == [rivals.ours])
            }
        }

        EngineCase("a row that both deleted is deleted") { engine in
            try withRivals(engine, nil) { rivals in
                rivals.second.delete(rivals.ours)
                rivals.first.delete(rivals.theirs)
                try rivals.first.save()
                try rivals.second.save()
                #expect(!rivals.second.hasChanges)
                #expect(try rivals.stored() == nil)
            }
        }

        for policy in mergingPolicies {
            EngineCase("two contexts insert a deleted row again at the same time (\(policy))") {
                engine in
                try withRevived(engine, policy) { rivals in
                    var (inserted, updated): ([ObjectID], [ObjectID]) = ([], [])
                    let observation = rivals.second.observe(.didSave) { saved in
                        inserted += saved.changeSets.flatMap(\.insertedObjectIDs)
                        updated += saved.changeSets.flatMap(\.updatedObjectIDs.keys)
                    }
                    defer { withExtendedLifetime(observation) {} }
                    try rivals.second.save()
                    let isOurs = policy == .objectTrump || policy == .overwrite
                    #expect(try rivals.stored() == [isOurs ? "ours" : "theirs"])
                    #expect(rivals.ours.label == (isOurs ? "ours" : "theirs"))
                    #expect(try rivals.storedTags() == rivals.ours.tags.map(\.name))
                    let tags = policy == .rollback ? ["0", "1"] : ["0", "1", "2"]
                    if policy != .overwrite { #expect(rivals.ours.tags.map(\.name) == tags) }
                    // Who has seen it come back hears that it was changed.
                    #expect(inserted == [])
                    #expect(updated.contains(rivals.ours.objectID) == (policy != .rollback))
                    // The context knows the version of the row.
                    #expect(!rivals.second.hasChanges)
                    rivals.second.mergePolicy = .error
                    rivals.ours.label = "after"
                    try rivals.second.save()
                    #expect(try rivals.stored() == ["after"])
                }
            }
        }

        EngineCase("two contexts insert a deleted row again at the same time: an error by default")
        { engine in
            try withRevived(engine, nil) { rivals in
                let error = #expect(throws: ConflictError.self) { try rivals.second.save() }
                #expect(error?.conflicts.map(\.objectID) == [rivals.ours.objectID])
                #expect(error?.conflicts.first?.properties == ["label"])
                #expect(error?.conflicts.first?.persistedSnapshot?["label"] == .string("theirs"))
                #expect(try rivals.stored() == ["theirs"])
                #expect(rivals.ours.label == "ours" && rivals.ours.isInserted)
                // What an undo has brought back is laid over what is there.
                try rivals.second.save()
                #expect(try rivals.stored() == ["ours"])
            }
        }

        EngineCase("others insert a row again that was merged into another one") { engine in
            try engine.withContainer(Dispute.model) { container in
                let (first, second) = (container.newContext(), container.newContext())
                let thing = try first.make("Thing", ["code": "a"])
                try first.save()
                let same = second.object(with: thing.objectID)
                #expect(same["code"] == "a")
                for (context, thing) in [(first, thing), (second, same)] {
                    context.automaticallyMergesChangesFromParent = false
                    context.undoManager = ContextUndoManager()
                    context.delete(thing)
                    try context.save()
                }
                first.undo()
                second.undo()
                let third = container.newContext()
                let other = try third.make("Thing", ["code": "a"])
                try third.save()
                second.mergePolicy = .storeTrump
                try second.save()
                let replacement = second.registeredObject(for: thing.objectID)
                #expect(replacement?.objectID == other.objectID)
                thing["code"] = "b"
                try first.save()
                let found = try second.all("Thing")
                #expect(found.map(\.objectID) == [thing.objectID, other.objectID])
                #expect(found.map { $0["code"] } == ["b", "a"])
                for thing in found { thing["first"] = "changed" }
                try second.save()
                let reader = container.newContext()
                #expect(try reader.all("Thing").map { $0["first"] } == ["changed", "changed"])
            }
        }

        EngineCase("rows without conflict are saved beside those with one") { engine in
            try engine.withContainer(Everything.model) { container in
                let (first, second) = (container.newContext(), container.newContext())
                let tallies = (0..<10).map { Tally(in: first, title: "\($0)") }
                try first.save()
                for tally in tallies {
                    try second.get(tally.objectID, as: Tally.self).title += " ours"
                }
                tallies[3].title = "theirs"
                try first.save()
                second.mergePolicy = .storeTrump
                try second.save()
                let titles = try container.newContext().fetch(Tally.fetchRequest()).map(\.title)
                #expect(titles == (0..<10).map { $0 == 3 ? "theirs" : "\($0) ours" })
            }
        }

        for policy in [MergePolicy.storeTrump, .objectTrump] {
            EngineCase("a merge rule comes before the policy (\(policy))") { engine in
                try withRivals(engine, policy) { rivals in
                    rivals.set(rivals.theirs, 5, "theirs")
                    rivals.set(rivals.ours, 3, "ours")
                    try rivals.first.save()
                    try rivals.second.save()
                    let reader = rivals.container.newContext()
                    let read = try #require(try reader.fetchFirst(Tally.fetchRequest()))
                    for tally in [rivals.ours, read] {
                        #expect(tally.greatest == 5 && tally.least == 3)
                        #expect(tally.total == 8 && tally.balance == 8)
                        #expect(tally.theirs == "theirs" && tally.ours == "ours")
                    }
                }
            }

            EngineCase("of two moves one is kept, and both sides show it (\(policy))") { engine in
                try engine.withContainer(Everything.model) { container in
                    let (first, second) = (container.newContext(), container.newContext())
                    let boxes = (0..<3).map { Box(in: first, name: "\($0)") }
                    let node = Node(in: first, box: boxes[0])
                    try first.save()
                    let same: Node = try second.get(node.objectID)
                    second.mergePolicy = policy
                    same.box = try second.get(boxes[2].objectID)
                    node.box = boxes[1]
                    try first.save()
                    try second.save()
                    let kept = policy == .storeTrump ? 1 : 2
                    #expect(same.box?.objectID == boxes[kept].objectID)
                    let reader = container.newContext()
                    let read = try reader.fetch(Box.fetchRequest())
                    #expect(read.map(\.nodes.count) == (0..<3).map { $0 == kept ? 1 : 0 })
                }
            }
        }

        for isDeleted in [true, false] {
            EngineCase("rule 74: a save fails when what it relies on was changed (\(isDeleted))") {
                engine in
                try engine.withContainer(Everything.model) { container in
                    let (first, second) = (container.newContext(), container.newContext())
                    let (node, other) = (Node(in: first, label: "base"), Node(in: first))
                    try first.save()
                    let (same, mine): (Node, Node) = (
                        try second.get(node.objectID), try second.get(other.objectID)
                    )
                    second.detectConflicts(for: same)
                    mine.label = "ours"
                    #expect(!same.hasChanges)
                    try second.save()
                    // It held for one save.
                    if isDeleted { first.delete(node) } else { node.label = "theirs" }
                    try first.save()
                    mine.label = "again"
                    try second.save()

                    second.detectConflicts(for: same)
                    mine.label = "and again"
                    let error = #expect(throws: ConflictError.self) { try second.save() }
                    #expect(error?.conflicts.map(\.objectID) == [node.objectID])
                    #expect(error?.conflicts.first?.properties == [])
                    #expect(mine.label == "and again")
                    // It still holds, as nothing was saved.
                    #expect(throws: ConflictError.self) { try second.save() }
                    second.mergePolicy = .storeTrump
                    try second.save()
                    #expect(same.isDeleted == isDeleted)
                    #expect(isDeleted || same.label == "theirs")
                }
            }
        }

        EngineCase("rule 74: objects that were locked are looked at without any changes") {
            engine in
            try engine.withContainer(Everything.model) { container in
                let (first, second) = (container.newContext(), container.newContext())
                let node = Node(in: first, label: "base")
                try first.save()
                second.detectConflicts(for: try second.get(node.objectID, as: Node.self))
                node.label = "theirs"
                try first.save()
                #expect(throws: ConflictError.self) { try second.save() }
                second.rollback()
                try second.save()
            }
        }
    }
}

/// Two contexts with one row, that of a tally.
private struct Rivals {
    let container: PersistentContainer
    let first: ManagedObjectContext
    let second: ManagedObjectContext
    /// The object of the first context, which saves first.
    let theirs: Tally
    /// The object of the second context.
    let ours: Tally

    /// The title and the note in the store; nil without a row.
    func stored() throws -> [String]? {
        let reader = container.newContext()
        return try reader.fetchFirst(Tally.fetchRequest()).map { [$0.title, $0.note] }
    }

    /// Sets all attributes that have merge rules.
    func set(_ tally: Tally, _ number: Int64, _ text: String) {
        (tally.greatest, tally.least, tally.total) = (number, Double(number), number)
        (tally.balance, tally.theirs, tally.ours) = (Double(number), text, text)
    }
}

/// Runs a body with two contexts that have read one row of the title "base" and the note "base".
///
/// - Parameter policy: The second context's; nil for the default.
private func withRivals(
    _ engine: EngineEntry, _ policy: MergePolicy?, _ body: (Rivals) throws -> Void
) throws {
    try engine.withContainer(Everything.model) { container in
        let (first, second) = (container.newContext(), container.newContext())
        let tally = Tally(in: first, title: "base", note: "base")
        try first.save()
        if let policy { second.mergePolicy = policy }
        let same: Tally = try second.get(tally.objectID)
        #expect(same.title == "base")
        try body(
            Rivals(
                container: container, first: first, second: second, theirs: tally, ours: same))
    }
}

/// Runs a body with two contexts that gave the last of three nodes a partner each: the first context
/// has saved that, the second one has not.
///
/// - Parameter policy: The second context's; nil for the default.
private func withPartners(
    _ engine: EngineEntry, _ policy: MergePolicy?,
    _ body: (
        PersistentContainer, _ nodes: [Node], _ second: ManagedObjectContext, _ same: [Node]
    ) throws -> Void
) throws {
    try engine.withContainer(Everything.model) { container in
        let (first, second) = (container.newContext(), container.newContext())
        let nodes = (0..<3).map { Node(in: first, label: "\($0)") }
        try first.save()
        let same: [Node] = try nodes.map { try second.get($0.objectID) }
        #expect(same[2].previous == nil)
        nodes[0].next = nodes[2]
        try first.save()
        same[1].next = same[2]
        same[1].label = "ours"
        if let policy { second.mergePolicy = policy }
        try withExtendedLifetime(first) { try body(container, nodes, second, same) }
    }
}

/// Two contexts that have deleted one row, and have taken that back.
private struct RevivedRivals {
    let container: PersistentContainer
    let second: ManagedObjectContext
    /// The object of the second context.
    let ours: Node

    /// The labels of all nodes in the store.
    func stored() throws -> [String] {
        try container.newContext().fetch(Node.fetchRequest()).map(\.label)
    }

    func storedTags() throws -> [String] {
        let reader = container.newContext()
        return try reader.fetch(Node.fetchRequest()).flatMap { $0.tags.map(\.name) }
    }
}

/// Runs a body with two contexts that have deleted a node with the tag "0", and have undone that: the
/// first one has added the tag "1" and saves while the second, which has added the tag "2", saves.
///
/// - Parameter policy: The second context's; nil for the default.
private func withRevived(
    _ engine: EngineEntry, _ policy: MergePolicy?,
    _ body: (RevivedRivals) throws -> Void
) throws {
    try engine.withContainer(Everything.model) { container in
        let (first, second) = (container.newContext(), container.newContext())
        for context in [first, second] { context.automaticallyMergesChangesFromParent = false }
        let node = Node(in: first, label: "base")
        let topics = (0..<3).map { Topic(in: first, name: "\($0)") }
        node.tags.insert(topics[0])
        try first.save()
        let ours: Node = try second.get(node.objectID)
        #expect(ours.label == "base" && ours.tags.map(\.name) == ["0"])
        if let policy { second.mergePolicy = policy }
        for (context, node) in [(first, node), (second, ours)] {
            context.undoManager = ContextUndoManager()
            context.delete(node)
            try context.save()
        }
        first.undo()
        second.undo()
        (node.label, ours.label) = ("theirs", "ours")
        node.tags.insert(topics[1])
        ours.tags.insert(try second.get(topics[2].objectID))
        // After the second one has looked for rows that others have inserted again.
        var failure: (any Error)?
        let observation = second.observe(.willSave) {
            do { if first.hasChanges { try first.save() } } catch { failure = error }
        }
        defer { withExtendedLifetime(observation) {} }
        try body(RevivedRivals(container: container, second: second, ours: ours))
        if let failure { throw failure }
    }
}

/// People who are each other's friends.
private let circle = CompiledModel(
    Model(
        name: "Circle", version: "1",
        entities: [
            Entity(
                name: "Person", attributes: [Attribute(name: "name", type: .string)],
                relationships: [
                    Relationship(
                        name: "friends", destination: "Person", inverse: "friends", isToMany: true)
                ])
        ]))

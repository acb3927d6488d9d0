import Cambium
import EverythingModel
import Testing

// What another context saves. It keeps away from what this one has changed, so that there is no
// conflict, and what both must show is beyond doubt. (`RandomMergeTests` has the conflicts.)
extension GraphWork {
    mutating func workInSibling() throws {
        sibling.mergePending()
        for _ in 0..<Int.random(in: 1...3, using: &generator) { try changeInSibling() }
        guard sibling.hasChanges else { return }
        try saveInSibling()
        // The context does not know of the save yet.
        if generator.chance(0.3) { try runBatch() }
        context.mergePending()
        // What others save is not undone, and what was done before may not fit any more.
        context.undoManager?.removeAllActions()
        history = GraphHistory(world)
        if generator.chance(0.5) {
            try check(context, against: world, "the context, after merging")
        }
    }

    private mutating func saveInSibling() throws {
        log.append("the sibling saves")
        do {
            try sibling.save()
        } catch {
            try fail("the sibling's save threw \(error)")
        }
    }

    /// The sibling deletes an object to which the context may have led others, without having saved
    /// it: these links are cleared when the deletion is merged. What was done before can be undone
    /// and redone all the same, and no such link comes back.
    mutating func deleteInSibling() throws {
        try endEvent()
        sibling.mergePending()
        let all =
            Array(saved.nodes.keys) + Array(saved.boxes.keys) + Array(saved.tags.keys)
        guard let id = pick(all.filter { isOnlyLinked($0) && hasOnlySavedParts($0) }),
            saved.referrers(of: id).allSatisfy(world.has)
        else { return }
        log.append("theirs: delete \(id), linked or not")
        sibling.delete(sibling.object(with: id))
        try saveInSibling()
        // Its parts go with it, also in states in which they were another's.
        history.delete([id] + saved.parts.filter { $0.value == id }.keys)
        saved.delete(id)
        world.delete(id)
        context.mergePending()
        if generator.chance(0.5) {
            try check(context, against: world, "the context, after merging a deletion")
        }
    }

    /// Whether unsaved changes of an object are none but links that go with it: those that others
    /// keep, and pairs.
    private func isOnlyLinked(_ id: ObjectID) -> Bool {
        guard world.has(id) || world.tags[id] != nil else { return false }
        guard let object = context.registeredObject(for: id), object.hasChanges else { return true }
        let own: Set<String> = ["label", "number", "name", "box", "topic"]
        return !object.isDeleted && own.isDisjoint(with: object.changedValues().keys)
    }

    /// Whether the parts of an object go with it, and have always been saved while they were its
    /// own: one that had come to it without being saved would stay, without a node.
    private func hasOnlySavedParts(_ id: ObjectID) -> Bool {
        let parts = saved.parts.filter { $0.value == id }.keys
        return parts.allSatisfy { isUntouched($0) && world.parts[$0] == id }
            && !(history.states + [world]).contains { state in
                state.parts.contains { $0.value == id && saved.parts[$0.key] != id }
            }
    }

    private mutating func changeInSibling() throws {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            let node = try sibling.insert(Node.self) { $0.label = "theirs" }
            log.append("theirs: insert \(node.objectID)")
            both { $0.nodes[node.objectID] = World.NodeValues(label: "theirs") }
        case 1:
            guard let id = pickUntouched(saved.nodes.keys) else { return }
            let number = Int64.random(in: 5..<9, using: &generator)
            log.append("theirs: set \(id) to \(number)")
            sibling.see(id, as: Node.self).number = number
            both { $0.nodes[id]?.number = number }
        case 2:
            guard let id = pickUntouched(saved.nodes.keys),
                let box = pickUntouched(saved.boxes.keys)
            else { return }
            log.append("theirs: \(id).box = \(box)")
            sibling.see(id, as: Node.self).box = sibling.see(box)
            both { $0.nodes[id]?.box = box }
        case 3:
            guard let id = pickUntouched(saved.nodes.keys), let tag = pickUntouched(saved.tags.keys)
            else { return }
            log.append("theirs: \(id).tags.insert(\(tag))")
            sibling.see(id, as: Node.self).tags.insert(sibling.object(with: tag))
            both { $0.tagged.insert(World.Pair(from: id, to: tag)) }
        case 4:
            guard let id = pickUntouched(saved.nodes.keys),
                let other = pickUntouched(saved.nodes.keys),
                saved.nodes.filter({ $0.value.next == other }).keys.allSatisfy(isUntouched)
            else { return }
            log.append("theirs: \(id).next = \(other)")
            sibling.see(id, as: Node.self).next = sibling.see(other)
            both { $0.setNext(id, other) }
        case 5:
            guard let id = pickUntouched(saved.nodes.keys) else { return }
            var queue = saved.queues[id] ?? []
            if let tag = pickUntouched(saved.tags.keys), !queue.contains(tag) { queue.append(tag) }
            // One that the context has deleted is in the store's queue still.
            guard queue.allSatisfy(isUntouched) else { return }
            queue.shuffle(using: &generator)
            log.append("theirs: \(id).queue = \(queue)")
            sibling.see(id, as: Node.self).queue.replace(
                with: queue.map { sibling.object(with: $0) })
            both { $0.setQueue(of: id, queue) }
        case 6:
            guard let id = pickUntouched(saved.tags.keys),
                let box = pickUntouched(saved.boxes.keys),
                saved.topic(of: box) == nil
            else { return }
            log.append("theirs: \(id).boxes.insert(\(box), at: 0)")
            sibling.see(id, as: Topic.self).boxes.insert(sibling.object(with: box), at: 0)
            both { $0.setBoxes(of: id, [box] + ($0.boxLists[id] ?? [])) }
        default:
            let doomed = [
                pickUntouched(saved.nodes.keys), pickUntouched(saved.boxes.keys),
                pickUntouched(saved.tags.keys), pickUntouched(saved.parts.keys),
            ].randomElement(using: &generator)
            // What refers to it loses a link, which what the context has deleted must not.
            guard let id = doomed ?? nil, saved.referrers(of: id).allSatisfy(world.has) else {
                return
            }
            // What goes with it goes whatever the context has made of it.
            guard saved.parts.filter({ $0.value == id }).keys.allSatisfy(isUntouched) else {
                return
            }
            log.append("theirs: delete \(id)")
            sibling.delete(sibling.object(with: id))
            sibling.processPendingChanges()
            both { $0.delete(id) }
        }
    }

    /// An operation of the context on rows, which knows what the sibling has saved.
    private mutating func runBatch() throws {
        // Stores of the program's own take no such operations.
        guard
            container.coordinator.persistentStores.allSatisfy({ store in
                store.type == .sqlite || store.type == .memory
            })
        else { return }
        if let id = pickUntouched(saved.nodes.keys) {
            let number = Int64.random(in: 9..<12, using: &generator)
            log.append("batch: set \(id) to \(number)")
            try context.execute(
                BatchUpdateRequest<Node>().filter(Condition(format: "SELF == %@", id))
                    .set(Node.number, to: number))
            both { $0.nodes[id]?.number = number }
        }
        if let id = pickUntouched(saved.parts.keys) {
            log.append("batch: delete \(id)")
            try context.execute(BatchDeleteRequest<Part>(objectIDs: [id]))
            both { $0.delete(id) }
        }
    }

    private mutating func both(_ change: (inout World) -> Void) {
        change(&world)
        change(&saved)
    }

    /// One of the objects that both have and the context has not changed.
    private mutating func pickUntouched(_ ids: some Collection<ObjectID>) -> ObjectID? {
        pick(ids.filter { isUntouched($0) })
    }

    private func isUntouched(_ id: ObjectID) -> Bool {
        context.registeredObject(for: id)?.hasChanges != true
    }
}

import Cambium
import EverythingModel
import Testing

extension GraphWork {
    mutating func link() throws {
        guard let id = pick(world.nodes.keys) else { return }
        let node: Seen<Node> = context.see(id)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1:
            let box = generator.chance(0.8) ? pick(world.boxes.keys) : nil
            log.append("\(id).box = \(box?.description ?? "nil")")
            node.box = box.map { context.see($0) }
            world.nodes[id]?.box = box
        case 2:
            guard let box = pick(world.boxes.keys) else { return }
            let adds = generator.chance(0.5)
            log.append("\(box).nodes.\(adds ? "insert" : "remove")(\(id))")
            let nodes = context.see(box, as: Box.self).nodes
            if adds {
                nodes.insert(node)
                world.nodes[id]?.box = box
            } else {
                nodes.remove(node)
                if world.nodes[id]?.box == box { world.nodes[id]?.box = nil }
            }
        case 3, 4:
            let next = generator.chance(0.8) ? pick(world.nodes.keys) : nil
            log.append("\(id).next = \(next?.description ?? "nil")")
            node.next = next.map { context.see($0) }
            world.setNext(id, next)
        case 5:
            let previous = generator.chance(0.8) ? pick(world.nodes.keys) : nil
            log.append("\(id).previous = \(previous?.description ?? "nil")")
            node.previous = previous.map { context.see($0) }
            world.setPrevious(id, previous)
        case 6, 7:
            guard let tag = pick(world.tags.keys) else { return }
            try linkTag(tag, node)
        case 8:
            let tags = world.tags.keys.sorted { $0.key < $1.key }.filter { _ in
                generator.chance(0.4)
            }
            log.append("\(id).tags = \(tags)")
            node.tags.replace(with: tags.map { context.object(with: $0) })
            world.tagged = world.tagged.filter { $0.from != id }
                .union(tags.map { World.Pair(from: id, to: $0) })
        case 9, 10:
            guard let other = pick(world.nodes.keys) else { return }
            try linkFollower(other, node)
        default:
            guard let part = pick(world.parts.keys) else { return }
            log.append("\(id).parts.insert(\(part))")
            if generator.chance(0.5) {
                node.parts.insert(context.object(with: part))
            } else {
                context.see(part, as: Part.self).node = node
            }
            world.parts[part] = id
        }
    }

    private mutating func linkTag(_ id: ObjectID, _ node: Seen<Node>) throws {
        let tag: Seen<Topic> = context.see(id)
        let pair = World.Pair(from: node.objectID, to: id)
        let adds = generator.chance(0.6)
        let isFromNode = generator.chance(0.5)
        log.append("\(adds ? "add" : "remove") \(pair), from the \(isFromNode ? "node" : "tag")")
        switch (adds, isFromNode) {
        case (true, true): node.tags.insert(tag)
        case (true, false): tag.nodes.insert(node)
        case (false, true): node.tags.remove(tag)
        case (false, false): tag.nodes.remove(node)
        }
        if adds { world.tagged.insert(pair) } else { world.tagged.remove(pair) }
    }

    private mutating func linkFollower(_ id: ObjectID, _ node: Seen<Node>) throws {
        let followed: Seen<Node> = context.see(id)
        let pair = World.Pair(from: node.objectID, to: id)
        let adds = generator.chance(0.6)
        let isForward = generator.chance(0.5)
        log.append("\(adds ? "add" : "remove") \(pair), \(isForward ? "forward" : "backward")")
        switch (adds, isForward) {
        case (true, true): node.follows.insert(followed)
        case (true, false): followed.followers.insert(node)
        case (false, true): node.follows.remove(followed)
        case (false, false): followed.followers.remove(node)
        }
        if adds { world.follows.insert(pair) } else { world.follows.remove(pair) }
    }

    // MARK: Lists

    mutating func reorder() throws {
        if generator.chance(0.5) {
            guard let owner = pick(world.tags.keys) else { return }
            var list = world.boxLists[owner] ?? []
            if generator.chance(0.25) { return try linkTopic(owner) }
            let topic: Seen<Topic> = context.see(owner)
            try change(topic.boxes, &list, pick(world.boxes.keys), "\(owner).boxes")
            world.setBoxes(of: owner, list)
        } else {
            guard let owner = pick(world.nodes.keys) else { return }
            var list = world.queues[owner] ?? []
            if generator.chance(0.25) { return try linkQueue(owner) }
            let node: Seen<Node> = context.see(owner)
            try change(node.queue, &list, pick(world.tags.keys), "\(owner).queue")
            world.setQueue(of: owner, list)
        }
    }

    /// Does something to a list, and to an array.
    private mutating func change(
        _ members: OrderedToMany<ManagedObject>, _ list: inout [ObjectID], _ any: ObjectID?,
        _ name: String
    ) throws {
        guard let any else { return }
        let index = list.isEmpty ? 0 : Int.random(in: 0..<list.count, using: &generator)
        let other = list.isEmpty ? 0 : Int.random(in: 0..<list.count, using: &generator)
        let operation = Int.random(in: 0..<8, using: &generator)
        switch operation {
        case 0, 1:
            log.append("\(name).append(\(any))")
            members.append(context.object(with: any))
            if !list.contains(any) { list.append(any) }
        case 2:
            log.append("\(name).insert(\(any), at: \(index))")
            members.insert(context.object(with: any), at: index)
            let following = list[index...].filter { $0 != any }
            list = list[..<index].filter { $0 != any } + [any] + following
        case 3 where !list.isEmpty:
            log.append("\(name).remove(at: \(index))")
            members.remove(at: index)
            list.remove(at: index)
        case 4:
            log.append("\(name).remove(\(any))")
            members.remove(context.object(with: any))
            list.removeAll { $0 == any }
        case 5 where !list.isEmpty:
            log.append("\(name).move(from: \(index), to: \(other))")
            members.move(from: index, to: other)
            list.insert(list.remove(at: index), at: other)
        case 6 where !list.isEmpty:
            log.append("\(name).swapAt(\(index), \(other))")
            members.swapAt(index, other)
            list.swapAt(index, other)
        case 7:
            list = Array((list + [any]).uniqued().shuffled(using: &generator).dropLast())
            log.append("\(name) = \(list)")
            members.replace(with: list.map { context.object(with: $0) })
        default:
            break
        }
    }

    /// Puts a box into a list, or takes it out, by the box.
    private mutating func linkTopic(_ topic: ObjectID) throws {
        guard let id = pick(world.boxes.keys) else { return }
        let box: Seen<Box> = context.see(id)
        if generator.chance(0.6) {
            log.append("\(id).topic = \(topic)")
            box.topic = context.see(topic)
            if world.topic(of: id) != topic {
                world.setBoxes(of: topic, (world.boxLists[topic] ?? []) + [id])
            }
        } else {
            log.append("\(id).topic = nil")
            box.topic = nil
            guard let former = world.topic(of: id) else { return }
            world.setBoxes(of: former, (world.boxLists[former] ?? []).filter { $0 != id })
        }
    }

    private mutating func linkQueue(_ node: ObjectID) throws {
        guard let id = pick(world.tags.keys) else { return }
        let topic: Seen<Topic> = context.see(id)
        let queue = (world.queues[node] ?? [])
        if generator.chance(0.6) {
            log.append("\(id).waiting.insert(\(node))")
            topic.waiting.insert(context.object(with: node))
            if !queue.contains(id) { world.setQueue(of: node, queue + [id]) }
        } else {
            log.append("\(id).waiting.remove(\(node))")
            topic.waiting.remove(context.object(with: node))
            world.setQueue(of: node, queue.filter { $0 != id })
        }
    }
}

extension [ObjectID] {
    fileprivate func uniqued() -> [ObjectID] {
        var seen: Set<ObjectID> = []
        return filter { seen.insert($0).inserted }
    }
}

import Cambium
import EverythingModel

/// What a graph of nodes, boxes, topics and parts should be: dictionaries instead of contexts and
/// stores, so simple that it is right.
struct World: Equatable {
    struct NodeValues: Equatable {
        var label = ""
        var number: Int64 = 0
        var box: ObjectID?
        var next: ObjectID?
    }

    struct Pair: Hashable, CustomStringConvertible {
        let from: ObjectID
        let to: ObjectID

        var description: String { "\(from) to \(to)" }
    }

    var nodes: [ObjectID: NodeValues] = [:]
    var boxes: [ObjectID: String] = [:]
    var tags: [ObjectID: String] = [:]
    /// The node of each part.
    var parts: [ObjectID: ObjectID] = [:]
    /// From nodes to tags.
    var tagged: Set<Pair> = []
    var follows: Set<Pair> = []
    /// The boxes of each topic in their order; a box is in one list at most. None is empty.
    var boxLists: [ObjectID: [ObjectID]] = [:]
    /// The topics that nodes have in their queues, in their order. None is empty.
    var queues: [ObjectID: [ObjectID]] = [:]

    // MARK: Changes

    mutating func setNext(_ node: ObjectID, _ next: ObjectID?) {
        if let next {
            for other in nodes.keys where nodes[other]?.next == next { nodes[other]?.next = nil }
        }
        nodes[node]?.next = next
    }

    mutating func setPrevious(_ node: ObjectID, _ previous: ObjectID?) {
        if let previous { return setNext(previous, node) }
        for other in nodes.keys where nodes[other]?.next == node { nodes[other]?.next = nil }
    }

    /// Lets a topic have these boxes, which leave the lists that they were in.
    mutating func setBoxes(of topic: ObjectID, _ boxes: [ObjectID]) {
        let moved = Set(boxes)
        for other in boxLists.keys where other != topic {
            Self.set(boxLists[other]?.filter { !moved.contains($0) } ?? [], &boxLists, other)
        }
        Self.set(boxes, &boxLists, topic)
    }

    mutating func setQueue(of node: ObjectID, _ topics: [ObjectID]) {
        Self.set(topics, &queues, node)
    }

    func topic(of box: ObjectID) -> ObjectID? {
        boxLists.first { $0.value.contains(box) }?.key
    }

    /// The nodes and boxes that keep the key of an object.
    func referrers(of id: ObjectID) -> [ObjectID] {
        nodes.filter { $0.value.box == id || $0.value.next == id }.map(\.key) + (boxLists[id] ?? [])
    }

    func has(_ id: ObjectID) -> Bool { nodes[id] != nil || boxes[id] != nil }

    private static func set(
        _ list: [ObjectID], _ lists: inout [ObjectID: [ObjectID]], _ owner: ObjectID
    ) {
        lists[owner] = list.isEmpty ? nil : list
    }

    mutating func deleteNode(_ node: ObjectID) {
        nodes[node] = nil
        parts = parts.filter { $0.value != node }
        tagged = tagged.filter { $0.from != node }
        follows = follows.filter { $0.from != node && $0.to != node }
        for other in nodes.keys where nodes[other]?.next == node { nodes[other]?.next = nil }
        queues[node] = nil
    }

    mutating func deleteBox(_ box: ObjectID) {
        boxes[box] = nil
        for node in nodes.keys where nodes[node]?.box == box { nodes[node]?.box = nil }
        for (topic, list) in boxLists { Self.set(list.filter { $0 != box }, &boxLists, topic) }
    }

    mutating func deleteTag(_ tag: ObjectID) {
        tags[tag] = nil
        tagged = tagged.filter { $0.to != tag }
        boxLists[tag] = nil
        for (node, queue) in queues { Self.set(queue.filter { $0 != tag }, &queues, node) }
    }

    /// Lets a node or a topic be as it was saved: what it keeps itself, and its pairs. What has been
    /// deleted since does not come back.
    mutating func dropChanges(of id: ObjectID, since saved: World) {
        if var values = saved.nodes[id] {
            values.box = values.box.flatMap { boxes[$0] == nil ? nil : $0 }
            let next = values.next.flatMap { nodes[$0] == nil ? nil : $0 }
            nodes[id] = values
            setNext(id, next)
            setQueue(of: id, (saved.queues[id] ?? []).filter { tags[$0] != nil })
        } else {
            tags[id] = saved.tags[id]
        }
        func ends(at pair: Pair) -> Bool { pair.from == id || pair.to == id }
        tagged = tagged.filter { !ends(at: $0) }.union(
            saved.tagged.filter { ends(at: $0) && nodes[$0.from] != nil && tags[$0.to] != nil })
        follows = follows.filter { !ends(at: $0) }.union(
            saved.follows.filter { ends(at: $0) && nodes[$0.from] != nil && nodes[$0.to] != nil })
    }

    // MARK: Comparison

    /// What this shows and the other does not, in words.
    func differences(from other: World) -> [String] {
        func differences<Key: Hashable & CustomStringConvertible, Value: Equatable>(
            _ name: String, _ mine: [Key: Value], _ others: [Key: Value]
        ) -> [String] {
            Set(mine.keys).union(others.keys).filter { mine[$0] != others[$0] }.map { key in
                "\(name) \(key) is \(mine[key].map { "\($0)" } ?? "missing"), should be "
                    + (others[key].map { "\($0)" } ?? "missing")
            }
        }
        func differences(_ name: String, _ mine: Set<Pair>, _ others: Set<Pair>) -> [String] {
            mine == others
                ? []
                : [
                    "\(name): \(mine.subtracting(others)) too many, "
                        + "\(others.subtracting(mine)) missing"
                ]
        }
        return differences("node", nodes, other.nodes) + differences("box", boxes, other.boxes)
            + differences("topic", tags, other.tags) + differences("part", parts, other.parts)
            + differences("topics", tagged, other.tagged)
            + differences("follows", follows, other.follows)
            + differences("boxes of", boxLists, other.boxLists)
            + differences("queue of", queues, other.queues)
    }
}

extension World {
    /// The graph as a context shows it, every relationship read from the side that it is read from
    /// least often: the other side is compared in ``inverseFaults(in:)``.
    init(of context: ManagedObjectContext) throws {
        for node in try context.see(Node.fetchRequest()) {
            nodes[node.objectID] = NodeValues(
                label: node.label, number: node.number, box: node.box?.objectID,
                next: node.next?.objectID)
            for tag in node.tags { tagged.insert(Pair(from: node.objectID, to: tag.objectID)) }
            for other in node.follows {
                follows.insert(Pair(from: node.objectID, to: other.objectID))
            }
            setQueue(of: node.objectID, node.queue.map(\.objectID))
        }
        for box in try context.see(Box.fetchRequest()) { boxes[box.objectID] = box.name }
        for tag in try context.see(Topic.fetchRequest()) {
            tags[tag.objectID] = tag.name
            // As it is: a box that two lists show is not to be mended here.
            Self.set(tag.boxes.map(\.objectID), &boxLists, tag.objectID)
        }
        for part in try context.see(Part.fetchRequest()) {
            parts[part.objectID] = part.node?.objectID
        }
    }

    /// Where the other sides of the relationships show something else than this graph.
    func inverseFaults(in context: ManagedObjectContext) -> [String] {
        var faults: [String] = []
        func compare(_ name: String, _ id: ObjectID, _ shown: [ObjectID], _ expected: [ObjectID]) {
            if Set(shown) != Set(expected) || shown.count != expected.count {
                faults.append("\(id).\(name) shows \(shown), should be \(expected)")
            }
        }
        for id in nodes.keys {
            let node: Seen<Node> = context.see(id)
            compare(
                "previous", id, node.previous.map { [$0.objectID] } ?? [],
                nodes.filter { $0.value.next == id }.map(\.key))
            compare(
                "followers", id, node.followers.map(\.objectID),
                follows.filter { $0.to == id }.map(\.from))
            compare(
                "parts", id, node.parts.map(\.objectID), parts.filter { $0.value == id }.map(\.key))
        }
        for id in boxes.keys {
            let box: Seen<Box> = context.see(id)
            compare(
                "nodes", id, box.nodes.map(\.objectID),
                nodes.filter { $0.value.box == id }.map(\.key))
            compare(
                "topic", id, box.topic.map { [$0.objectID] } ?? [], topic(of: id).map { [$0] } ?? []
            )
        }
        for id in tags.keys {
            let tag: Seen<Topic> = context.see(id)
            compare(
                "nodes", id, tag.nodes.map(\.objectID), tagged.filter { $0.to == id }.map(\.from))
            compare(
                "waiting", id, tag.waiting.map(\.objectID),
                queues.filter { $0.value.contains(id) }.map(\.key))
        }
        return faults
    }
}

import Cambium
import CambiumSQLite
import EverythingModel
import Foundation
import Testing

/// Whatever is saved, and by whomever: an old copy of the objects on which the history is replayed
/// is what the store has.
@Suite(.onServers, .recordingOthers)
struct RandomHistoryTests {
    @Test func `the history leads from any moment to the present`() throws {
        try forEachSeed(for: 0.6) { seed in
            var generator = SeededGenerator(seed: seed)
            try withStoreFile { path in
                let container = try openHistory(at: .temporary(path), .values, Everything.model)
                var work = HistoryWork(container, path)
                var copies = [try HistoryCopy(of: container)]
                for _ in 0..<12 {
                    try work.run(&generator)
                    copies.append(try HistoryCopy(of: container))
                }
                let present = try HistoryCopy(of: container)
                for (index, copy) in copies.enumerated() {
                    let place = "seed \(seed), copy \(index)"
                    let result = try container.coordinator.fetchHistory(
                        HistoryRequest(after: copy.token))
                    var replayed = copy
                    let faults = replayed.replay(result.transactions)
                    #expect(faults == [], "\(place)")
                    let differences = replayed.differences(from: present)
                    #expect(differences == [], "\(place)")
                    if !faults.isEmpty || !differences.isEmpty { return }
                    #expect(
                        copy.unnamedLinks(before: present, result.transactions) == [], "\(place)")
                    #expect(result.token == present.token, "\(place)")
                }
            }
        }
    }
}

/// The objects of a store at a moment.
private struct HistoryCopy {
    let token: HistoryToken
    private var objects: [ObjectID: [String: PropertyValue]] = [:]
    private let world: World

    init(of container: PersistentContainer) throws {
        token = try container.historyToken
        let context = container.newContext()
        world = try World(of: context)
        for entity in ["Node", "Box", "Topic", "Part", "Robot"] {
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity)) {
                objects[object.objectID] = Self.withoutNil(try object.committedValues())
            }
        }
    }

    /// A value that is nil is the same as none; lists of links are looked at by themselves.
    private static func withoutNil(
        _ values: [String: PropertyValue]
    ) -> [String: PropertyValue] {
        values.filter { _, value in
            switch value {
            case .value(.null), .toOne(nil), .toMany, .unread: false
            case .value, .toOne: true
            }
        }
    }

    /// Does what transactions say.
    ///
    /// - Returns: Where what they say does not fit.
    mutating func replay(_ transactions: [HistoryTransaction]) -> [String] {
        var faults: [String] = []
        for transaction in transactions {
            var seen: Set<ObjectID> = []
            for change in transaction.changes {
                if !seen.insert(change.objectID).inserted { faults.append("\(change) twice") }
                let known = objects[change.objectID]
                if (known == nil) != (change.kind == .insert) { faults.append("\(change)") }
                let old = Self.withoutNil(change.oldValues)
                let new = Self.withoutNil(change.newValues)
                switch change.kind {
                case .insert:
                    objects[change.objectID] = new
                case .update:
                    for name in change.oldValues.keys where known?[name] != old[name] {
                        faults.append("\(change) of \(name) from what it was not")
                    }
                    if !Set(change.newValues.keys).isSubset(of: change.updatedProperties) {
                        faults.append("\(change) with values that it does not name")
                    }
                    for name in change.newValues.keys {
                        objects[change.objectID]?[name] = new[name]
                    }
                case .delete:
                    if known != old { faults.append("\(change) of what it was not") }
                    objects[change.objectID] = nil
                }
            }
        }
        return faults
    }

    func differences(from other: HistoryCopy) -> [String] {
        Set(objects.keys).union(other.objects.keys)
            .filter { objects[$0] != other.objects[$0] }
            .map { "\($0) is \(objects[$0] as Any), should be \(other.objects[$0] as Any)" }
    }

    /// The objects whose lists are others now without a transaction that names them.
    func unnamedLinks(
        before present: HistoryCopy, _ transactions: [HistoryTransaction]
    ) -> [String] {
        var named: [ObjectID: Set<String>] = [:]
        for change in transactions.flatMap(\.changes) {
            named[change.objectID, default: []].formUnion(
                change.kind == .update ? change.updatedProperties : ["all"])
        }
        func check(
            _ property: String, _ mine: [ObjectID: [ObjectID]], _ theirs: [ObjectID: [ObjectID]]
        ) -> [String] {
            Set(mine.keys).union(theirs.keys).filter { mine[$0] ?? [] != theirs[$0] ?? [] }
                .filter { named[$0]?.isDisjoint(with: [property, "all"]) ?? true }
                .map { "\($0).\(property)" }
        }
        func lists(_ pairs: Set<World.Pair>, reversed: Bool = false) -> [ObjectID: [ObjectID]] {
            Dictionary(grouping: pairs) { reversed ? $0.to : $0.from }.mapValues { pairs in
                pairs.map { reversed ? $0.from : $0.to }.sorted { $0.key < $1.key }
            }
        }
        let now = present.world
        return check("tags", lists(world.tagged), lists(now.tagged))
            + check("nodes", lists(world.tagged, reversed: true), lists(now.tagged, reversed: true))
            + check("follows", lists(world.follows), lists(now.follows))
            + check("boxes", world.boxLists, now.boxLists)
            + check("queue", world.queues, now.queues)
    }
}

/// Random work on a store by everybody who can write to it.
private struct HistoryWork {
    private let contexts: [ManagedObjectContext]
    private let path: String
    private var count = 0

    init(_ container: PersistentContainer, _ path: String) {
        contexts = (0..<3).map { _ in
            let context = container.newContext()
            context.mergePolicy = .objectTrump
            return context
        }
        self.path = path
    }

    /// What other programs do.
    private static let statements = [
        """
        UPDATE "Node" SET number = number + 1, box = NULL, _version = _version + 1
        WHERE _id % 3 = 0
        """,
        """
        UPDATE "Node" SET box = (SELECT max(_id) FROM "Box"), _version = _version + 1
        WHERE _id % 4 = 1
        """,
        """
        INSERT INTO "Node" (_id, label, box)
        SELECT coalesce(max(_id), 0) + 1000, 'new', (SELECT min(_id) FROM "Box") FROM "Node"
        """,
        "DELETE FROM \"Part\" WHERE _id % 2 = 0",
        """
        INSERT INTO "Node_tags" (_source, _destination)
        SELECT n._id, t._id FROM "Node" AS n CROSS JOIN "Topic" AS t
        WHERE (n._id + t._id) % 5 = 0 ON CONFLICT DO NOTHING
        """,
        "DELETE FROM \"Node_tags\" WHERE _source % 2 = 0",
        "UPDATE \"Node_queue\" SET _source_position = -_source_position WHERE _source % 2 = 1",
        """
        UPDATE "Box" SET topic = (SELECT min(_id) FROM "Topic"), topic_position = 7,
            _version = _version + 1 WHERE _id % 2 = 0
        """,
        "UPDATE \"Box\" SET topic_position = _id % 7 WHERE topic IS NOT NULL",
        """
        BEGIN;
        UPDATE "Topic" SET name = 'others', _version = _version + 1;
        INSERT INTO "Box" (_id, name) SELECT coalesce(max(_id), 0) + 1000, 'new' FROM "Box";
        UPDATE "Box" SET name = 'newer' WHERE name = 'new';
        COMMIT
        """,
    ]

    mutating func run(_ generator: inout SeededGenerator) throws {
        let context = contexts[Int.random(in: 0..<contexts.count, using: &generator)]
        context.mergePolicy = generator.chance(0.5) ? .objectTrump : .storeTrump
        switch Int.random(in: 0..<12, using: &generator) {
        case 0:
            let limit = Int64.random(in: 0..<20, using: &generator)
            _ = try context.execute(
                BatchUpdateRequest<Node>().filter(Node.number < limit).set(Node.label, to: "b"))
        case 1:
            let limit = Int64.random(in: 0..<6, using: &generator)
            _ = try context.execute(
                BatchDeleteRequest<Node>(FetchRequest().filter(Node.number == limit)))
        case 2, 3:
            let number = Int.random(in: 0..<Self.statements.count, using: &generator)
            try execute(Self.statements[number], in: path)
        default:
            if generator.chance(0.5) { context.mergePending() }
            for _ in 0..<Int.random(in: 1..<6, using: &generator) {
                try change(context, &generator)
            }
            do {
                try context.save()
            } catch {
                // Others have deleted what this one wants to lead to, or a rule says no.
                context.rollback()
                context.mergePending()
                context.refreshAllObjects()
            }
        }
    }

    private mutating func change(
        _ context: ManagedObjectContext, _ generator: inout SeededGenerator
    ) throws {
        func some<Object: ManagedObject>(_ type: Object.Type) throws -> Object? {
            try context.fetch(FetchRequest<Object>()).randomElement(using: &generator)
        }
        count += 1
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1:
            let node = Node(in: context, label: "\(count)", number: Int64(count % 20))
            node.box = try some(Box.self)
        case 2: _ = Box(in: context, name: "\(count)")
        case 3: _ = Topic(in: context, name: "\(count)")
        case 4: _ = Robot(in: context, name: "r", serial: "\(count)")
        case 5:
            let robots = try context.fetch(FetchRequest<Robot>())
            // Whoever takes another one's serial number moves it.
            if let one = robots.first, let other = robots.last, one !== other {
                (one.serial, other.serial) = (other.serial, one.serial)
            }
        case 6:
            if let node = try some(Node.self) {
                node.number += 1
                node.box = try some(Box.self)
            }
        case 7:
            if let node = try some(Node.self), let topic = try some(Topic.self) {
                if node.tags.contains(topic) {
                    node.tags.remove(topic)
                } else {
                    node.tags.insert(topic)
                }
                node.queue.append(topic)
            }
        case 8:
            if let node = try some(Node.self), let other = try some(Node.self) {
                node.next = other
                node.follows.insert(other)
            }
        case 9: try some(Box.self)?.topic = some(Topic.self)
        case 10:
            if let node = try some(Node.self) {
                _ = Part(in: context, name: "\(count)", node: node)
            }
        default:
            let doomed: ManagedObject? =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: try some(Node.self)
                case 1: try some(Box.self)
                case 2: try some(Topic.self)
                default: try some(Robot.self)
                }
            if let doomed { context.delete(doomed) }
        }
    }
}

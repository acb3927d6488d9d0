import Cambium
import CambiumSQLite
import EverythingModel
import Foundation
import Testing

/// A batch operation leaves the rows that the same work on objects leaves.
struct RandomBatchTests {
    /// What one run does, in a batch and to objects.
    private struct Work {
        let batch: (ManagedObjectContext) throws -> Void
        let objects: (ManagedObjectContext) throws -> Void
    }

    @Test func `batch deletes and updates leave what the same work on objects leaves`() throws {
        try forEachSeed(for: 0.6) { seed in
            var generator = SeededGenerator(seed: seed)
            try withStoreFile { path in
                let container = try PersistentContainer(
                    model: Everything.model, at: .temporary(path))
                var sameGenerator = generator
                try fill(container.newContext(), &generator)
                let copy = path + ".copy"
                let store = try #require(container.coordinator.persistentStores.first)
                try makeCopy(copy, of: store) { try fill($0, &sameGenerator) }
                let other = try PersistentContainer(model: Everything.model, at: .temporary(copy))
                for _ in 0..<4 {
                    let (name, work) = try work(container.newContext(), &generator)
                    let reader = container.newContext()
                    // Some of what is changed is in memory: merging must bring it up to date.
                    let known = try World(of: reader)
                    let batch = Result { try work.batch(reader) }
                    let objects = Result { try work.objects(other.newContext()) }
                    let (first, second) = (isRefused(batch), isRefused(objects))
                    #expect(first == second, "\(name), seed \(seed): \(batch) \(objects)")
                    let expected = try World(of: other.newContext())
                    let found = try World(of: container.newContext())
                    let told = try World(of: reader)
                    #expect(found.differences(from: expected) == [], "\(name), seed \(seed)")
                    #expect(told.differences(from: expected) == [], "\(name), seed \(seed), told")
                    #expect(expected.inverseFaults(in: reader) == [], "\(name), seed \(seed)")
                    try #expect(dump(path) == dump(copy), "\(name), seed \(seed)")
                    if first { #expect(known.differences(from: found) == []) }
                    if found.differences(from: expected) != [] { return }
                }
            }
        }
    }

    /// Makes another store with the same identity, and the same in it.
    private func makeCopy(
        _ path: String, of store: PersistentStore,
        _ fill: (ManagedObjectContext) throws -> Void
    ) throws {
        let copy = try PersistentContainer(model: Everything.model, at: .temporary(path))
        try fill(copy.newContext())
        try execute(
            """
            UPDATE "_metadata" SET "value" = '\(store.identifier.uuidString)' WHERE "name" = 'uuid'
            """, in: path)
    }

    private func isRefused(_ result: Result<Void, any Error>) -> Bool {
        if case .failure = result { true } else { false }
    }

    // MARK: Rows

    private func fill(
        _ context: ManagedObjectContext, _ generator: inout SeededGenerator
    ) throws {
        func some<Object>(_ objects: [Object]) -> Object? {
            generator.chance(0.6) ? objects.randomElement(using: &generator) : nil
        }
        let boxes = (0..<4).map { Box(in: context, name: "\($0)") }
        let topics = (0..<4).map { Topic(in: context, name: "\($0)") }
        let nodes = (0..<12).map { Node(in: context, label: "\($0)", number: Int64($0)) }
        for node in nodes {
            node.box = some(boxes)
            node.next = some(nodes)
            for topic in topics where generator.chance(0.3) { node.tags.insert(topic) }
            for topic in topics where generator.chance(0.3) { node.queue.append(topic) }
            for other in nodes where generator.chance(0.1) { node.follows.insert(other) }
            if generator.chance(0.5) { _ = Part(in: context, name: node.label, node: node) }
        }
        for box in boxes { box.topic = some(topics) }
        let links = (0..<8).map { Link(in: context, name: "\($0)") }
        for link in links {
            link.successor = some(links)
            link.parent = some(links)
        }
        let people = (0..<5).map { EverythingModel.Person(in: context, name: "P\($0)") }
        let robots = (0..<3).map { Robot(in: context, name: "R\($0)", serial: "\($0)") }
        let beings: [Being] = people + robots
        for number in 0..<4 {
            let home = Home(in: context, street: "\(number)")
            home.owner = generator.chance(0.3) ? beings.randomElement(using: &generator) : nil
            for being in beings where generator.chance(0.3) { being.home = home }
        }
        for person in people where generator.chance(0.5) {
            _ = Passport(in: context, number: person.name, holder: person)
        }
        try context.save()
    }

    /// All rows of all tables, without their versions.
    private func dump(_ path: String) throws -> [String: [String]] {
        let isFile = StoreKind.isSQLite
        let tables = try rows(
            isFile
                ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 1) <> '_'"
                : """
                SELECT table_name FROM information_schema.tables \
                WHERE table_schema = current_schema() AND left(table_name, 1) <> '_'
                """, in: path)
        try #require(!tables.isEmpty)
        var dump: [String: [String]] = [:]
        for case .text(let table)? in tables.map(\.first) {
            let names = try rows(
                isFile
                    ? "SELECT name FROM pragma_table_info('\(table)')"
                    : """
                    SELECT column_name FROM information_schema.columns \
                    WHERE table_schema = current_schema() AND table_name = '\(table)'
                    """, in: path)
            let columns = names.compactMap { row -> String? in
                guard case .text(let name)? = row.first, name != "_version" else { return nil }
                return "\"\(name)\""
            }
            dump[table] = try rows(
                "SELECT \(columns.joined(separator: ", ")) FROM \"\(table)\"", in: path
            ).map { "\($0)" }.sorted()
        }
        return dump
    }

    // MARK: Work

    private func work(
        _ context: ManagedObjectContext, _ generator: inout SeededGenerator
    ) throws -> (String, Work) {
        func ids<Object: ManagedObject>(_ type: Object.Type) throws -> [ObjectID] {
            try context.fetch(FetchRequest<Object>()).map(\.objectID)
                .filter { _ in generator.chance(0.25) }
        }
        func deletion<Object: ManagedObject>(_ type: Object.Type) throws -> (String, Work) {
            let ids = try ids(type)
            let work = Work {
                try $0.execute(BatchDeleteRequest<Object>(objectIDs: ids))
            } objects: { context in
                for object in try ids.map({ try context.existingObject(with: $0) }) {
                    context.delete(object)
                }
                try context.save()
            }
            return ("delete \(ids)", work)
        }
        let limit = Int64.random(in: 0..<20, using: &generator)
        switch Int.random(in: 0..<11, using: &generator) {
        case 0: return try deletion(Node.self)
        case 1: return try deletion(Box.self)
        case 2: return try deletion(Topic.self)
        case 3: return try deletion(Link.self)
        case 4: return try deletion(EverythingModel.Person.self)
        case 5: return try deletion(Being.self)
        case 6: return try deletion(Home.self)
        case 7:
            return (
                "delete nodes from \(limit)",
                Work {
                    try $0.execute(BatchDeleteRequest<Node>().filter(Node.number >= limit))
                } objects: { context in
                    let request = Node.fetchRequest().filter(Node.number >= limit)
                    for node in try context.fetch(request) { context.delete(node) }
                    try context.save()
                }
            )
        case 8:
            let box = try ids(Box.self).first
            return (
                "nodes from \(limit) into \(box as Any)",
                Work {
                    try $0.execute(
                        BatchUpdateRequest<Node>().filter(Node.number >= limit)
                            .set(Node.box, to: box).set(Node.label, toResultOf: "label + '!'"))
                } objects: { context in
                    let box = try box.map { try context.existingObject(with: $0, as: Box.self) }
                    let request = Node.fetchRequest().filter(Node.number >= limit)
                    for node in try context.fetch(request) {
                        node.box = box
                        node.label += "!"
                    }
                    try context.save()
                }
            )
        case 9:
            return (
                "numbers from \(limit)",
                Work {
                    try $0.execute(
                        BatchUpdateRequest<Node>().filter(Node.number >= limit)
                            .set(Node.number, toResultOf: "number + tags.@count * 2"))
                } objects: { context in
                    let request = Node.fetchRequest().filter(Node.number >= limit)
                    for node in try context.fetch(request) {
                        node.number += Int64(node.tags.count * 2)
                    }
                    try context.save()
                }
            )
        default:
            let age = Int16.random(in: 100..<200, using: &generator)
            return (
                "ages of \(age)",
                Work {
                    try $0.execute(
                        BatchUpdateRequest<EverythingModel.Person>().set(Person.age, to: age))
                } objects: { context in
                    for person in try context.fetch(Person.fetchRequest()) { person.age = age }
                    try context.save()
                }
            )
        }
    }
}

private typealias Person = EverythingModel.Person

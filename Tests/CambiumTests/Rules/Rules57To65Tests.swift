import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

/// What a fetch finds. (Rule 62 has the differential tests of conditions too.)
struct Rules57To65Tests {
    /// Nodes with the numbers 0 to 5, saved.
    private func withNumbers(
        on kind: StoreKind, _ body: (ManagedObjectContext, [Node]) throws -> Void
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            let nodes = (0..<6).map { Node(in: context, number: Int64($0)) }
            try context.save()
            try body(context, nodes)
        }
    }

    private let small = Node.fetchRequest().filter(Node.number < 4).sorted(by: Node.number)

    @Test(arguments: StoreKind.allCases)
    func `rule 57: unsaved inserts, updates and deletes count, and the order is right`(
        _ kind: StoreKind
    ) throws {
        try withNumbers(on: kind) { context, nodes in
            let new = Node(in: context, number: 2)
            nodes[1].number = 9
            nodes[5].number = -1
            context.delete(nodes[3])
            try #expect(context.fetch(small) == [nodes[5], nodes[0], nodes[2], new])
            try #expect(
                context.fetch(small.ids) == [nodes[5], nodes[0], nodes[2], new].map(\.objectID))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 58: without unsaved changes membership is the store's, the values are not`(
        _ kind: StoreKind
    ) throws {
        try withNumbers(on: kind) { context, nodes in
            _ = Node(in: context, number: 2)
            nodes[1].number = 9
            nodes[5].number = -1
            var request = small
            request.includesPendingChanges = false
            try #expect(context.fetch(request) == Array(nodes[..<4]))
            try #expect(context.fetch(request).map(\.number) == [0, 9, 2, 3])
            try #expect(context.count(for: request) == 4)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 59: limit and offset cut the window out of what is there after the changes`(
        _ kind: StoreKind
    ) throws {
        try withNumbers(on: kind) { context, nodes in
            // An insert before the window moves it.
            let first = Node(in: context, number: -5)
            try #expect(context.fetch(small.limit(2)) == [first, nodes[0]])
            try #expect(context.fetch(small.offset(1).limit(2)) == [nodes[0], nodes[1]])
            // A delete within it lets the next one in.
            context.delete(nodes[0])
            try #expect(context.fetch(small.offset(1).limit(2)) == [nodes[1], nodes[2]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 60: the count is that of what a fetch finds`(_ kind: StoreKind) throws {
        try withNumbers(on: kind) { context, nodes in
            let requests = [small, small.limit(2), small.offset(3), small.offset(2).limit(5)]
            func check() throws {
                for request in requests {
                    var saved = request
                    saved.includesPendingChanges = false
                    for request in [request, saved] {
                        try #expect(
                            context.count(for: request) == context.fetch(request).count,
                            "\(request)")
                    }
                }
            }
            try check()
            _ = Node(in: context, number: 1)
            context.delete(nodes[0])
            nodes[2].number = 77
            try check()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 61: dictionaries have the attributes, and unsaved changes count`(
        _ kind: StoreKind
    ) throws {
        try withNumbers(on: kind) { context, nodes in
            nodes[0].box = Box(in: context)
            nodes[0].number = 40
            _ = Node(in: context, label: "new", number: 41)
            let large = Node.fetchRequest().filter(Node.number >= 40).sorted(by: Node.number)
            let expected: [[String: PropertyValue]] = [
                ["label": .value(.string("")), "number": .value(.int(40))],
                ["label": .value(.string("new")), "number": .value(.int(41))],
            ]
            // Core Data would leave out both, which it knows from the store only.
            try #expect(context.fetch(large.dictionaries()) == expected)
            try #expect(
                context.fetch(large.limit(1).dictionaries("box"))
                    == [["box": .toOne(nodes[0].box?.objectID)]])
            try context.save()
            try #expect(context.fetch(large.dictionaries()) == expected)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 62: a comparison with nil means the same in memory and in the store`(
        _ kind: StoreKind
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            for value in [nil, 1, 2] as [Int64?] { Sample(in: context).maybeLong = value }
            func found(_ condition: Condition<Sample>) throws -> [Int64?] {
                try context.fetch(
                    Sample.fetchRequest().filter(condition).sorted(by: Sample.maybeLong)
                ).map(\.maybeLong)
            }
            func check() throws {
                try #expect(found(Sample.maybeLong != 1) == [nil, 2])
                try #expect(found(!(Sample.maybeLong == 1)) == [nil, 2])
                try #expect(found(Sample.maybeLong < 2) == [1])
                try #expect(found(!(Sample.maybeLong < 2)) == [nil, 2])
            }
            try check()
            try context.save()
            try check()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 63: a request for an abstract entity finds sub-entities, unless they are excluded`(
        _ kind: StoreKind
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            let person = Person(in: context, name: "p")
            let robot = Robot(in: context, name: "r", serial: "1")
            func check() throws {
                let request = Being.fetchRequest().sorted(by: Being.name)
                try #expect(context.fetch(request) == [person, robot])
                try #expect(context.fetch(request.ids) == [person.objectID, robot.objectID])
                var narrow = request
                narrow.includesSubentities = false
                try #expect(context.fetch(narrow).isEmpty)
                try #expect(context.fetch(narrow.ids).isEmpty)
                try #expect(context.count(for: narrow) == 0)
                try #expect(context.fetch(narrow.select(Being.objectID.count)) == [0])
            }
            try check()
            try context.save()
            try check()
        }
    }

    @Test func `rule 64: groups over a to-many relationship, and a condition without groups, fail`()
        throws
    {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let numbers = Node.fetchRequest().select(Node.number.sum)
            #expect(throws: ExpressionDiagnostics.self) {
                try context.fetch(numbers.having(Node.number.sum > 1))
            }
            let path = ComputedKey<Node, String>(
                .keyPath(root: .subject, names: ["parts", "name"]))
            let error = #expect(throws: ExpressionDiagnostics.self) {
                try context.fetch(numbers.grouped(by: path))
            }
            #expect(error?.description.contains("parts") == true)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 65: a condition over a to-many relationship finds each owner once`(
        _ kind: StoreKind
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            let node = Node(in: context)
            for _ in 0..<3 { _ = Part(in: context, name: "same", node: node) }
            _ = Node(in: context)
            let request = Node.fetchRequest().filter(Node.parts.any(Part.name == "same"))
            try #expect(context.fetch(request) == [node])
            try context.save()
            try #expect(context.fetch(request) == [node])
            try #expect(
                context.fetch(Node.fetchRequest().filter(format: "ANY parts.name == 'same'"))
                    == [node])
            try #expect(context.count(for: request) == 1)
        }
    }
}

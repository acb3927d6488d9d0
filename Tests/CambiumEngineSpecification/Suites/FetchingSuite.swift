import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

extension EngineSuite {
    /// A request finds what its condition says, whatever is saved, within its window.
    package static let fetching = EngineSuite("fetching") {
        EngineCase("rule 57: unsaved inserts, updates and deletes count, and the order is right") {
            engine in
            try withNumbers(engine) { context, nodes in
                let new = Node(in: context, number: 2)
                nodes[1].number = 9
                nodes[5].number = -1
                context.delete(nodes[3])
                try #expect(context.fetch(small) == [nodes[5], nodes[0], nodes[2], new])
                try #expect(
                    context.fetch(small.ids) == [nodes[5], nodes[0], nodes[2], new].map(\.objectID))
            }
        }

        EngineCase("rule 58: without unsaved changes membership is the store's, the values are not")
        {
            engine in
            try withNumbers(engine) { context, nodes in
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

        EngineCase(
            "rule 59: limit and offset cut the window out of what is there after the changes"
        ) {
            engine in
            try withNumbers(engine) { context, nodes in
                // An insert before the window moves it.
                let first = Node(in: context, number: -5)
                try #expect(context.fetch(small.limit(2)) == [first, nodes[0]])
                try #expect(context.fetch(small.offset(1).limit(2)) == [nodes[0], nodes[1]])
                // A delete within it lets the next one in.
                context.delete(nodes[0])
                try #expect(context.fetch(small.offset(1).limit(2)) == [nodes[1], nodes[2]])
            }
        }

        EngineCase("rule 60: the count is that of what a fetch finds") { engine in
            try withNumbers(engine) { context, nodes in
                let requests = [small, small.limit(2), small.offset(3), small.offset(2).limit(5)]
                for isChanged in [false, true] {
                    if isChanged {
                        _ = Node(in: context, number: 1)
                        context.delete(nodes[0])
                        nodes[2].number = 77
                    }
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
            }
        }

        EngineCase("a child that fetches faults leaves the objects of its parent whole") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                for number in 1..<6 { _ = Node(in: context, label: "a", number: Int64(number)) }
                try context.save()
                let parent = container.newContext()
                let child = parent.newChildContext()
                let found = try child.fetch(Node.fetchRequest().returnsObjectsAsFaults(true))
                #expect(found.map(\.number) == [1, 2, 3, 4, 5])
                try #expect(parent.fetch(Node.fetchRequest()).map(\.number) == [1, 2, 3, 4, 5])
            }
        }

        EngineCase("rule 61: dictionaries have the attributes, and unsaved changes count") {
            engine in
            try withNumbers(engine) { context, nodes in
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

        EngineCase("rule 62: a comparison with nil means the same in memory and in the store") {
            engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                for value in [nil, 1, 2] as [Int64?] { Sample(in: context).maybeLong = value }
                func found(_ condition: Condition<Sample>) throws -> [Int64?] {
                    try context.fetch(
                        Sample.fetchRequest().filter(condition).sorted(by: Sample.maybeLong)
                    ).map(\.maybeLong)
                }
                for isSaved in [false, true] {
                    if isSaved { try context.save() }
                    try #expect(found(Sample.maybeLong != 1) == [nil, 2])
                    try #expect(found(!(Sample.maybeLong == 1)) == [nil, 2])
                    try #expect(found(Sample.maybeLong < 2) == [1])
                    try #expect(found(!(Sample.maybeLong < 2)) == [nil, 2])
                }
            }
        }

        EngineCase(
            "rule 63: a request for an abstract entity finds sub-entities, unless they are excluded"
        ) { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let person = Person(in: context, name: "p")
                let robot = Robot(in: context, name: "r", serial: "1")
                for isSaved in [false, true] {
                    if isSaved { try context.save() }
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
            }
        }

        EngineCase("rule 65: a condition over a to-many relationship finds each owner once") {
            engine in
            try engine.withContainer(Everything.model) { container in
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

        EngineCase("a condition selects objects") { engine in
            try engine.withShop { context in
                let request = Product.fetchRequest().sorted(by: Product.sku)
                func found(_ condition: Condition<Product>) throws -> [String] {
                    try skus(context, request.filter(condition))
                }
                try #expect(found(Product.price < 20) == ["BO-1", "TO-0", "XX-0"])
                try #expect(found(Product.kind == .toy && Product.price > 10) == ["TO-1"])
                try #expect(found(Product.category == nil) == ["XX-0"])
                try #expect(found(Product.category.name == "Toys") == ["TO-0", "TO-1"])
                try #expect(found(Product.category.isBrand != true).count == 4)
                try #expect(found(Product.salePrice == nil).count == 5)
                try #expect(found(!(Product.salePrice < 10)).count == 5)
                try #expect(found(Product.title.hasPrefix("b")) == ["TO-0"])
                try #expect(found(Product.title.hasPrefix("b", .caseInsensitive)).count == 4)
                try #expect(found(Product.title.contains("oo")).count == 3)
                try #expect(found(Product.price.between(10...20)).count == 3)
                try #expect(found(Product.stock.in([0, 10])).count == 4)
                try #expect(found(Product.salePrice < Product.price) == ["TO-0"])
            }
        }

        EngineCase("a condition looks through to-many relationships") { engine in
            try engine.withShop { context in
                func names(_ condition: Condition<ShopModel.Category>) throws -> [String] {
                    try context.fetch(
                        ShopModel.Category.fetchRequest().filter(condition)
                            .sorted(by: ShopModel.Category.name)
                    ).map(\.name)
                }
                try #expect(names(Category.products.count > 2) == ["Books"])
                try #expect(names(Category.products.any(Product.price > 30)) == ["Toys"])
                try #expect(names(Category.products.all(Product.kind == .book)) == ["Books"])
                try #expect(names(Category.products.none(Product.stock == 10)) == ["Books"])
            }
        }

        for (offset, limit) in [(0, 2), (2, 2), (4, 10), (6, 1), (10, 1), (0, 0)] {
            EngineCase("limit and offset cut a window out of the order (\(offset), \(limit))") {
                engine in
                try engine.withShop { context in
                    let request = Product.fetchRequest().sorted(by: Product.sku)
                    let all = try skus(context, request)
                    let window = try skus(context, request.offset(offset).limit(limit))
                    #expect(window == Array(all.dropFirst(offset).prefix(limit)))
                }
            }
        }

        EngineCase("an argument is a value and never text of the condition") { engine in
            try engine.withShop { context in
                let request = Product.fetchRequest()
                    .filter(
                        format: "title == %@", "x' OR TRUEPREDICATE OR title == 'x")
                try #expect(skus(context, request).isEmpty)
            }
        }

        EngineCase("an entity's objects are those of its sub-entities too") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                _ = Person(in: context, name: "Ada")
                _ = Robot(in: context, name: "Marvin", serial: "1")
                try context.save()
                let reader = container.newContext()
                var request = Being.fetchRequest().sorted(by: Being.name)
                #expect(try reader.fetch(request).map { $0 is Person } == [true, false])
                #expect(try reader.fetch(Robot.fetchRequest()).map(\.name) == ["Marvin"])
                request.includesSubentities = false
                #expect(try reader.fetch(request).isEmpty)
                #expect(try reader.count(for: request) == 0)
            }
        }
    }
}

private var small: FetchRequest<Node> {
    Node.fetchRequest().filter(Node.number < 4).sorted(by: Node.number)
}

/// Runs a body with nodes of the numbers 0 to 5, saved.
private func withNumbers(
    _ engine: EngineEntry, _ body: (ManagedObjectContext, [Node]) throws -> Void
) throws {
    try engine.withContainer(Everything.model) { container in
        let context = container.newContext()
        let nodes = (0..<6).map { Node(in: context, number: Int64($0)) }
        try context.save()
        try body(context, nodes)
    }
}

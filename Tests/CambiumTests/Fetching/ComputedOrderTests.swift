import Cambium
import EverythingModel
import Testing

/// Orders by what is computed: the same in every store and in memory.
struct ComputedOrderTests {
    /// Runs a body with boxes of 2, 0 and 1 nodes: unsaved first, then saved.
    private func withBoxes(
        on kind: StoreKind = .current, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            for (name, count) in [("two", 2), ("none", 0), ("one", 1)] {
                let box = Box(in: context, name: name)
                for number in 0..<count {
                    _ = Node(in: context, label: name, number: Int64(number), box: box)
                }
            }
            try body(context)
            try context.save()
            try body(container.newContext())
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `objects sort by how many objects they lead to`(_ kind: StoreKind) throws {
        try withBoxes(on: kind) { context in
            func names(_ order: SortOrder<Box>) throws -> [String] {
                let request = Box.fetchRequest().sorted(by: order)
                let names = try context.fetch(request).map(\.name)
                // Rows of values, keys and windows are in the same order.
                #expect(try context.fetch(request.select(Box.name.required)) == names)
                #expect(try context.fetch(request.ids).count == 3)
                #expect(try context.fetch(request.limit(1).offset(1)).map(\.name) == [names[1]])
                return names
            }
            try #expect(names(Box.nodes.count.descending) == ["two", "one", "none"])
            try #expect(names(Box.nodes.count.ascending) == ["none", "one", "two"])
            // A sum of no numbers is 0: then the order of the keys.
            try #expect(names(Box.nodes.number.sum.descending) == ["two", "none", "one"])
            try #expect(names(Box.nodes.number.max.ascending.nilLast) == ["one", "two", "none"])
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `levels are computed, keys and orders, with constants`(_ kind: StoreKind) throws {
        try withBoxes(on: kind) { context in
            let request = Node.fetchRequest().filter(Node.number < 5)
                .sorted(by: Node.label.length, Node.number * -1, Node.label.descending).limit(9)
            try #expect(context.fetch(request).map(\.number) == [1, 0, 0])
            try #expect(context.fetch(request).map(\.label) == ["two", "two", "one"])
        }
    }

    @Test func `computed texts sort as an order of texts says`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            for label in ["b", "A", "a"] { _ = Node(in: context, label: label) }
            let request = Node.fetchRequest()
                .sorted(by: (Node.label + "!").descending(.caseInsensitive), Node.label)
            #expect(try context.fetch(request).map(\.label) == ["b", "A", "a"])
            try context.save()
            #expect(try container.newContext().fetch(request).map(\.label) == ["b", "A", "a"])
        }
    }

    @Test func `an order that names an object of another container is refused`() throws {
        let other = try PersistentContainer(model: Everything.model, at: .temporary)
        let foreign = Topic(in: other.newContext())
        try withBoxes { context in
            let order = Box.nodes.filter(Node.tags.contains(foreign)).count.ascending
            let error = #expect(throws: StoreError.self) {
                try context.fetch(Box.fetchRequest().sorted(by: order))
            }
            #expect(error?.code == .objectOfAnotherContext)
            let rows = #expect(throws: StoreError.self) {
                try context.fetch(Box.fetchRequest().select(Box.name).sorted(by: order))
            }
            #expect(rows?.code == .objectOfAnotherContext)
        }
    }

    @Test func `what does not fit the entity is an error, in memory as in the store`() throws {
        try withBoxes { context in
            let order = ComputedKey<Box, Int>(
                .arithmetic(
                    .keyPath(root: .subject, names: ["nothing"]), .add, .literal(.int(1))))
            #expect(throws: ExpressionDiagnostics.self) {
                try context.fetch(Box.fetchRequest().sorted(by: order))
            }
        }
    }

    @Test func `a limited batch goes by a computed order`() throws {
        try withBoxes { context in
            guard !context.hasChanges else { return }
            let largest = Box.fetchRequest().sorted(by: Box.nodes.count.descending).limit(1)
            _ = try context.execute(BatchDeleteRequest(largest))
            let left = try context.fetch(Box.fetchRequest().sorted(by: Box.name)).map(\.name)
            #expect(left == ["none", "one"])
        }
    }

    @Test func `a controller follows a computed order`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let (small, large) = (Box(in: context, name: "small"), Box(in: context, name: "large"))
            large.nodes.insert(Node(in: context))
            try context.save()
            let controller = FetchedResultsController(
                Box.fetchRequest().sorted(by: Box.nodes.count.descending), in: context)
            try controller.performFetch()
            let delegate = MirrorDelegate(controller)
            controller.delegate = delegate
            #expect(controller.fetchedObjects == [large, small])
            for _ in 0..<2 { small.nodes.insert(Node(in: context)) }
            context.processPendingChanges()
            #expect(controller.fetchedObjects == [small, large])
            #expect(delegate.mirror == ListMirror(controller.sections))
            #expect(delegate.faults.isEmpty)
        }
    }

    @Test func `results sort by aggregates alone, least first`() throws {
        try withBoxes { context in
            let request = Node.fetchRequest().select(Node.label.required, Node.number.count)
                .grouped(by: Node.label).sorted(by: Node.number.count)
            let labels = try context.fetch(request).map { $0.0 }
            #expect(labels == ["one", "two"])
            #expect(
                "\(Box.fetchRequest().sorted(by: Box.nodes.count, Box.name.descending))"
                    == "Box sorted by nodes.@count, name descending")
        }
    }
}

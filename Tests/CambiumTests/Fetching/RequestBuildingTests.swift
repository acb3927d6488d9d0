import Cambium
import EverythingModel
import Testing

struct RequestBuildingTests {
    private func withNodes(_ body: (PersistentContainer) throws -> Void) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let box = Box(in: context, name: "box")
            for number in 0..<3 {
                let node = Node(
                    in: context, label: number == 0 ? "a" : "b", number: Int64(number), box: box)
                node.tags.insert(Topic(in: context, name: "t"))
            }
            try context.save()
            try body(container)
        }
    }

    @Test func `keys alone are ascending orders, and mix with others`() throws {
        try withNodes { container in
            let context = container.newContext()
            func numbers(_ request: FetchRequest<Node>) throws -> [Int64] {
                try context.fetch(request).map(\.number)
            }
            let all = Node.fetchRequest()
            try #expect(numbers(all.sorted(by: Node.label, Node.number)) == [0, 1, 2])
            try #expect(numbers(all.sorted(by: Node.label, Node.number.descending)) == [0, 2, 1])
            try #expect(numbers(all.sorted(by: Node.label.descending, Node.number)) == [1, 2, 0])
            let rows = all.select(Node.number.required).sorted(
                by: Node.label.descending, Node.number)
            try #expect(context.fetch(rows) == [1, 2, 0])
        }
    }

    @Test func `every property has a function that says it`() throws {
        try withNodes { container in
            let store = container.coordinator.persistentStores[0]
            let request = Node.fetchRequest().batchSize(7).includesSubentities(false)
                .includesPendingChanges(false).includesPropertyValues(false)
                .returnsObjectsAsFaults(true).affectedStores([store]).limit(5).offset(1)
            #expect(request.batchSize == 7 && request.limit == 5 && request.offset == 1)
            #expect(!request.includesSubentities && !request.includesPendingChanges)
            #expect(!request.includesPropertyValues && request.returnsObjectsAsFaults)
            #expect(request.affectedStores == [store])
            let found = try container.newContext().fetch(request)
            #expect(!found.isEmpty && found.allSatisfy(\.isFault))
        }
    }

    @Test func `a fetch limit of 0 is none, and a limit of 0 finds nothing`() throws {
        try withNodes { container in
            let context = container.newContext()
            var request = Node.fetchRequest()
            #expect(request.fetchLimit == 0)
            request.fetchLimit = 2
            #expect(request.limit == 2)
            try #expect(context.fetch(request).count == 2)
            request.fetchLimit = 0
            #expect(request.limit == nil)
            try #expect(context.fetch(request).count == 3)
            try #expect(context.fetch(request.limit(0)).isEmpty)
            request.fetchLimit = -1
            #expect(throws: StoreError.self) { try context.fetch(request) }
            var history = HistoryRequest(after: nil)
            history.fetchLimit = 2
            #expect(history.limit == 2)
            history.fetchLimit = 0
            #expect(history.limit == nil)
        }
    }

    @Test func `objects without a generated class are filtered and sorted by names`() throws {
        try withNodes { container in
            let context = container.newContext()
            func numbers(_ orders: SortOrder<ManagedObject>...) throws -> [Value] {
                var request = FetchRequest<ManagedObject>(entityName: "Node")
                    .filter(format: "number < %@", 9)
                request.sortOrders = orders
                return try context.fetch(request).map { try $0.value(forKey: "number") }
            }
            try #expect(numbers(SortOrder("number")) == [.int(0), .int(1), .int(2)])
            try #expect(
                numbers(SortOrder("label", isDescending: true), SortOrder("number"))
                    == [.int(1), .int(2), .int(0)])
            // With unsaved changes the memory sorts.
            let node = Node(in: context, label: "c", number: 7)
            try #expect(numbers(SortOrder("label", isDescending: true)).first == .int(7))
            context.delete(node)
            let first = try context.fetchFirst(
                FetchRequest<ManagedObject>(entityName: "Node")
                    .sorted(by: SortOrder("box.name").nilLast, SortOrder("number")))
            try #expect(first?.value(forKey: "number") == .int(0))
        }
    }

    @Test func `a misspelt entity is an error that knows the nearest name`() throws {
        try withNodes { container in
            let error = #expect(throws: StoreError.self) {
                try container.newContext().fetch(FetchRequest<ManagedObject>(entityName: "Nod"))
            }
            #expect(error?.message.hasSuffix("has no entity Nod. Did you mean Node?") == true)
        }
    }

    @Test(arguments: [
        ("numbr", "number"), ("box.nam", "name"), ("box", "Name a stored attribute"),
        ("parts", "parts"), ("", "''"), ("number.x", "number.x"),
    ])
    func `a name that nothing can be sorted by is an error when the request is executed`(
        path: String, hint: String
    ) throws {
        try withNodes { container in
            let context = container.newContext()
            let request = Node.fetchRequest().sorted(by: SortOrder(path))
            let calls: [() throws -> Void] = [
                { _ = try context.fetch(request) }, { _ = try context.count(for: request) },
                { _ = try context.fetch(request.select(Node.number)) },
                { _ = try context.fetch(request.ids) },
                { _ = try FetchedResultsController(request, in: context).performFetch() },
            ]
            for call in calls {
                let error = try #require(#expect(throws: StoreError.self) { try call() })
                #expect(error.code == .unknownName && error.message.contains(hint), "\(error)")
            }
        }
    }

    @Test func `several relationships are prefetched at once`() throws {
        try withNodes { container in
            let context = container.newContext()
            let request = Node.fetchRequest().prefetching(Node.box, Node.tags, Node.box.topic)
            // The nodes, their boxes, the pairs and topics of the tags.
            try context.withReads(atMost: 4) {
                for node in try context.fetch(request) {
                    #expect(node.box?.name == "box")
                    #expect(node.tags.map(\.name) == ["t"])
                }
            }
        }
    }

    @Test func `the first object or row is fetched, or none`() throws {
        try withNodes { container in
            let context = container.newContext()
            let last = Node.fetchRequest().sorted(by: Node.number.descending)
            let found = try context.withReads(atMost: 1) { try context.fetchFirst(last) }
            #expect(found?.number == 2)
            #expect(context.registeredObjects.count == 1)
            #expect(try context.fetchFirst(last.offset(2))?.number == 0)
            #expect(try context.fetchFirst(last.filter(Node.number > 5)) == nil)
            #expect(try context.fetchFirst(last.limit(0)) == nil)
            let greatest = try context.fetchFirst(last.select(Node.number.required))
            #expect(greatest == 2)
            // Unsaved changes count.
            _ = Node(in: context, number: 9)
            #expect(try context.fetchFirst(last)?.number == 9)
        }
    }
}

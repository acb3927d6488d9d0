@_spi(Generated) import Cambium
import EverythingModel
import Testing

struct BatchedObjectsTests {
    private func withNodes(
        _ body: (ManagedObjectContext, FetchRequest<Node>) throws -> Void
    ) throws {
        try withContainer(Everything.model, on: .lasting) { container in
            let writer = container.newContext()
            for number in 0..<100 { _ = Node(in: writer, number: Int64(number)) }
            try writer.save()
            var request = Node.fetchRequest().sorted(by: Node.number.descending)
            request.batchSize = 10
            try body(container.newContext(), request)
        }
    }

    @Test func `counting and naming read no objects, looking reads a batch`() throws {
        try withNodes { context, request in
            let nodes = try context.fetchInBatches(request)
            #expect(nodes.count == 100)
            #expect(context.registeredObjects.isEmpty)
            let (_, report) = context.reads {
                #expect(nodes[37].number == 62)
                #expect(nodes[30...39].map(\.number) == Array(60...69).reversed())
                #expect(nodes.objectID(at: 99).entityName == "Node")
            }
            #expect(report.count == 1, "\(report)")
        }
    }

    @Test func `all objects can be gone through, in order`() throws {
        try withNodes { context, request in
            let nodes = try context.fetchInBatches(request)
            let (numbers, report) = context.reads { nodes.map(\.number) }
            #expect(numbers == (0..<100).reversed())
            #expect(report.count == 10, "\(report)")
        }
    }

    @Test func `unsaved changes count`() throws {
        try withNodes { context, request in
            let new = Node(in: context, number: 1000)
            let nodes = try context.fetchInBatches(request)
            #expect(nodes.count == 101)
            #expect(nodes[0] === new)
        }
    }

    @Test func `what others delete afterwards reads as gone`() throws {
        try withNodes { context, request in
            let nodes = try context.fetchInBatches(request)
            let other = context.coordinator.newContext()
            try other.delete(other.existingObject(with: nodes.objectID(at: 0)))
            try other.save()
            #expect(nodes[0].number == 0)
            #expect(nodes[0].isDeleted)
        }
    }

    @Test func `objects of several entities are each of their own`() throws {
        try withContainer(Everything.model, on: .lasting) { container in
            let writer = container.newContext()
            for number in 0..<3 { _ = Person(in: writer, name: "\(number)") }
            for number in 3..<5 { _ = Robot(in: writer, name: "\(number)", serial: "\(number)") }
            _ = Person(in: writer, name: "5")
            try writer.save()
            let context = container.newContext()
            var request = Being.fetchRequest().sorted(by: Being.name)
            request.batchSize = 2
            let beings = try context.fetchInBatches(request)
            let places = beings.indices
            #expect(
                places.map { beings.objectID(at: $0).entityName }
                    == ["Person", "Person", "Person", "Robot", "Robot", "Person"])
            #expect(beings.map(\.name) == ["0", "1", "2", "3", "4", "5"])
            #expect(beings.map { $0 is Robot } == [false, false, false, true, true, false])
        }
    }

    @Test func `an object that was merged into one of another class is shown as deleted`() throws {
        try withContainer(NamedModel.model) { container in
            let context = container.newContext()
            context.mergePolicy = .objectTrump
            let alpha = Alpha(insertingInto: context)
            alpha.label = "same"
            let list = try context.fetchInBatches(FetchRequest<Alpha>())
            let other = container.newContext()
            Beta(insertingInto: other).label = "same"
            try other.save()
            try context.save()
            let shown = list[0]
            #expect(shown === list[0])
            #expect(shown.isDeleted && shown.label == "" && shown.last == 0)
            shown.last = 7
            #expect(shown.last == 0)
            try context.save()
            #expect(try context.fetch(FetchRequest<Named>()).map(\.label) == ["same"])
        }
    }

    @Test func `an object cannot be made with the registration of one of another class`() async {
        await #expect(processExitsWith: .failure) {
            let container = try PersistentContainer(model: NamedModel.model, at: .temporary)
            let context = container.newContext()
            Beta.$isMakingAlpha.withValue(true) { _ = Beta(insertingInto: context) }
        }
    }

    @Test func `a condition on objects of any class looks at each as what it is`() throws {
        try withContainer(NamedModel.model) { container in
            let context = container.newContext()
            let (alpha, beta) = (Alpha(insertingInto: context), Beta(insertingInto: context))
            alpha.label = "a"
            alpha.last = 1
            beta.label = "b"
            let last = Condition<ManagedObject>(
                .comparison(
                    .keyPath(root: .subject, names: ["number7"]), .equal, .literal(.int(1)), []))
            let alphas: [ManagedObject] = [alpha]
            let found = try alphas.filter(last)
            #expect(found == alphas)
            #expect(throws: ExpressionDiagnostics.self) { try (alphas + [beta]).filter(last) }
        }
    }
}

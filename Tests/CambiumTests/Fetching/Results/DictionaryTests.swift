import Cambium
import EverythingModel
import ExtendedModel
import Testing

struct DictionaryTests {
    @Test(arguments: StoreKind.allCases)
    func `named properties come by their names, nil ones not at all`(_ kind: StoreKind) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            let box = Box(in: context, name: "b")
            Node(in: context, label: "in").box = box
            _ = Node(in: context, label: "out")
            try context.save()
            let request = Node.fetchRequest().sorted(by: Node.label)
                .dictionaries("label", "box", "box.name")
            let expected: [[String: PropertyValue]] = [
                [
                    "label": .value(.string("in")), "box": .toOne(box.objectID),
                    "box.name": .value(.string("b")),
                ],
                ["label": .value(.string("out"))],
            ]
            try #expect(container.newContext().fetch(request) == expected)
            // The same in memory.
            _ = Node(in: context, label: "zzz")
            try #expect(context.fetch(request).dropLast() == expected[...])
        }
    }

    @Test func `names may come in a list, as generic code has them`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            Node(in: context, label: "a").box = Box(in: context, name: "b")
            try context.save()
            let names = ["label", "box.name"]
            try #expect(
                context.fetch(Node.fetchRequest().dictionaries(names))
                    == [["label": .value(.string("a")), "box.name": .value(.string("b"))]])
            let all: [String] = []
            try #expect(
                context.fetch(Node.fetchRequest().dictionaries(all))
                    == [["label": .value(.string("a")), "number": .value(.int(0))]])
        }
    }

    @Test func `computed columns have names of one's own`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            for number in 1...4 { Node(in: context).number = Int64(number) }
            try context.save()
            let request = Node.fetchRequest().dictionaries([
                "total": Node.number.sum.resultExpression,
                "doubled": (Node.number * 2).max.resultExpression,
            ])
            try #expect(
                context.fetch(request) == [["total": .value(.int(10)), "doubled": .value(.int(8))]])
        }
    }

    @Test func `an unknown name is an error that names it`() throws {
        try withContainer(Everything.model) { container in
            let error = #expect(throws: ExpressionDiagnostics.self) {
                try container.newContext().fetch(Node.fetchRequest().dictionaries("labl"))
            }
            #expect(error?.description.contains("labl") == true)
        }
    }

    @Test func `the destination of a relationship is of its own entity`() throws {
        try withContainer(Everything.model, on: .file) { container in
            let context = container.newContext()
            let home = Home(in: context)
            home.owner = Robot(in: context, name: "r", serial: "1")
            try context.save()
            let rows = try container.newContext().fetch(Home.fetchRequest().select(Home.owner))
            #expect(rows.first??.entityName == "Robot")
            let beings = try container.newContext().fetch(
                Being.fetchRequest().select(Being.objectID))
            #expect(beings.map(\.entityName) == ["Robot"])
        }
    }

    @Test func `values of dictionaries are read in their types`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let box = Box(in: context, name: "b")
            _ = Node(in: context, label: "in", number: 3, box: box)
            try context.save()
            let row = try #require(
                try context.fetchFirst(
                    Node.fetchRequest().dictionaries("label", "number", "box", "box.name")))
            #expect(row[Node.label] == "in" && row[Node.number] == 3)
            #expect(row[Node.box.name] == "b" && row[Node.box] == box.objectID)
            #expect(row[Node.next] == nil && row[Node.next.label] == nil)
            #expect(row["number"]?.as(Int64.self) == 3 && row["number"]?.as(Double.self) == 3)
            #expect(row["label"]?.as(Int.self) == nil && row["box"]?.as(String.self) == nil)
            #expect(row["box"]?.objectID == box.objectID && row["label"]?.objectID == nil)
            let mean = try context.fetchFirst(
                Node.fetchRequest().dictionaries(["mean": Node.number.average.resultExpression]))
            #expect(mean?["mean"]?.as(Double.self) == 3)
        }
    }

    @Test func `changed values are read in their types too`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = Sample(in: context)
            try context.save()
            sample.amount = 2
            sample.colour = .green
            let changes = sample.changedValues()
            #expect(changes[Sample.amount] == 2 && changes[Sample.colour] == .green)
            #expect(changes[Sample.text] == nil)
        }
    }
}

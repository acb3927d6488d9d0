import Cambium
import EverythingModel
import ExtendedModel
import Testing

struct DictionaryTests {
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

    @Test func `an unknown name is an error that names it`() throws {
        try withContainer(Everything.model) { container in
            let error = #expect(throws: ExpressionDiagnostics.self) {
                try container.newContext().fetch(Node.fetchRequest().dictionaries("labl"))
            }
            #expect(error?.description.contains("labl") == true)
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

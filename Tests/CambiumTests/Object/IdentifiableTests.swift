import Cambium
import EverythingModel
import TestDummyModel
import Testing

struct IdentifiableTests {
    private func ids<Elements: Sequence>(
        _ elements: Elements
    ) -> [Elements.Element.ID] where Elements.Element: Identifiable {
        elements.map(\.id)
    }

    @Test func `objects are told apart by their identities`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let nodes = [Node(in: context), Node(in: context)]
            let before = ids(nodes)
            #expect(before == nodes.map(\.objectID) && nodes[0].id == nodes[0].objectID)
            try context.save()
            #expect(ids(nodes) == before, "final from insertion on")
            #expect(
                try context.fetch(Node.fetchRequest().filter(#Predicate { before.contains($0.id) }))
                    .count == 2)
        }
    }

    @Test func `an attribute of that name is what a class shows, and no identity`() throws {
        try withContainer(TestDummies.model) { container in
            let context = container.newContext()
            let dummies = [TestDummy(in: context, number: 7), TestDummy(in: context, number: 7)]
            #expect(dummies.map(\.id) == [7, 7])
            #expect(ids(dummies) == dummies.map(\.objectID))
            let found = try context.count(for: TestDummy.fetchRequest().filter(TestDummy.id == 7))
            #expect(found == 2)
        }
    }
}

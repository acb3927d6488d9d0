import Cambium
import EverythingModel
import Testing

struct PrefetchTests {
    @Test func `what was prefetched stays until it is used, however much it is`() throws {
        try withContainer(Everything.model, on: .current) { container in
            let writer = container.newContext()
            let boxes = [Box(in: writer), Box(in: writer)]
            // More than a context keeps before it looks for what nobody holds.
            for index in 0..<2100 { Node(in: writer).box = boxes[index % 2] }
            try writer.save()
            let context = container.newContext()
            let found = try context.fetch(Box.fetchRequest().prefetching(Box.nodes))
            for box in found {
                #expect(box.nodes.count == 1050)
                #expect(box.nodes.allSatisfy { !$0.isFault })
            }
        }
    }
}

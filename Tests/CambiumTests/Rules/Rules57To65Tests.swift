import Cambium
import EverythingModel
import Testing

/// What a fetch refuses. What it finds (rules 57 to 65) is in the specification of engines; rule 62
/// has the differential tests of conditions, too.
struct Rules57To65Tests {
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
}

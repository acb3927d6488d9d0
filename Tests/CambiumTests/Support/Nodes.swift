import Cambium
import EverythingModel

/// Calls the body with nodes that were saved, whose keys follow each other: "node 0", "node 1" …
func withNodes(
    _ count: Int, _ body: (ManagedObjectContext, [Node], PersistentContainer) throws -> Void
) throws {
    let container = try PersistentContainer(model: Everything.model, at: .temporary)
    let context = container.newContext()
    let nodes = (0..<count).map { Node(in: context, label: "node \($0)") }
    try context.save()
    try body(context, nodes, container)
}

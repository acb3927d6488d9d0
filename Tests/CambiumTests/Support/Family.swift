import Cambium
import EverythingModel
import Testing

/// A context and its child, with a node in the store that both have.
struct Family {
    let container: PersistentContainer
    let parent: ManagedObjectContext
    let child: ManagedObjectContext
    /// The parent's node and the child's.
    let node: Node
    let same: Node
}

/// Runs a body with a context and its child, and a saved node that both know.
func withFamily(on kind: StoreKind = .current, _ body: (Family) throws -> Void) throws {
    try withContainer(Everything.model, on: kind) { container in
        let parent = container.newContext()
        let node = Node(in: parent, label: "base", number: 1)
        try parent.save()
        let child = parent.newChildContext()
        let same: Node = try child.get(node.objectID)
        _ = same.label
        try body(
            Family(container: container, parent: parent, child: child, node: node, same: same))
    }
}

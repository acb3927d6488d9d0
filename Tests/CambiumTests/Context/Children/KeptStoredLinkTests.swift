import Cambium
import EverythingModel
import Testing

/// Links that a child has set to what they were, and that others have changed meanwhile.
struct KeptStoredLinkTests {
    @Test(arguments: [MergePolicy.objectTrump, .storeTrump, .overwrite])
    func `both ends show the link that the save ends with`(_ policy: MergePolicy) throws {
        try withFamily { family in
            family.parent.mergePolicy = policy
            let box = Box(in: family.parent)
            try family.parent.save()
            #expect(family.same.box == nil && box.nodes.isEmpty)
            family.node.box = box
            try family.parent.save()
            try family.parent.execute(
                BatchUpdateRequest<Node>().set(Node.number, to: 9))
            family.same.box = nil
            try family.child.save()
            #expect(family.node.box == nil && box.nodes.isEmpty)
            try family.parent.save()
            let later = family.container.newContext()
            let stored: Node = try later.get(family.node.objectID)
            #expect(family.node.box?.objectID == stored.box?.objectID)
            #expect(Array(box.nodes) == (family.node.box == nil ? [] : [family.node]))
        }
    }
}

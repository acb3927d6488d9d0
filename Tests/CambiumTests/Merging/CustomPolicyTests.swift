@testable import Cambium
import CambiumEngineSpecification
import EverythingModel
import Synchronization
import Testing

/// Merge policies of the program's own.
struct CustomPolicyTests {
    private func conflict(
        _ policy: CustomMergePolicy,
        theirs: (Node, ManagedObjectContext) -> Void = { node, _ in
            (node.label, node.number) = ("theirs", 10)
        },
        _ check: (PersistentContainer, ManagedObjectContext, Node) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let node = Node(in: first, label: "base", number: 1)
            try first.save()
            let same: Node = try second.get(node.objectID)
            same.label = "ours"
            same.number = 2
            theirs(node, first)
            try first.save()
            second.mergePolicy = .custom(policy)
            try check(container, second, same)
        }
    }

    @Test func `a policy chooses for each object`() throws {
        let policy = CustomMergePolicy { conflict in
            #expect(conflict.policy == .error)
            #expect(conflict.properties == ["label", "number"])
            conflict.policy = .storeTrump
        }
        try conflict(policy) { _, context, node in
            try context.save()
            #expect(node.label == "theirs")
            #expect(node.number == 10)
        }
    }

    @Test func `a policy chooses values, the rest is its base's`() throws {
        let policy = CustomMergePolicy(basedOn: .objectTrump) { conflict in
            guard case .int(let ours)? = conflict.objectValues["number"],
                case .int(let theirs)? = conflict.persistedSnapshot?["number"],
                case .int(let base)? = conflict.objectSnapshot["number"]
            else { return }
            try conflict.setValue(.int(ours + theirs - base), forKey: "number")
        }
        try conflict(policy) { container, context, node in
            try context.save()
            #expect(node.label == "ours")
            #expect(node.number == 11)
            let reader = container.newContext()
            let read: Node = try reader.get(node.objectID)
            #expect(read.number == 11)
            node.number = 12
            context.mergePolicy = .error
            try context.save()
        }
    }

    @Test func `a value can be chosen where the store's state stays`() throws {
        let policy = CustomMergePolicy(basedOn: .rollback) {
            try $0.setValue(.string("chosen"), forKey: "label")
        }
        try conflict(policy) { _, context, node in
            try context.save()
            #expect(node.label == "chosen")
            #expect(node.number == 10)
        }
    }

    @Test func `a policy that decides nothing makes the save fail`() throws {
        try conflict(CustomMergePolicy { _ in }) { _, context, node in
            let error = #expect(throws: ConflictError.self) { try context.save() }
            #expect(error?.coreDataCode == 133020)
            #expect(node.label == "ours")
            #expect(context.updatedObjects == [node])
        }
    }

    @Test func `what a policy throws, the save throws, and nothing has changed`() throws {
        struct Refused: Error {}
        try conflict(CustomMergePolicy { _ in throw Refused() }) { container, context, node in
            #expect(throws: Refused.self) { try context.save() }
            #expect(node.label == "ours")
            #expect(context.updatedObjects == [node])
            #expect(
                node.changedValues() == [
                    "label": .value(.string("ours")), "number": .value(.int(2)),
                ])
            let reader = container.newContext()
            let read: Node = try reader.get(node.objectID)
            #expect(read.label == "theirs")
        }
    }

    @Test func `a value that does not fit is refused`() throws {
        let policy = CustomMergePolicy(basedOn: .objectTrump) { conflict in
            for (value, name) in [
                (Value.string("text"), "number"), (.int(1), "nothing"), (.int(1), "box"),
            ] {
                let error: StoreError?
                do {
                    try conflict.setValue(value, forKey: name)
                    error = nil
                } catch let thrown as StoreError {
                    error = thrown
                }
                #expect(error?.code == (name == "number" ? .invalidRequest : .unknownName))
            }
        }
        try conflict(policy) { _, context, node in
            try context.save()
            #expect(node.number == 2)
        }
    }

    @Test func `a policy brings a deleted object back with other values`() throws {
        let policy = CustomMergePolicy(basedOn: .objectTrump) {
            #expect($0.isRowDeleted)
            #expect($0.newVersion == 0)
            #expect($0.persistedSnapshot == nil)
            try $0.setValue(.string("back"), forKey: "label")
        }
        try conflict(policy, theirs: { node, context in context.delete(node) }) {
            _, context, node in
            try context.save()
            #expect(node.label == "back")
            #expect(node.number == 2)
            let another = try context.fetch(Node.fetchRequest())
            #expect(another == [node])
        }
    }

    @Test func `objects are asked about before unique values`() throws {
        let asked = Mutex<[String]>([])
        let policy = CustomMergePolicy(
            resolve: { conflict in
                asked.withLock { $0.append("object") }
                conflict.policy = .objectTrump
            },
            resolveConstraint: { conflict in
                asked.withLock { $0.append("unique") }
                #expect(conflict.constraint == ["code"])
                #expect(conflict.databaseSnapshot?["both"] == .string("stored"))
                #expect(conflict.conflictingSnapshots.map { $0["both"] } == [.string("new")])
                conflict.policy = .objectTrump
            })
        try withContainer(Dispute.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let thing = try first.make("Thing", ["both": "base"])
            try first.save()
            let same = second.object(with: thing.objectID)
            same["both"] = "ours"
            thing["both"] = "theirs"
            _ = try first.make("Thing", ["code": "same", "both": "stored"])
            try first.save()
            let new = try second.make("Thing", ["code": "same", "both": "new"])
            second.mergePolicy = .custom(policy)
            try second.save()
            #expect(asked.withLock { $0 } == ["object", "unique"])
            #expect([same["both"], new["both"]] == ["ours", "new"])
            let reader = container.newContext()
            #expect(try reader.all("Thing").map { $0["both"] } == ["ours", "new"])
        }
    }

    @Test func `a unique value that no policy decides about names both objects`() throws {
        try withContainer(Dispute.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let stored = try first.make("Thing", ["code": "same"])
            try first.save()
            let new = try second.make("Thing", ["code": "same"])
            second.mergePolicy = .custom(CustomMergePolicy { _ in })
            let error = #expect(throws: ConstraintConflictError.self) { try second.save() }
            #expect(error?.conflicts.first?.databaseObjectID == stored.objectID)
            #expect(error?.conflicts.first?.conflictingObjectIDs == [new.objectID])
            #expect(second.insertedObjects == [new])
        }
    }
}

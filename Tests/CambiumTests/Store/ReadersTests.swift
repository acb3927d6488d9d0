import Cambium
import Dispatch
import EverythingModel
import Foundation
import Synchronization
import Testing

/// Several read a store in a file while one writes it.
struct ReadersTests {
    @Test func `a fetch does not wait for a save that is under way`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let (first, second) = (container.newContext(), container.newContext())
            let node = Node(in: first, label: "base")
            try first.save()
            let same = try second.get(node.objectID, as: Node.self)
            same.label = "ours"
            node.label = "theirs"
            try first.save()

            let found = Mutex<[String]>([])
            // A policy is asked inside of the transaction of the save.
            second.mergePolicy = .custom(
                CustomMergePolicy { conflict in
                    let hasRead = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        let nodes = try? container.newContext().fetch(Node.fetchRequest())
                        found.withLock { $0 = nodes?.map(\.label) ?? [] }
                        hasRead.signal()
                    }
                    #expect(hasRead.wait(timeout: .now() + 30) == .success)
                    conflict.policy = .objectTrump
                })
            try second.save()
            // What was there before the save.
            #expect(found.withLock { $0 } == ["theirs"])
            #expect(
                try container.newContext().fetch(Node.fetchRequest()).map(\.label) == ["ours"])
        }
    }
}

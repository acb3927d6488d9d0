import Cambium
import TestDummyModel

extension StudyTests {
    /// The sibling stack, with a delegate at the main controller.
    @MainActor
    struct Stack {
        let container: PersistentContainer
        let background: BackgroundContext
        let controller: FetchedResultsController<TestDummy>
        let delegate: MirrorDelegate<TestDummy>

        init(_ filter: Filter, _ container: PersistentContainer? = nil) throws {
            self.container =
                try container ?? PersistentContainer(model: TestDummies.model, at: .temporary)
            let container = self.container
            background = container.newBackgroundContext()
            controller = FetchedResultsController(filter.request, in: container.viewContext)
            try controller.performFetch()
            delegate = MirrorDelegate(controller)
            controller.delegate = delegate
        }

        var main: ManagedObjectContext { container.viewContext }

        /// Lets the main context take over what was saved.
        func merge() {
            main.mergePending()
        }

        var shown: [Int64] { (controller.fetchedObjects ?? []).map(\.id) }
        var told: [String] { delegate.words { "\($0.id)" } }

        /// Inserts four entities whose `isEven` is false.
        func insertFour(saving: Bool) async throws {
            try await background.perform { context in
                for number: Int64 in 0..<4 {
                    _ = TestDummy(in: context, id: number, name: "\(number)", isEven: false)
                }
                if saving { try context.save() }
            }
        }

        /// Makes the entities 0 and 2 even.
        func updateTwo(saving: Bool) async throws {
            try await background.perform { context in
                for dummy in try context.fetch(TestDummy.fetchRequest())
                where dummy.id.isMultiple(of: 2) {
                    dummy.isEven = true
                    dummy.name = "even \(dummy.id)"
                }
                if saving { try context.save() }
            }
        }

        func deleteTwo(saving: Bool) async throws {
            try await background.perform { context in
                for dummy in try context.fetch(TestDummy.fetchRequest())
                where dummy.id.isMultiple(of: 2) {
                    context.delete(dummy)
                }
                if saving { try context.save() }
            }
        }

        func save() async throws {
            try await background.perform { try $0.save() }
        }

        func counts() async throws -> [String: Int] {
            try await background.perform { context in
                [
                    "registered": context.registeredObjects.count,
                    "inserted": context.insertedObjects.count,
                    "updated": context.updatedObjects.count,
                    "deleted": context.deletedObjects.count,
                ]
            }
        }
    }
}

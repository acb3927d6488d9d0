import Cambium
import EverythingModel
import Testing

/// The codes that ported code switches over.
struct CoreDataCompatibleErrorTests {
    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch let error as any CoreDataCompatibleError {
            return error.coreDataCode
        } catch {
            return -1
        }
    }

    @Test func `whatever is thrown has a code`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            #expect(code { try context.save() } == nil)
            _ = Robot(in: context, name: "a", serial: "1")
            try context.save()
            _ = Robot(in: context, name: "b", serial: "1")
            #expect(code { try context.save() } == 133021)
            context.rollback()
            #expect(code { _ = try context.insertObject(ofEntity: "Nothing") } == 134060)
            let request = Node.fetchRequest().filter(format: "no such words")
            #expect(code { _ = try context.fetch(request) } == 134060)
        }
    }

    @Test(.onSQLite("It is about files and SQLite in memory."))
    func `what a place of a store does not allow has a code`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            #expect(code { try context.setQueryGeneration(.current) } == 134060)
        }
        let missing = "/dev/null/store.sqlite"
        #expect(
            code {
                try PersistentStoreCoordinator(model: Everything.model)
                    .addPersistentStore(at: .file(missing))
            }
                == 134080)
        #expect(
            code {
                try PersistentStoreCoordinator.replacePersistentStore(
                    at: missing, withStoreFrom: missing)
            } == 134080)
    }

    @Test(arguments: [
        (MigrationError.notAStore, 259), (.otherModel(store: "a", program: "b"), 134020),
        (.unknownVersion(store: "1", hash: "", known: []), 134130),
        (.migrationIsOff(store: "1", program: "2"), 134100), (.cancelled, 134120),
        (.refused(MigrationRefusal(step: "", reason: "")), 134111), (.storeDiffers([]), 134020),
        (.newerVersion(store: "2", program: "1"), 134506),
        (.noWayBack(store: "2", target: "1"), 134506),
    ])
    func `a migration that fails has the code of its cause`(
        _ error: MigrationError, _ code: Int
    ) {
        #expect(error.coreDataCode == code)
    }
}

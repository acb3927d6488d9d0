import Cambium
import ContactsModel
import Testing

/// A store is migrated through steps that the program itself does.
struct SteppedContainerTests {
    @Test func `a container migrates a store through the program's steps`() throws {
        try withStoreFile { path in
            try OldContacts.makeStore(at: path)
            let container = try PersistentContainer(
                model: Contacts.model, migration: ContactsSteps(), at: .temporary(path))
            guard case .migrated("1", "4", let steps, let backup?) = container.migration else {
                Issue.record("\(container.migration)")
                return
            }
            #expect(steps.compactMap(\.code) == ["splitName", "mergeTags"])
            #expect(!StoreKind.isSQLite || FileManager.default.fileExists(atPath: backup))
            let context = container.newContext()
            let people = try context.fetch(Person.fetchRequest().sorted(by: Person.firstName))
            #expect(people.map(\.firstName) == ["Ada", "Alan", "Plato"])
            #expect(people.map(\.lastName) == ["Lovelace", "Turing", ""])
            #expect(people.map(\.home.name) == ["London", "London", ""])
            #expect(people[0].home === people[1].home)
            #expect(people[0].balance == 12.5)
            #expect((people[1] as? Employee)?.number == 7)
            #expect(people[0].notes.map(\.text) == ["one", "two"])
            #expect(people.map(\.letterCount) == [8, 6, 0])
        }
    }

    @Test func `objects that a step makes one have the links of all`() throws {
        try withStoreFile { path in
            try OldContacts.makeStore(at: path)
            let container = try PersistentContainer(
                model: Contacts.model, migration: ContactsSteps(), at: .temporary(path))
            let context = container.newContext()
            let tags = try context.fetch(Tag.fetchRequest().sorted(by: Tag.label))
            #expect(tags.map(\.label) == ["new", "old"])
            #expect(tags.map(\.uses) == [0, 2])
            #expect(tags[1].notes.map(\.text).sorted() == ["one", "two"])
            // What is inserted next has a key of its own.
            _ = Tag(in: context, label: "next", uses: 0)
            try context.save()
        }
    }

    @Test func `a container opens a store on a thread of its own and tells its progress`()
        async throws
    {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("contacts-\(UUID().uuidString).sqlite").path
        defer {
            for suffix in ["", "-wal", "-shm", ".backup-1"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try OldContacts.makeStore(at: path)
        let container = try await PersistentContainer.open(
            model: Contacts.model, migration: ContactsSteps(), at: .temporary(path)
        ) { #expect($0.fraction <= 1) }
        #expect(container.migration != .current)
    }

    @Test(.onSQLite("The name of a container is that of a file."))
    func `a named container takes the steps too`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("contacts-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try OldContacts.makeStore(at: folder + "/Contacts.sqlite")
        let container = PersistentContainer(
            name: "Contacts", model: Contacts.model, migration: ContactsSteps(),
            directory: folder)
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        #expect(container.migration != .created)
    }

    @Test func `a step that fails leaves the store as it was`() throws {
        try withStoreFile { path in
            try OldContacts.makeStore(at: path)
            let error = expectOpening(throws: MigrationStepError.self) {
                try PersistentContainer(
                    model: Contacts.model, migration: HastySteps(), at: .temporary(path))
            }
            #expect(error?.step == "splitName" && error?.entity == "Person" && error?.row == 3)
            let container = try PersistentContainer(
                model: Contacts.model, migration: ContactsSteps(), at: .temporary(path))
            guard case .migrated("1", "4", _, _) = container.migration else {
                Issue.record("\(container.migration)")
                return
            }
        }
    }

    @Test func `the program's own tests prove right steps`() throws {
        try Contacts.verifyMigrations(ContactsSteps())
    }

    @Test func `the program's own tests find a wrong step`() throws {
        let error = #expect(throws: MigrationVerificationError.self) {
            try Contacts.verifyMigrations(HastySteps())
        }
        let first = error?.failures.first
        #expect(first?.from == "1" && first?.to == "2")
        #expect(first?.reason.contains("splitName") == true)
    }

    @Test func `a forecast names the steps of the program`() throws {
        try withStoreFile { path in
            try OldContacts.makeStore(at: path)
            let forecast = try PersistentContainer.migrationForecast(
                model: Contacts.model, migration: ContactsSteps(),
                at: StoreLocation.temporary(path))
            #expect(forecast?.codeSteps == ["splitName", "mergeTags"])
            #expect(forecast?.versions == ["1", "2", "3", "4"])
            #expect(forecast?.kind == .needsCode && forecast?.makesBackup == true)
        }
    }
}

import Cambium
import CambiumMigrationCommand
import ContactsModel
import ShopModel
import Synchronization
import Testing

/// The command that a program has for its own stores.
@Suite(.onSQLite("MigrateToolTests look at commands for servers."))
struct MigrationCommandTests {
    /// What a command has written.
    private final class Output: Sendable {
        private let texts = Mutex((output: "", errors: ""))
        var output: String { texts.withLock(\.output) }
        var errors: String { texts.withLock(\.errors) }
        func write(_ text: String) { texts.withLock { $0.output += text } }
        func writeError(_ text: String) { texts.withLock { $0.errors += text } }
    }

    private func run(
        _ words: String..., steps: any ContactsMigration = ContactsSteps()
    ) -> (code: Int32, output: String, errors: String) {
        let output = Output()
        var command = MigrationCommand(
            model: Contacts.model, migration: steps, name: "contacts migrate")
        command.write = output.write
        command.writeError = output.writeError
        let code = command.run(words)
        return (code, output.output, output.errors)
    }

    @Test func `status says what a store is, and has an exit code for each`() throws {
        try withStoreFile { path in
            #expect(run("status", path).output.contains("no store yet"))
            #expect(run("status", path).code == 0)
            try OldContacts.makeStore(at: path)
            let behind = run("status", path)
            #expect(behind.code == 6)
            #expect(behind.output.contains("1 → 2 → 3 → 4 (3 migrations)"))
            #expect(behind.output.contains("needs code"))
            #expect(behind.output.contains("splitName, mergeTags"))
            #expect(run("apply", path).code == 0)
            #expect(run("status", path).code == 0)
        }
    }

    @Test func `plan tells the steps and changes nothing`() throws {
        try withStoreFile { path in
            try OldContacts.makeStore(at: path)
            let plan = run("plan", path)
            #expect(plan.code == 0)
            #expect(plan.output.contains("runs splitName of the program"))
            #expect(plan.output.contains("Backup"))
            #expect(run("status", path).code == 6)
        }
    }

    @Test func `apply runs the program's steps, and says where the copy is`() throws {
        try withStoreFile { path in
            try OldContacts.makeStore(at: path)
            let applied = run("apply", path)
            #expect(applied.code == 0)
            #expect(applied.output.contains("migrated from version 1 to 4"))
            #expect(applied.output.contains("\(path).backup-1"))
            #expect(run("apply", path).output.contains("nothing to do"))
        }
    }

    @Test func `apply with a wrong step names it, and the store is as it was`() throws {
        try withStoreFile { path in
            try OldContacts.makeStore(at: path)
            let applied = run("apply", path, steps: HastySteps())
            #expect(applied.code == 7)
            #expect(applied.errors.contains("The step splitName failed at Person 3"))
            #expect(applied.errors.contains("The store is unchanged"))
            #expect(run("status", path).code == 6)
        }
    }

    @Test func `rehearse migrates a copy and compares`() throws {
        try withStoreFile { path in
            try OldContacts.makeStore(at: path)
            let rehearsal = run("rehearse", path)
            #expect(rehearsal.code == 0)
            #expect(rehearsal.output.contains("Place"))
            #expect(run("rehearse", path, steps: HastySteps()).code == 7)
            #expect(run("status", path).code == 6)
        }
    }

    @Test func `verify proves the steps`() throws {
        let right = run("verify")
        #expect(right.code == 0, "\(right.output)")
        #expect(right.output.contains("proven"))
        let wrong = run("verify", "--json", steps: HastySteps())
        #expect(wrong.code == 1)
        #expect(wrong.output.contains("\"isProven\" : false"))
    }

    @Test func `JSON is for programs`() throws {
        try withStoreFile { path in
            try OldContacts.makeStore(at: path)
            let status = run("status", path, "--json")
            #expect(status.output.contains("\"state\" : \"behind\""))
            #expect(status.output.contains("\"programVersion\" : \"4\""))
        }
    }

    @Test(arguments: [
        ([], "Name an action"), (["stat"], "'stat' is not one of"),
        (["status"], "takes one store"), (["status", "a", "b"], "takes one store"),
        (["verify", "a"], "takes no store"), (["plan", "a", "--jsn"], "no option '--jsn'"),
        (["apply", "a", "--drift", "x"], "refuse, repair or report"),
    ])
    func `a mistake on the command line is named`(words: [String], message: String) {
        let output = Output()
        var command = MigrationCommand(
            model: Contacts.model, migration: ContactsSteps(), name: "contacts migrate")
        command.writeError = output.writeError
        #expect(command.run(words) == 2)
        #expect(output.errors.contains(message))
        #expect(output.errors.contains("Usage: contacts migrate status STORE [--json]  "))
        #expect(output.errors.contains("\n       contacts migrate verify [--json]  "))
    }

    @Test func `a file that is not there is not made`() {
        let path = "/nowhere/contacts.sqlite"
        #expect(run("apply", path).code == 4)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a model without steps has the command too`() throws {
        try withStoreFile { path in
            let output = Output()
            var command = MigrationCommand(model: Shop.model, storeAt: path)
            command.write = output.write
            _ = try PersistentContainer(model: Shop.model, at: .temporary(path))
            #expect(command.run(["status"]) == 0)
            #expect(command.run(["verify"]) == 0)
            #expect(output.output.contains("current: version"))
            #expect(output.output.contains("proven when the model was compiled"))
        }
    }
}

import CambiumModel
import CambiumSQLite
import Foundation
import Synchronization
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

struct MigrateCommandTests {
    private let folder: TemporaryFolder
    private let model: String
    private let store: String

    /// A bundle of three versions, the last of which drops something, and a store of the first.
    init() throws {
        folder = try TemporaryFolder()
        model = folder.path("Shop.cambium")
        store = folder.path("shop.sqlite")
        let bodies = [
            "<attribute name=\"name\" type=\"string\"/><attribute name=\"note\" type=\"string\"/>",
            "<attribute name=\"title\" type=\"string\" renamedFrom=\"name\"/>"
                + "<attribute name=\"note\" type=\"string\"/>",
            "<attribute name=\"title\" type=\"string\"/>",
        ]
        let drop =
            "<migration from=\"2\"><drop entity=\"A\" property=\"note\" reason=\"r\"/></migration>"
        for (index, body) in bodies.enumerated() {
            try folder.write(
                "<model xmlns=\"urn:cambium:model:1\" name=\"Shop\" version=\"\(index + 1)\">"
                    + "<entity name=\"A\">\(body)</entity>" + (index == 2 ? drop : "") + "</model>",
                to: "Shop.cambium/\(index + 1).xml")
        }
        try folder.write("", to: "shop.sqlite")
        let made = migrate("apply", store, "--to", "1")
        #expect(made.code == .fine, "\(made.errors)")
        try Connection(path: store).execute(
            "INSERT INTO A (_id, _version, name, note) VALUES (1, 1, 'tree', 'x'), (2, 1, 'oak', 'y')"
        )
    }

    private func migrate(_ words: String...) -> ToolRun {
        ToolRun(["migrate"] + words + ["--model", model])
    }

    private func titles(of path: String, column: String = "title") throws -> [[StoredValue]] {
        try Connection(path: path).rows("SELECT \(column) FROM A ORDER BY _id")
    }

    @Test func `a store of another draft is refused by all, with what differs and the ways on`()
        throws
    {
        let other = folder.path("other.sqlite")
        try folder.write("", to: "other.sqlite")
        #expect(migrate("apply", other).code == .fine)
        let text = try #require(folder.text("Shop.cambium/3.xml"))
        try folder.write(
            text.replacingOccurrences(
                of: "<entity name=\"A\">",
                with: "<entity name=\"A\"><attribute name=\"n\" type=\"int32\" default=\"0\"/>"),
            to: "Shop.cambium/3.xml")
        for word in ["status", "plan", "apply", "rehearse"] {
            let run = migrate(word, other)
            #expect(run.code == .storeRefused)
            let said = run.output + run.errors
            #expect(said.contains("with another draft of version 3 of Shop: A.n was added"))
            #expect(said.contains("StoreOptions.draftPolicy = .migrate"))
            #expect(said.contains("cambium version new"))
        }
    }

    @Test func `status tells the version, and by its exit code whether anything is to do`() throws {
        let behind = migrate("status", store)
        #expect(behind.code.rawValue == 6)
        #expect(behind.output.contains("1 → 2 → 3 (2 migrations)"))
        let json = migrate("status", store, "--json")
        #expect(json.code.rawValue == 6)
        #expect(json.output.contains("\"state\" : \"behind\""))
        #expect(migrate("status", store, "--to", "1").code == .fine)
        for word in ["status", "plan"] {
            for (version, losesData) in [("2", false), ("3", true)] {
                let report = migrate(word, store, "--to", version, "--json").output
                #expect(report.contains("\n  \"losesData\" : \(losesData)"))
            }
        }
    }

    @Test func `a plan changes nothing and says what is lost`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let plan = migrate("plan", store)
        #expect(plan.code == .fine)
        #expect(plan.output.contains("drop A.note and its data"))
        #expect(plan.output.contains("made first, beside the store"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test func `a store is migrated, after a copy was made`() throws {
        let run = migrate("apply", store)
        #expect(run.code == .fine, "\(run.errors)")
        #expect(run.output.contains("migrated from version 1 to 3"))
        #expect(try titles(of: store) == [[.text("tree")], [.text("oak")]])
        #expect(
            try titles(of: store + ".backup-1", column: "note") == [[.text("x")], [.text("y")]])
        #expect(migrate("status", store).code == .fine)
        let again = migrate("apply", store, "--json")
        #expect(again.code == .fine && again.output.contains("\"outcome\" : \"current\""))
    }

    @Test func `forget removes the copies of a store, and nothing that only has such a name`()
        throws
    {
        #expect(migrate("apply", store).code == .fine)
        let copy = store + ".backup-1"
        let second = store + ".backup-1-2"
        try FileManager.default.copyItem(atPath: copy, toPath: second)
        // Of another version than the name says, no store at all, and a store of its own.
        let others = [
            store + ".backup-2", store + ".backup-1-x", store + ".backup-1-02",
            folder.path("other.sqlite.backup-1"),
        ]
        for other in others { try FileManager.default.copyItem(atPath: copy, toPath: other) }
        try folder.write("text", to: "shop.sqlite.backup-3")
        let run = ToolRun("migrate", "forget", store)
        #expect(run.code == .fine, "\(run.errors)")
        #expect(run.output == "\(store): removed 2 copies\n  \(copy)\n  \(second)\n")
        let left = others + [store, store + ".backup-3"]
        #expect(left.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        #expect(![copy, second].contains { FileManager.default.fileExists(atPath: $0) })
        let again = ToolRun("migrate", "forget", store, "--json")
        #expect(again.code == .fine && again.output.contains("\"removed\" : ["))
        #expect(!again.output.contains("backup"))
        #expect(migrate("status", store).code == .fine)
        #expect(migrate("forget", store).code == .usage)
        #expect(ToolRun("migrate", "forget").code == .usage)
    }

    @Test func `options of a proof on a server belong to it alone`() {
        #expect(migrate("verify", "--engine", "postgres").errors.contains("needs --url"))
        #expect(migrate("verify", "--url", "postgresql://db/shop").code == .usage)
        #expect(migrate("verify", "--engine", "oracle").code == .usage)
        #expect(migrate("status", store, "--url", "postgresql://db/shop").code == .usage)
        let file = migrate("verify", "--engine", "postgres", "--url", "shop.sqlite")
        #expect(file.code == .usage && file.errors.contains("--url takes the URL of a server"))
    }

    @Test func `a copy is made where it is asked for, whatever the migration does`() throws {
        let copy = folder.path("copies.sqlite")
        let run = migrate("apply", store, "--to", "2", "--backup", copy)
        #expect(run.code == .fine, "\(run.errors)")
        #expect(run.output.contains(copy))
        #expect(try titles(of: copy, column: "name") == [[.text("tree")], [.text("oak")]])
        let second = migrate("apply", store, "--backup", copy)
        #expect(second.code == .file && second.errors.contains("The file \(copy) already exists"))
        #expect(try titles(of: store) == [[.text("tree")], [.text("oak")]])
    }

    @Test func `a rehearsal leaves the store alone and compares the tables`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let run = migrate("rehearse", store, "--json")
        #expect(run.code == .fine, "\(run.errors)")
        #expect(run.output.contains("\"after\" : 2") && run.output.contains("\"before\" : 2"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.sorted() == ["Shop.cambium", "shop.sqlite"])
    }

    @Test func `a rehearsal says in words what a program would meet`() throws {
        let fine = migrate("rehearse", store)
        #expect(fine.output.contains("1 → 2 → 3: a copy was migrated, the store was only read"))
        #expect(fine.output.contains("Tables  1 table with as many rows as before"))
        try Connection(path: store).execute("ALTER TABLE A ADD COLUMN extra TEXT")
        let refused = migrate("rehearse", store)
        #expect(refused.code == .storeRefused)
        #expect(refused.output.contains("the migration of a copy failed after"))
        #expect(refused.output.contains("A (changed: extra added)"))
        #expect(refused.output.contains("let --drift report leave it.\n"))
        #expect(migrate("rehearse", store, "--drift", "report").code == .fine)
    }

    @Test func `what the model's compiler warns of is not told with each store`() throws {
        let text = try #require(folder.text("Shop.cambium/3.xml"))
        try folder.write(
            text.replacingOccurrences(
                of: "</entity>", with: "<unique by=\"title\"/></entity>"),
            to: "Shop.cambium/3.xml")
        #expect(ToolRun(["check", model]).errors.contains("warning: "))
        for word in ["status", "plan", "rehearse", "apply"] {
            #expect(migrate(word, store).errors == "")
        }
        #expect(migrate("verify").errors == "")
    }

    @Test func `every step is proven, and the second time remembered`() throws {
        let words = ["migrate", "verify", "--model", model, "--proofs", folder.path("Proofs")]
        let first = ToolRun(words + ["--json"])
        #expect(first.code == .fine, "\(first.errors)")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(first.output.utf8)) as? [String: Any])
        let steps = try #require(report["steps"] as? [[String: Any]])
        #expect(steps.map { $0["class"] as? String } == ["reversible", "lossy"])
        for step in steps {
            let rows = try #require(step["rowsIn"] as? Int)
            #expect(rows > 12 && step["rowsOut"] as? Int == rows)
            #expect(step["isRemembered"] as? Bool == false)
        }
        let second = ToolRun(words + ["--json"])
        #expect(second.output.contains("\"isRemembered\" : true"))
        #expect(!second.output.contains("\"isRemembered\" : false"))
        #expect(ToolRun(words).output.contains("2 steps proven"))
    }

    @Test func `a step that cannot be taken is told, and those beside it`() throws {
        let text = try #require(folder.text("Shop.cambium/2.xml"))
        try folder.write(
            text.replacingOccurrences(
                of: "</entity>", with: "<attribute name=\"x\" type=\"date\"/></entity>"),
            to: "Shop.cambium/2.xml")
        let run = migrate("verify", "--json")
        #expect(run.code.rawValue == 1)
        #expect(run.output.contains("A.x is new and required"))
        #expect(run.output.contains("\"class\" : \"undecided\""))
        let table = migrate("verify").output
        #expect(table.contains("1   2  undecided") && table.contains("to be declared\n"))
        #expect(table.contains("<fill entity=\"A\" attribute=\"x\" with=\"…\"/>"))
        #expect(!table.contains("needs code"))
        #expect(run.output.components(separatedBy: "\"from\"").count == 3)
    }

    @Test func `a store that another program has changed is refused by name`() throws {
        try Connection(path: store).execute("ALTER TABLE A ADD COLUMN extra TEXT")
        let status = migrate("status", store)
        #expect(status.code.rawValue == 7 && status.output.contains("A (changed: extra added)"))
        let apply = migrate("apply", store)
        #expect(apply.code.rawValue == 7 && apply.errors.contains("A (changed: extra added)"))
        #expect(apply.output.isEmpty)
        #expect(apply.errors.contains("--drift repair"))
    }

    @Test func `a plan ends as the migration would where another program has changed a table`()
        throws
    {
        try Connection(path: store).execute("ALTER TABLE A ADD COLUMN theirs TEXT")
        let codes = ["status", "plan", "apply"].map { migrate($0, store).code }
        #expect(codes == [.storeRefused, .storeRefused, .storeRefused])
    }

    @Test func `a store of a later version of the bundle is none for an earlier one`() throws {
        for version in ["2", "3"] {
            try folder.write(
                "<model xmlns=\"urn:cambium:model:1\" name=\"Same\" version=\"\(version)\">"
                    + "<entity name=\"A\"/></model>", to: "Same.cambium/\(version).xml")
        }
        let (path, model) = (folder.path("same.sqlite"), folder.path("Same.cambium"))
        try folder.write("", to: "same.sqlite")
        #expect(ToolRun(["migrate", "apply", path, "--model", model]).code == .fine)
        for word in ["status", "plan", "rehearse", "apply"] {
            let run = ToolRun(["migrate", word, path, "--model", model, "--to", "2"])
            #expect(run.code == .storeRefused, "\(word): \(run.output)")
        }
    }

    @Test func `what a repair makes and takes away is told before and after`() throws {
        try Connection(path: store).execute(
            """
            ALTER TABLE A ADD COLUMN extra TEXT; UPDATE A SET extra = 'x';
            DELETE FROM A WHERE _id = 2; ALTER TABLE A DROP COLUMN note
            """)
        let obstacle = "A.note has no value, and is required (1 row)"
        for word in ["status", "plan"] {
            #expect(migrate(word, store).output.contains("Repair   not possible: \(obstacle)"))
        }
        let refused = migrate("apply", store, "--drift", "repair")
        #expect(refused.code == .storeRefused && refused.errors.contains(obstacle))
        #expect(refused.errors.contains("A (changed: extra added (1 value), note missing)"))
        try Connection(path: store).execute("DELETE FROM A")
        let words = "creates A.note again, without the earlier values, and deletes A.extra"
        #expect(migrate("plan", store).output.contains("Repair   \(words)\n"))
        let repaired = migrate("apply", store, "--drift", "repair")
        #expect(repaired.code == .fine, "\(repaired.errors)")
        #expect(repaired.errors.contains("the repair, after a copy was made: \(words)\n"))
        #expect(repaired.output.contains("Repair: \(words)\n"))
        #expect(migrate("status", store).code == .fine)
    }

    @Test func `a copy does not go where a part of the store is`() throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            #expect(migrate("apply", store, "--backup", store + suffix).code == .file)
        }
        #expect(migrate("status", store).code.rawValue == 6)
    }

    @Test func `what other programs have put in the way is told before anything is done`() throws {
        try Connection(path: store).execute("CREATE VIEW names AS SELECT name FROM A")
        let words = "the view names would no longer work (no such column: name)"
        for word in ["status", "plan", "rehearse", "apply"] {
            let run = migrate(word, store)
            #expect(run.code == .storeRefused)
            #expect((run.output + run.errors).contains(words))
        }
        #expect(try titles(of: store, column: "name").count == 2)
        let json = migrate("plan", store, "--json").output
        #expect(json.contains("\"kind\" : \"view\"") && json.contains("DROP VIEW"))
    }

    @Test func `what another program has changed is left or repaired, and told`() throws {
        #expect(migrate("apply", store).code == .fine)
        try Connection(path: store).execute("ALTER TABLE A ADD COLUMN extra TEXT")
        let left = migrate("apply", store, "--drift", "report")
        #expect(left.code == .fine)
        #expect(left.output.contains("had changed: A (changed: extra added); it was left as it is"))
        let repaired = migrate("apply", store, "--drift", "repair")
        #expect(repaired.code == .fine)
        #expect(repaired.output.contains("had changed: A (changed: extra added)\n"))
        #expect(repaired.output.contains("Backup of the store: \(store).backup-3\n"))
        #expect(migrate("status", store).code == .fine)
    }

    @Test func `stores of others, of later versions and no stores get an error each`() throws {
        #expect(migrate("apply", store, "--to", "3").code == .fine)
        let newer = migrate("apply", store, "--to", "1")
        #expect(newer.code.rawValue == 7 && newer.errors.contains("there is no migration back"))
        let other = folder.path("Other.cambium")
        try folder.write(
            "<model xmlns=\"urn:cambium:model:1\" name=\"Other\" version=\"1\">"
                + "<entity name=\"B\"/></model>", to: "Other.cambium/1.xml")
        let foreign = ToolRun("migrate", "apply", store, "--model", other)
        #expect(foreign.code.rawValue == 7 && foreign.errors.contains("belongs to the model Shop"))
        try folder.write("no database at all, but long enough to look at", to: "text.sqlite")
        let text = migrate("status", folder.path("text.sqlite"))
        #expect(text.code == .file && text.errors.contains("not an SQLite database"))
        let place = migrate("status", folder.path("Shop.cambium"))
        #expect(place.code == .file && place.errors.contains("It is a folder"))
        let missing = migrate("plan", folder.path("missing.sqlite"))
        #expect(missing.code == .file && missing.errors.contains("There is no file"))
        #expect(
            ToolRun("migrate", "status", store, "--model", folder.path("No.cambium")).code == .file)
    }

    @Test func `a version that is not there is named with those that are`() {
        let run = migrate("plan", store, "--to", "9")
        #expect(run.code.rawValue == 2 && run.errors.contains("It has 1, 2, 3."))
    }

    @Test func `whoever ends a command finds the store as it was, and nothing beside it`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        for word in ["apply", "rehearse"] {
            let errors = Written()
            var console = Console(write: { _ in }, writeError: { errors.append($0) })
            let asked = Mutex(0)
            // In the middle of the copy.
            console.isCancelled = {
                asked.withLock { count in
                    count += 1
                    return count > (word == "apply" ? 3 : 0)
                }
            }
            let code = Tool.run(["migrate", word, store, "--model", model], console)
            #expect(code == .storeRefused)
            #expect(errors.text.contains("The migration was cancelled. The store is unchanged"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(names.sorted() == ["Shop.cambium", "shop.sqlite"])
        }
        #expect(migrate("apply", store).code == .fine)
    }

    @Test(arguments: ["a ?mode=ro", "50% of?.sqlite", "Ünï#.sqlite", "it's\na.sqlite"])
    func `a store may have any name`(name: String) throws {
        let path = folder.path(name)
        try FileManager.default.moveItem(atPath: store, toPath: path)
        #expect(migrate("status", path).code == .storeIsBehind)
        #expect(migrate("apply", path).code == .fine)
        #expect(FileManager.default.fileExists(atPath: path + ".backup-1"))
        #expect(try titles(of: path).count == 2)
    }

    @Test func `a copy needs a folder that is there`() {
        let copy = folder.path("none/copy.sqlite")
        let run = migrate("apply", store, "--backup", copy)
        #expect(run.code == .file)
        #expect(run.errors.contains("There is no folder \(folder.path("none")): create it"))
        #expect(migrate("status", store).code == .storeIsBehind)
    }

    @Test func `progress is one line of a terminal, and gone at the end`() throws {
        let errors = Written()
        let console = Console(
            write: { _ in }, writeError: { errors.append($0) }, isTerminal: true)
        let words = ["migrate", "apply", store, "--model", model]
        #expect(Tool.run(words, console) == .fine)
        #expect(errors.text.contains("\r[") && errors.text.contains(" % "))
        #expect(!errors.text.contains("\n") && errors.text.hasSuffix(" \r"))
    }

    /// What was written from any thread.
    private final class Written: Sendable {
        private let content = Mutex("")
        var text: String { content.withLock { $0 } }
        func append(_ text: String) { content.withLock { $0 += text } }
    }
}

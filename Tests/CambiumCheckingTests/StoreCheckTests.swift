import Cambium
import CambiumEngineSpecification
import CambiumMigrationCommand
import CambiumSQLite
import Foundation
import Testing

/// A check of a store in a file finds each kind of damage that other programs can do, and nothing else.
struct StoreCheckTests {
    private func withStoreFile(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-check-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "store.sqlite").path())
    }

    /// A store of ``Household`` that was closed.
    private func withStore(_ body: (String) throws -> Void) throws {
        try withStoreFile { path in
            try fill(path)
            try body(path)
        }
    }

    /// The container is closed at the end.
    private func fill(_ path: String) throws {
        let container = try PersistentContainer(model: Household.model, at: .file(path))
        let context = container.newContext()
        try Household.fill(context)
    }

    private func report(_ path: String, repairing: Bool = false) throws -> StoreCheckReport {
        try StoreCheck(model: Household.model, storeAt: path).run(repairing: repairing)
    }

    /// Runs statements with everything switched off that protects a store.
    private func damage(_ path: String, _ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        try connection.execute(sql)
        #expect(connection.changes > 0 || !sql.hasPrefix("UPDATE"))
    }

    @Test func `a healthy store has no findings`() throws {
        try withStore { path in
            let report = try report(path)
            #expect(report.groups.isEmpty)
            #expect(report.isClean)
            #expect(report.objectCount == 9)
            #expect(
                report.text == "\(path): 9 objects of Household, version 1: no problems found\n")
        }
    }

    @Test(arguments: Household.damagedValues + Household.damagedLinks)
    func `damage is found, and nothing else`(_ damage: Household.Damage) throws {
        try withStore { path in
            try self.damage(path, damage.sql)
            #expect(try report(path).words == damage.findings)
        }
    }

    @Test(arguments: [
        (
            #"UPDATE "Person" SET "age" = 99999999999 WHERE "_id" = 1"#,
            "unreadableValue Author/1.age"
        ),
        (#"UPDATE "Person" SET "token" = x'01' WHERE "_id" = 1"#, "unreadableValue Author/1.token"),
        (#"UPDATE "Person" SET "photo" = x'09' WHERE "_id" = 3"#, "unreadableValue Person/3.photo"),
        (
            "UPDATE \"Person\" SET \"pen\" = 'a' || char(0) WHERE \"_id\" = 1",
            "nulInText Author/1.pen"
        ),
    ])
    func `what only a file can have is found`(sql: String, finding: String) throws {
        try withStore { path in
            try damage(path, sql)
            #expect(
                try report(path).words.filter { !$0.hasPrefix("unreferenced") } == [finding])
        }
    }

    @Test func `unique values that two objects share are found, and the lost index`() throws {
        try withStore { path in
            try damage(path, "DROP INDEX \"Person.unique.name\"")
            try damage(path, "UPDATE \"Person\" SET \"name\" = 'Ada'")
            let words = try report(path).words
            #expect(
                words.filter { $0 != "schemaDiffers" } == [
                    "notUnique Robot/2.name", "notUnique Person/3.name", "notUnique Author/4.name",
                ])
            #expect(words.contains("schemaDiffers"))
        }
    }

    @Test func `large values that are lost, damaged or left over are found`() throws {
        try withStore { path in
            let folder = URL(filePath: path).deletingLastPathComponent()
                .appending(path: ".store.sqlite.external")
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: folder.path()).first)
            let file = folder.appending(path: name)
            let leftOver = folder.appending(path: UUID().uuidString)
            try Data(count: 3).write(to: leftOver)
            #expect(try report(path).words == ["unreferencedExternalData"])
            let repaired = try report(path, repairing: true)
            #expect(repaired.isClean)
            #expect(repaired.repairs.map(\.count) == [1])
            #expect(!FileManager.default.fileExists(atPath: leftOver.path()))
            #expect(FileManager.default.fileExists(atPath: file.path()))
            #expect(try report(path).isClean)
            try FileManager.default.removeItem(at: file)
            #expect(try report(path).words == ["missingExternalData Author/1.photo"])
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            #expect(try report(path).words == ["unreadableExternalData Author/1.photo"])
        }
    }

    @Test func `a damaged page is found`() throws {
        try withStore { path in
            try Connection(path: path, mode: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
            var bytes = try Data(contentsOf: URL(filePath: path))
            // The name stands in the row and in the index of unique names.
            let place = try #require(bytes.firstRange(of: Data("Bolt".utf8)))
            bytes[place.lowerBound] = UInt8(ascii: "C")
            try bytes.write(to: URL(filePath: path))
            let words = try report(path).words
            #expect(!words.isEmpty)
            #expect(Set(words) == ["integrity"])
        }
    }

    @Test func `a table that is lost leaves the rest unchecked, and says so`() throws {
        try withStore { path in
            try damage(path, "DROP TABLE \"Person_rivals\"")
            let report = try report(path)
            #expect(Set(report.words) == ["schemaDiffers"])
            #expect(report.text.contains("the objects could not be checked"))
        }
    }

    @Test func `a repair computes derived values and raises counters, and leaves the rest`() throws
    {
        try withStore { path in
            try damage(
                path,
                """
                UPDATE "Person" SET "thingCount" = 7; UPDATE "_keys" SET "next" = 1;
                UPDATE "Person" SET "age" = -1 WHERE "_id" = 1
                """)
            let report = try report(path, repairing: true)
            #expect(!report.isClean)
            #expect(report.remaining == 1)
            #expect(
                report.repairs.map { "\($0.kind) \($0.entityName ?? "") \($0.count)" } == [
                    "staleValue Person 4", "keyCounter Person 1", "keyCounter Thing 1",
                    "keyCounter Passport 1", "keyCounter Tag 1",
                ])
            #expect(try self.report(path).words == ["outOfRange Author/1.age"])
        }
    }

    @Test func `findings beyond the limit are counted`() throws {
        try withStore { path in
            try damage(path, "UPDATE \"Person\" SET \"age\" = 13, \"weight\" = 1, \"mood\" = 'odd'")
            try damage(path, "UPDATE \"Person\" SET \"thingCount\" = 9")
            var check = StoreCheck(model: Household.model, storeAt: path)
            check.limit = 2
            let report = try check.run()
            #expect(report.groups.map(\.count) == [4, 4, 4])
            #expect(report.groups.map(\.findings.count) == [2, 2, 2])
            #expect(report.text.contains("  and 2 more\n"))
        }
    }

    @Test func `a check while the store is open and written sees one moment`() throws {
        try withStore { path in
            let container = try PersistentContainer(model: Household.model, at: .file(path))
            let context = container.newContext()
            var check = StoreCheck(model: Household.model, storeAt: path)
            // Each step of the check meets another save: a link that it has half seen would dangle.
            nonisolated(unsafe) let writer = context
            check.progress = { _, _ in
                let thing = try? writer.insertObject(ofEntity: "Thing")
                let person = try? writer.insertObject(ofEntity: "Person")
                let name = "N" + UUID().uuidString.filter(\.isLetter).prefix(6)
                try? person?.setValue(.string(name), forKey: "name")
                try? person?.setValue(
                    .data(Data(repeating: 1, count: 120_000)), forKey: "photo")
                try? thing?.setRelatedObject(person, forKey: "owner")
                try? writer.save()
            }
            let report = try check.run()
            #expect(report.words == [])
            let things = try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing"))
            #expect(things.count > 4)
        }
    }

    @Test func `a store that is missing, no store or of another model cannot be checked`() throws {
        try withStoreFile { path in
            #expect(throws: StoreError.self) { try report(path) }
            #expect(!FileManager.default.fileExists(atPath: path))
            try Data("nothing".utf8).write(to: URL(filePath: path))
            #expect(throws: (any Error).self) { try report(path) }
        }
        try withStore { path in
            #expect(throws: (any Error).self) {
                try StoreCheck(model: Album.model, storeAt: path).run()
            }
        }
    }

    @Test func `the report as JSON has stable names and no values`() throws {
        try withStore { path in
            try damage(path, "UPDATE \"Person\" SET \"name\" = 'secret1' WHERE \"_id\" = 1")
            let json = try report(path).json
            #expect(!json.contains("secret"))
            #expect(
                json.replacing(path, with: "shop.sqlite") == """
                    {
                      "clean" : false,
                      "model" : "Household",
                      "objects" : 9,
                      "problems" : [
                        {
                          "count" : 1,
                          "findings" : [
                            {
                              "entity" : "Author",
                              "key" : 1,
                              "message" : "it does not match [A-Za-z ]*",
                              "property" : "name"
                            }
                          ],
                          "kind" : "patternMismatch",
                          "remedy" : "Set another value in a program, and save.",
                          "repaired" : false
                        }
                      ],
                      "repairs" : [

                      ],
                      "store" : "shop.sqlite",
                      "version" : "1"
                    }

                    """)
        }
    }

    @Test func `the command of a program checks its stores`() throws {
        try withStore { path in
            var command = MigrationCommand(model: Household.model)
            command.write = { _ in }
            command.writeError = { _ in }
            #expect(command.run(["check-store", path]) == 0)
            try damage(path, "UPDATE \"Person\" SET \"thingCount\" = 7")
            #expect(command.run(["check-store", path, "--json"]) == 1)
            #expect(command.run(["check-store", path, "--repair"]) == 0)
            #expect(command.run(["check-store", path]) == 0)
            try Data("nothing".utf8).write(to: URL(filePath: path))
            #expect(command.run(["check-store", path]) == 2)
            #expect(command.run(["status", path, "--repair"]) == 2)
        }
    }
}

extension StoreCheckReport {
    /// The findings in words: kind, object and property.
    var words: [String] {
        groups.flatMap(\.findings).map { finding in
            finding.kind.rawValue + (finding.entityName.map { " \($0)" } ?? "")
                + (finding.key.map { "/\($0)" } ?? "") + (finding.property.map { ".\($0)" } ?? "")
        }
    }
}

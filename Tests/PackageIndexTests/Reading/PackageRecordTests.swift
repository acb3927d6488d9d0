import PackagesModel
import Testing

@testable import PackageIndex

@Suite struct PackageRecordTests {
    @Test func `all fields are read`() throws {
        let record = try record(
            """
            Package: forest
            Source: wood (1.0)
            Version: 1:2.0-1
            Architecture: amd64
            Essential: yes
            Priority: required
            Section: games
            Maintainer: Ann Author <ann@example.org>
            Installed-Size: 12
            Size: 3400
            Homepage: https://example.org
            Depends: aa | bb (>= 1),
             cc
            Suggests: dd
            Description: short
             long
            """)
        #expect(
            record.key == PackageKey(name: "forest", version: "1:2.0-1", architecture: "amd64"))
        #expect(record.source == "wood")
        #expect(record.isEssential)
        #expect(record.priority == .required)
        #expect(record.section == "games")
        #expect(record.maintainer == Mailbox(name: "Ann Author", email: "ann@example.org"))
        #expect(record.installedSize == 12)
        #expect(record.downloadSize == 3400)
        #expect(record.homepage == "https://example.org")
        #expect(record.summary == "short")
        let places = record.dependencies.map {
            "\($0.kind.rawValue) \($0.clause).\($0.alternative) \($0.content.name)"
        }
        #expect(
            places == ["Depends 0.0 aa", "Depends 0.1 bb", "Depends 1.0 cc", "Suggests 0.0 dd"])
    }

    @Test func `what is missing has the value that the format gives it`() throws {
        let record = try record("Package: forest\nVersion: 1\nArchitecture: all")
        #expect(record.source == "forest")
        #expect(record.priority == .optional)
        #expect(record.installedSize == 0)
        #expect(record.downloadSize == nil)
        #expect(record.section == nil)
        #expect(record.maintainer == nil)
        #expect(!record.isEssential)
    }

    @Test(arguments: [
        ("Package: a1\nArchitecture: all", 1, "the field 'version' is missing or empty"),
        ("Package: a1\nVersion:\nArchitecture: all", 2, "the field 'version' is missing or empty"),
        ("Version: 1\nArchitecture: all", 1, "the field 'package' is missing or empty"),
        (
            "Package: a1\nVersion: 1\nArchitecture: all\nPackage: b1\nVersion: 2", 4,
            "the field 'package' is listed twice; is an empty line missing?"
        ),
        (
            "Package: a1\nVersion: 1\nArchitecture: all\nSize: 1e3", 4,
            "the value '1e3' of 'size' is not an integer"
        ),
        (
            "Package: a1\nVersion: 1\nArchitecture: all\nPriority: high", 4,
            "'high' is not a priority"
        ),
        (
            "Package: a1\nVersion: 1\nArchitecture: all\nDepends: aa (1)", 4,
            "'' after 'aa' is none of << <= = >= >>"
        ),
        ("Package: a1\nVersion: 1\nwhat\n", 3, "a line without 'Name: value'"),
    ])
    func `what cannot become a package is refused at its line`(
        text: String, line: Int, reason: String
    ) {
        #expect(throws: RefusalReason(line: line, description: reason)) {
            _ = try record(text)
        }
    }

    @Test(arguments: [
        ("Ann <a@b>", "Ann", "a@b"), ("Ann", "Ann", ""), ("<a@b>", "a@b", "a@b"),
        ("Ann \"<x>\" Bee <a@b>", "Ann \"<x>\" Bee", "a@b"),
    ])
    func `a mailbox is a name and an address`(text: String, name: String, email: String) {
        #expect(Mailbox(text) == Mailbox(name: name, email: email))
    }

    private func record(_ text: String) throws -> PackageRecord {
        var reader = ControlReader(
            MemoryBytes(Array(text.utf8)), keeping: PackageRecord.fieldNames)
        return try PackageRecord(try #require(try reader.next()))
    }
}

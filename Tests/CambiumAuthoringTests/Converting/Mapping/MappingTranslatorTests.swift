import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What a mapping model becomes between two versions that are known.
struct MappingTranslatorTests {
    private func version(_ name: String, _ content: String) throws -> ParsedModel {
        let text =
            "<model xmlns=\"urn:cambium:model:1\" name=\"Shop\" version=\"\(name)\">"
            + content + "</model>"
        let source = SourceText(path: "\(name).xml", bytes: Array(text.utf8))
        return ParsedModel(source: source, version: name, root: try XMLReader.read(source))
    }

    /// The lines of the migration without the first and the last.
    private func lines(
        _ entities: [MappingModel.Entity], from old: String, to new: String
    ) throws -> [String] {
        let (versions, diagnostics) = MappedVersions.check(
            try version("1", old), try version("2", new), of: "Shop")
        #expect(!diagnostics.hasErrors, "\(diagnostics.map(\.rendered))")
        let mapping = MappingModel(entities: entities, oldVersion: nil, newVersion: nil)
        let known: MappedVersions = try #require(versions)
        let text = MappingTranslator.draft(of: mapping, between: known).text(from: "1")
        return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.hasPrefix("<migration") && $0 != "</migration>" }
    }

    private func entity(
        _ source: String?, _ destination: String?, _ attributes: [MappingModel.Property] = []
    ) -> MappingModel.Entity {
        MappingModel.Entity(
            source: source, destination: destination, policy: nil, attributes: attributes,
            relationships: [], others: [], offset: 0)
    }

    private func property(
        _ name: String, _ expression: ArchivedExpression? = nil
    ) -> MappingModel.Property {
        MappingModel.Property(name: name, expression: expression, path: nil, offset: 0)
    }

    private func string(_ name: String) -> String {
        "<attribute name=\"\(name)\" type=\"string\" optional=\"true\"/>"
    }

    private static let isNotMapped = "reason=\"The mapping model does not migrate it\""

    @Test func `what nothing maps is dropped`() throws {
        let lines = try lines(
            [entity("Group", "Category", [property("a")])],
            from: "<entity name=\"Gone\">\(string("x"))</entity>"
                + "<entity name=\"Group\">\(string("a"))\(string("b"))</entity>",
            to: "<entity name=\"Category\">\(string("a"))</entity>")
        #expect(
            lines == [
                #"<rename entity="Category" from="Group"/>"#,
                "<drop entity=\"Group\" property=\"b\" \(Self.isNotMapped)/>",
                "<drop entity=\"Gone\" \(Self.isNotMapped)/>",
            ])
    }

    /// Two kinds of items; `item` and `book` are what their entities declare.
    private func library(_ item: String, book: String = "", disc: String = "") -> String {
        "<entity name=\"Item\" abstract=\"true\">\(item)</entity>"
            + "<entity name=\"Book\" parent=\"Item\">\(book)</entity>"
            + "<entity name=\"Disc\" parent=\"Item\">\(disc)</entity>"
    }

    @Test func `an abstract parent has no mapping of its own and is not dropped`() throws {
        let lines = try lines(
            [entity("Book", "Book", [property("a")]), entity("Disc", "Disc", [property("a")])],
            from: library(string("a")), to: library(string("a")))
        #expect(lines.isEmpty)
    }

    @Test func `a fill names the entity that declares the attribute, once`() throws {
        let kind = property("kind", .constant("'new'"))
        let lines = try lines(
            [entity("Book", "Book", [kind]), entity("Disc", "Disc", [kind])],
            from: library(string("a")), to: library(string("a") + string("kind")))
        #expect(lines == [#"<fill entity="Item" attribute="kind" with="'new'"/>"#])
    }

    @Test func `sub-entities that get different values are left to steps`() throws {
        let lines = try lines(
            [
                entity("Book", "Book", [property("kind", .constant("'book'"))]),
                entity("Disc", "Disc", [property("kind", .constant("'disc'"))]),
            ], from: library(string("a")), to: library(string("a") + string("kind")))
        #expect(
            lines == [
                "<!-- Book.kind gets 'book' where it was a Book, and a fill is for every Item",
                "<step name=\"migrateBook\"/> -->",
                "<!-- Disc.kind gets 'disc' where it was a Disc, and a fill is for every Item",
                "<step name=\"migrateDisc\"/> -->",
            ])
    }

    @Test
    func `an entity that becomes part of another one is not dropped, and the question is open`()
        throws
    {
        let lines = try lines(
            [entity("Note", "Note", [property("a")]), entity("Draft", "Note", [property("a")])],
            from: "<entity name=\"Note\">\(string("a"))</entity>"
                + "<entity name=\"Draft\">\(string("a"))</entity>",
            to: "<entity name=\"Note\">\(string("a"))</entity>")
        #expect(lines[0] == "<!-- Note is made from Draft only in part")
        #expect(!lines.contains { $0.contains("<drop") })
        #expect(lines.last?.hasPrefix("Draft of version 1 is missing in version 2") == true)
    }

    @Test func `what code may have read is not dropped, and what no code sees is`() throws {
        let policy = ArchivedExpression.policy(selector: "make", arguments: [])
        let old =
            "<entity name=\"Note\">\(string("a"))\(string("b"))</entity>"
            + "<entity name=\"Tag\">\(string("a"))\(string("b"))</entity>"
        let lines = try lines(
            [
                entity("Note", "Note", [property("a", policy)]),
                entity("Tag", "Tag", [property("a")]),
            ],
            from: old, to: old.replacing(string("b"), with: ""))
        #expect(
            lines.filter { $0.contains("<drop") }
                == ["<drop entity=\"Tag\" property=\"b\" \(Self.isNotMapped)/>"])
        #expect(lines.last?.hasPrefix("Note.b of version 1 is missing in version 2") == true)
    }

    @Test func `a property that a parent declares now is found, or said to be renamed`() throws {
        let lines = try lines(
            [
                entity(
                    "Book", "Book", [property("a"), property("details", .sourcePath("author"))]),
                entity("Disc", "Disc", [property("a"), property("details")]),
            ], from: library("", book: string("a") + string("author"), disc: string("a")),
            to: library(string("a") + string("details")))
        #expect(lines == ["<rename entity=\"Item\" property=\"details\" from=\"author\"/>"])
    }

    @Test func `what sub-entities lose with a parent that goes is dropped, the parent is not`()
        throws
    {
        let lines = try lines(
            [entity("Book", "Book", [property("b")]), entity("Disc", "Disc", [property("b")])],
            from: library(string("a"), book: string("b"), disc: string("b")),
            to: "<entity name=\"Book\">\(string("b"))</entity>"
                + "<entity name=\"Disc\">\(string("b"))</entity>")
        let drops = lines.filter { $0.contains("<drop") }
        #expect(
            drops
                == ["Book", "Disc"].map {
                    "<drop entity=\"\($0)\" property=\"a\" \(Self.isNotMapped)/>"
                })
        #expect(lines.last?.hasPrefix("Item of version 1 is missing in version 2") == true)
    }

    @Test func `a new value for an attribute that has one takes the place of the old one`() throws {
        let lines = try lines(
            [entity("Note", "Note", [property("a", .constant("'x'"))])],
            from: "<entity name=\"Note\">\(string("a"))</entity>",
            to: "<entity name=\"Note\">\(string("a"))</entity>")
        #expect(
            lines == [
                #"<fill entity="Note" attribute="a" with="'x'"/>"#,
                #"<drop entity="Note" property="a" reason="The mapping model gives all a new"#
                    + #" value"/>"#,
            ])
    }

    @Test func `a value of the source is the one that the object had`() throws {
        let note = "<entity name=\"Note\">\(string("a"))\(string("b"))</entity>"
        let lines = try lines(
            [
                entity(
                    "Note", "Note",
                    [property("a", .sourcePath("b")), property("b", .constant("'x'"))])
            ], from: note, to: note)
        #expect(
            lines.filter { $0.hasPrefix("<fill") } == [
                #"<fill entity="Note" attribute="a" with="$old.b"/>"#,
                #"<fill entity="Note" attribute="b" with="'x'"/>"#,
            ])
    }

    @Test func `what the compiler refuses is left to a step, and nothing is dropped for it`() throws
    {
        let lines = try lines(
            [entity("Note", "Note", [property("a", .constant("5"))])],
            from: "<entity name=\"Note\">\(string("a"))</entity>",
            to: "<entity name=\"Note\">\(string("a"))</entity>")
        #expect(lines.count == 2)
        #expect(
            lines[0].hasPrefix(#"<!-- <fill entity="Note" attribute="a" with="5"/> is refused: "#))
        #expect(lines[1] == "<step name=\"migrateNote\"/> -->")
    }

    @Test func `versions with errors are none`() throws {
        let (versions, diagnostics) = MappedVersions.check(
            try version("1", "<entity name=\"A\" parent=\"B\"/>"),
            try version("2", "<entity name=\"A\"/>"), of: "Shop")
        #expect(versions == nil)
        #expect(diagnostics.hasErrors)
    }
}

import CambiumMigration
import CambiumSQL
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What `freeze --history` writes proves, with rows of every entity.
struct ProvenHistoryTests {
    private static func attribute(_ name: String, _ more: String) -> String {
        "<attribute name=\"\(name)\" \(more)/>"
    }

    private static func toOne(
        _ name: String, _ destination: String, _ inverse: String?, optional: Bool
    ) -> String {
        let other = inverse.map { " inverseName=\"\($0)\" inverseEntity=\"\(destination)\"" } ?? ""
        return
            "<relationship name=\"\(name)\" \(optional ? "optional=\"YES\" " : "")maxCount=\"1\" "
            + "deletionRule=\"Nullify\" destinationEntity=\"\(destination)\"\(other)/>"
    }

    private static func toMany(_ name: String, _ destination: String, _ inverse: String) -> String {
        "<relationship name=\"\(name)\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Cascade\" "
            + "destinationEntity=\"\(destination)\" inverseName=\"\(inverse)\" "
            + "inverseEntity=\"\(destination)\"/>"
    }

    private static func entity(_ name: String, _ content: String = "") -> String {
        "<entity name=\"\(name)\" representedClassName=\"\(name)\">\(content)</entity>"
    }

    /// Writes the file about two versions, the second of which is there twice: the step to the
    /// current version is not its business.
    private func write(
        _ old: String, _ new: String
    ) throws -> (folder: XcodeBundleFolder, result: ModelHistory.Result) {
        let folder = try XcodeBundleFolder([old, new, new])
        let result = ModelHistory.write(of: folder.path)
        if let text = result.text {
            try Data(text.utf8).write(
                to: folder.url.appendingPathComponent("Shop.history.xml"))
        }
        return (folder, result)
    }

    private func migrationCodes(_ compilation: Compilation) -> [String] {
        compilation.diagnostics.filter { (700..<800).contains($0.code.rawValue) }.map(\.rendered)
    }

    private func proves(_ folder: XcodeBundleFolder) -> Bool {
        let compilation = ModelCompiler.compile(folder.path)
        return migrationCodes(compilation).isEmpty && compilation.bundle?.migrations.count == 2
            && !compilation.steps.contains(where: \.lacksRows)
    }

    // MARK: Values

    private static let title = attribute("title", "optional=\"YES\" attributeType=\"String\"")

    private static func unique(_ name: String) -> String {
        "<uniquenessConstraints><uniquenessConstraint><constraint value=\"\(name)\"/>"
            + "</uniquenessConstraint></uniquenessConstraints>"
    }

    @Test func `each object gets another UUID`() throws {
        let id = Self.attribute("id", "attributeType=\"UUID\"")
        let (folder, result) = try write(
            Self.entity("Task", Self.title),
            Self.entity("Task", Self.title + id + Self.unique("id")))
        #expect(
            result.text?.contains("<fill entity=\"Task\" attribute=\"id\" with=\"uuid()\"") == true)
        #expect(result.open == [] && result.lackingRows == [])
        #expect(proves(folder))
    }

    @Test func `one value for all objects is not written where it has to be unique`() throws {
        let number = Self.attribute("number", "attributeType=\"Integer 32\"")
        let (_, result) = try write(
            Self.entity("Task", Self.title),
            Self.entity("Task", Self.title + number + Self.unique("number")))
        #expect(result.text == nil)
        #expect(result.open.contains { $0.contains("This step needs code") })
    }

    // MARK: Objects that go

    private static func chain(isRequired: Bool) -> String {
        entity("Race", toMany("medals", "Medal", "race"))
            + entity(
                "Medal",
                toOne("race", "Race", "medals", optional: !isRequired)
                    + toMany("holders", "Holder", "medal"))
            + entity(
                "Holder",
                toOne("medal", "Medal", "holders", optional: !isRequired)
                    + toMany("notes", "Note", "holder"))
            + entity("Note", toOne("holder", "Holder", "notes", optional: !isRequired))
    }

    @Test func `what requires objects that go is named`() throws {
        let (folder, result) = try write(
            Self.chain(isRequired: false), Self.chain(isRequired: true))
        let conditions = [
            "Medal where race == nil", "Holder where medal == nil", "Note where holder == nil",
            "Holder where medal.race == nil", "Note where holder.medal == nil",
            "Note where holder.medal.race == nil",
        ]
        #expect(
            Set(result.added) == Set(conditions.map { "Shop 2: deletes the rows of \($0)" }))
        for condition in conditions {
            #expect(result.text?.contains("<!-- deletes the rows of \(condition) -->") == true)
        }
        #expect(proves(folder))
        #expect(ModelHistory.write(of: folder.path).added == [])
    }

    @Test func `the order of drops makes no difference`() throws {
        let (folder, result) = try write(
            Self.chain(isRequired: false), Self.chain(isRequired: true))
        let text = try #require(result.text)
        let drops = text.ranges(of: #/    <drop [^>]*>\n/#).map { String(text[$0]) }
        #expect(drops.count == 6)
        let head = try #require(
            text.firstRange(of: "  <migration from=\"Shop 1\" to=\"Shop 2\">\n"))
        let reversed =
            text[..<head.upperBound] + drops.reversed().joined() + "  </migration>\n</history>\n"
        try Data(reversed.utf8).write(to: folder.url.appendingPathComponent("Shop.history.xml"))
        #expect(proves(folder))
    }

    @Test func `a drop of all rows is named as that`() throws {
        let owner = Self.toOne("owner", "Owner", nil, optional: false)
        let (folder, result) = try write(
            Self.entity("A", Self.title)
                + Self.entity("B", Self.toOne("a", "A", nil, optional: false)),
            Self.entity("A", Self.title + owner)
                + Self.entity("B", Self.toOne("a", "A", nil, optional: false))
                + Self.entity("Owner", Self.title))
        #expect(
            result.added == [
                "Shop 2: deletes all rows of A", "Shop 2: deletes all rows of B",
            ])
        #expect(result.text?.contains("<!-- deletes all rows of B -->") == true)
        #expect(proves(folder))
    }

    @Test func `where only objects of a sub-entity go, others stay`() throws {
        func model(_ isRequired: Bool) -> String {
            Self.entity("Base", Self.title)
                + "<entity name=\"Leaf\" parentEntity=\"Base\" representedClassName=\"Leaf\">"
                + Self.toOne("of", "Race", nil, optional: !isRequired) + "</entity>"
                + "<entity name=\"Other\" parentEntity=\"Base\" representedClassName=\"Other\"/>"
                + Self.entity("Race", Self.title)
                + Self.entity("Mark", Self.toOne("leaf", "Leaf", nil, optional: false))
        }
        let (folder, result) = try write(model(false), model(true))
        #expect(
            result.added == [
                "Shop 2: deletes the rows of Leaf where of == nil",
                "Shop 2: deletes the rows of Mark where leaf.of == nil",
            ])
        #expect(proves(folder))
    }

    @Test func `what requires objects of a dropped entity is named`() throws {
        func model(_ more: String...) -> String {
            Self.entity("Item", Self.title)
                + more.map { "<entity name=\"\($0)\" parentEntity=\"Item\"/>" }.joined()
                + Self.entity(
                    "Order",
                    Self.toOne("item", "Item", nil, optional: false)
                        + Self.toMany("lines", "Line", "order"))
                + Self.entity("Line", Self.toOne("order", "Order", "lines", optional: false))
        }
        let (folder, result) = try write(model("Book", "Film", "Game"), model("Game"))
        #expect(result.open == [])
        #expect(
            result.added == [
                "Shop 2: deletes the rows of Order where entity:(item) == 'Book'",
                "Shop 2: deletes the rows of Order where entity:(item) == 'Film'",
                "Shop 2: deletes all rows of Book", "Shop 2: deletes all rows of Film",
                "Shop 2: deletes the rows of Line where entity:(order.item) == 'Book'",
                "Shop 2: deletes the rows of Line where entity:(order.item) == 'Film'",
            ])
        #expect(
            result.text?.contains("reason=\"what they require at item was removed in Shop 2\"")
                == true)
        #expect(proves(folder))
    }

    /// An abstract entity has no objects, and what led to games led to no toy.
    @Test(
        arguments: zip(
            [" isAbstract=\"YES\"", ""], [("Item", "Toy"), ("Game", "deletes all rows of Toy")]))
    func `what cannot lead to objects of a dropped entity is not asked about`(
        toy: String, expected: (destination: String, line: String)
    ) throws {
        func model(_ more: String, _ destination: String) -> String {
            Self.entity("Item", Self.title)
                + "<entity name=\"Game\" parentEntity=\"Item\"/>" + more
                + Self.entity("Order", Self.toOne("item", destination, nil, optional: false))
        }
        let (folder, result) = try write(
            model("<entity name=\"Toy\" parentEntity=\"Item\"\(toy)/>", expected.destination),
            model("", "Item"))
        #expect(result.open == [])
        #expect(result.added == ["Shop 2: \(expected.line)"])
        #expect(result.text?.contains("deletes") == toy.isEmpty)
        #expect(proves(folder))
    }

    // MARK: Links

    @Test func `where no link can stay, none is chosen`() throws {
        let (folder, result) = try write(
            Self.entity("Album", Self.toOne("cover", "Artwork", nil, optional: true))
                + Self.entity("Artwork", Self.title) + Self.entity("Image", Self.title),
            Self.entity("Album", Self.toOne("cover", "Image", "coverOf", optional: true))
                + Self.entity("Artwork", Self.title)
                + Self.entity(
                    "Image", Self.title + Self.toOne("coverOf", "Album", "cover", optional: true)))
        #expect(result.added == ["Shop 2: Album.cover"])
        #expect(proves(folder))
    }

    @Test func `links that a drop takes are not kept`() throws {
        func pictures(_ more: String) -> String {
            Self.entity("Picture", Self.title)
                + "<entity name=\"Artwork\" parentEntity=\"Picture\"/>"
                + "<entity name=\"Image\" parentEntity=\"Picture\">\(more)</entity>"
        }
        let (folder, result) = try write(
            Self.entity("Album", Self.toOne("cover", "Picture", nil, optional: true))
                + pictures(""),
            Self.entity("Album", Self.toOne("cover", "Image", "coverOf", optional: true))
                + pictures(Self.toOne("coverOf", "Album", "cover", optional: true)))
        #expect(result.added == ["Shop 2: Album.cover"])
        #expect(proves(folder))
    }

    @Test func `what needs code is shown before what does not`() throws {
        let names = ["a", "b", "c", "d"].map {
            Self.attribute($0, "attributeType=\"Integer 16\"")
        }.joined()
        let number = Self.attribute("z", "attributeType=\"Integer 32\"")
        let new = Self.entity("Task", Self.title + names + number + Self.unique("z"))
        let folder = try XcodeBundleFolder([Self.entity("Task", Self.title), new, new])
        let found = ModelCompiler.compile(folder.path).diagnostics
        let notes = try #require(found.first { $0.code == .brokenChain }).notes
        #expect(notes.first?.contains("Task.z") == true, "\(notes)")
    }

    @Test func `a version with errors is not said to lack what it declares`() throws {
        let folder = try XcodeBundleFolder([Self.entity("A")])
        let bundle = folder.url.appendingPathComponent("Own.cambium")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        func write(_ version: Int, _ content: String) throws {
            try Data(
                ("<model xmlns=\"urn:cambium:model:1\" name=\"Own\" version=\"\(version)\">"
                    + content + "</model>").utf8
            ).write(to: bundle.appendingPathComponent("\(version).xml"))
        }
        try write(1, "<entity name=\"P\"><attribute name=\"_x\" type=\"string\"/></entity>")
        try write(
            2,
            "<entity name=\"P\"><attribute name=\"x\" type=\"string\"/></entity>"
                + "<migration from=\"1\"><fill entity=\"P\" attribute=\"x\" with=\"$old._x\"/>"
                + "</migration>")
        let found = withExtendedLifetime(folder) { ModelCompiler.compile(bundle.path) }.diagnostics
        #expect(found.map(\.code) == [.notAnIdentifier], "\(found.map(\.rendered))")
    }

    @Test func `of parted ends the one goes whose links live on elsewhere`() throws {
        func model(_ paired: String) -> String {
            Self.entity(
                "P",
                Self.title
                    + ["one", "two"].map { name in
                        Self.toOne(name, "Q", name == paired ? "p" : nil, optional: true)
                    }.joined())
                + Self.entity("Q", Self.title + Self.toOne("p", "P", paired, optional: true))
        }
        let (folder, result) = try write(model("one"), model("two"))
        let text = try #require(result.text)
        #expect(text.contains("<drop entity=\"Q\" property=\"p\""))
        #expect(text.contains("<keep entity=\"Q\" relationship=\"p\""))
        #expect(!text.contains("entity=\"P\""))
        #expect(proves(folder))
    }

    // MARK: Circles

    private static func circle(_ isRequired: Bool) -> String {
        entity("A", title + toOne("b", "B", "as", optional: !isRequired))
            + entity(
                "B", toMany("as", "A", "b") + toOne("c", "C", "bs", optional: !isRequired))
            + entity("C", toMany("bs", "B", "c") + toOne("a", "A", nil, optional: !isRequired))
    }

    private static func tree(_ isRequired: Bool) -> String {
        entity(
            "Node",
            title + toOne("parent", "Node", "children", optional: !isRequired)
                + toMany("children", "Node", "parent"))
    }

    @Test(arguments: [(circle(false), circle(true)), (tree(false), tree(true))])
    func `where objects require each other in a circle, code is needed`(
        old: String, new: String
    ) throws {
        let (folder, result) = try write(old, new)
        #expect(result.text == nil)
        #expect(result.open.contains { $0.contains("in a circle") })
        #expect(result.open.contains { $0.contains("This step needs code: write <migration") })
        let chain = ModelCompiler.compile(folder.path).diagnostics.first { $0.code == .brokenChain }
        #expect(chain?.message.hasSuffix("this version needs code") == true)
        #expect(chain?.notes.contains { $0.contains("freeze --history") } == false)
    }

    @Test func `two objects that require each other are no circle`() throws {
        func model(_ isRequired: Bool) -> String {
            Self.entity("A", Self.title + Self.toOne("b", "B", "a", optional: !isRequired))
                + Self.entity("B", Self.toOne("a", "A", "b", optional: !isRequired))
        }
        let (folder, result) = try write(model(false), model(true))
        #expect(result.open == [])
        #expect(proves(folder))
    }

    // MARK: Code

    private static let memo =
        entity("Memo", title) + entity("Item", toOne("memo", "Memo", nil, optional: false))

    @Test func `a step that needs code says so, with the declaration that leaves room for it`()
        throws
    {
        let old =
            Self.entity("Note", Self.title)
            + Self.entity("Item", Self.toOne("memo", "Note", nil, optional: false))
        let folder = try XcodeBundleFolder([old, Self.memo, Self.memo])
        let found = ModelCompiler.compile(folder.path)
        let diagnostic = try #require(found.diagnostics.first { $0.code == .brokenChain })
        #expect(diagnostic.message.hasSuffix("this version needs code"))
        #expect(!diagnostic.notes.contains { $0.contains("make it optional") })
        #expect(diagnostic.notes.contains { $0.contains("deletes all rows of Item") })
        let note = try #require(diagnostic.notes.first { $0.hasPrefix("This step needs code") })
        let declaration = try #require(note.firstRange(of: #/<migration.*</migration>/#))
        let file =
            "<history xmlns=\"urn:cambium:model:1\" name=\"Shop\">\(note[declaration])</history>"
        try Data(file.utf8).write(to: folder.url.appendingPathComponent("Shop.history.xml"))
        let declared = ModelCompiler.compile(folder.path)
        #expect(migrationCodes(declared) == [])
        #expect(declared.bundle?.migrations.first?.codeSteps == ["migrateByCode"])
    }
}

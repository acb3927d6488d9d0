import CambiumModel
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

struct DiagramTests {
    private func relationship(
        _ name: String, _ destination: String, inverse: String?, many: Bool = false,
        optional: Bool = true, minimum: Int? = nil
    ) -> Relationship {
        Relationship(
            name: name, destination: destination, inverse: inverse, isToMany: many,
            isOptional: optional, minimumCount: minimum)
    }

    private func mermaid(_ entities: [Entity]) -> [String] {
        MermaidEmitter.text(of: Model(name: "M", version: "1", entities: entities))
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `a relationship and its inverse are one line`() {
        let lines = mermaid([
            Entity(
                name: "A", relationships: [relationship("bs", "B", inverse: "a", many: true)]),
            Entity(
                name: "B", relationships: [relationship("a", "A", inverse: "bs", optional: false)]),
        ])
        #expect(lines.filter { $0.contains("--") } == [#""A" ||--o{ "B" : "bs / a""#])
    }

    @Test func `each end says how many there are`() {
        let lines = mermaid([
            Entity(
                name: "A",
                relationships: [
                    relationship("one", "A", inverse: "other"),
                    relationship("other", "A", inverse: "one"),
                    relationship("friends", "A", inverse: "friends", many: true),
                    relationship("some", "A", inverse: "back", many: true, minimum: 1),
                    relationship("back", "A", inverse: "some", optional: false),
                    relationship("alone", "A", inverse: nil),
                ])
        ])
        #expect(
            lines.filter { $0.contains("--") } == [
                #""A" |o--o| "A" : "one / other""#, #""A" }o--o{ "A" : "friends""#,
                #""A" ||--|{ "A" : "some / back""#, #""A" }o--o| "A" : "alone""#,
            ])
    }

    @Test func `what is derived, transient or ordered is marked`() {
        let lines = mermaid([
            Entity(
                name: "A",
                attributes: [
                    Attribute(
                        name: "twice", type: .int64, isOptional: true,
                        derivation: .literal(.int(2))),
                    Attribute(name: "isOpen", type: .bool, isTransient: true),
                ],
                relationships: [
                    Relationship(
                        name: "bs", destination: "B", inverse: "a", isToMany: true, isOrdered: true),
                    Relationship(name: "near", destination: "B", isTransient: true),
                ]),
            Entity(name: "B", relationships: [relationship("a", "A", inverse: "bs")]),
        ])
        #expect(lines.contains(#"int64 twice "derived, optional""#))
        #expect(lines.contains(#"bool isOpen "transient""#))
        #expect(
            lines.filter { $0.contains("--") } == [
                #""A" |o--o{ "B" : "bs (ordered) / a""#,
                #""A" }o--o| "B" : "near (transient)""#,
            ])
    }

    @Test func `an inverse that is inherited is drawn once`() {
        let lines = mermaid([
            Entity(
                name: "Named",
                relationships: [relationship("tags", "Tag", inverse: "of", many: true)]),
            Entity(name: "Product", parent: "Named"),
            Entity(name: "Tag", relationships: [relationship("of", "Named", inverse: "tags")]),
        ])
        #expect(lines.filter { $0.contains("--") }.count == 1)
        #expect(lines.contains(#""Product" |o..|| "Named" : "is a""#))
    }

    @Test(arguments: DocumentationFixture.hostile)
    func `no text of a model leaves its place in Mermaid`(payload: String) throws {
        let plain = MermaidEmitter.text(of: DocumentationFixture().model)
        let text = MermaidEmitter.text(of: DocumentationFixture { $0 + payload }.model)
        #expect(text.count(where: \.isNewline) == plain.count(where: \.isNewline))
        let name = ##""[^"\n%\\#;<>&`]*""##
        let word = #"[A-Za-z\x{C0}-\x{FFFF}][A-Za-z0-9_()\[\]\x{C0}-\x{FFFF}]*"#
        let grammar = try Regex(
            #"erDiagram|    \#(name) \{\}?|        \#(word) \#(word)( \#(name))?|    \}|"#
                + #"    \#(name) [|}][o|](--|\.\.)[o|][|{] \#(name) : \#(name)"#)
        for line in text.split(separator: "\n") {
            #expect(try grammar.wholeMatch(in: String(line)) != nil, "\(line)")
        }
    }

    @Test(arguments: DocumentationFixture.hostile)
    func `no text of a model leaves its place in Graphviz`(payload: String) {
        /// The text without what stands in quotes and labels.
        func skeleton(_ text: String) -> String {
            text.replacing(#/label=<.*>\]/#, with: "label]").replacing(#/"[^"]*"/#, with: "\"\"")
        }
        let plain = GraphvizEmitter.text(of: DocumentationFixture().model, isLinked: true)
        let text = GraphvizEmitter.text(
            of: DocumentationFixture { $0 + payload }.model, isLinked: true)
        #expect(skeleton(text) == skeleton(plain))
        let tags = { (text: String) in text.matches(of: #/<[^>]*>/#).count }
        #expect(tags(text) == tags(plain))
    }

    @Test(arguments: [
        ("a.svg", DiagramFormat.svg), ("b/a.mmd", .mermaid), ("a.b.dot", .dot), ("a.gv", .dot),
    ])
    func `the name of a file says the form`(name: String, format: DiagramFormat) {
        #expect(DiagramFormat(fileName: name) == format)
        #expect(DiagramFormat(fileName: "a.txt") == nil)
    }
}

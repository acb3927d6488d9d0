import CambiumModel
import Foundation

@testable import CambiumCompiler

/// A bundle in which every text that a model can hold is made by a function of its plain form.
struct DocumentationFixture {
    let bundle: CompiledBundle

    init(_ text: (String) -> String = { $0 }) {
        let note = [text("key"): text("value")]
        let product = Entity(
            name: text("Product"), className: text("PlainProduct"), parent: text("Named"),
            attributes: [
                Attribute(
                    name: text("sku"), type: .string, isOptional: true,
                    defaultValue: .constant(.string(text("x"))),
                    limits: Limits(minimumLength: 1, pattern: text("[a-z]+")),
                    renamedFrom: text("number"), userInfo: note),
                Attribute(name: text("kind"), type: .enumeration(text("Kind"))),
                Attribute(name: text("labels"), type: .codable(text("Labels"))),
                Attribute(name: text("size") + "." + text("width"), type: .int32),
            ],
            compositeAttributes: [
                CompositeAttribute(name: text("size"), composite: text("Size"))
            ],
            relationships: [
                Relationship(
                    name: text("category"), destination: text("Category"),
                    inverse: text("products"), renamedFrom: text("group"), userInfo: note)
            ],
            uniqueConstraints: [UniqueConstraint(properties: [text("sku")])],
            indexes: [Index(name: text("bySKU"), elements: [IndexElement(property: text("sku"))])],
            rules: [
                Rule(name: text("rule"), message: text("message"), condition: .and([]))
            ],
            fetchTemplates: [
                FetchTemplate(
                    name: text("all"), parameters: [FetchParameter(name: text("p"), type: .string)])
            ],
            fetchedProperties: [
                FetchedProperty(name: text("rivals"), destination: text("Product"))
            ], userInfo: note)
        let category = Entity(
            name: text("Category"),
            relationships: [
                Relationship(
                    name: text("products"), destination: text("Product"),
                    inverse: text("category"), isToMany: true)
            ])
        let enumeration = Enumeration(
            name: text("Kind"), rawType: .string,
            cases: [EnumerationCase(name: text("book"), rawValue: .string(text("BOOK")))])
        let new = Model(
            name: text("Shop"), version: text("2"),
            entities: [product, category, Entity(name: text("Named"), isAbstract: true)],
            enumerations: [enumeration],
            composites: [
                Composite(
                    name: text("Size"), attributes: [Attribute(name: text("width"), type: .int32)],
                    userInfo: note)
            ],
            configurations: [Configuration(name: text("All"), entities: [text("Product")])],
            identifier: text("second"), userInfo: note,
            migration: MigrationDeclaration(
                from: text("1"),
                drops: [.init(entity: text("Legacy"), reason: text("never shipped"))]))
        let old = Model(
            name: text("Shop"), version: text("1"),
            entities: [category, Entity(name: text("Legacy"))],
            enumerations: [])
        bundle = CompiledBundle(
            name: text("Shop"),
            versions: [Self.checked(old, text), Self.checked(new, text)], schema: [], migrations: []
        )
    }

    var model: Model { bundle.versions[1].model }

    /// The elements that the page quotes expressions from.
    private static func checked(_ model: Model, _ text: (String) -> String) -> CheckedModel {
        func attribute(_ name: String, _ value: String) -> ParsedAttribute {
            ParsedAttribute(name: name, offset: 0, text: ParsedText(value: value))
        }
        var entity = ParsedElement(
            name: "entity", namespace: nil, offset: 0,
            attributes: [attribute("name", text("Product"))])
        entity.children = [("rule", "rule"), ("fetch", "all"), ("fetched", "rivals")].map {
            kind, name in
            ParsedElement(
                name: kind, namespace: nil, offset: 0,
                attributes: [attribute("name", text(name)), attribute("where", text("a < b"))])
        }
        entity.children.append(
            ParsedElement(
                name: "index", namespace: nil, offset: 0,
                attributes: [attribute("by", text("sku")), attribute("where", text("c"))]))
        let root = ParsedElement(
            name: "model", namespace: nil, offset: 0, attributes: [], children: [entity])
        return CheckedModel(
            model: model, access: .internal,
            parsed: ParsedModel(
                source: SourceText(path: "1.xml", bytes: []), version: model.version, root: root))
    }

    /// Texts that mean something in HTML, SVG, Mermaid, Graphviz or JSON.
    static let hostile = [
        "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><b>", "'><b>",
        "&lt;b&gt;", "--><b>", "]]>", "a\nb {", "\"]; x -> y [label=\"", "|}{| : \"", "%%{init}%%",
        "`x`", "\\", "\\N\\\"", "\u{202E}txt", "\u{0}\u{1B}[31m", "}</style><b>",
        "javascript:alert(1)",
        "é 日本 😀", "", " ", "PK",
    ]
}

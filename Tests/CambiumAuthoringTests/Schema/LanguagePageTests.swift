import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

/// What the page "The model language" says of elements and their XML attributes.
struct LanguagePageTests {
    /// The elements that stand in the section of another.
    private static let sections =
        [
            "case": "enum", "by": "index", "parameter": "fetch", "history": "migration",
        ].merging(Vocabulary.declarations.map { ($0, "migration") }, uniquingKeysWith: { $1 })

    /// The text below each heading, by the elements that it names.
    private func page() throws -> [String: String] {
        let file = TestModels.package.appendingPathComponent(
            "Sources/Cambium/Cambium.docc/ModelLanguage.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let parts = text.components(separatedBy: "\n## ").dropFirst().map { part in
            (String(part.prefix { !" \n".contains($0) }), part)
        }
        return Dictionary(parts, uniquingKeysWith: { first, _ in first })
    }

    @Test func `each XML attribute is in the section of its element`() throws {
        let page = try page()
        let request = Set(XMLAttribute.request.map(\.name))
        for (key, rule) in Vocabulary.rules {
            let name = String(key.split(separator: "/").first { $0 != "history" } ?? "history")
            let section = try #require(page[Self.sections[name] ?? name], "\(key)")
            for attribute in rule.attributes {
                let text = request.contains(attribute) ? page["fetch"] ?? "" : section
                let isNamed = text.contains("`\(attribute)`") || text.contains(" \(attribute)=\"")
                #expect(isNamed, "\(key): \(attribute)")
            }
        }
    }

    @Test func `the tables have no other XML attributes`() throws {
        for (name, section) in try page() {
            guard let own = Vocabulary.rules[name] else { continue }
            let rules =
                [own] + Vocabulary.rules.values.filter { Self.sections[$0.name] == name }
                + Vocabulary.rules.values.filter { $0.key == "history/migration" }
            let known = Set(rules.flatMap(\.attributes))
            var column: Int?
            for line in section.components(separatedBy: "\n") {
                let cells = line.components(separatedBy: "|").dropFirst()
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                if cells.isEmpty {
                    column = nil
                } else if let index = cells.firstIndex(of: "attribute") {
                    column = index
                } else if let column, cells[column].hasPrefix("`") {
                    let names = cells[column].components(separatedBy: "`").enumerated()
                        .filter { $0.offset % 2 == 1 }.map(\.element)
                    #expect(Set(names).subtracting(known) == [], "\(name)")
                }
            }
        }
    }
}

import Testing

@testable import CambiumCompiler

/// What the table of the language says of XML attributes is what the checker does with them.
struct LanguageTableTests {
    /// A model with every element that has XML attributes of few values.
    private static let model = """
        <model xmlns="urn:cambium:model:1" name="Shop" version="1">
        <enum name="Kind"><case name="book"/></enum>
        <composite name="Size"><attribute name="unit" type="string"/></composite>
        <entity name="Product">
          <attribute name="title" type="string"/>
          <derived name="label" type="string" expression="title"/>
          <relationship name="parts" to="Product" inverse="whole" many="true"/>
          <relationship name="whole" to="Product" inverse="parts" optional="true"/>
          <fetched name="equals" to="Product" where="title == $source.title"/>
          <index name="titles"><by property="title"/></index>
          <fetch name="all"><parameter name="word"/>title == $word</fetch>
        </entity>
        </model>
        """

    private static let restricted: [(key: String, attribute: String)] = Vocabulary.rules.values
        .sorted { $0.key < $1.key }.flatMap { rule in
            rule.fields.filter { attribute in
                switch attribute.kind {
                case .text, .name: false
                case .flag, .count, .scale, .type, .words, .wordList: true
                }
            }.map { (rule.key, $0.name) }
        }
        // Declarations of migrations need a version before.
        .filter { key, _ in !key.contains("history") && !Vocabulary.declarations.contains(key) }

    private func check(_ root: ParsedElement) throws -> [Diagnostic] {
        let source = SourceText(path: "1.xml", bytes: Array(root.compactXML.utf8))
        let parsed = ParsedModel(source: source, version: "1", root: try XMLReader.read(source))
        return ModelChecker.check(
            parsed, bundleName: "Shop", previousVersion: nil, previous: nil
        ).diagnostics.filter(\.isError)
    }

    /// Sets an XML attribute of the first element that a key is about.
    private func set(
        _ name: String, to value: String, ofFirst key: String, in element: inout ParsedElement,
        below parent: String = ""
    ) -> Bool {
        if key == element.name && parent != "composite" || key == "\(parent)/\(element.name)" {
            element.attributes.removeAll { $0.name == name }
            element.attributes.append(ParsedAttribute(name: name, value: value, at: 0))
            return true
        }
        for index in element.children.indices {
            let isSet = set(
                name, to: value, ofFirst: key, in: &element.children[index], below: element.name)
            if isSet { return true }
        }
        return false
    }

    @Test func `a value that an XML attribute cannot have is an error`() throws {
        let bytes = Array(Self.model.utf8)
        let root = try XMLReader.read(SourceText(path: "1.xml", bytes: bytes))
        #expect(try check(root) == [])
        for (key, name) in Self.restricted {
            var copy = root
            #expect(set(name, to: "no such word", ofFirst: key, in: &copy), "\(key)")
            #expect(try check(copy) != [], "\(key): \(name)")
        }
    }

    @Test func `words and truths are taken`() throws {
        let root = try XMLReader.read(SourceText(path: "1.xml", bytes: Array(Self.model.utf8)))
        for (key, name) in Self.restricted {
            let words: [String]
            switch Vocabulary.rules[key]?[name]?.kind {
            case .words(let list)?: words = list
            case .flag?: words = ["true", "false"]
            default: continue
            }
            for word in words {
                var copy = root
                #expect(set(name, to: word, ofFirst: key, in: &copy), "\(key)")
                let found = try check(copy).filter { $0.code == .invalidWord }
                #expect(found == [], "\(key): \(name)=\(word)")
            }
        }
    }
}

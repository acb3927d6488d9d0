import CambiumCompiler

/// The XML Schema of the model language, for completion, checks and help in editors.
///
/// It is generated from ``Vocabulary``, so it always agrees with the checker. Some rules can only
/// be checked by the checker: that names exist, or that a default fits its type. Elements and
/// attributes of other namespaces are allowed anywhere.
package enum ModelSchema {
    /// The usual name of the file.
    package static let fileName = "cambium-model-1.xsd"

    /// The text of the schema; the same for the same compiler.
    package static var text: String {
        let rules = Vocabulary.rules.values.sorted { $0.key < $1.key }
        let header: KeyValuePairs<String, String?> = [
            "xmlns:xs": "http://www.w3.org/2001/XMLSchema", "xmlns": Vocabulary.namespace,
            "targetNamespace": Vocabulary.namespace, "elementFormDefault": "qualified",
            "attributeFormDefault": "unqualified",
        ]
        let roots = ["model", "history"].map { element($0, of: $0) }
        return XMLPrinter.print(xs("schema", header, roots + rules.map(complexType) + simpleTypes))
    }

    // MARK: Elements

    private static func element(_ name: String, of key: String) -> ParsedElement {
        let text = Vocabulary.rules[key]?.text ?? ""
        return xs("element", ["name": name, "type": typeName(key)], [documentation(text)])
    }

    /// The name of the type of an element. The slash in the key of an element with two meanings is
    /// invalid in XML.
    private static func typeName(_ key: String) -> String { key.replacing("/", with: "-") }

    private static func complexType(_ rule: ElementDescriptor) -> ParsedElement {
        let others: KeyValuePairs = ["namespace": "##other", "processContents": Optional("lax")]
        let children = rule.children.map { child in
            let own = "\(rule.key)/\(child)"
            return element(child, of: Vocabulary.rules[own] == nil ? child : own)
        }
        let choice: KeyValuePairs = ["minOccurs": "0", "maxOccurs": Optional("unbounded")]
        return xs(
            "complexType", ["name": typeName(rule.key), "mixed": rule.hasText ? "true" : nil],
            [xs("choice", choice, children + [xs("any", others)])] + rule.fields.map(attribute)
                + [xs("anyAttribute", others)])
    }

    private static func attribute(_ attribute: XMLAttribute) -> ParsedElement {
        var type: String?
        var own: [ParsedElement] = []
        switch attribute.kind {
        case .text: type = "xs:string"
        case .name: type = "name"
        case .flag: type = "flag"
        case .count: type = "count"
        case .scale: type = "scale"
        case .type: type = "type"
        case .words(let words): own = [simpleType(nil, enumeration(words))]
        case .wordList(let words):
            let list = xs("list", [:], [simpleType(nil, enumeration(words))])
            own = [xs("simpleType", [:], [list])]
        }
        let use = attribute.isRequired ? "required" : nil
        return xs(
            "attribute", ["name": attribute.name, "type": type, "use": use],
            [documentation(attribute.text)] + own)
    }

    private static func documentation(_ text: String) -> ParsedElement {
        var documentation = xs("documentation")
        documentation.text.value = text
        return xs("annotation", [:], [documentation])
    }

    // MARK: Values

    private static let simpleTypes = [
        simpleType("name", [xs("minLength", ["value": "1"])]),
        simpleType("flag", enumeration(["true", "false"])),
        simpleType("count", [xs("pattern", ["value": "[0-9]+"])]),
        simpleType("scale", [xs("pattern", ["value": "[0-9]+|any"])]),
        xs("simpleType", ["name": "type"], [typeOrName]),
    ]

    /// The words for types, so that editors offer them, or the name of a type of the model.
    private static let typeOrName = xs(
        "union", ["memberTypes": "name"], [simpleType(nil, enumeration(ModelChecker.typeWords))])

    private static func simpleType(_ name: String?, _ facets: [ParsedElement]) -> ParsedElement {
        xs("simpleType", ["name": name], [xs("restriction", ["base": "xs:string"], facets)])
    }

    private static func enumeration(_ words: [String]) -> [ParsedElement] {
        words.map { xs("enumeration", ["value": $0]) }
    }

    private static func xs(
        _ name: String, _ attributes: KeyValuePairs<String, String?> = [:],
        _ children: [ParsedElement] = []
    ) -> ParsedElement {
        ParsedElement(xcode: "xs:" + name, AttributeList(attributes), children: children)
    }
}

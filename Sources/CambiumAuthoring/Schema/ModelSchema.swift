import CambiumCompiler
import Foundation

/// The XML Schema of the model language, from which editors complete, check and explain models.
///
/// It is written out of ``Vocabulary`` and the words that each attribute may be, so it cannot say
/// anything else than the checker. What only the checker can know (that names exist, that a default
/// fits its type) is left to it. Elements and attributes of other namespaces are allowed anywhere.
package enum ModelSchema {
    /// The usual name of the file.
    package static let fileName = "cambium-model-1.xsd"

    /// The namespace of every element of a model.
    package static var namespace: String { Vocabulary.namespace }

    /// The text of the schema; the same for the same compiler.
    package static var text: String {
        let elements = Vocabulary.rules.keys.sorted().flatMap(complexType)
        let types = SchemaValue.allCases.flatMap(simpleType)
        let lines =
            [
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"",
                "    xmlns=\"\(Vocabulary.namespace)\" targetNamespace=\"\(Vocabulary.namespace)\"",
                "    elementFormDefault=\"qualified\" attributeFormDefault=\"unqualified\">",
                "    <xs:element name=\"model\" type=\"model\">",
            ] + documentation(SchemaWords.elements["model"], depth: 2)
            + ["    </xs:element>", "    <xs:element name=\"history\" type=\"history\">"]
            + documentation(SchemaWords.elements["history"], depth: 2) + ["    </xs:element>"]
            + elements + types + ["</xs:schema>"]
        return lines.map { $0 + "\n" }.joined()
    }

    /// The name of the type of an element; the slash of one with two meanings is none for XML.
    private static func typeName(_ key: String) -> String {
        key.replacingOccurrences(of: "/", with: "-")
    }

    private static func complexType(_ key: String) -> [String] {
        guard let rule = Vocabulary.rules[key] else { return [] }
        let mixed = rule.hasText ? " mixed=\"true\"" : ""
        var lines = [
            "    <xs:complexType name=\"\(typeName(key))\"\(mixed)>",
            "        <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">",
        ]
        for child in rule.children {
            let own = "\(key)/\(child)"
            let type = Vocabulary.rules[own] == nil ? child : own
            lines.append(
                "            <xs:element name=\"\(child)\" type=\"\(typeName(type))\">")
            lines += documentation(
                SchemaWords.elements[own] ?? SchemaWords.elements[child], depth: 4)
            lines.append("            </xs:element>")
        }
        lines += [
            "            <xs:any namespace=\"##other\" processContents=\"lax\"/>",
            "        </xs:choice>",
        ]
        for attribute in rule.attributes {
            let word = SchemaWords.attribute(attribute, of: key)
            let use = rule.required.contains(attribute) ? " use=\"required\"" : ""
            let type = word.value.typeName
            lines.append("        <xs:attribute name=\"\(attribute)\" type=\"\(type)\"\(use)>")
            lines += documentation(word.text, depth: 3)
            lines.append("        </xs:attribute>")
        }
        return lines + [
            "        <xs:anyAttribute namespace=\"##other\" processContents=\"lax\"/>",
            "    </xs:complexType>",
        ]
    }

    private static func documentation(_ text: String?, depth: Int) -> [String] {
        guard let text else { return [] }
        let space = String(repeating: "    ", count: depth)
        let escaped = text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
        return [
            "\(space)<xs:annotation><xs:documentation>",
            "\(space)    \(escaped)",
            "\(space)</xs:documentation></xs:annotation>",
        ]
    }

    private static func simpleType(_ value: SchemaValue) -> [String] {
        let open = "    <xs:simpleType name=\"\(value.typeName)\">"
        let close = "    </xs:simpleType>"
        switch value {
        case .text: return []
        case .name:
            return [
                open, "        <xs:restriction base=\"xs:string\">",
                "            <xs:minLength value=\"1\"/>", "        </xs:restriction>", close,
            ]
        case .count:
            return restriction(open, "<xs:pattern value=\"[0-9]+\"/>", close)
        case .scale:
            return restriction(open, "<xs:pattern value=\"[0-9]+|any\"/>", close)
        case .type:
            // The words, so that editors offer them, or the name of a type of the model.
            return [open, "        <xs:union memberTypes=\"name\">", "            <xs:simpleType>"]
                + enumeration(value.words, depth: 4)
                + ["            </xs:simpleType>", "        </xs:union>", close]
        default:
            return [open] + enumeration(value.words, depth: 2) + [close]
        }
    }

    private static func restriction(_ open: String, _ facet: String, _ close: String) -> [String] {
        [
            open, "        <xs:restriction base=\"xs:string\">", "            \(facet)",
            "        </xs:restriction>", close,
        ]
    }

    private static func enumeration(_ words: [String], depth: Int) -> [String] {
        let space = String(repeating: "    ", count: depth)
        return ["\(space)<xs:restriction base=\"xs:string\">"]
            + words.map { "\(space)    <xs:enumeration value=\"\($0)\"/>" }
            + ["\(space)</xs:restriction>"]
    }
}

import CambiumModel

/// Text as XML.
package enum XMLText {
    /// An attribute's value between its quotes.
    package static func attribute(_ text: String) -> String {
        text.escaping { scalar in
            switch scalar {
            case "\"": "&quot;"
            case "\n": "&#10;"
            case "\t": "&#9;"
            default: escape(scalar)
            }
        }
    }

    /// Text in a comment, where two hyphens in a row would end it.
    package static func comment(_ text: String) -> String {
        text.replacing("--", with: "- -").replacing("--", with: "- -")
    }

    /// Text between tags.
    package static func content(_ text: String) -> String {
        text.escaping(escape)
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\r": "&#13;"
        default: nil
        }
    }
}

extension ParsedElement {
    /// The element on one line, without comments and what a file adds to it.
    package var compactXML: String {
        let list = orderedAttributes.map { " \($0.name)=\"\(XMLText.attribute($0.value))\"" }
            .joined()
        let content =
            children.map(\.compactXML).joined() + XMLText.content(text.trimmed.value)
        return content.isEmpty ? "<\(name)\(list)/>" : "<\(name)\(list)>\(content)</\(name)>"
    }
}

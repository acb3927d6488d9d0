import CambiumCompiler
import CambiumModel

/// Writes a diagram as text that Mermaid, and with it most code hosts, draws.
enum MermaidEmitter {
    /// The text of an `erDiagram`.
    static func text(of model: Model) -> String {
        let diagram = ModelDiagram(model)
        var lines = ["erDiagram"]
        for box in diagram.boxes {
            let name = quoted(box.name)
            if box.rows.isEmpty {
                lines.append("    \(name) {}")
                continue
            }
            lines.append("    \(name) {")
            for (index, row) in box.rows.enumerated() {
                // Only attributes can have remarks. The first attribute also has the remarks about
                // several attributes.
                let shared = index == 0 ? box.remarks : []
                let remarks =
                    row.remarks + shared + (row.isOptional ? ["optional"] : [])
                let comment = remarks.isEmpty ? "" : " " + quoted(remarks.joined(separator: ", "))
                lines.append("        \(word(row.type)) \(word(row.name))\(comment)")
            }
            lines.append("    }")
        }
        lines += diagram.lines.map(line)
        return lines.map { $0 + "\n" }.joined()
    }

    private static func line(_ line: ModelDiagram.Line) -> String {
        let (from, to) = (quoted(line.from), quoted(line.to))
        switch line.kind {
        case .inheritance:
            // One of the sub-entity is one of the parent; one of the parent may be one of it.
            return "    \(from) |o..|| \(to) : \"is a\""
        case .relationship(let near, let far, let label):
            return "    \(from) \(left(near))--\(right(far)) \(to) : \(quoted(label))"
        }
    }

    private static func left(_ cardinality: ModelDiagram.Cardinality) -> String {
        switch cardinality {
        case .zeroOrOne: "|o"
        case .exactlyOne: "||"
        case .zeroOrMore: "}o"
        case .oneOrMore: "}|"
        }
    }

    private static func right(_ cardinality: ModelDiagram.Cardinality) -> String {
        switch cardinality {
        case .zeroOrOne: "o|"
        case .exactlyOne: "||"
        case .zeroOrMore: "o{"
        case .oneOrMore: "|{"
        }
    }

    // MARK: The escaping point

    /// A text in quotes. It cannot hold a quote, and some letters start a code or markup.
    static func quoted(_ text: String) -> String {
        let quoted = text.escaping { scalar in
            switch scalar {
            case "\"": "'"
            case "%", "\\", "#", ";", "<", ">", "&", "`": "_"
            default: scalar.isInvisible ? "\u{FFFD}" : nil
            }
        }
        return "\"\(quoted)\""
    }

    /// A word without quotes: the name or type of an attribute.
    static func word(_ text: String) -> String {
        var word = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z": word.unicodeScalars.append(scalar)
            case "0"..."9", "_", "(", ")", "[", "]":
                // A word in Mermaid cannot start with these characters.
                word += word.isEmpty ? "x" : ""
                word.unicodeScalars.append(scalar)
            case "\u{C0}"..."\u{FFFF}" where !scalar.isInvisible:
                word.unicodeScalars.append(scalar)
            default: word += word.isEmpty ? "x_" : "_"
            }
        }
        // These mark keys.
        return word.isEmpty || ["PK", "FK", "UK"].contains(word) ? word + "_" : word
    }
}

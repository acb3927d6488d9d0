import CambiumModel

/// The expressions of a version as their author wrote them: the checked model has them as trees.
package struct DeclaredText {
    private let entities: [String: ParsedElement]

    package init(_ parsed: ParsedModel) {
        entities = Dictionary(
            parsed.root.children(named: "entity").map { ($0["name"]?.value ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The condition of a rule, fetch template or fetched property.
    package func condition(of kind: String, _ name: String, in entity: String) -> String {
        let element = entities[entity]?.child(kind, named: name)
        return Self.onOneLine(element?["where"]?.value ?? element?.text.value ?? "")
    }

    /// What a derived attribute is computed from.
    package func derivation(of attribute: String, in entity: String) -> String {
        let element = entities[entity]?.child("derived", named: attribute)
        return Self.onOneLine(element?["expression"]?.value ?? "")
    }

    /// The elements of an index, and its condition.
    package func index(_ position: Int, in entity: String) -> (
        elements: [String], condition: String?
    ) {
        let indexes = entities[entity]?.children(named: "index") ?? []
        guard indexes.indices.contains(position) else { return ([], nil) }
        let element = indexes[position]
        let children = element.children(named: "by").map { child in
            let name = child["property"]?.value ?? child["expression"]?.value ?? ""
            return Self.onOneLine(name)
                + (child["descending"]?.value == "true" ? " descending" : "")
        }
        let list = element["by"]?.value.split(separator: ",").map { Self.onOneLine(String($0)) }
        return (list ?? children, element["where"].map { Self.onOneLine($0.value) })
    }

    /// An expression with its white space, where it is outside quotes, made single spaces.
    static func onOneLine(_ text: String) -> String {
        var line = ""
        var quote: Unicode.Scalar?
        var isEscaped = false
        var hasSpace = false
        for scalar in text.unicodeScalars {
            if quote == nil, [" ", "\t", "\n", "\r"].contains(scalar) {
                hasSpace = true
                continue
            }
            if hasSpace, !line.isEmpty { line += " " }
            hasSpace = false
            line.unicodeScalars.append(scalar)
            if isEscaped {
                isEscaped = false
            } else if quote != nil, scalar == "\\" {
                isEscaped = true
            } else if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "'" || scalar == "\"" {
                quote = scalar
            }
        }
        return line
    }
}

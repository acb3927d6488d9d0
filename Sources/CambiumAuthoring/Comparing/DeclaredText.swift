import CambiumCompiler

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
        return ExpressionText.onOneLine(element?["where"]?.value ?? element?.text.value ?? "")
    }

    /// The expression of a derived attribute.
    package func derivation(of attribute: String, in entity: String) -> String {
        let element = entities[entity]?.child("derived", named: attribute)
        return ExpressionText.onOneLine(element?["expression"]?.value ?? "")
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
            return ExpressionText.onOneLine(name)
                + (child["descending"]?.value == "true" ? " descending" : "")
        }
        let list = element["by"]?.value.split(separator: ",").map {
            ExpressionText.onOneLine(String($0))
        }
        return (list ?? children, element["where"].map { ExpressionText.onOneLine($0.value) })
    }
}

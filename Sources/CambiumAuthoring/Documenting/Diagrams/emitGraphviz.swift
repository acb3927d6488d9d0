import CambiumCompiler
import CambiumModel

/// Writes a diagram in the language of Graphviz.
enum GraphvizEmitter {
    /// The text of a `digraph`.
    ///
    /// - Parameter isLinked: Whether a box is a link to its entity's section in the documentation.
    static func text(of model: Model, isLinked: Bool = false) -> String {
        let diagram = ModelDiagram(model)
        let numbers = Dictionary(
            diagram.boxes.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first })
        var lines = [
            "digraph model {",
            "  graph [rankdir=LR, bgcolor=transparent, nodesep=0.45, ranksep=1.1, pad=0.2];",
            "  node [shape=plain, fontname=\"Helvetica\", fontsize=11,",
            "    fontcolor=\"\(Colour.text)\"];",
            "  edge [fontname=\"Helvetica\", fontsize=10, color=\"\(Colour.line)\",",
            "    fontcolor=\"\(Colour.faint)\", dir=both, arrowsize=0.8];",
        ]
        for (number, box) in diagram.boxes.enumerated() {
            let anchor = isLinked ? "URL=\"#\(Anchor.entity(box.name))\", " : ""
            lines.append("  e\(number) [\(anchor)label=<\(label(of: box))>];")
        }
        for line in diagram.lines {
            // Names may not be identifiers in this language, so boxes are identified by number.
            guard let from = numbers[line.from], let to = numbers[line.to] else { continue }
            lines.append("  e\(from) -> e\(to) [\(attributes(of: line.kind))];")
        }
        return (lines + ["}"]).map { $0 + "\n" }.joined()
    }

    /// The colours of the picture; a page or a viewer in dark mode replaces them.
    enum Colour {
        static let text = "#1d2733"
        static let faint = "#5a6878"
        static let line = "#7b8898"
        static let border = "#c3cbd5"
        static let head = "#e3ecf7"
        static let surface = "#fefefe"
    }

    private static func label(of box: ModelDiagram.Box) -> String {
        let name = HTMLText.escaped(box.name)
        let title = box.isAbstract ? "<I>\(name)</I>" : "<B>\(name)</B>"
        let head =
            "<TR><TD COLSPAN=\"2\" BGCOLOR=\"\(Colour.head)\" ALIGN=\"LEFT\">"
            + "<FONT POINT-SIZE=\"12\">\(title)</FONT></TD></TR>"
        let rows = box.rows.map { row in
            "<TR><TD ALIGN=\"LEFT\">\(HTMLText.escaped(row.name))</TD>"
                + "<TD ALIGN=\"LEFT\"><FONT COLOR=\"\(Colour.faint)\">"
                + "\(HTMLText.escaped(row.type))\(row.isOptional ? "?" : "")"
                + row.remarks.map { " · \(HTMLText.escaped($0))" }.joined()
                + "</FONT></TD></TR>"
        }
        let remarks = box.remarks.map { remark in
            "<TR><TD COLSPAN=\"2\" ALIGN=\"LEFT\"><FONT COLOR=\"\(Colour.faint)\">"
                + "\(HTMLText.escaped(remark))</FONT></TD></TR>"
        }
        return "<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"4\" "
            + "STYLE=\"ROUNDED\" COLOR=\"\(Colour.border)\" BGCOLOR=\"\(Colour.surface)\">"
            + head + (rows + remarks).joined() + "</TABLE>"
    }

    private static func attributes(of kind: ModelDiagram.Kind) -> String {
        switch kind {
        case .inheritance:
            "style=dashed, arrowhead=onormal, arrowtail=none"
        case .relationship(let from, let to, let label):
            "arrowtail=\(arrow(from)), arrowhead=\(arrow(to)), "
                + "label=<\(HTMLText.escaped(label))>"
        }
    }

    private static func arrow(_ cardinality: ModelDiagram.Cardinality) -> String {
        switch cardinality {
        case .zeroOrOne: "teeodot"
        case .exactlyOne: "teetee"
        case .zeroOrMore: "crowodot"
        case .oneOrMore: "crowtee"
        }
    }
}

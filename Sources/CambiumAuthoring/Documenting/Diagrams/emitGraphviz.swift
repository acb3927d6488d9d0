import CambiumCompiler
import CambiumModel

/// Writes a diagram in the language of Graphviz.
enum GraphvizEmitter {
    /// The text of a `digraph`.
    ///
    /// - Parameter isLinked: Whether a box links to its entity's place in the documentation.
    static func text(of model: Model, isLinked: Bool = false) -> String {
        let diagram = ModelDiagram(model)
        return text(of: diagram, Array(diagram.boxes.indices), isLinked: isLinked, isCompact: false)
    }

    /// A `digraph` for each group of connected entities, with links to the documentation. In a large
    /// model, boxes show names alone.
    static func components(of model: Model) -> String {
        let diagram = ModelDiagram(model)
        return diagram.components.map {
            text(of: diagram, $0, isLinked: true, isCompact: ModelDiagram.isLarge(model))
        }.joined()
    }

    private static func text(
        of diagram: ModelDiagram, _ boxes: [Int], isLinked: Bool, isCompact: Bool
    ) -> String {
        let numbers = Dictionary(
            boxes.map { (diagram.boxes[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
        let distances = isCompact ? "nodesep=0.2, ranksep=0.5" : "nodesep=0.45, ranksep=1.1"
        var lines = [
            "digraph model {",
            "  graph [rankdir=LR, bgcolor=transparent, \(distances), pad=0.2];",
            "  node [shape=plain, fontname=\"Helvetica\", fontsize=11,",
            "    fontcolor=\"\(Colour.text)\"];",
            "  edge [fontname=\"Helvetica\", fontsize=10, color=\"\(Colour.line)\",",
            "    fontcolor=\"\(Colour.faint)\", dir=both, arrowsize=0.8];",
        ]
        for number in boxes {
            let box = diagram.boxes[number]
            let link =
                "URL=\"#\(Anchor.entity(box.name))\", tooltip=\"\(HTMLText.escaped(box.name))\", "
            lines.append(
                "  e\(number) [\(isLinked ? link : "")label=<\(label(of: box, isCompact))>];")
        }
        for line in diagram.lines {
            // Names may not be identifiers in this language, so boxes are identified by number.
            guard let from = numbers[line.from], let to = numbers[line.to] else { continue }
            lines.append("  e\(from) -> e\(to) [\(attributes(of: line.kind, isCompact))];")
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

    private static func label(of box: ModelDiagram.Box, _ isCompact: Bool) -> String {
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
            + head + (isCompact ? [] : rows + remarks).joined() + "</TABLE>"
    }

    private static func attributes(of kind: ModelDiagram.Kind, _ isCompact: Bool) -> String {
        switch kind {
        case .inheritance:
            "style=dashed, arrowhead=onormal, arrowtail=none"
        case .relationship(let from, let to, let label):
            "arrowtail=\(arrow(from)), arrowhead=\(arrow(to))"
                + (isCompact ? "" : ", label=<\(HTMLText.escaped(label))>")
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

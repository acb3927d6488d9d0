import CambiumCompiler
import CambiumModel
import Foundation

/// Turns the output of Graphviz into a picture without information about the machine. Its colours
/// follow the viewer's light or dark mode.
enum SVGEmitter {
    /// A separate SVG file.
    static func file(_ picture: String, title: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + element(picture, title: title)
    }

    /// The `<svg>` element, for use in a page.
    static func element(_ picture: String, title: String) -> String {
        guard let start = picture.range(of: "<svg"),
            let end = picture.range(of: ">", range: start.upperBound..<picture.endIndex)
        else { return "" }
        let head = picture[start.lowerBound..<end.lowerBound]
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // Comments and titles contain only the numbers of boxes, which readers do not need.
        let body = picture[end.upperBound...]
            .replacing(#/<!--(?:.|\n)*?-->\n?/#, with: "")
            .replacing(#/<title>[^<]*<\/title>\n?/#, with: "")
        let label = HTMLText.escaped(title)
        return "\(head) role=\"img\" aria-label=\"\(label)\">\n<style>\n\(style)</style>\(body)"
    }

    private static let style: String = {
        typealias Colour = GraphvizEmitter.Colour
        let dark = [
            (Colour.text, "#e6ebf1"), (Colour.faint, "#9fb0c2"), (Colour.line, "#7d8fa3"),
            (Colour.border, "#46535f"), (Colour.head, "#2b3a4b"), (Colour.surface, "#1d242c"),
        ]
        let rules = dark.map { light, dark in
            "  [fill=\"\(light)\"] { fill: \(dark) } [stroke=\"\(light)\"] { stroke: \(dark) }\n"
        }.joined()
        // Text that has the default colour has no attribute for it.
        return "svg text { font-family: system-ui, Helvetica, Arial, sans-serif }\n"
            + "@media (prefers-color-scheme: dark) {\n\(rules)}\n"
    }()
}

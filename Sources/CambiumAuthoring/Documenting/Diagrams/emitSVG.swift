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

    /// The `<svg>` element, to stand in a page. If Graphviz drew several graphs, they stand beside
    /// each other.
    static func element(_ output: String, title: String) -> String {
        let drawings = output.ranges(of: "<svg").compactMap { Drawing(output[$0.lowerBound...]) }
        guard let first = drawings.first else { return "" }
        let label = HTMLText.escaped(title)
        let isAlone = drawings.count == 1
        let arrangement = Arrangement(isAlone ? [] : drawings.map(\.size))
        let head = isAlone ? first.head : arrangement.head
        let body =
            isAlone
            ? first.body
            : zip(drawings, arrangement.places).map { drawing, place in
                "\n<g transform=\"translate(\(place.x) \(place.y))\">\(drawing.body)</g>"
            }.joined() + "\n"
        return "\(head) role=\"img\" aria-label=\"\(label)\">\n<style>\n\(style)</style>"
            + "\(body)</svg>\n"
    }

    /// One graph that Graphviz drew.
    private struct Drawing {
        /// The start of the element, without its `>`.
        let head: String
        let body: String
        /// Width and height, in points.
        let size: (width: Int, height: Int)

        init?(_ text: Substring) {
            guard let end = text.firstIndex(of: ">"),
                let close = text.firstRange(of: "</svg>")
            else { return nil }
            let head = text[..<end].split(whereSeparator: \.isWhitespace).joined(separator: " ")
            self.head = head
            // Comments, titles and identifiers hold the numbers of boxes, of no use to a reader.
            body = String(text[text.index(after: end)..<close.lowerBound])
                .replacing(#/<!--(?:.|\n)*?-->\n?/#, with: "")
                .replacing(#/<title>[^<]*<\/title>\n?/#, with: "")
                .replacing(#/<g id="[^"]*"/#, with: "<g")
            func points(_ name: String) -> Int {
                head.firstRange(of: " \(name)=\"").flatMap {
                    Int(head[$0.upperBound...].prefix { $0.isNumber })
                } ?? 0
            }
            size = (points("width"), points("height"))
        }
    }

    /// Rectangles in columns, the tallest first, in an area somewhat wider than high.
    private struct Arrangement {
        private(set) var places: [(x: Int, y: Int)]
        private var width = 0
        private var height = 0

        var head: String {
            "<svg width=\"\(width)pt\" height=\"\(height)pt\" viewBox=\"0 0 \(width) \(height)\" "
                + "xmlns=\"http://www.w3.org/2000/svg\" "
                + "xmlns:xlink=\"http://www.w3.org/1999/xlink\""
        }

        init(_ sizes: [(width: Int, height: Int)]) {
            places = sizes.map { _ in (0, 0) }
            let area = sizes.reduce(0) { $0 + $1.width * $1.height }
            height = max(
                sizes.map(\.height).max() ?? 0, Int((Double(area) / 1.3).squareRoot()))
            var columns: [(members: [Int], height: Int)] = []
            let order = sizes.indices.sorted {
                (-sizes[$0].height, -sizes[$0].width, $0)
                    < (-sizes[$1].height, -sizes[$1].width, $1)
            }
            for drawing in order {
                let size = sizes[drawing]
                let column = columns.firstIndex { $0.height + size.height <= height }
                let position = column ?? columns.count
                if column == nil { columns.append(([], 0)) }
                places[drawing].y = columns[position].height
                columns[position].members.append(drawing)
                columns[position].height += size.height
            }
            for column in columns {
                for drawing in column.members { places[drawing].x = width }
                width += column.members.map { sizes[$0].width }.max() ?? 0
            }
        }
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

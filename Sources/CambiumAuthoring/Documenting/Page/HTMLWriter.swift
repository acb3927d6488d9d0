import CambiumCompiler

/// Lines of HTML. Text of a model enters through ``HTMLText`` only.
struct HTMLWriter {
    private(set) var text = ""

    /// Writes markup verbatim.
    mutating func line(_ markup: String) {
        text += markup + "\n"
    }

    /// Writes an element around the output of `body`.
    mutating func element(
        _ name: String, _ attributes: String = "", _ body: (inout HTMLWriter) -> Void
    ) {
        line(attributes.isEmpty ? "<\(name)>" : "<\(name) \(attributes)>")
        body(&self)
        line("</\(name)>")
    }

    /// Writes a table without names of rows.
    mutating func table(_ headers: [String], _ rows: [[String]]) {
        table(headers, rows.map { (nil, $0) })
    }

    /// Writes a table with cells of markup. Without rows, it writes no table.
    mutating func table(_ headers: [String], _ rows: [(id: String?, cells: [String])]) {
        guard !rows.isEmpty else { return }
        element("div", "class=\"scroll\"") { writer in
            writer.element("table") { writer in
                let cells = headers.map { "<th scope=\"col\">\($0)</th>" }.joined()
                writer.line("<thead><tr>\(cells)</tr></thead>")
                writer.element("tbody") { writer in
                    for row in rows {
                        let id = row.id.map { " id=\"\($0)\"" } ?? ""
                        // Narrow screens have no row of headers.
                        let cells = zip(headers, row.cells).map { header, cell in
                            "<td data-name=\"\(header)\">\(cell)</td>"
                        }.joined()
                        writer.line("<tr\(id)>\(cells)</tr>")
                    }
                }
            }
        }
    }

    /// Markup of a name or an expression.
    static func code(_ text: String) -> String { "<code>\(HTMLText.escaped(text))</code>" }

    /// Markup of a link to a place in the page.
    static func link(_ text: String, to anchor: String) -> String {
        "<a href=\"#\(anchor)\">\(HTMLText.escaped(text))</a>"
    }

    /// Markup of a highlighted word.
    static func badge(_ text: String, _ kind: String = "") -> String {
        "<span class=\"badge\(kind.isEmpty ? "" : " \(kind)")\">\(HTMLText.escaped(text))</span>"
    }
}

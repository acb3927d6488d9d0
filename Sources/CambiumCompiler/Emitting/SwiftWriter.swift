/// Lines of Swift at the right indentation.
struct SwiftWriter {
    private var lines: [String] = []
    private var indent = 0

    /// The text so far.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// Whether nothing was written yet.
    var isEmpty: Bool { lines.isEmpty }

    /// Writes a line; an empty one separates declarations.
    mutating func line(_ text: String = "") {
        lines.append(text.isEmpty ? "" : String(repeating: " ", count: indent) + text)
    }

    /// Writes code after `prefix` and before `suffix`.
    mutating func code(_ prefix: String, _ code: SwiftCode, _ suffix: String = "") {
        lines += code.lines(indent: indent, prefix: prefix, suffix: suffix)
    }

    /// Writes a block in braces.
    mutating func block(_ header: String, _ body: (inout SwiftWriter) -> Void) {
        line("\(header) {")
        indented(body)
        line("}")
    }

    /// Writes a block of one statement, on one line where it fits.
    mutating func block(_ header: String, statement: String) {
        let single = "\(header) { \(statement) }"
        if indent + single.count <= SwiftCode.width {
            line(single)
        } else {
            block(header) { $0.line(statement) }
        }
    }

    /// Writes a block whose statements depend on whether they are the first.
    mutating func body(_ header: String, _ body: (inout SwiftWriter) -> Void) {
        var inside = SwiftWriter()
        inside.indent = indent + 4
        body(&inside)
        if inside.isEmpty {
            line("\(header) {}")
        } else {
            line("\(header) {")
            lines += inside.lines
            line("}")
        }
    }

    /// Writes what is one step further in.
    mutating func indented(_ body: (inout SwiftWriter) -> Void) {
        indent += 4
        body(&self)
        indent -= 4
    }

    /// Writes what the Swift compiler is to report at a place of the model.
    mutating func located(at place: SourceLines.Place?, _ body: (inout SwiftWriter) -> Void) {
        guard let place else {
            body(&self)
            return
        }
        line("#sourceLocation(file: \(SwiftText.literal(place.path)), line: \(place.line))")
        body(&self)
        line("#sourceLocation()")
    }

    /// Writes a doc comment of one paragraph, wrapped. The text passes the escaping point here.
    mutating func doc(_ text: String) {
        let words = SwiftText.comment(text).split(separator: " ")
        for line in Self.filled(
            words.map(String.init), separator: " ", room: SwiftCode.width - indent - 4)
        {
            self.line("/// \(line)")
        }
    }

    /// Writes a function's head with its parameters, and its body in braces.
    mutating func function(
        _ head: String, parameters: [String], result: String = "",
        _ body: (inout SwiftWriter) -> Void
    ) {
        var inside = SwiftWriter()
        inside.indent = indent + 4
        body(&inside)
        let isEmpty = inside.lines.isEmpty
        let single = "\(head)(\(parameters.joined(separator: ", ")))\(result) {"
        if indent + single.count + (isEmpty ? 1 : 0) <= SwiftCode.width {
            line(single)
        } else {
            line("\(head)(")
            indented { writer in
                let room = SwiftCode.width - writer.indent
                for line in Self.filled(parameters, separator: ", ", room: room) {
                    writer.line(line)
                }
            }
            line(")\(result) {")
        }
        if isEmpty {
            lines[lines.count - 1] += "}"
        } else {
            lines += inside.lines
            line("}")
        }
    }

    /// Puts as many parts on each line as fit.
    static func filled(_ parts: [String], separator: String, room: Int) -> [String] {
        var lines: [String] = []
        let mark = separator == " " ? "" : ","
        for (index, part) in parts.enumerated() {
            let part = index == parts.count - 1 ? part : part + mark
            if let last = lines.last, last.count + 1 + part.count <= room {
                lines[lines.count - 1] = "\(last) \(part)"
            } else {
                lines.append(part)
            }
        }
        return lines
    }
}

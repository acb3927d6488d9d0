import CambiumCompiler

/// A draft of a `<migration>`: elements for the parts that the language can express, comments for
/// the rest.
struct MigrationDraft {
    /// The part about one entity of the new version.
    private struct Part {
        let entity: String
        var elements: [ParsedElement] = []
        /// The tasks of a step of the program.
        var tasks: [String] = []
    }

    private var parts: [Part] = []
    private var drops: [ParsedElement] = []
    /// The remaining problems that the compiler will report.
    var questions: [String] = []

    /// All elements, in the order in which they are written.
    var elements: [ParsedElement] { parts.flatMap(\.elements) + drops }

    /// Whether something is left to a step for an entity.
    func hasTasks(for entity: String) -> Bool {
        parts.contains { $0.entity == entity && !$0.tasks.isEmpty }
    }

    /// Adds an element about an entity of the new version.
    mutating func add(_ element: ParsedElement, about entity: String) {
        parts[index(of: entity)].elements.append(element)
    }

    /// Adds a task of a step for an entity of the new version.
    mutating func add(task: String, about entity: String) {
        let index = index(of: entity)
        if !parts[index].tasks.contains(task) { parts[index].tasks.append(task) }
    }

    /// Adds a drop.
    mutating func add(drop: ParsedElement) {
        drops.append(drop)
    }

    private mutating func index(of entity: String) -> Int {
        if let index = parts.firstIndex(where: { $0.entity == entity }) { return index }
        parts.append(Part(entity: entity))
        return parts.count - 1
    }

    // MARK: Text

    /// The element, with a line end.
    func text(from version: String) -> String {
        var lines: [String] = []
        for part in parts {
            lines += part.elements.map(\.compactXML)
            if !part.tasks.isEmpty {
                lines += Self.comment(part.tasks, and: "<step name=\"\(Self.step(part.entity))\"/>")
            }
        }
        lines += drops.map(\.compactXML)
        if !questions.isEmpty {
            lines += Self.comment(["Still undecided; the check will report it:"] + questions)
        }
        let start = "<migration from=\"\(XMLText.attribute(version))\""
        guard !lines.isEmpty else { return start + "/>\n" }
        return ([start + ">"] + lines.map { "  " + $0 } + ["</migration>"])
            .joined(separator: "\n") + "\n"
    }

    private static func step(_ entity: String) -> String {
        "migrate" + String(entity.filter { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    /// The lines of a comment. The last one may be XML to be used without the comment.
    private static func comment(_ texts: [String], and element: String? = nil) -> [String] {
        var lines = texts.map(commentText) + (element.map { [$0] } ?? [])
        for index in lines.indices {
            lines[index] = (index == 0 ? "<!-- " : "     ") + lines[index]
        }
        lines[lines.count - 1] += " -->"
        return lines
    }

    /// The text on one line, without the end of a comment.
    private static func commentText(_ text: String) -> String {
        var text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        while text.contains("--") { text = text.replacing("--", with: "- -") }
        return text.hasSuffix("-") ? text + " " : text
    }
}

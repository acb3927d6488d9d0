import CambiumModel

/// A message for the author of a model, with its position.
package struct Diagnostic: Error, Sendable, Equatable {
    /// The code of the diagnostic.
    package let code: DiagnosticCode
    /// The problem, in one sentence without a full stop.
    package let message: String
    /// The position of the finding.
    package let position: SourcePosition
    /// The suggested fix.
    package let notes: [String]
    /// The effect on the build.
    package let severity: Severity

    /// Creates a diagnostic.
    ///
    /// - Parameter severity: The effect on the build; nil means that of its code.
    package init(
        _ code: DiagnosticCode, _ message: String, at position: SourcePosition,
        notes: [String] = [], severity: Severity? = nil
    ) {
        self.severity = severity ?? code.severity
        self.code = code
        self.message = message
        self.position = position
        self.notes = notes
    }

    /// Whether the model cannot be compiled.
    package var isError: Bool { severity == .error }

    /// The text in the form that SwiftPM, Xcode and editors pick up: a line, and one for each note.
    package var rendered: String {
        let place = "\(position.path):\(position.line):\(position.column)"
        let first = "\(place): \(severity.rawValue): \(message) [\(code.name)]"
        let lines = [first] + notes.map { "\(place): note: \($0)" }
        return lines.map(PlainText.onOneLine).joined(separator: "\n")
    }

    /// The diagnostic as a note, for a version that has shipped.
    var asNote: Diagnostic {
        Diagnostic(code, message, at: position, notes: notes, severity: .note)
    }
}

/// A place in a file.
package struct SourcePosition: Sendable, Comparable {
    /// The path as passed by the caller.
    package let path: String
    /// The line, from 1.
    package let line: Int
    /// The column, from 1, in characters (Unicode scalars). Editors that read `path:line:column`
    /// count the same, if the text has no combining marks.
    package let column: Int

    /// Names a place.
    package init(path: String, line: Int, column: Int) {
        self.path = path
        self.line = line
        self.column = column
    }

    @inline(never)
    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.path, left.line, left.column) < (right.path, right.line, right.column)
    }
}

/// Escapes text of a model for a terminal or a page of Markdown.
package enum PlainText {
    /// Model text may hold anything; a line is one line and moves no cursor.
    package static func onOneLine(_ text: String) -> String {
        text.escaping { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format: "\u{FFFD}"
            default: nil
            }
        }
    }
}

/// Whether a finding stops the build.
package enum Severity: String, Sendable {
    /// The model cannot be compiled.
    case error
    /// The model can be compiled, but the finding causes problems later.
    case warning
    /// The model can be compiled, and the finding cannot be corrected, because the version has
    /// shipped.
    case note
}

extension [Diagnostic] {
    /// The lines of all, each ended by a line feed.
    package var rendered: String { map { $0.rendered + "\n" }.joined() }

    /// Whether any of them stops the build.
    package var hasErrors: Bool { contains { $0.isError } }

    /// The diagnostics of a version. If the version has shipped and cannot be corrected any more,
    /// all except errors become notes.
    package func settled(isCurrent: Bool) -> (found: [Diagnostic], notes: [Diagnostic]) {
        guard !isCurrent else { return (self, []) }
        return (filter { $0.isError }, filter { !$0.isError }.map { $0.asNote })
    }

    /// By place, then by code, each once.
    package func sortedByPlace() -> [Diagnostic] {
        let sorted = enumerated().ordered {
            ($0.element.position, $0.element.code.rawValue, $0.offset)
                < ($1.element.position, $1.element.code.rawValue, $1.offset)
        }
        var found: [Diagnostic] = []
        // Equal ones are adjacent among those of one position and code.
        var start = 0
        for (_, diagnostic) in sorted {
            if let last = found.last,
                last.position != diagnostic.position || last.code != diagnostic.code
            {
                start = found.count
            }
            if !found[start...].contains(diagnostic) { found.append(diagnostic) }
        }
        return found
    }
}

/// Suggests the most probable intended word.
package enum Suggestion {
    /// A sentence with the candidate nearest to a misspelt word, or nil if none is near.
    package static func sentence(for word: String, among candidates: [String]) -> String? {
        nearestName(to: word, among: candidates).map { "Did you mean '\($0)'?" }
    }
}

// Interpolation of strings and integers in messages. There are many of these, and a plain function
// takes less code than the generic protocols of the standard library.
extension DefaultStringInterpolation {
    mutating func appendInterpolation(_ text: String) { appendLiteral(text) }

    mutating func appendInterpolation(_ number: Int) { appendLiteral(String(number)) }
}

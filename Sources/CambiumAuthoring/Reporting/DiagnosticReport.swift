import CambiumCompiler

/// The diagnostics, in a form for people or for other programs.
package struct DiagnosticReport: Sendable {
    /// The forms.
    package enum Format: String, Sendable, CaseIterable {
        /// A line for each finding and each note: `path:line:column: error: …`.
        case text
        /// One object, described at ``DiagnosticReport/json``.
        case json
        /// SARIF 2.1.0; code hosts and editors show it beside the code.
        case sarif
    }

    /// The findings, by place.
    package let diagnostics: [Diagnostic]
    /// The folder to which paths are relative, or nil if they stay unchanged.
    private let folder: String?

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - diagnostics: The findings, sorted by place.
    ///   - folder: The working directory. Paths below it are shown relative to it, so that a report
    ///     is the same on every machine.
    package init(_ diagnostics: [Diagnostic], relativeTo folder: String? = nil) {
        self.diagnostics = diagnostics
        self.folder = folder.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    /// The report in a form; each ends with a line feed unless it is empty.
    package func rendered(as format: Format) -> String {
        switch format {
        case .text: diagnostics.rendered
        case .json: json
        case .sarif: sarif
        }
    }

    /// A path as it appears in reports for programs.
    func path(_ position: SourcePosition) -> String {
        guard let folder, position.path.hasPrefix(folder) else { return position.path }
        return String(position.path.dropFirst(folder.count))
    }

    /// Returns the path without `..`, because SARIF does not permit it. A path outside of the
    /// folder is absolute.
    func normalizedPath(_ position: SourcePosition) -> String {
        guard let folder, !position.path.hasPrefix("/") else { return path(position) }
        var words: [Substring] = []
        for word in (folder + position.path).split(separator: "/") where word != "." {
            if word == ".." { _ = words.popLast() } else { words.append(word) }
        }
        return path(
            SourcePosition(
                path: "/" + words.joined(separator: "/"), line: position.line,
                column: position.column))
    }

    /// `{"format": 1, "errors": 1, "warnings": 0, "diagnostics": [{"code", "severity", "message",
    /// "path", "line", "column", "notes"}]}`: lines and columns count from 1, columns in Unicode
    /// scalars. Members may be added; `format` changes when any is removed or changes its meaning.
    private var json: String {
        func count(_ severity: Severity) -> JSONValue {
            .number(diagnostics.count { $0.severity == severity })
        }
        let json: JSONValue = [
            "format": .number(1), "errors": count(.error), "warnings": count(.warning),
            "diagnostics": .array(
                diagnostics.map { diagnostic in
                    [
                        "code": .string(diagnostic.code.name),
                        "severity": .string(diagnostic.severity.rawValue),
                        "message": .string(diagnostic.message),
                        "path": .string(path(diagnostic.position)),
                        "line": .number(diagnostic.position.line),
                        "column": .number(diagnostic.position.column),
                        "notes": .strings(diagnostic.notes),
                    ]
                }),
        ]
        return json.text
    }
}

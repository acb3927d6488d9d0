import CambiumCompiler

extension DiagnosticCode {
    /// The explanation, as `cambium explain` prints it.
    package var explanationText: String {
        """
        \(name) (\(severity.rawValue)): \(title)

        \(Self.wrapped(meaning + inXcode))

        Wrong:
        \(Self.indented(wrong.text))

        Right:
        \(Self.indented(right.text))

        \(Self.wrapped(remedy))

        """
    }

    private var inXcode: String {
        isWarningInXcode
            ? "\n\nWhat Xcode compiles is only a warning in a model of Xcode's: it says what becomes of it."
            : ""
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
    }

    /// Paragraphs of at most 80 columns.
    private static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { paragraph in
            let words = paragraph.split(separator: " ").map(String.init)
            return SwiftWriter.filled(words, separator: " ", room: 80).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

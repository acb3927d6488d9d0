import CambiumAuthoring
import CambiumCompiler

/// `cambium explain`: the meaning of a code.
enum ExplainCommand: Command {
    static let name = "explain"
    static let summary = "Explain a code such as CM502, with an example and its fix"
    static let usage = "[CODE]"
    static let details = """
        Every finding ends with a code in brackets. This command prints its meaning, a model with
        the mistake, one without, and the fix. Without a code it lists all codes.
        """
    static let options: [Option] = []

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        guard !arguments.words.isEmpty else {
            for code in DiagnosticCode.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
                let severity = code.severity == .warning ? " (warning)" : ""
                try console.write("\(code.name)  \(code.explanation.title)\(severity)\n")
            }
            return .fine
        }
        for word in arguments.words {
            guard let code = DiagnosticCode(named: word) else {
                throw arguments.usage("There is no code '\(word)'; without one, all are listed.")
            }
            try console.write(code.explanation.text)
        }
        return .fine
    }
}

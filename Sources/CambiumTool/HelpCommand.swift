import CambiumAuthoring
import CambiumCompiler

/// `cambium help`: all commands, one of them, or a topic.
enum HelpCommand: Command {
    static let name = "help"
    static let summary = "Explain a command, or a topic: \(Help.topicNames)"
    static let usage = "[COMMAND | TOPIC]"
    static let details = """
        Topics: \(Help.topicNames).
        """
    static let options: [Option] = []

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        guard let word = arguments.words.first else {
            try console.write(Help.overview)
            return .fine
        }
        if let topic = Help.topics.first(where: { $0.name == word }) {
            try console.write(topic.text)
            return .fine
        }
        if let code = DiagnosticCode(named: word) {
            try console.write(code.explanation.text)
            return .fine
        }
        try console.write(Help.text(of: try Tool.command(named: word)))
        return .fine
    }
}

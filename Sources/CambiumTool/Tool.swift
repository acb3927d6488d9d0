import CambiumCompiler

/// The command line program: arguments, files and exit codes. All else is the compiler's.
@main
struct Tool {
    /// The commands, in the order in which a person needs them.
    static var commands: [any Command.Type] {
        [
            NewCommand.self, CheckCommand.self, ExplainCommand.self, FormatCommand.self,
            DiagramCommand.self, DocsCommand.self, DiffCommand.self, SQLCommand.self,
            MigrateCommand.self, FreezeCommand.self, VersionCommand.self, ConvertCommand.self,
            ImportCoreDataCommand.self, ExportCommand.self, MoveCommand.self,
            CheckStoreCommand.self, StatusCommand.self, SchemaCommand.self, GenerateCommand.self,
            CompileCommand.self, HelpCommand.self,
        ]
    }

    static func main() {
        let console = Console.standard
        console.exit(with: run(Array(CommandLine.arguments.dropFirst()), console))
    }

    /// Runs a command line.
    static func run(_ words: [String], _ console: Console) -> ExitCode {
        console.run {
            switch words.first {
            case nil, "--help", "-h":
                try console.write(Help.overview)
                return .fine
            case "--version":
                let (version, format) = (SwiftEmitter.cambiumVersion, SwiftEmitter.format)
                try console.write("cambium \(version), generated code \(format)\n")
                return .fine
            case let name?:
                let command = try command(named: name)
                let rest = Array(words.dropFirst())
                if rest.contains("--help") || rest.contains("-h") {
                    try console.write(Help.text(of: command))
                    return .fine
                }
                return try command.run(rest, console)
            }
        }
    }

    static func command(named name: String) throws(ToolError) -> any Command.Type {
        let command = commands.first { $0.name == name || $0.aliases.contains(name) }
        if let command { return command }
        let hint =
            Suggestion.sentence(for: name, among: commands.map { $0.name })
            ?? "'swift package cambium help' lists them."
        throw .usage("There is no command '\(name)'. \(hint)")
    }
}

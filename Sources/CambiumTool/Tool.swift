import CambiumCompiler
import CambiumMigration
import Foundation

/// The command line program: arguments, files and exit codes. All else is the compiler's.
@main
struct Tool {
    /// The commands, in the order in which a person needs them.
    static var commands: [any Command.Type] {
        [
            NewCommand.self, CheckCommand.self, ExplainCommand.self, FormatCommand.self,
            DiagramCommand.self, DocsCommand.self, DiffCommand.self, SQLCommand.self,
            MigrateCommand.self, FreezeCommand.self, VersionCommand.self, ConvertCommand.self,
            AdoptCommand.self, ExportCommand.self, SchemaCommand.self, CompileCommand.self,
            HelpCommand.self,
        ]
    }

    static func main() {
        let console = Console.standard
        let code = run(Array(CommandLine.arguments.dropFirst()), console)
        if code != .fine { console.signals?.endByCaught() }
        exit(code.rawValue)
    }

    /// Does what a command line asks for.
    static func run(_ words: [String], _ console: Console) -> ExitCode {
        do {
            guard let name = words.first else {
                try console.write(Help.overview)
                return .fine
            }
            switch name {
            case "--version":
                try console.write("cambium \(SwiftEmitter.cambiumVersion)\n")
                return .fine
            case "--help", "-h":
                try console.write(Help.overview)
                return .fine
            default: break
            }
            let command = try command(named: name)
            let rest = Array(words.dropFirst())
            if rest.contains("--help") || rest.contains("-h") {
                try console.write(Help.text(of: command))
                return .fine
            }
            return try command.run(try Arguments(rest, of: command), console)
        } catch let error as ToolError {
            console.writeError("cambium: error: \(error.message)\n")
            return error.exitCode
        } catch {
            console.writeError("cambium: error: \(StoreFiles.reason(for: error))\n")
            return .file
        }
    }

    static func command(named name: String) throws(ToolError) -> any Command.Type {
        if let command = commands.first(where: { $0.name == name }) { return command }
        let hint =
            Suggestion.sentence(for: name, among: commands.map { $0.name })
            ?? "'swift package cambium help' lists them."
        throw .usage("There is no command '\(name)'. \(hint)")
    }
}

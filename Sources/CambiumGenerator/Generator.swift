import CambiumCompiler

/// What the build plugin runs: `compile` and nothing else, so that a build of a package with models
/// compiles no more than it needs. People have CambiumTool.
@main
struct Generator {
    static func main() {
        let console = Console.standard
        let words = CommandLine.arguments.dropFirst()
        let code = console.run {
            guard words.first == CompileCommand.name else {
                throw ToolError.usage(
                    "CambiumGenerator is for the build plugin, and knows only "
                        + "'\(CompileCommand.name) \(CompileCommand.usage)'. The other commands: "
                        + "swift package cambium help")
            }
            return try CompileCommand.run(Array(words.dropFirst()), console)
        }
        console.exit(with: code)
    }
}

import CambiumCompiler

/// The program of the build plugin. It has only the command `compile`, so that the build of a
/// package with models compiles little code. CambiumTool is the program for people.
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

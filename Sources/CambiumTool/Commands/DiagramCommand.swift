import CambiumAuthoring
import CambiumCompiler

/// `cambium diagram`: entities and relationships at a glance.
enum DiagramCommand: Command {
    static let name = "diagram"
    static let summary = "Draw a diagram of the entities and their relationships"
    static let usage = "MODEL [--format mermaid|svg|dot] [--version V] [--output FILE]"
    static let details = """
        Prints the diagram as Mermaid text. Most code hosts draw it in a Markdown file, in a block
        with the language mermaid. The form svg is a picture for light and dark mode, and needs
        Graphviz (apt-get install graphviz, brew install graphviz). dot is Graphviz's own language.

            cambium diagram Shop.cambium --output Shop.mmd
            cambium diagram Shop.cambium --output Shop.svg

        The name of the file decides the form: .mmd, .svg, .dot.
        """
    static let options = [
        Option("--format", "FORM", "mermaid (default), svg or dot"),
        Option("--version", "V", "the version to draw (default: the current one)"),
        Option("--output", "FILE", "write to a file instead of printing"),
    ]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let path = try arguments.bundle()
        let output = arguments.value("--output")
        let format =
            try arguments.word("--format", DiagramFormat.self)
            ?? output.flatMap(DiagramFormat.init(fileName:)) ?? .mermaid
        guard let bundle = try compile(path, arguments, console) else { return .modelHasErrors }
        let version = arguments.value("--version")
        do {
            guard
                let text = try bundle.diagram(
                    as: format, version: version, path: Files.programPath)
            else { throw arguments.usage("There is no version '\(version ?? "")'.") }
            try Files.deliver(text, to: output, console)
        } catch let failure as GraphvizProgram.Failure {
            throw ToolError.file(failure.message + ".")
        }
        return .fine
    }
}

import CambiumAuthoring
import CambiumCompiler

/// `cambium diagram`: entities and relationships at a glance.
enum DiagramCommand: Command {
    static let name = "diagram"
    static let summary = "Draw the entities and their relationships"
    static let usage = "MODEL [--format mermaid|svg|dot] [--version V] [--output FILE]"
    static let details = """
        Prints the diagram as Mermaid text, which most code hosts draw where it stands in a Markdown
        file between ```mermaid and ```. As svg it is a picture for light and dark mode; that needs
        Graphviz (apt-get install graphviz, brew install graphviz). dot is Graphviz's own language.

            cambium diagram Shop.cambium >> README.md
            cambium diagram Shop.cambium --output Shop.svg

        The form follows from the name of the file: .mmd, .svg, .dot.
        """
    static let options = [
        Option("--format", "FORM", "mermaid (default), svg or dot"),
        Option("--version", "V", "a version that is not the current one"),
        Option("--output", "FILE", "write a file instead of printing"),
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

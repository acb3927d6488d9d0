import CambiumAuthoring
import CambiumCompiler

/// `cambium docs`: a page for people who use the model.
enum DocsCommand: Command {
    static let name = "docs"
    static let summary = "Write a page that documents the model"
    static let usage = "MODEL [--output FILE]"
    static let details = """
        Writes one HTML page that needs nothing else: entities with their attributes, relationships,
        rules and requests, a diagram, and the versions with what changed between them. It follows
        the reader's light or dark mode and prints well. The picture needs Graphviz; without it the
        diagram stands there as Mermaid text.

        Under `swift package cambium docs` a page that is given no --output goes into a folder of
        the plugin, since writing into the package needs leave; the full path is printed.

        The same model gives the same page, so it can be kept beside the model.
        """
    static let options = [
        Option("--output", "FILE", "where to write (default: NAME.html here; - prints)")
    ]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let path = try arguments.bundle()
        guard let bundle = try compile(path, arguments, console) else { return .modelHasErrors }
        let page = bundle.documentation(path: Files.programPath)
        let output = arguments.value("--output") ?? "\(bundle.name).html"
        try Files.deliver(page, to: output, console)
        if output != "-" { try console.write("Wrote \(Files.fullPath(output))\n") }
        return .fine
    }
}

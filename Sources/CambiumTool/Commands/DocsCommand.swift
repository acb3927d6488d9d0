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

        The same model gives the same page, so it can be kept beside the model.
        """
    static let options = [
        Option("--output", "FILE", "where to write (default: NAME.html here; - prints)")
    ]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        guard let bundle = compile(try arguments.bundle(), console) else { return .modelHasErrors }
        let page = bundle.documentation(path: Files.programPath)
        let output = arguments.value("--output") ?? "\(bundle.name).html"
        try Files.deliver(page, to: output, console)
        if output != "-" { console.write("Wrote \(output)\n") }
        return .fine
    }
}

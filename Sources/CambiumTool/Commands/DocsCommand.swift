import CambiumAuthoring
import CambiumCompiler

/// `cambium docs`: a page for people who use the model.
enum DocsCommand: Command {
    static let name = "docs"
    static let summary = "Write a page that documents a model"
    static let usage = "MODEL [--output FILE]"
    static let details = """
        Writes one HTML page that needs no other file: entities with their attributes,
        relationships, rules and requests, a diagram, and the versions with their changes. You can
        search entities and collapse them, and move and zoom the diagram. The page follows the light
        or dark mode of the reader, and can be printed. The diagram needs Graphviz. Without it the
        page contains the diagram as Mermaid text.

        In `swift package cambium docs`, without --output, the page is written to a folder of the
        plugin, because writing into the package needs permission. The command prints the path.

        The same model gives the same page, so you can keep it with the model.
        """
    static let options = [
        Option("--output", "FILE", "the file to write (default: NAME.html here; - prints)")
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

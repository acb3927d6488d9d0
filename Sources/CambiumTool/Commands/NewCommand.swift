import CambiumAuthoring
import CambiumCompiler

/// `cambium new`: a bundle to start with.
enum NewCommand: Command {
    static let name = "new"
    static let summary = "Create a model with a first version to learn from"
    static let usage = "NAME [--in FOLDER] [--example]"
    static let details = """
        Creates the folder NAME.cambium with the file 1.xml, and prints the lines for Package.swift.
        Create it in the folder of the target that uses it: a target compiles the models in its
        sources.

            cambium new Shop --in Sources/App
            cambium new Shop --in Sources/App --example     shows most of the language

        The command overwrites nothing.
        """
    static let options = [
        Option("--in", "FOLDER", "the folder for the model (default: here)"),
        Option("--example", nil, "a shop instead of a notebook"),
    ]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let template: ModelTemplate
        do {
            template = try ModelTemplate(
                name: try arguments.only("a name, such as Shop"),
                isExample: arguments.has("--example"))
        } catch let error as ModelTemplate.UnsuitableName {
            throw arguments.usage(error.message + ".")
        }
        let folder = arguments.value("--in").map { "\($0)/" } ?? ""
        let bundle = folder + template.bundleName
        try Files.requireFree(bundle)
        try Files.write(template.contents, to: "\(bundle)/\(template.fileName)")
        try console.write(
            """
            Created \(bundle)/\(template.fileName). Read it: its comments explain the language.

            \(template.packageLines)
            Next: swift package cambium check \(bundle.asShellWord)
            For completion in an editor: swift package cambium schema \(bundle.asShellWord)

            """)
        return .fine
    }
}

import CambiumAuthoring
import CambiumCompiler

/// `cambium new`: a bundle to start with.
enum NewCommand: Command {
    static let name = "new"
    static let summary = "Create a model with a commented first version"
    static let usage = "NAME [--in FOLDER] [--example]"
    static let details = """
        Creates the folder NAME.cambium with 1.xml in it, and prints what Package.swift needs. Put
        it into the folder of the target that will use it: a target compiles the models in its
        sources.

            cambium new Shop --in Sources/App
            cambium new Shop --in Sources/App --example     shows most of the language

        Nothing is overwritten.
        """
    static let options = [
        Option("--in", "FOLDER", "where to create it (default: here)"),
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

/// `cambium compile`: what the build plugin calls.
package enum CompileCommand: Command {
    package static let name = "compile"
    package static let summary = "Write the Swift of a model (the build plugin does it)"
    package static let usage = """
        MODEL --output FOLDER [--declarations FILE]
                               [--proofs FOLDER | --no-proof-cache]
        """
    package static let details = """
        Writes NameModel.swift, NameEntities.swift, NameValidation.swift and NameMigrations.swift
        into the folder. A file that would not change is left alone. In a package the plugin
        CambiumBuildPlugin calls it in every build; by hand you want `cambium check`, or `cambium
        generate` for a target without the plugin.

        \(ProofFolder.details)
        """
    package static let options =
        [Option("--output", "FOLDER", "where to write")] + Declarations.options + emittingOptions

    package static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let path = try arguments.bundle()
        guard let folder = arguments.value("--output") else {
            throw arguments.usage("'compile' needs --output FOLDER.")
        }
        guard let files = try emit(path, arguments, console) else { return .modelHasErrors }
        for file in files {
            try Files.write(file.contents, to: "\(folder)/\(file.name)")
        }
        return .fine
    }
}

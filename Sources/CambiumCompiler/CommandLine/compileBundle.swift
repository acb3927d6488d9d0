extension Command {
    /// The options of commands that emit Swift.
    package static var emittingOptions: [Option] {
        [Option("--expects", "FORMAT", "refuse to write Swift of another format than this")]
            + ProofFolder.options
    }

    /// Compiles a bundle and emits its Swift, and reports what was found; nil where that stops it.
    ///
    /// - Throws: Where the caller expects Swift of another format, too.
    package static func emit(
        _ path: String, _ arguments: Arguments, _ console: Console
    ) throws(ToolError) -> [SwiftFile]? {
        let format = SwiftEmitter.format
        if let expected = arguments.value("--expects"), expected != format {
            throw .file(
                "This tool generates Swift of the format \(format), and the package's version of "
                    + "Cambium expects \(expected). Build the tool of that version (swift build "
                    + "--product CambiumTool) and name it in CAMBIUM_TOOL, or unset CAMBIUM_TOOL.")
        }
        let declarations = try Declarations.file(arguments)
        let compilation = try report(path, arguments, console) {
            ModelCompiler.compile(path, declarations: declarations, emits: true, verdicts: $0)
        }
        return compilation.bundle == nil ? nil : compilation.files
    }

    /// Compiles a bundle and reports what was found.
    package static func report(
        _ path: String, warns: Bool = true, _ arguments: Arguments, _ console: Console,
        _ compile: (VerdictCache?) -> Compilation
    ) throws(ToolError) -> Compilation {
        try Files.requireModel(path)
        let verdicts = ProofFolder.verdicts(arguments, console)
        let compilation = compile(verdicts)
        verdicts?.prune()
        console.report(compilation.diagnostics.filter { warns || $0.isError })
        return compilation
    }
}

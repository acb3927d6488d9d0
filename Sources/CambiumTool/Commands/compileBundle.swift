import CambiumCompiler

extension Command {
    /// Compiles a bundle and reports what was found; nil where that stops it.
    static func compile(
        _ path: String, checksLock: Bool = true, _ console: Console
    ) throws(ToolError) -> CompiledBundle? {
        try Files.requireModel(path)
        let compilation = ModelCompiler.compile(path, checksLock: checksLock)
        console.writeError(DiagnosticReport(compilation.diagnostics).rendered(as: .text))
        return compilation.bundle
    }
}

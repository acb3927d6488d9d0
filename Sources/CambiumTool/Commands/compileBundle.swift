import CambiumCompiler

extension Command {
    /// Compiles a bundle and reports what was found; nil where that stops it.
    static func compile(
        _ path: String, checksLock: Bool = true, _ console: Console
    ) throws(ToolError) -> CompiledBundle? {
        try report(path, console) { ModelCompiler.compile(path, checksLock: checksLock) }.bundle
    }

    /// Compiles a bundle and emits its Swift, and reports what was found; nil where that stops it.
    static func emit(_ path: String, _ console: Console) throws(ToolError) -> [SwiftFile]? {
        let compilation = try report(path, console) {
            ModelCompiler.compile(path, emits: true)
        }
        return compilation.bundle == nil ? nil : compilation.files
    }

    private static func report(
        _ path: String, _ console: Console, _ compile: () -> Compilation
    ) throws(ToolError) -> Compilation {
        try Files.requireModel(path)
        let compilation = compile()
        console.writeError(DiagnosticReport(compilation.diagnostics).rendered(as: .text))
        return compilation
    }
}

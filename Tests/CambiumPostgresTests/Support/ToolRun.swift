import CambiumEngine
import Synchronization

@testable import CambiumCompiler
@testable import CambiumPostgresStore
@testable import CambiumTool

/// A run of the tool, with servers, and what it printed.
struct ToolRun {
    let code: ExitCode
    let output: String
    let errors: String

    /// - Parameter isCancelled: Whether somebody asks for its end.
    init(_ words: [String], isCancelled: @escaping @Sendable () -> Bool = { false }) {
        let output = Mutex("")
        let errors = Mutex("")
        var console = Console(
            write: { text in output.withLock { $0 += text } },
            writeError: { text in errors.withLock { $0 += text } })
        console.isCancelled = isCancelled
        code = StoreArgument.$servers.withValue(.postgres) { Tool.run(words, console) }
        self.output = output.withLock { $0 }
        self.errors = errors.withLock { $0 }
    }
}

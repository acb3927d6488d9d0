import CambiumMigration
import Foundation

/// Where a command writes: results to one side, what a person should know to the other.
package struct Console: Sendable {
    /// Throws where the output takes no more, such as a file on a disk that is full.
    package let write: @Sendable (String) throws(ToolError) -> Void
    package let writeError: @Sendable (String) -> Void
    /// Where proofs are remembered unless an option says otherwise; nil remembers none.
    package var proofFolder: String?
    /// Whether a person watches the error output.
    package var isTerminal = false
    /// The signals that ask the program to end; nil where the program is somebody else's.
    package var signals: StopSignals?
    /// Whether somebody has asked for the end of the command.
    package var isCancelled: @Sendable () -> Bool = { false }

    /// The program's own output and error output.
    package static let standard = Console(
        write: { text throws(ToolError) in try write(text, to: .standardOutput) },
        // Nobody is left to be told that this fails.
        writeError: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) },
        proofFolder: ProofFolder.ofUser, isTerminal: isatty(STDERR_FILENO) == 1,
        signals: StopSignals(), isCancelled: { StopSignals().caught != nil })

    /// Tells what was found in a model.
    package func report(_ diagnostics: [Diagnostic]) {
        writeError(diagnostics.rendered)
    }

    /// Runs the program that writes here: an error becomes a line and an exit code.
    package func run(_ work: () throws -> ExitCode) -> ExitCode {
        do {
            return try work()
        } catch let error as ToolError {
            writeError("cambium: error: \(error.message)\n")
            return error.exitCode
        } catch {
            writeError("cambium: error: \(StoreFiles.reason(for: error))\n")
            return .file
        }
    }

    /// Ends the program with a code, or by the signal that it was asked with to end.
    package func exit(with code: ExitCode) -> Never {
        if code != .fine { signals?.endByCaught() }
        Foundation.exit(code.rawValue)
    }

    /// Writes results.
    ///
    /// - Throws: Where the file takes no more; the program goes on then, and ends with an exit code.
    package static func write(_ text: String, to file: FileHandle) throws(ToolError) {
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            throw .file(
                "The output cannot be written: \(StoreFiles.reason(for: error)). Make room, or let "
                    + "it go elsewhere.")
        }
    }
}

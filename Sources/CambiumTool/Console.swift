import Foundation

/// Where a command writes: results to one side, what a person should know to the other.
struct Console: Sendable {
    let write: @Sendable (String) -> Void
    let writeError: @Sendable (String) -> Void
    /// Where proofs are remembered unless an option says otherwise; nil remembers none.
    var proofFolder: String?
    /// Whether a person watches the error output.
    var isTerminal = false
    /// Whether somebody has asked for the end of the command.
    var isCancelled: @Sendable () -> Bool = { EndSignal.isReceived }

    /// The program's own output and error output.
    static let standard = Console(
        write: { FileHandle.standardOutput.write(Data($0.utf8)) },
        writeError: { FileHandle.standardError.write(Data($0.utf8)) },
        proofFolder: ProofFolder.ofUser, isTerminal: isatty(STDERR_FILENO) == 1)
}

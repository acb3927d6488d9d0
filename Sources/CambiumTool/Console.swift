import Foundation

/// Where a command writes: results to one side, what a person should know to the other.
struct Console: Sendable {
    let write: @Sendable (String) -> Void
    let writeError: @Sendable (String) -> Void
    /// Where proofs are remembered unless an option says otherwise; nil remembers none.
    var proofFolder: String?
    /// Whether a person watches the error output.
    var isTerminal = false
    /// The signals that ask the program to end; nil where the program is somebody else's.
    var signals: StopSignals?
    /// Whether somebody has asked for the end of the command.
    var isCancelled: @Sendable () -> Bool = { false }

    /// The program's own output and error output.
    static let standard = Console(
        write: { FileHandle.standardOutput.write(Data($0.utf8)) },
        writeError: { FileHandle.standardError.write(Data($0.utf8)) },
        proofFolder: ProofFolder.ofUser, isTerminal: isatty(STDERR_FILENO) == 1,
        signals: StopSignals(), isCancelled: { StopSignals().caught != nil })
}

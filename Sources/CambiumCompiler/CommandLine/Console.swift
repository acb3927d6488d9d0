import CambiumMigration
import Foundation
import Synchronization

/// The output of a command: results on standard output, messages for a person on standard error.
package struct Console: Sendable {
    /// Throws if the output cannot be written, such as on a full disk.
    package let write: @Sendable (String) throws(ToolError) -> Void
    package let writeError: @Sendable (String) -> Void
    /// The folder of stored proofs, unless an option names another; nil stores none.
    package var proofFolder: String?
    /// Whether a person watches the error output.
    package var isTerminal = false
    /// The signals that end the program; nil if the process is not the tool's own.
    package var signals: StopSignals?
    /// Whether the command is cancelled.
    package var isCancelled: @Sendable () -> Bool = { false }

    /// The program's own output and error output.
    package static let standard = Console(
        write: { text throws(ToolError) in try write(text, to: .standardOutput) },
        // If this fails, no output remains to report it.
        writeError: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) },
        proofFolder: ProofFolder.ofUser, isTerminal: isatty(STDERR_FILENO) == 1,
        signals: StopSignals(), isCancelled: { StopSignals().caught != nil })

    /// Reports the diagnostics of a model.
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
    /// - Throws: If the file cannot be written. The program continues then, and ends with an exit
    ///   code.
    package static func write(_ text: String, to file: FileHandle) throws(ToolError) {
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            throw .file(
                """
                The output cannot be written: \(StoreFiles.reason(for: error)). Make room, or \
                write it elsewhere.
                """)
        }
    }
}

/// The signals that end a program. A command that has to remove files catches them meanwhile, and
/// ends soon after.
package struct StopSignals: Sendable {
    private static let all = [SIGINT, SIGTERM, SIGHUP]

    /// The first signal received; nil if there was none.
    package var caught: Int32? {
        let number = numberOfCaught.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Catches them from now on. A second one ends the program at once.
    package func catchAll() {
        // Initialized here, because a signal handler must not be the first to use it.
        numberOfCaught.store(0, ordering: .relaxed)
        for name in Self.all {
            let before = signal(name) { number in
                numberOfCaught.store(number, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
            // If the caller made the program ignore a signal, it stays ignored.
            if Self.isIgnored(before) { signal(name, SIG_IGN) }
        }
    }

    /// Restores the default actions of the signals.
    package func restoreDefaults() {
        for name in Self.all {
            let before = signal(name, SIG_DFL)
            if Self.isIgnored(before) { signal(name, SIG_IGN) }
        }
    }

    /// Ends the program as the signal would have, so that who sent it sees that it did.
    package func endByCaught() {
        guard let caught else { return }
        signal(caught, SIG_DFL)
        kill(getpid(), caught)
    }

    private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        // Safety: both are addresses that are compared and not called.
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// A handler has no context, and may do no more than write a number.
private let numberOfCaught = Atomic<Int32>(0)

/// Reads and writes files, with errors that name the file and the reason.
package enum Files {
    /// Writes a file, and creates its folders.
    ///
    /// If the contents are unchanged, the file is not written and keeps its date, so that dependent
    /// build steps do not run again.
    package static func write(_ text: String, to path: String) throws(ToolError) {
        let file = URL(fileURLWithPath: path)
        let data = Data(text.utf8)
        if (try? Data(contentsOf: file)) == data { return }
        try attempt("\(path) cannot be written") {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file, options: .atomic)
        }
    }

    /// Runs work on a file.
    ///
    /// - Parameter failure: The start of the error message, before the reason.
    package static func attempt<Result>(
        _ failure: String, _ work: () throws -> Result
    ) throws(ToolError) -> Result {
        do {
            return try work()
        } catch {
            throw .file("\(failure): \(reason(for: error))")
        }
    }

    /// The reason that a file cannot be read or written. If the permission to write is missing, it
    /// says how to fix this, because the sandbox of plugins on macOS fails in this way.
    package static func reason(for error: any Error) -> String {
        if let error = error as? FileError { return error.reason }
        let codes: [CocoaError.Code] = [.fileWriteNoPermission, .fileWriteVolumeReadOnly]
        guard let code = (error as? CocoaError)?.code, codes.contains(code) else {
            return error.localizedDescription
        }
        return error.localizedDescription + """
            \nIn a package plugin, writing may need: \
            swift package --allow-writing-to-package-directory …
            """
    }

    /// Whether there is anything at a path.
    package static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// If a model does not exist, the error is a file that cannot be read, not a model with errors.
    package static func requireModel(_ path: String) throws(ToolError) {
        guard !exists(path) else { return }
        throw .file("There is no folder \(path).")
    }
}

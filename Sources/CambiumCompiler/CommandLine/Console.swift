import CambiumMigration
import Foundation
import Synchronization

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
                """
                The output cannot be written: \(StoreFiles.reason(for: error)). Make room, or let \
                it go elsewhere.
                """)
        }
    }
}

/// The signals by which people and systems ask a program to end. A command that has files to take
/// away catches them meanwhile, and ends soon after.
package struct StopSignals: Sendable {
    private static let all = [SIGINT, SIGTERM, SIGHUP]

    /// The first signal that came; nil where none did.
    package var caught: Int32? {
        let number = numberOfCaught.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Catches them from now on. A second one ends the program at once.
    package func catchAll() {
        // Made here, as a handler must not be the first to ask for it.
        numberOfCaught.store(0, ordering: .relaxed)
        for name in Self.all {
            let before = signal(name) { number in
                numberOfCaught.store(number, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
            // What the caller had the program ignore stays so.
            if Self.isIgnored(before) { signal(name, SIG_IGN) }
        }
    }

    /// Lets them do again what they did.
    package func letGo() {
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
        // Safety: both are addresses, which are compared and not called.
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// A handler has no context, and may do no more than write a number.
private let numberOfCaught = Atomic<Int32>(0)

/// Reading and writing files, with errors that say which and why.
package enum Files {
    /// Writes a file and the folders that it needs.
    ///
    /// One whose contents would not change is left alone and keeps its date, so that nothing that
    /// is made from it is made again.
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

    /// Does something with a file.
    ///
    /// - Parameter failure: What to say, before the reason, where it fails.
    package static func attempt<Result>(
        _ failure: String, _ work: () throws -> Result
    ) throws(ToolError) -> Result {
        do {
            return try work()
        } catch {
            throw .file("\(failure): \(reason(for: error))")
        }
    }

    /// Why a file cannot be read or written, and what to do where leave to write is missing: the
    /// sandbox that plugins run in on macOS refuses in no other way.
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

    /// A model that is not there is a file that cannot be read, not a model with errors.
    package static func requireModel(_ path: String) throws(ToolError) {
        guard !exists(path) else { return }
        throw .file("There is no folder \(path).")
    }
}

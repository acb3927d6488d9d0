import CambiumAuthoring
import CambiumCompiler

/// `cambium freeze`: protects versions that have shipped against changes.
enum FreezeCommand: Command {
    static let name = "freeze"
    static let summary = "Lock shipped versions against changes"
    static let usage = "MODEL [--through V] [--again V] | MODEL --history [--through V]"
    static let details = """
        Run this command when a program with the model is released. It writes the file cambium.lock
        into the bundle, with the content of each version. Commit this file. From then on, the build
        rejects changes of a frozen version that existing stores would not match: changes of tables,
        columns, defaults, limits, rules, indexes, renames and migrations. Layout, comments,
        messages, code generation and requests may change. Make the next change of the data in a new
        version: cambium version new MODEL.

        --history is for a bundle of Xcode that you keep. It writes Name.history.xml beside the
        bundle, or the file of --declarations. Core Data deleted the data of removed properties
        without asking. The file declares each such loss with its class and a reason, for all steps
        between shipped versions. If two versions do not determine a step, the command declares the
        variant with the least loss. It prints each declaration that deletes rows, and adds a
        comment to the file. Read the file, and correct generated values if you know better ones.
        The command never changes existing lines. It runs each step with sample rows before it
        writes the declarations. A step that needs code is not written, and the exit code is 1.

        --again freezes a changed version again. Use it only for a version that never left your
        machines.
        """
    static let options =
        [
            Option(
                "--through", "V", "the last version to freeze (default: the one of --again, or all)"
            ),
            Option("--again", "V", "freeze a changed version as it is now; may be repeated"),
            Option("--history", nil, "write declarations for the steps below the current version"),
        ] + Declarations.options

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let path = try arguments.bundle()
        if arguments.has("--history") { return try writeHistory(of: path, arguments, console) }
        return try freeze(
            path, through: arguments.value("--through"), again: Set(arguments.values("--again")),
            arguments, console)
    }

    /// Freezes the versions of a bundle, as ``VersionFreezer`` does.
    static func freeze(
        _ path: String, through last: String?, again: Set<String>, _ arguments: Arguments,
        _ console: Console
    ) throws -> ExitCode {
        guard let bundle = try compile(path, checksLock: false, arguments, console) else {
            return .modelHasErrors
        }
        let file = "\(path)/\(VersionFreezer.fileName)"
        do {
            let result = try VersionFreezer.freeze(
                bundle, through: last, again: again, lock: try Files.text(of: file))
            try Files.write(result.text, to: file)
            try console.write(
                result.frozen.isEmpty
                    ? "Nothing new to freeze in \(path)\n"
                    : "Froze \(result.frozen.joined(separator: ", ")) in \(file)\n")
        } catch let failure as VersionFreezer.Failure {
            console.writeError("cambium: error: \(failure.message).\n")
            return .modelHasErrors
        }
        return .fine
    }

    private static func writeHistory(
        of path: String, _ arguments: Arguments, _ console: Console
    ) throws -> ExitCode {
        if arguments.has("--again") {
            throw arguments.usage(
                "--again belongs to cambium.lock, which --history does not write.")
        }
        try Files.requireModel(path)
        let file = arguments.value("--declarations") ?? ModelHistory.path(beside: path)
        let result = ModelHistory.write(
            of: path, declarations: file, through: arguments.value("--through"))
        console.report(result.diagnostics)
        if result.diagnostics.contains(where: \.isError) { return .modelHasErrors }
        if let text = result.text {
            try Files.write(text, to: file)
            try console.write("Wrote \(file)\n")
            for line in result.added { try console.write("  \(line)\n") }
        } else {
            try console.write("Nothing new to declare in \(file)\n")
        }
        for version in result.lackingRows {
            console.writeError(
                "cambium: warning: the step to \(version) was proven without two rows of every "
                    + "entity; see swift package cambium explain CM708\n")
        }
        for line in result.open {
            console.writeError("cambium: error: to be declared by hand: \(line)\n")
        }
        if !result.open.isEmpty { return .modelHasErrors }
        return result.lackingRows.isEmpty ? .fine : .provenWithoutRows
    }
}

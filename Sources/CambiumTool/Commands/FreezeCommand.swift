import CambiumCompiler

/// `cambium freeze`: what has shipped stays.
enum FreezeCommand: Command {
    static let name = "freeze"
    static let summary = "Remember that versions have shipped, so that they stay as they are"
    static let usage = "MODEL [--through V] [--again V]"
    static let details = """
        Run it when a program with the model goes to its users, and commit the file that it writes:
        cambium.lock in the bundle, a line for each version. From then on the build refuses a change
        to one of them that its stores would not have: tables and columns, defaults, limits, rules,
        indexes, renames, migrations. Layout, comments, messages, code generation and requests may
        change. The next change of the data goes into a new version: copy the file, raise the number.

        --again takes a version as it is now although it was frozen otherwise: for one that has
        never left your machines.
        """
    static let options = [
        Option("--through", "V", "the last version to freeze (default: all)"),
        Option("--again", "V", "freeze a changed version as it is now; may be repeated"),
    ]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let path = try arguments.bundle()
        guard let bundle = try compile(path, checksLock: false, arguments, console) else {
            return .modelHasErrors
        }
        let file = "\(path)/\(VersionFreezer.fileName)"
        do {
            let result = try VersionFreezer.freeze(
                bundle, through: arguments.value("--through"),
                again: Set(arguments.values("--again")), lock: try Files.text(of: file))
            try Files.write(result.text, to: file)
            console.write(
                result.frozen.isEmpty
                    ? "Nothing new to freeze in \(path)\n"
                    : "Froze \(result.frozen.joined(separator: ", ")) in \(file)\n")
        } catch let failure as VersionFreezer.Failure {
            console.writeError("cambium: error: \(failure.message).\n")
            return .modelHasErrors
        }
        return .fine
    }
}

import CambiumAuthoring
import CambiumCompiler

/// `cambium version new`: the next version of a model.
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "Copy the current version of a model to the next version"
    static let usage = "new MODEL [--freeze]"
    static let details = """
        Run this command after the current version has shipped, before the next change. It copies
        the file of the current version, such as 2.xml, to the next one, 3.xml, with comments. The
        copy has no declarations about the step from version 1 to 2: migrations, renamedFrom, and
        suppressions of findings about that step. In a bundle of Xcode the command copies the folder
        of the current version, with its renaming identifiers. The copy then is the current version.

        A version that is not frozen is a draft. You can change its file. If a store was written
        before the change, StoreOptions.draftPolicy decides how the store is opened.

            cambium version new Sources/App/Shop.cambium --freeze

        The command overwrites nothing.
        """
    static let options =
        [Option("--freeze", nil, "freeze the copied version and all before it")]
        + Declarations.options

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        guard arguments.words.first == "new" else {
            throw arguments.usage("'version' needs what to do: new.")
        }
        guard arguments.words.count == 2 else {
            throw arguments.usage(
                "'version new' takes one: a model, a folder Name.cambium or Name.xcdatamodeld.")
        }
        let path = arguments.words[1]
        try Files.requireModel(path)
        let next: NextVersion
        do {
            next = try NextVersion(of: path)
        } catch {
            console.writeError("cambium: error: \(error.message).\n")
            return .modelHasErrors
        }
        guard let made = next.files.first else { return .modelHasErrors }
        try Files.requireFree(made.path)
        if arguments.has("--freeze") {
            let result = try FreezeCommand.freeze(
                path, through: next.current, again: [], arguments, console)
            guard result == .fine else { return result }
        }
        for file in next.files {
            try Files.write(String(decoding: file.bytes, as: UTF8.self), to: file.path)
        }
        try console.write(
            "Created \(made.path), a copy of version \(next.current). Make your changes there.\n"
                + next.remarks.map { $0 + "\n" }.joined()
                + (arguments.has("--freeze") || next.isCurrentFrozen
                    ? ""
                    : "Has version \(next.current) shipped? Then freeze it, and not the new one: swift "
                        + "package cambium freeze \(path.asShellWord) --through \(next.current)\n")
                + "Next: swift package cambium check \(path.asShellWord)\n")
        return .fine
    }
}

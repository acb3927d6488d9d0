import Foundation

/// One command of the tool.
package protocol Command {
    /// The name of the command.
    static var name: String { get }
    /// Former names, which still work.
    static var aliases: [String] { get }
    /// A summary of the command in one line.
    static var summary: String { get }
    /// The arguments after its name on the command line.
    static var usage: String { get }
    /// The help text for new users.
    static var details: String { get }
    /// The options of the command, besides --help.
    static var options: [Option] { get }

    /// Does it.
    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode
}

extension Command {
    package static var aliases: [String] { [] }

    /// Runs the command with the arguments after its name.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package static func run(_ words: [String], _ console: Console) throws -> ExitCode {
        try run(try Arguments(words, of: self), console)
    }
}

/// An option of a command.
package struct Option {
    /// The name with its dashes.
    package let name: String
    /// The name of its value, or nil for a flag.
    package let value: String?
    /// The action.
    package let help: String

    package init(_ name: String, _ value: String? = nil, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
    }
}

/// The exit codes of the tool. Scripts can distinguish them.
package enum ExitCode: Int32, CaseIterable {
    /// The command has succeeded.
    case fine = 0
    /// A model has errors, or something is wrong with a store (check-store).
    case modelHasErrors = 1
    /// The command line is wrong, or a store cannot be checked (check-store).
    case usage = 2
    /// A model has warnings, with --strict.
    case modelHasWarnings = 3
    /// A file cannot be read or written, or a program that is needed is missing or is another one.
    case file = 4
    /// A file is not as it would be written, with --check.
    case differs = 5
    /// A store has to be migrated before a program can use it.
    case storeIsBehind = 6
    /// A store cannot be opened, migrated or imported.
    case storeRefused = 7
    /// A store was imported, but not completely, or not to the target version.
    case incomplete = 8
    /// The migrations of a model are right, but a proof had too few rows.
    case provenWithoutRows = 9
    /// The generated Swift differs from the output for the models, with --check.
    case generatedCodeIsStale = 10
}

/// The reasons that a command cannot run. Problems of a model are not such errors: they are
/// reported as diagnostics.
package enum ToolError: Error {
    case usage(String)
    case file(String)
    case store(String)

    package var message: String {
        switch self {
        case .usage(let message), .file(let message), .store(let message): message
        }
    }

    package var exitCode: ExitCode {
        switch self {
        case .usage: .usage
        case .file: .file
        case .store: .storeRefused
        }
    }
}

/// The arguments after the command on the command line.
package struct Arguments {
    /// The arguments that are not options, in order.
    package private(set) var words: [String] = []
    private var options: [String: [String]] = [:]
    package let command: any Command.Type

    /// Reads the words after a command's name.
    package init(_ words: [String], of command: any Command.Type) throws(ToolError) {
        self.command = command
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                self.words += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                self.words.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            let name = parts.first ?? word
            guard let option = command.options.first(where: { $0.name == name }) else {
                throw unknown(name)
            }
            guard let value = option.value else {
                if parts.count > 1 { throw usage("'\(name)' takes no value.") }
                options[name, default: []].append("")
                continue
            }
            guard let given = parts.count > 1 ? parts[1] : rest.popFirst() else {
                throw usage("'\(name)' needs a value: \(name) \(value)")
            }
            options[name, default: []].append(given)
        }
    }

    /// Whether a flag is set.
    package func has(_ option: String) -> Bool { options[option] != nil }

    /// The last value of an option.
    package func value(_ option: String) -> String? { options[option]?.last }

    /// All values of an option.
    package func values(_ option: String) -> [String] { options[option] ?? [] }

    /// The one word that the command takes.
    package func only(_ what: String) throws(ToolError) -> String {
        guard let word = words.first else { throw usage("'\(command.name)' needs \(what).") }
        guard words.count == 1 else { throw usage("'\(command.name)' takes one: \(what).") }
        return word
    }

    /// The one model that the command takes.
    package func bundle() throws(ToolError) -> String {
        try only("a model: a folder Name.cambium or Name.xcdatamodeld")
    }

    /// An error about the command line, with the expected usage.
    package func usage(_ message: String) -> ToolError {
        .usage(
            """
            \(message)\nUsage: cambium \(command.name) \(command.usage)\n\
            More: swift package cambium help \(command.name)
            """)
    }

    private func unknown(_ name: String) -> ToolError {
        let hint = Suggestion.sentence(for: name, among: command.options.map { $0.name })
        return usage("'\(command.name)' has no option '\(name)'." + (hint.map { " \($0)" } ?? ""))
    }
}

/// `cambium compile`, the command of the build plugin.
package enum CompileCommand: Command {
    package static let name = "compile"
    package static let summary = "Write the Swift of a model (the build plugin does it)"
    package static let usage = """
        MODEL --output FOLDER [--declarations FILE]
                               [--proofs FOLDER | --no-proof-cache]
        """
    package static let details = """
        Writes NameModel.swift, NameEntities.swift, NameValidation.swift and NameMigrations.swift
        into the folder. A file that would not change is left alone. In a package, the plugin
        CambiumBuildPlugin runs this command in every build. By hand, run `cambium check`, or
        `cambium generate` for a target without the plugin.

        \(ProofFolder.details)
        """
    package static let options =
        [Option("--output", "FOLDER", "where to write")] + Declarations.options + emittingOptions

    package static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let path = try arguments.bundle()
        guard let folder = arguments.value("--output") else {
            throw arguments.usage("'compile' needs --output FOLDER.")
        }
        guard let files = try emit(path, arguments, console) else { return .modelHasErrors }
        for file in files {
            try Files.write(file.contents, to: "\(folder)/\(file.name)")
        }
        return .fine
    }
}

extension Command {
    /// The options of commands that emit Swift.
    package static var emittingOptions: [Option] {
        [Option("--expects", "FORMAT", "fail if the tool writes another format of Swift")]
            + ProofFolder.options
    }

    /// Compiles a bundle, emits its Swift and reports the diagnostics. Returns nil if errors
    /// prevent the output.
    ///
    /// - Throws: Also if the caller expects Swift of another format.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package static func emit(
        _ path: String, _ arguments: Arguments, _ console: Console
    ) throws(ToolError) -> [SwiftFile]? {
        let format = SwiftEmitter.format
        if let expected = arguments.value("--expects"), expected != format {
            throw .file(
                """
                This tool generates Swift of the format \(format), and the package's version of \
                Cambium expects \(expected). Build the tool of that version (swift build \
                --product CambiumTool) and name it in CAMBIUM_TOOL, or unset CAMBIUM_TOOL.
                """)
        }
        let declarations = try Declarations.file(arguments)
        let compilation = try report(path, arguments, console) {
            ModelCompiler.compile(path, declarations: declarations, emits: true, verdicts: $0)
        }
        return compilation.bundle == nil ? nil : compilation.files
    }

    /// Compiles a bundle and reports the diagnostics.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package static func report(
        _ path: String, warns: Bool = true, _ arguments: Arguments, _ console: Console,
        _ compile: (VerdictCache?) -> Compilation
    ) throws(ToolError) -> Compilation {
        try Files.requireModel(path)
        let verdicts = ProofFolder.verdicts(arguments, console)
        let compilation = compile(verdicts)
        verdicts?.prune()
        console.report(compilation.diagnostics.filter { warns || $0.isError })
        return compilation
    }
}

/// The file of declarations about steps that have shipped, for bundles that cannot be edited.
package enum Declarations {
    /// The option of commands that compile a model.
    package static let options = [
        Option(
            "--declarations", "FILE",
            "declarations for shipped steps (default: Name.history.xml)")
    ]

    /// The named file; nil if it is beside the bundle.
    package static func file(_ arguments: Arguments) throws(ToolError) -> String? {
        guard let file = arguments.value("--declarations") else { return nil }
        guard Files.exists(file) else { throw .file("There is no file \(file).") }
        return file
    }
}

/// The folder in which the results of earlier proofs are stored, so that unchanged steps are not
/// proven again.
package enum ProofFolder {
    /// The options of commands that prove.
    package static let options = [
        Option("--proofs", "FOLDER", "the folder of successful proofs (default: in your cache)"),
        Option("--no-proof-cache", nil, "prove everything, and keep no results"),
    ]

    /// The explanation of the options, for the help.
    package static let details = """
        A step that was proven is not run again until the step, the tool or the version of SQLite
        changes. A folder keeps these results, and you can remove it at any time.
        """

    /// The folder in the user's cache: `$XDG_CACHE_HOME/cambium/proofs` on Linux.
    package static var ofUser: String? {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return caches?.appendingPathComponent("cambium/proofs").path
    }

    /// The results of earlier proofs; nil if proofs are not to be stored.
    package static func verdicts(_ arguments: Arguments, _ console: Console) -> VerdictCache? {
        guard !arguments.has("--no-proof-cache"),
            let folder = arguments.value("--proofs") ?? console.proofFolder, let tool
        else { return nil }
        return VerdictCache(folder: folder, tool: tool)
    }

    /// The identity of this program. A new build may give other results although its version is the
    /// same. Its file has another date, and usually another size.
    private static let tool: String? = {
        guard let path = Bundle.main.executablePath,
            let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let size = attributes[.size] as? Int,
            let date = attributes[.modificationDate] as? Date
        else { return nil }
        return """
            cambium \(SwiftEmitter.cambiumVersion), \(size) bytes, \
            \(date.timeIntervalSinceReferenceDate.bitPattern)
            """
    }()
}

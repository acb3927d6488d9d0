/// One command of the tool.
package protocol Command {
    /// The word by which it is called.
    static var name: String { get }
    /// Former names, by which it is called too.
    static var aliases: [String] { get }
    /// What it does, in a line.
    static var summary: String { get }
    /// What follows its name on the command line.
    static var usage: String { get }
    /// What somebody who uses it for the first time wants to know.
    static var details: String { get }
    /// Its options, besides --help.
    static var options: [Option] { get }

    /// Does it.
    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode
}

extension Command {
    package static var aliases: [String] { [] }

    /// Does what the words after its name ask for.
    package static func run(_ words: [String], _ console: Console) throws -> ExitCode {
        try run(try Arguments(words, of: self), console)
    }
}

/// An option of a command.
package struct Option {
    /// The name with its dashes.
    package let name: String
    /// What its value is, or nil for a flag.
    package let value: String?
    /// What it does.
    package let help: String

    package init(_ name: String, _ value: String? = nil, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
    }
}

/// How the tool ends: scripts can tell these apart.
package enum ExitCode: Int32, CaseIterable {
    /// All is well.
    case fine = 0
    /// A model has errors.
    case modelHasErrors = 1
    /// The command line is wrong.
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
    /// A store was imported, but not all of it, or not to the version that was wanted.
    case incomplete = 8
    /// The migrations of a model are right, but a proof had too few rows.
    case provenWithoutRows = 9
    /// Generated Swift is not what the models make, with --check.
    case generatedCodeIsStale = 10
}

/// Why a command cannot do its work. What is wrong with a model is no such error: it is reported.
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

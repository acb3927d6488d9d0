/// What the command line asks for.
struct Arguments {
    /// What to do.
    let command: String
    /// The bundles, in order.
    private(set) var bundles: [String] = []
    /// Values of options by name, such as `--output`.
    private(set) var options: [String: String] = [:]

    /// Why a command line cannot be understood.
    struct UsageError: Error {
        let message: String
    }

    /// The options of each command; all take a value.
    static let commands: [String: Set<String>] = [
        "compile": ["--output"], "check": [],
        "sql": ["--version", "--from", "--to", "--output"],
    ]

    /// Reads the words after the program's name.
    init(_ words: [String]) throws(UsageError) {
        guard let command = words.first else { throw UsageError(message: "A command is missing.") }
        guard let allowed = Self.commands[command] else {
            throw UsageError(message: "There is no command '\(command)'.")
        }
        self.command = command
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                bundles.append(word)
                continue
            }
            guard allowed.contains(word) else {
                throw UsageError(message: "'\(command)' has no option '\(word)'.")
            }
            guard let value = rest.popFirst() else {
                throw UsageError(message: "'\(word)' needs a value.")
            }
            options[word] = value
        }
        guard !bundles.isEmpty else {
            throw UsageError(message: "'\(command)' needs a model: a folder Name.cambium.")
        }
        if command != "check", bundles.count > 1 {
            throw UsageError(message: "'\(command)' takes one model.")
        }
        if command == "compile", options["--output"] == nil {
            throw UsageError(message: "'compile' needs --output FOLDER.")
        }
        if (options["--from"] == nil) != (options["--to"] == nil) {
            throw UsageError(message: "--from and --to belong together.")
        }
    }
}

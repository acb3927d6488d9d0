/// What stands on the command line after the command.
package struct Arguments {
    /// The words that are no options, in order.
    package private(set) var words: [String] = []
    private var options: [String: [String]] = [:]
    private let command: any Command.Type

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

    /// A mistake on the command line, with what the command expects.
    package func usage(_ message: String) -> ToolError {
        .usage(
            "\(message)\nUsage: cambium \(command.name) \(command.usage)\n"
                + "More: swift package cambium help \(command.name)")
    }

    private func unknown(_ name: String) -> ToolError {
        let hint = Suggestion.sentence(for: name, among: command.options.map(\.name))
        return usage("'\(command.name)' has no option '\(name)'." + (hint.map { " \($0)" } ?? ""))
    }
}

import CambiumCompiler

/// The texts of `cambium help`.
enum Help {
    /// The overview of the commands.
    static var overview: String {
        let width = (Tool.commands.map { $0.name.count }.max() ?? 0) + 2
        let commands = Tool.commands.map { command in
            "  " + padded(command.name, to: width) + command.summary
        }
        return """
            Works with data models for Cambium, and with stores.

            Usage: cambium COMMAND …     (in a package: swift package cambium COMMAND …)

            \(commands.joined(separator: "\n"))

            A model is a folder: Name.cambium (files 1.xml, 2.xml …) or Xcode's Name.xcdatamodeld.
            Start with `swift package cambium new Shop --example`, then `… help model`.

            \(exitCodes)

            """
    }

    /// Returns the help of a command.
    static func text(of command: any Command.Type) -> String {
        let names = command.options.map { option in
            option.name + (option.value.map { " \($0)" } ?? "")
        }
        let width = (names.map(\.count).max() ?? 0) + 2
        let options = zip(names, command.options).map { "  " + padded($0, to: width) + $1.help }
        let list = options.isEmpty ? "" : "\n\nOptions:\n" + options.joined(separator: "\n")
        return """
            \(command.summary).

            Usage: cambium \(command.name) \(command.usage)

            \(command.details)\(list)

            \(exitCodes)

            """
    }

    private static var exitCodes: String {
        let lines = ExitCode.allCases.map { "  \(padded("\($0.rawValue)", to: 4))\($0.meaning)" }
        return "Exit codes:\n" + lines.joined(separator: "\n")
            + "\nUnder `swift package` every failure is exit code 1."
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

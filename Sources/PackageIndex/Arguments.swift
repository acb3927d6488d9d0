#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The options on the command line.
package struct Arguments: Equatable, Sendable {
    /// The package list; nil takes the machine's own, or else the excerpt.
    var input: String?
    /// The store; nil makes a new one in the directory for temporary files.
    package private(set) var store: String?
    /// Whether to show only the usage.
    package private(set) var wantsHelp = false

    package static let usage = """
        usage: package-index [--input FILE] [--store FILE]

        Reads a list of Debian packages into a Cambium store and shows what happens: migration,
        import in the background, a live list, a conflict.

          --input FILE  a list in Debian's control format, such as the output of
                        'apt-cache dumpavail'; without it /var/lib/dpkg/status is read where it
                        exists, else a small list that is part of the program
          --store FILE  the SQLite store, made where it does not exist and continued where it
                        does; without it, a new one in the directory for temporary files
          --help        this text
        """

    /// Parses the arguments, without the program's name.
    package init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            switch name {
            case "--help", "-h":
                wantsHelp = true
            case "--input", "--store":
                let value = parts.count > 1 ? String(parts[1]) : rest.popFirst()
                guard let value, !value.isEmpty, !value.hasPrefix("--") else {
                    throw UsageError(description: "'\(name)' needs a file")
                }
                if name == "--input" {
                    try Self.set(&input, to: value, name)
                } else {
                    try Self.set(&store, to: value, name)
                }
            default:
                throw UsageError(description: "unknown argument '\(argument)'")
            }
        }
    }

    /// Runs a program with its arguments. If the arguments or the program fail, it ends the process
    /// with an error.
    @MainActor
    package static func run(
        _ name: String, _ body: @MainActor (Arguments) async throws -> Void
    ) async {
        let errors = Terminal(descriptor: STDERR_FILENO)
        do {
            try await body(try Arguments(CommandLine.arguments.dropFirst()))
        } catch let error as UsageError {
            errors.event("\(name): \(error.description)")
            errors.event("\(name) --help says what it takes")
            exit(64)  // EX_USAGE
        } catch {
            errors.event("\(name): \(error)")
            exit(1)
        }
    }

    private static func set(
        _ option: inout String?, to value: String, _ name: String
    ) throws(UsageError) {
        guard option == nil else { throw UsageError(description: "'\(name)' is listed twice") }
        option = value
    }
}

/// An invalid command line.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

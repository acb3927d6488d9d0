import CambiumCompiler
import Foundation

/// The command line program: arguments, files and exit codes. All else is the compiler's.
@main
struct Tool {
    static let version = "0.1.0"

    static let help = """
        Compiles data models for Cambium.

        cambium compile NAME.cambium --output FOLDER
            Writes the model's Swift into the folder; a file that would not change is left alone.
        cambium check NAME.cambium ...
            Reports everything that is wrong, and proves the migrations.
        cambium sql NAME.cambium [--version V | --from A --to B] [--output FOLDER]
            Prints the SQL that the runtime executes: the current schema and every migration, or
            one version's schema, or one migration. With --output, a file for each.
        cambium --help
        cambium --version

        Exit codes: 0 all is well, 1 the model has errors, 64 the command line has.
        """

    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.contains("--help") || words.first == "help" {
            print(help)
            return
        }
        if words == ["--version"] {
            print("cambium \(version)")
            return
        }
        do throws(Arguments.UsageError) {
            exit(run(try Arguments(words)))
        } catch {
            printError("cambium: error: \(error.message)\nTry 'cambium --help'.")
            exit(64)
        }
    }

    /// The exit code.
    private static func run(_ arguments: Arguments) -> Int32 {
        let compilations = arguments.bundles.map { ModelCompiler.compile($0) }
        for diagnostic in compilations.flatMap(\.diagnostics) {
            printError(diagnostic.rendered)
        }
        let bundles = compilations.compactMap(\.bundle)
        guard bundles.count == compilations.count, let bundle = bundles.first else { return 1 }
        do {
            switch arguments.command {
            case "compile":
                let files = bundle.swiftFiles().map { ($0.name, $0.contents) }
                try write(files, to: arguments.options["--output"] ?? ".")
            case "sql":
                return try writeSQL(of: bundle, arguments)
            default:
                for bundle in bundles { print(bundle.summary) }
            }
            return 0
        } catch {
            printError("cambium: error: \(error.localizedDescription)")
            return 1
        }
    }

    private static func writeSQL(of bundle: CompiledBundle, _ arguments: Arguments) throws -> Int32
    {
        let options = arguments.options
        var files = bundle.sqlFiles()
        if let from = options["--from"], let to = options["--to"] {
            guard let text = bundle.migrationSQL(from: from, to: to) else {
                printError("cambium: error: There is no migration from '\(from)' to '\(to)'.")
                return 1
            }
            files = [("\(bundle.name)-\(from)-to-\(to).sql", text)]
        } else if let version = options["--version"] {
            guard let text = bundle.schemaSQL(version: version) else {
                printError("cambium: error: There is no version '\(version)'.")
                return 1
            }
            files = [("\(bundle.name)-\(version).sql", text)]
        }
        if let folder = options["--output"] {
            try write(files, to: folder)
        } else {
            print(files.map(\.contents).joined(separator: "\n"), terminator: "")
        }
        return 0
    }

    /// Writes files whose contents changed; the others keep their date, so that nothing that is
    /// made from them is made again.
    private static func write(_ files: [(name: String, contents: String)], to path: String) throws {
        let folder = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, contents) in files {
            let file = folder.appendingPathComponent(name)
            let data = Data(contents.utf8)
            if (try? Data(contentsOf: file)) != data {
                try data.write(to: file, options: .atomic)
            }
        }
    }

    private static func printError(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}

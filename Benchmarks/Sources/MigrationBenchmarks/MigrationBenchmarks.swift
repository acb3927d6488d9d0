import Foundation

/// Measures migrations of store files, and the proof of a long chain. It runs the tool as a user
/// does, and the same work as hand-written SQL on the same SQLite.
@main
struct MigrationBenchmarks {
    private static let usage = """
        usage: MigrationBenchmarks TOOL [--rows N] [--rounds N] [--directory DIR]
                                   [--chain BUNDLE [--declarations FILE]]

          TOOL                 the tool to measure: .build/release/CambiumTool
          --rows N             rows of the table that is changed, 1,000,000 unless given
          --rounds N           runs of each, 3 unless given; medians are shown
          --directory DIR      where stores are made, the temporary folder unless given
          --chain BUNDLE       WooCommerce.xcdatamodeld, for the figures of a long chain
          --declarations FILE  what is declared about its steps
        """

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\(usage)\n".utf8))
            exit(2)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var rest = arguments[...]
        guard let path = rest.popFirst(), FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchmarkError("The first argument is no program")
        }
        var (rows, rounds) = (1_000_000, 3)
        var directory = FileManager.default.temporaryDirectory.path
        var (chain, declarations): (String?, String?) = (nil, nil)
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw BenchmarkError("\(option) needs a value")
            }
            switch option {
            case "--rows": rows = max(10, Int(value) ?? rows)
            case "--rounds": rounds = max(1, Int(value) ?? rounds)
            case "--directory": directory = value
            case "--chain": chain = value
            case "--declarations": declarations = value
            default: throw BenchmarkError("\(option) is unknown")
            }
        }
        let folder = "\(directory)/cambium-migrations-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let tool = Tool(path: path, folder: folder)
        try TableBenchmarks(tool: tool, rows: rows, rounds: rounds).run()
        if let chain {
            try ChainBenchmarks(
                tool: tool, bundle: chain, declarations: declarations, rounds: rounds
            ).run()
        }
    }
}

/// An error in the command line, or in a run.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The value in the middle.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Prints a line with the name of the measurement, the time and the goal.
func report(_ name: String, _ seconds: Double, _ remark: String = "") {
    let title = name.padding(toLength: 64, withPad: " ", startingAt: 0)
    print(title, String(format: "%9.3f s", seconds), remark.isEmpty ? "" : "  " + remark)
}

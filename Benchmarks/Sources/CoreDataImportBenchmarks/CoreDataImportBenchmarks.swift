import Foundation
import ProgramRuns
import RawSQLite

/// Measures the time and the memory for importing a store of Core Data. For comparison, SQLite
/// copies the same tables.
@main
struct CoreDataImportBenchmarks {
    static let usage = """
        usage: CoreDataImportBenchmarks TOOL [--rows N] [--rounds N] [--directory DIR]

          TOOL             the tool to measure: .build/release/CambiumTool
          --rows N         objects of the store, 1,000,000 unless given
          --rounds N       imports and copies in turn, 3 unless given; medians are shown
          --directory DIR  where the stores are made; the temporary folder unless given
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
        guard let tool = rest.popFirst(), FileManager.default.isExecutableFile(atPath: tool) else {
            throw BenchmarkError("The first argument is no program")
        }
        var (rows, rounds) = (1_000_000, 3)
        var directory = FileManager.default.temporaryDirectory.path
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw BenchmarkError("\(option) needs a value")
            }
            switch option {
            case "--rows": rows = max(100, Int(value) ?? rows)
            case "--rounds": rounds = max(1, Int(value) ?? rounds)
            case "--directory": directory = value
            default: throw BenchmarkError("\(option) is unknown")
            }
        }
        let folder = "\(directory)/cambium-import-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try measure(try CoreDataStore(rows: rows, in: folder), tool, rounds, folder)
    }

    private static func measure(
        _ store: CoreDataStore, _ tool: String, _ rounds: Int, _ folder: String
    ) throws {
        print(
            "\(store.rows) objects, \(store.links) links in tables of pairs, \(store.megabytes) MB")
        var columns: [(name: String, seconds: [Double])] = [
            ("copy of the tables", []), ("…, with their indexes", []), ("cambium adopt", []),
        ]
        var memory = 0.0
        for round in 0..<rounds {
            let plain = "\(folder)/plain\(round).sqlite"
            columns[0].seconds.append(try store.copy(to: plain, withIndexes: false))
            columns[1].seconds.append(try store.copy(to: plain + ".indexed", withIndexes: true))
            let new = "\(folder)/new\(round).sqlite"
            let run = try Run(
                tool, ["import-coredata", store.path, "--model", store.bundle, "--to", new])
            columns[2].seconds.append(run.wall)
            memory = max(memory, run.megabytes)
            for path in [plain, plain + ".indexed", new] {
                try FileManager.default.removeItem(atPath: path)
            }
        }
        for column in columns {
            let name = column.name.padding(toLength: 28, withPad: " ", startingAt: 0)
            print(name, String(format: "%8.2f s", median(column.seconds)))
        }
        for index in 0..<2 {
            let ratios = zip(columns[2].seconds, columns[index].seconds).map { $0 / $1 }
            print(
                "cambium adopt/\(columns[index].name)",
                String(format: "%.2f", median(ratios)) + (index == 0 ? ", goal ≤ 3" : ""))
        }
        print("memory at most", String(format: "%.1f MB, goal < 100 MB", memory))
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}

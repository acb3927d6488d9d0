import Foundation
import RawSQLite

@main
struct Benchmarks {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard !arguments.contains("--help") else { return print(Options.usage) }
        do {
            try await run(Options(arguments: arguments))
        } catch let error as UsageError {
            fail("\(error.message)\n\(Options.usage)", code: 2)
        } catch {
            fail("\(error)", code: 1)
        }
    }

    @MainActor
    private static func run(_ options: Options) async throws {
        #if DEBUG
            fail("a debug build measures nothing: run with -c release", code: 2)
        #else
            let directory = options.directory + "/cambium-benchmarks-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: directory) }

            let dataset = Dataset(rows: options.rows)
            let columns = try makeColumns(directory: directory, dataset: dataset)
                .filter { options.columns.isEmpty || options.columns.contains($0.name) }
            guard !columns.isEmpty else { throw UsageError("--columns names no column") }
            print(
                "\(options.rows) employees, \(options.rounds) rounds,",
                "SQLite \(String(cString: raw_library_version())), in \(options.directory)")
            let results = try await Harness(columns: columns, options: options, progress: note)
                .run()
            let report = Report(results: results, options: options)
            print(report.table())
            if let csv = options.csv {
                try report.csv().write(toFile: csv, atomically: true, encoding: .utf8)
            }
        #endif
    }

    /// Writes to standard error, because standard output is the report.
    private static func note(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        note("error: \(message)")
        exit(code)
    }
}

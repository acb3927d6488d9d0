import Cambium
import Foundation

/// Measures the time from a save until the list's difference is received, for lists of several
/// lengths, and the memory of a row in a list that keeps no objects.
@main
@MainActor
struct ControllerBenchmarks {
    static let usage = """
        usage: ControllerBenchmarks [--rows N[,N...]] [--changes N] [--directory DIR]
                                    [--processor-time]

          --rows N,...     the lengths of the lists, 50000,500000 unless given
          --changes N      changes to take the median of, 200 unless given
          --directory DIR  where the stores are made, the temporary folder unless given
          --processor-time the thread's processor time and not the time that went by, but for the
                           sibling's save
        """

    static func main() async {
        #if DEBUG
            print("Times of a debug build say nothing. Use -c release.")
            exit(64)
        #else
            do {
                try await run()
            } catch {
                FileHandle.standardError.write(Data("\(error)\n\(usage)\n".utf8))
                exit(2)
            }
        #endif
    }

    private static func run() async throws {
        var lengths = [50_000, 500_000]
        var changes = 200
        var directory = FileManager.default.temporaryDirectory.path
        var rest = CommandLine.arguments.dropFirst()
        while let option = rest.popFirst() {
            if option == BenchmarkClock.processorTime { continue }
            guard let value = rest.popFirst() else { throw UsageError() }
            switch option {
            case "--rows": lengths = value.split(separator: ",").compactMap { Int($0) }
            case "--changes": changes = max(1, Int(value) ?? changes)
            case "--directory": directory = value
            default: throw UsageError()
            }
        }
        let folder = "\(directory)/cambium-lists-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for length in lengths {
            let list = try LongList(rows: length, path: "\(folder)/\(length).sqlite")
            print("\(length) rows")
            report("own save to difference", try await list.ownSaves(changes), "≤ 60 µs, aim 30")
            report("sibling's save to difference", try await list.siblingSaves(changes))
            report("child's save to difference", try await list.childSaves(changes))
            let inserted = try await list.insertions()
            report("one of 10,000 inserted rows", inserted.merged, "≤ 2 µs")
            report("the same, to the difference", inserted.told)
            let row = try list.memoryOfRow()
            print(
                format("a row without object, by a number"),
                String(format: "%10.1f bytes, of them %ld of its sort key", row.all, row.key),
                " goal ≤ 48 beside the key")
        }
        print("All times of the longest list: at most 1.5 times those of 50,000 rows.")
    }

    private static func report(_ name: String, _ times: [Duration], _ goal: String? = nil) {
        let sorted = times.sorted().map { $0 / .microseconds(1) }
        guard let best = sorted.first else { return print(format(name), "nothing was told") }
        print(
            format(name),
            String(
                format: "%10.2f µs median, %.2f best of %ld", sorted[sorted.count / 2], best,
                sorted.count),
            goal.map { " goal \($0)" } ?? "")
    }

    private static func format(_ name: String) -> String {
        "  " + name.padding(toLength: 36, withPad: " ", startingAt: 0)
    }

    private struct UsageError: Error {}
}

import Foundation
import ProgramRuns

/// Measures the time and the memory of the model compiler. It runs the tool in the same way as a
/// build, on models of 1,000 and 5,000 entities, and on real models if they exist beside the
/// package.
@main
struct CompilerBenchmarks {
    static let usage = """
        usage: CompilerBenchmarks TOOL [--rounds N] [--models DIR]

          TOOL          the tool to measure: .build/release/CambiumTool, or the debug one
          --rounds N    runs of each, 5 unless given; medians are shown
          --models DIR  a folder with Xcode bundles, all checked by one call
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
        var rounds = 5
        var models: String?
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw BenchmarkError("\(option) needs a value")
            }
            switch option {
            case "--rounds": rounds = max(1, Int(value) ?? 5)
            case "--models": models = value
            default: throw BenchmarkError("\(option) is unknown")
            }
        }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("CompilerBenchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        // The runs of one kind use the proofs of the run before, and the runs of the other kind
        // never have cached proofs.
        let kinds = [
            (name: "", options: ["--no-proof-cache"]),
            (name: ", proven before", options: ["--proofs", folder.path + "/Proofs"]),
        ]
        print("                                        seconds   processor        MB")
        var processorTimes: [Int: Double] = [:]
        for count in [1000, 5000] {
            let bundle = try SyntheticModel(entities: count).write(into: folder)
            let output = folder.appendingPathComponent("Output\(count)").path
            for kind in kinds.reversed() {
                let words = ["compile", bundle, "--output", output] + kind.options
                _ = try Run(tool, words)
                let runs = try (0..<rounds).map { _ in try Run(tool, words) }
                processorTimes[count] = report("\(count) entities\(kind.name)", runs)
            }
        }
        if let small = processorTimes[1000], let large = processorTimes[5000] {
            print(String(format: "5,000 entities take %.2f times as long", large / small))
        }
        if let models {
            let bundles = RealModels.bundles(below: models)
            for kind in kinds.reversed() {
                let words = ["check"] + kind.options + bundles
                _ = try Run(tool, words, mayFail: true)
                let runs = try (0..<rounds).map { _ in try Run(tool, words, mayFail: true) }
                report("\(bundles.count) real bundles\(kind.name)", runs)
            }
        }
    }

    /// Prints the medians, and returns the median of the processor time, because other processes do
    /// not change it much.
    @discardableResult
    private static func report(_ name: String, _ runs: [Run]) -> Double {
        let processor = median(runs.map(\.processor))
        let columns = [median(runs.map(\.wall)), processor].map {
            String(format: "%10.3f", $0)
        }
        let memory = String(format: "%10.1f", runs.map(\.megabytes).max() ?? 0)
        print(
            name.padding(toLength: 36, withPad: " ", startingAt: 0), columns[0], columns[1], memory)
        return processor
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}

/// The locations of real models.
enum RealModels {
    /// The bundles below a folder, and single models outside of a bundle.
    static func bundles(below folder: String) -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
        var found: [String] = []
        while let path = walk.nextObject() as? String {
            guard path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".xcdatamodel") else {
                continue
            }
            walk.skipDescendants()
            found.append(folder + "/" + path)
        }
        return found.sorted()
    }
}

import Foundation

/// The options of the command line.
struct Options {
    static let processorTime = "--processor-time"
    static let usage = """
        usage: Benchmarks [--rows N] [--rounds N] [--only W1,W5] [--columns cambium]
                          [--csv FILE] [--directory DIR] [--processor-time]

          --rows N         employees, 100000 unless given
          --rounds N       interleaved rounds, 5 unless given
          --only LIST      workloads and figures to report; what they need is run too
          --columns LIST   columns to run, for a profiler that is to see one side alone
          --csv FILE       writes the results as CSV as well
          --directory DIR  where the databases are made; not on a memory file system, unless
                           commits are to cost nothing
          --processor-time the thread's processor time and not the time that went by, for a
                           machine that others use too
        """

    var rows = 100_000
    var rounds = 5
    var workloads = Workload.allCases
    var figures = Figure.allCases
    /// The names of the columns that run. If it is empty, all columns run.
    var columns: Set<String> = []
    var csv: String?
    var directory = FileManager.default.temporaryDirectory.path

    init(arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == Self.processorTime { continue }
            guard let value = rest.popFirst() else {
                throw UsageError("\(option) is unknown or misses its value")
            }
            switch option {
            case "--rows": rows = try Self.number(value, of: option)
            case "--rounds": rounds = try Self.number(value, of: option)
            case "--only": (workloads, figures) = try Self.chosen(value)
            case "--columns": columns = Set(value.split(separator: ",").map(String.init))
            case "--csv": csv = value
            case "--directory": directory = value
            default: throw UsageError("\(option) is unknown")
            }
        }
    }

    private static func number(_ text: String, of option: String) throws(UsageError) -> Int {
        guard let number = Int(text), number > 0 else {
            throw UsageError("\(option) takes a positive number, not '\(text)'")
        }
        return number
    }

    private static func chosen(
        _ text: String
    ) throws(UsageError) -> (workloads: [Workload], figures: [Figure]) {
        let names = Set(text.lowercased().split(separator: ",").map(String.init))
        let workloads = Workload.allCases.filter { names.contains($0.rawValue.lowercased()) }
        let figures = Figure.allCases.filter { names.contains($0.rawValue.lowercased()) }
        guard workloads.count + figures.count == names.count, !names.isEmpty else {
            let all = Workload.allCases.map(\.rawValue) + Figure.allCases.map(\.rawValue)
            throw UsageError(
                "--only \(text) names what there is not; there are "
                    + all.joined(separator: ", "))
        }
        return (workloads, figures)
    }
}

struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

import Foundation

/// The results as a table.
final class Report {
    private let columns: [Column]
    private var lines: [[String]]

    init(_ options: Options) {
        columns = options.columns
        let sides = Column.allCases.map(\.title)
        lines = [["", ""] + sides + ["/libpq", "goal", "", "SQLAlchemy/", "goal", ""]]
    }

    func add(_ workload: Workload, _ results: Results) {
        add(workload.rawValue, "time", results, \.wall, goals: workload.goal)
        add("", "processor", results, \.processor, goals: nil)
        add("", "  with the server", results, \.total, goals: nil)
        var trips = ["", "round trips"]
        trips += Column.allCases.map { column in
            results.roundTrips[column].map { "\($0)" } ?? "–"
        }
        lines.append(trips)
        if workload == .insert || workload == .update {
            let objects = results.samples[.cambium]?.map(\.objects)
            lines.append(["", "of it objects", objects.map { Self.text(median($0)) } ?? "–"])
        }
    }

    private func add(
        _ name: String, _ what: String, _ results: Results, _ value: KeyPath<Sample, Double>,
        goals goal: Double?
    ) {
        var line = [name, what]
        line += Column.allCases.map { column in
            results.samples[column].map { Self.text(median($0.map { $0[keyPath: value] })) } ?? "–"
        }
        let ratio = results.ratio(.cambium, to: .libpq, value)
        line.append(ratio.map(Self.ratio) ?? "–")
        line += Self.verdict(ratio, goal.map { goal in ("≤ \(goal)", { $0 <= goal }) })
        let factor = results.ratio(.sqlalchemy, to: .cambium, value)
        line.append(factor.map(Self.ratio) ?? "–")
        line += Self.verdict(factor, goal.map { _ in ("≥ 5", { $0 >= 5 }) })
        lines.append(line)
    }

    private static func verdict(
        _ ratio: Double?, _ goal: (text: String, isReached: (Double) -> Bool)?
    ) -> [String] {
        guard let goal, let ratio else { return ["", ""] }
        return [goal.text, goal.isReached(ratio) ? "yes" : "NO"]
    }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }

    private static func ratio(_ number: Double) -> String { String(format: "%.2f", number) }

    var text: String {
        let widths = lines[0].indices.map { column in
            lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return lines.map { line in
            line.enumerated().map { column, text in
                let padding = String(repeating: " ", count: widths[column] - text.count)
                return column < 2 ? text + padding : padding + text
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

/// The measurements of a workload in all rounds.
struct Results {
    var samples: [Column: [Sample]] = [:]
    var roundTrips: [Column: Int] = [:]

    /// The median of the ratios within one round. Other load during another round has no effect.
    func ratio(
        _ column: Column, to other: Column, _ value: KeyPath<Sample, Double>
    ) -> Double? {
        guard let ones = samples[column], let others = samples[other] else { return nil }
        return median(zip(ones, others).map { $0[keyPath: value] / $1[keyPath: value] })
    }
}

func median(_ numbers: [Double]) -> Double {
    numbers.sorted()[numbers.count / 2]
}

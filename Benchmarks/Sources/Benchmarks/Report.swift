import Foundation

/// The results as text.
struct Report {
    let results: Results
    let options: Options

    /// The pairs of columns whose ratio is shown. Each column is compared with all columns before
    /// it.
    private var pairs: [(column: String, reference: String)] {
        results.columns.indices.flatMap { later in
            results.columns[..<later].map { (results.columns[later], $0) }
        }
    }

    private var workloads: [Workload] {
        options.workloads.sorted {
            $0.rawValue.localizedStandardCompare($1.rawValue) == .orderedAscending
        }
    }

    /// Returns a table of medians in milliseconds and of ratios, and then the work that commits
    /// left for later.
    func table() -> String {
        let heads =
            ["", "ms, medians"] + results.columns + pairs.map { "\($0.column)/\($0.reference)" }
            + ["goal", ""]
        var lines = [heads]
        for workload in workloads {
            var line = [workload.rawValue, workload.title]
            line += results.columns.map { Self.time(median(results.milliseconds(workload, $0))) }
            line += pairs.map {
                Self.ratio(results.ratio(workload, $0.column, to: $0.reference))
            }
            line += Self.verdict(workload, results.ratio(workload, "cambium", to: "raw-schema"))
            lines.append(line)
        }
        return Self.aligned(lines) + "\n" + deferredTable() + figureTable()
    }

    /// The goal, and whether the ratio reaches it.
    private static func verdict(_ workload: Workload, _ ratio: Double?) -> [String] {
        guard let goal = workload.goal, let ratio else { return ["–", ""] }
        return ["≤ " + String(format: "%.2f", goal), ratio <= goal ? "yes" : "NO"]
    }

    private func figureTable() -> String {
        let measured = Figure.allCases.compactMap { figure in
            median(results.values(figure)).map { (figure, $0) }
        }
        guard !measured.isEmpty else { return "" }
        var lines = [["", "Cambium alone", "", "goal", ""]]
        for (figure, value) in measured {
            let goal = figure.goal
            lines.append([
                figure.rawValue, figure.title, String(format: "%.1f ", value) + figure.unit,
                goal.map { "≤ \(Int($0))" } ?? "–",
                goal.map { value <= $0 ? "yes" : "NO" } ?? "",
            ])
        }
        return "\n" + Self.aligned(lines) + "\n"
    }

    private func deferredTable() -> String {
        let writing = workloads.filter(\.isWriting)
        guard !writing.isEmpty else { return "" }
        var lines = [["", "checkpoint left after the commit, not in the times above"]]
        lines[0] += results.columns
        for workload in writing {
            lines.append(
                [workload.rawValue, workload.title]
                    + results.columns.map { Self.time(median(results.deferred(workload, $0))) })
        }
        return "\n" + Self.aligned(lines) + "\n"
    }

    /// One line for each workload and column.
    func csv() -> String {
        var lines = [
            "workload,column,rows,rounds,median_ms,best_ms,deferred_ms,"
                + results.columns.dropLast().map { "ratio_to_\($0)" }.joined(separator: ",")
        ]
        for workload in workloads {
            for column in results.columns {
                let times = results.milliseconds(workload, column)
                var fields = [workload.rawValue, column, "\(options.rows)", "\(options.rounds)"]
                fields.append(Self.exact(median(times)))
                fields.append(Self.exact(times.min()))
                fields.append(Self.exact(median(results.deferred(workload, column))))
                fields += results.columns.dropLast().map {
                    Self.exact(results.ratio(workload, column, to: $0))
                }
                lines.append(fields.joined(separator: ","))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Aligns the first two columns to the left, and all others to the right.
    private static func aligned(_ lines: [[String]]) -> String {
        let widths = lines[0].indices.map { column in
            lines.map { $0[column].count }.max() ?? 0
        }
        return lines.map { line in
            line.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - line[column].count)
                return column < 2 ? line[column] + padding : padding + line[column]
            }
            .joined(separator: "  ")
        }
        .joined(separator: "\n")
    }

    private static func time(_ milliseconds: Double?) -> String {
        guard let milliseconds else { return "–" }
        return String(format: milliseconds < 1 ? "%.4f" : "%.1f", milliseconds)
    }

    private static func ratio(_ ratio: Double?) -> String {
        guard let ratio else { return "–" }
        return String(format: ratio < 0.1 ? "%.5f" : "%.2f", ratio)
    }

    private static func exact(_ value: Double?) -> String {
        value.map { String(format: "%.6g", $0) } ?? ""
    }
}

/// Runs every workload on every column. The columns run directly after one another, and their order
/// changes with each round, so that other load on the machine affects all of them equally.
@MainActor
struct Harness {
    let columns: [any Column]
    let options: Options
    let progress: (String) -> Void

    /// Throws ``Mismatch`` as soon as two columns read or wrote different things.
    func run() async throws -> Results {
        var results = Results(columns: columns.map(\.name))
        var expected: [Workload: (column: String, checksum: Checksum)] = [:]
        for round in 0..<options.rounds {
            progress("round \(round + 1) of \(options.rounds)")
            for column in columns { try column.beginRound() }
            for workload in needed {
                for offset in columns.indices {
                    let column = columns[(round + offset) % columns.count]
                    let sample = try await column.measure(workload)
                    let checksum = workload.comparable(sample.checksum)
                    let first = expected[workload] ?? (column.name, checksum)
                    expected[workload] = first
                    guard first.checksum == checksum else {
                        throw Mismatch(
                            workload: workload, first: first, second: (column.name, checksum))
                    }
                    try checkRows(of: workload, checksum)
                    results.add(sample, of: workload, column: column.name)
                }
                if workload == .insert { try measureFigures(into: &results) }
            }
            for column in columns { try column.endRound() }
        }
        return results
    }

    /// This comes directly after the insert, so that the rows exist.
    private func measureFigures(into results: inout Results) throws {
        for figure in options.figures {
            for case let column as CambiumColumn in columns {
                try results.add(column.measure(figure), of: figure)
            }
        }
    }

    /// The requested workloads, and the insert of the rows that they use.
    private var needed: [Workload] {
        let needsRows =
            options.workloads.contains(where: \.needsRows) || !options.figures.isEmpty
        return Workload.allCases.filter {
            options.workloads.contains($0) || ($0 == .insert && needsRows)
        }
    }

    /// If the right answer is known, the checksum must match it, and not only the other columns.
    private func checkRows(of workload: Workload, _ checksum: Checksum) throws {
        let expected: Int64
        switch workload {
        case .insert, .insertIndexed, .insertBatch, .scan, .fetch, .refetch, .lookUp,
            .lookUpTogether, .traverse, .prefetch, .update:
            expected = Int64(options.rows)
        case .delete: expected = 0
        case .filter, .count, .observe: return
        }
        guard checksum.rows == expected else {
            throw WrongRows(workload: workload, expected: expected, found: checksum.rows)
        }
    }
}

/// The error if two columns did different work, so that their times cannot be compared.
struct Mismatch: Error, CustomStringConvertible {
    let workload: Workload
    let first: (column: String, checksum: Checksum)
    let second: (column: String, checksum: Checksum)

    var description: String {
        """
        \(workload.rawValue): checksums differ
          \(first.column): \(first.checksum)
          \(second.column): \(second.checksum)
        """
    }
}

struct WrongRows: Error, CustomStringConvertible {
    let workload: Workload
    let expected: Int64
    let found: Int64

    var description: String {
        "\(workload.rawValue): \(found) rows where \(expected) were expected"
    }
}

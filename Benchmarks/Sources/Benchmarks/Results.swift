/// All samples of a run, by workload and column, in the order of the rounds.
struct Results {
    let columns: [String]
    private var samples: [Workload: [String: [Sample]]] = [:]
    private var figures: [Figure: [Double]] = [:]

    init(columns: [String]) {
        self.columns = columns
    }

    mutating func add(_ sample: Sample, of workload: Workload, column: String) {
        samples[workload, default: [:]][column, default: []].append(sample)
    }

    mutating func add(_ value: Double, of figure: Figure) {
        figures[figure, default: []].append(value)
    }

    func values(_ figure: Figure) -> [Double] { figures[figure] ?? [] }

    func milliseconds(_ workload: Workload, _ column: String) -> [Double] {
        samples[workload]?[column]?.map(\.milliseconds) ?? []
    }

    func deferred(_ workload: Workload, _ column: String) -> [Double] {
        samples[workload]?[column]?.map(\.deferred) ?? []
    }

    /// The median of the ratios within one round. Other load during another round has no effect,
    /// unlike with a ratio of two medians.
    func ratio(_ workload: Workload, _ column: String, to reference: String) -> Double? {
        median(zip(milliseconds(workload, column), milliseconds(workload, reference)).map(/))
    }
}

/// The middle value, or the mean of the two middle ones; nil without values.
func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
        ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

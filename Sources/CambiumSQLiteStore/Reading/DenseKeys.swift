/// Keys that lie so close together that the rows of half of the keys between them, or more, are
/// wanted. To walk along those takes less time than to look up each of the wanted ones.
struct DenseKeys {
    let range: ClosedRange<Int64>
    /// For each key of the range, whether it is one of them.
    private let isWanted: [Bool]

    /// Nil where the keys are few, or lie further apart.
    init?(_ keys: [Int64]) {
        guard keys.count >= 64, let first = keys.min(), let last = keys.max() else { return nil }
        let (distance, overflows) = last.subtractingReportingOverflow(first)
        guard !overflows, distance < Int64(keys.count) * 2 else { return nil }
        range = first...last
        var isWanted = [Bool](repeating: false, count: Int(distance) + 1)
        for key in keys { isWanted[Int(key - first)] = true }
        self.isWanted = isWanted
    }

    /// - Parameter key: One in the range.
    @inline(__always)
    func contains(_ key: Int64) -> Bool { isWanted[Int(key &- range.lowerBound)] }
}

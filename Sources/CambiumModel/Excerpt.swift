extension StringProtocol {
    /// The text as a message shows what comes out of a store or a file, which may be of any length: its
    /// beginning, and how long it is where that is not all.
    ///
    /// - Parameter limit: How many Unicode scalars are shown.
    package func excerpt(_ limit: Int = 200) -> String {
        // A scalar has at least one byte.
        guard utf8.count > limit, let end = end(of: limit) else { return String(self) }
        return "\(self[..<end])… (\(utf8.count) bytes)"
    }

    /// Where so many scalars end; nil where there are no more.
    private func end(of count: Int) -> Index? {
        let scalars = unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex)
        return end == scalars.endIndex ? nil : end
    }
}

extension Collection where Element == String {
    /// The excerpts of the first texts, and how many more there are.
    ///
    /// - Parameters:
    ///   - limit: How many are shown.
    ///   - separator: What stands between them.
    package func excerpts(_ limit: Int = 20, separator: String = ", ") -> String {
        let shown = prefix(limit).map { $0.excerpt(1_000) }.joined(separator: separator)
        return count > limit ? "\(shown)\(separator)and \(count - limit) more" : shown
    }
}

extension Int {
    /// The number and what is counted, in the right form.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

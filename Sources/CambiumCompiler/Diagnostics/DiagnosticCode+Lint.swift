extension DiagnosticCode {
    /// What the numbers of the lint are counted from.
    static let firstOfLint = 10_000

    /// Whether it is a rule of the lint: about what a model, or a step to it, does to the stores in
    /// use.
    package var isOfLint: Bool { rawValue > Self.firstOfLint }

    /// Whether it is about the step to a version, and not about the version itself.
    var isAboutStep: Bool {
        isOfLint && !isAboutSuppressions && self != .costlyPattern && self != .floatingUnique
    }

    /// Whether it is about suppressions, which nothing suppresses.
    var isAboutSuppressions: Bool { self == .unusedSuppression || self == .invalidSuppression }

    /// The code as people write it: `CM502`, `cm502`, `502`, or `LQ301`.
    package init?(named name: String) {
        let word = name.uppercased()
        let start = word.hasPrefix("LQ") ? Self.firstOfLint : 0
        let digits = word.hasPrefix("LQ") || word.hasPrefix("CM") ? word.dropFirst(2) : word[...]
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), digits.count <= 3,
            let number = Int(digits)
        else { return nil }
        self.init(rawValue: start + number)
    }
}

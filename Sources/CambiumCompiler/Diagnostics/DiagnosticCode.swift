/// A kind of finding, with all there is to say of it. The number is for people to search for and never
/// changes its meaning. The tests compile the examples; where they are in words, the tests have a folder
/// `Cases/CM<number>`.
package struct DiagnosticCode: RawRepresentable, Sendable, Hashable, Codable {
    /// The number. Those of the lint come after 10,000.
    package let rawValue: Int
    /// Whether it stops the build.
    package let severity: Severity
    /// Whether it is an error in a model that was written for Cambium, and a warning about what Xcode
    /// compiled and Core Data ran.
    package let isWarningInXcode: Bool
    /// What it is about.
    package let subject: Subject
    /// The kind of finding, in a few words.
    package let title: String
    /// What it means and why it matters.
    package let meaning: String
    /// How to put it right.
    package let remedy: String
    /// A model with the mistake.
    package let wrong: Example
    /// The same without.
    package let right: Example

    /// What a finding is about: a version, the step to it, or a suppression, which nothing suppresses.
    package enum Subject: Sendable { case version, step, suppression }

    /// Describes a code.
    ///
    /// - Parameter subject: What it is about; nil means a step for the rules of the lint, else a version.
    init(
        _ number: Int, _ severity: Severity = .error, isWarningInXcode: Bool = false,
        about subject: Subject? = nil, title: String, meaning: String, remedy: String,
        wrong: Example, right: Example
    ) {
        rawValue = number
        self.severity = severity
        self.isWarningInXcode = isWarningInXcode
        self.subject = subject ?? (number > Self.firstOfLint ? .step : .version)
        self.title = title
        self.meaning = meaning
        self.remedy = remedy
        self.wrong = wrong
        self.right = right
    }

    /// The code of a number, if there is one.
    package init?(rawValue: Int) {
        guard let code = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }

    /// As it is printed: `CM103`, or `LQ301`.
    package var name: String {
        isOfLint ? "LQ\(rawValue - Self.firstOfLint)" : "CM\(rawValue)"
    }

    /// What the numbers of the lint are counted from.
    private static let firstOfLint = 10_000

    /// Whether it is a rule of the lint: about what a model, or a step to it, does to the stores in
    /// use.
    package var isOfLint: Bool { rawValue > Self.firstOfLint }

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

extension DiagnosticCode: CustomStringConvertible {
    package var description: String { name }
}

extension DiagnosticCode: CaseIterable {
    /// All codes, by number: each file of codes has a list of its own. CM305, CM710, CM711, LQ103
    /// and LQ104 existed once and are not used again.
    package static let allCases = [
        aboutFiles, aboutStructure, aboutNames, aboutAttributes, aboutRelationships,
        aboutUnwiseEntities, aboutExpressions, aboutMigrations, aboutLosses, aboutRows, aboutCosts,
        aboutCompatibility,
    ].flatMap(\.self)
}

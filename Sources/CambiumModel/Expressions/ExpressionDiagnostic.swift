/// A mistake in an expression.
public struct ExpressionDiagnostic: Error, Sendable, Hashable {
    /// The position of the mistake, in UTF-8 bytes from the start of the text; 0 if there is no
    /// text.
    public let offset: Int
    private var contents: Contents

    private struct Details: Sendable {
        var part: String?
        let message: String
        let hint: String?
        var lackingEntity: String?
        var lackingParameter: String?
        var lacksType = false
    }

    /// In a box, as every frame of the parser's recursion has room for several mistakes.
    private indirect enum Contents: Sendable {
        case details(Details)
    }

    private var details: Details {
        get {
            switch contents {
            case .details(let details): details
            }
        }
        set { contents = .details(newValue) }
    }

    /// Describes a mistake. Long texts, for example because a name or a string in them is long, are
    /// cut.
    @inline(never)
    public init(offset: Int, message: String, hint: String? = nil) {
        self.offset = offset
        contents = .details(
            Details(message: Self.abbreviated(message), hint: hint.map(Self.abbreviated)))
    }

    /// The wrong part of a tree that was built in code, in the words of the text format. It is nil
    /// if the expression came from a text, because the offset then gives the position.
    public var part: String? { details.part }

    /// The problem.
    public var message: String { details.message }

    /// A suggested correction, or nil if there is none.
    public var hint: String? { details.hint }

    /// The entity that lacks a property, if that is the mistake.
    package var lackingEntity: String? {
        get { details.lackingEntity }
        set { details.lackingEntity = newValue }
    }

    /// The parameter that does not exist, if that is the mistake.
    package var lackingParameter: String? {
        get { details.lackingParameter }
        set { details.lackingParameter = newValue }
    }

    /// Whether the mistake is that the type of a parameter is unknown.
    package var lacksType: Bool {
        get { details.lacksType }
        set { details.lacksType = newValue }
    }

    /// Returns whether two mistakes have the same text and the same position.
    public static func == (left: ExpressionDiagnostic, right: ExpressionDiagnostic) -> Bool {
        left.offset == right.offset && left.part == right.part && left.message == right.message
            && left.hint == right.hint
    }

    /// Hashes the parts that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(offset)
        hasher.combine(part)
        hasher.combine(message)
        hasher.combine(hint)
    }

    /// Returns the diagnostic for a part of a tree.
    func naming(_ part: String) -> ExpressionDiagnostic {
        var diagnostic = ExpressionDiagnostic(offset: 0, message: message, hint: hint)
        diagnostic.details.part = Self.abbreviated(part)
        diagnostic.details.lackingEntity = lackingEntity
        diagnostic.details.lackingParameter = lackingParameter
        diagnostic.details.lacksType = lacksType
        return diagnostic
    }

    private static func abbreviated(_ text: String) -> String {
        let maximum = 500
        guard text.utf8.count > maximum else { return text }
        return "\(text.unicodeScalars.prefix(maximum / 2).map(String.init).joined()) … "
            + text.unicodeScalars.suffix(maximum / 4).map(String.init).joined()
    }
}

/// Everything that is wrong with an expression, in the order of the text. It is never empty.
public struct ExpressionDiagnostics: Error, Sendable, Hashable, CustomStringConvertible {
    /// The mistakes.
    public let diagnostics: [ExpressionDiagnostic]

    /// Sorts mistakes in the order of the text.
    public init(_ diagnostics: [ExpressionDiagnostic]) {
        self.diagnostics = diagnostics.ordered { $0.offset < $1.offset }
    }

    /// One line for each mistake.
    public var description: String {
        diagnostics.map { diagnostic in
            let hint = diagnostic.hint.map { " (\($0))" } ?? ""
            let place = diagnostic.part.map { "in \($0)" } ?? "at \(diagnostic.offset)"
            return "\(place): \(diagnostic.message)\(hint)"
        }.joined(separator: "\n")
    }
}

/// Returns the candidate that is most similar to a misspelt name: the one with the fewest inserted,
/// removed, replaced or swapped letters. The result is nil if no candidate is near.
///
/// - Complexity: O(candidates × length²)
package func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars)
    // With another letter, a single one is another name and no misspelt one.
    let limit = wanted.count < 2 ? 0 : max(1, wanted.count / 3)
    var best: (distance: Int, name: String)?
    for candidate in candidates {
        let letters = Array(candidate.lowercased().unicodeScalars)
        guard abs(letters.count - wanted.count) <= limit else { continue }
        let distance = editDistance(wanted, letters)
        if distance <= limit, distance < best?.distance ?? .max {
            best = (distance, candidate)
        }
    }
    return best?.name
}

/// The optimal string alignment distance of two words.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
        var row = [i + 1]
        for j in right.indices {
            let isSame = left[i] == right[j]
            var cost = min(last[j] + (isSame ? 0 : 1), last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                cost = min(cost, beforeLast[j - 1] + 1)
            }
            row.append(cost)
        }
        beforeLast = last
        last = row
    }
    return last[right.count]
}

/// A hint at the candidate that a misspelt name probably means.
func suggestion(for name: String, among candidates: some Sequence<String>) -> String? {
    guard let nearest = nearestName(to: name, among: candidates) else { return nil }
    return "did you mean '" + nearest + "'?"
}

extension StringProtocol {
    /// Returns the text in a form for messages, because a text from a store or a file may have any
    /// length. A longer text is cut, and its length is given.
    ///
    /// - Parameter limit: The maximum number of Unicode scalars that are shown.
    package func excerpt(_ limit: Int = 200) -> String {
        // A scalar has at least one byte.
        guard utf8.count > limit, let end = end(of: limit) else { return String(self) }
        return "\(self[..<end])… (\(utf8.count) bytes)"
    }

    /// Returns the index after a number of scalars; nil if the text has no more than that.
    private func end(of count: Int) -> Index? {
        let scalars = unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex)
        return end == scalars.endIndex ? nil : end
    }
}

extension Collection where Element == String {
    /// Returns the excerpts of the first texts, and the number of the others.
    ///
    /// - Parameters:
    ///   - limit: The maximum number that is shown.
    ///   - separator: The text between them.
    package func excerpts(_ limit: Int = 20, separator: String = ", ") -> String {
        let shown = prefix(limit).map { $0.excerpt(1_000) }.joined(separator: separator)
        return count > limit ? "\(shown)\(separator)and \(count - limit) more" : shown
    }
}

extension Int {
    /// Returns the number with a noun, in the right grammatical form.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// The bounds that a condition of a table sets to a column: `"count" >= 1`, `length("name") <= 20`,
/// `"size" BETWEEN -32768 AND 32767`.
struct ColumnBounds {
    /// What is compared: the column, or its length.
    private let subject: Substring
    private let lower: Bound?
    private let upper: Bound?

    /// Whether each row that meets a condition meets another one, as far as the two texts tell.
    static func condition(_ condition: String, implies other: String) -> Bool {
        if condition == other { return true }
        guard let old = ColumnBounds(condition), let new = ColumnBounds(other),
            old.subject == new.subject
        else { return false }
        let isAsWideBelow = new.lower.map { bound in old.lower.map(bound.isAtMost) ?? false }
        let isAsWideAbove = new.upper.map { bound in
            old.upper.map { $0.isAtMost(bound) } ?? false
        }
        return (isAsWideBelow ?? true) && (isAsWideAbove ?? true)
    }

    private init?(_ condition: String) {
        var (lower, upper): (Substring?, Substring?)
        if let (subject, bounds) = Self.split(condition[...], at: " BETWEEN "),
            let (first, last) = Self.split(bounds, at: " AND ")
        {
            self.subject = subject
            (lower, upper) = (first, last)
        } else if let (subject, bound) = Self.split(condition[...], at: " >= ") {
            self.subject = subject
            lower = bound
        } else if let (subject, bound) = Self.split(condition[...], at: " <= ") {
            self.subject = subject
            upper = bound
        } else {
            return nil
        }
        self.lower = lower.flatMap(Bound.init)
        self.upper = upper.flatMap(Bound.init)
        // An operator before the column could turn the meaning round.
        guard Self.isColumn(subject), (self.lower == nil) == (lower == nil),
            (self.upper == nil) == (upper == nil)
        else { return nil }
    }

    private static func isColumn(_ subject: Substring) -> Bool {
        let isLength = subject.hasPrefix("length(") && subject.hasSuffix(")")
        let name = isLength ? subject.dropFirst("length(".count).dropLast() : subject
        return name.count > 2 && name.first == "\"" && name.last == "\""
            && !name.dropFirst().dropLast().contains("\"")
    }

    /// A text before and after a word that it has once.
    private static func split(_ text: Substring, at word: String) -> (Substring, Substring)? {
        let ranges = text.ranges(of: word)
        guard ranges.count == 1, let range = ranges.first else { return nil }
        return (text[..<range.lowerBound], text[range.upperBound...])
    }
}

/// A constant that values are compared with.
private enum Bound {
    case integer(Int64)
    case real(Double)
    /// The hexadecimal digits, which have the order of the bytes.
    case blob(Substring)

    /// Reads a literal of SQL; nil for one that is put together, but for the least integer, which is.
    init?(_ text: Substring) {
        if text == SQLText.literal(.integer(.min)) {
            self = .integer(.min)
        } else if let number = Int64(text) {
            self = .integer(number)
        } else if let number = Double(text) {
            self = .real(number)
        } else if text.hasPrefix("x'"), text.hasSuffix("'") {
            self = .blob(text.dropFirst(2).dropLast())
        } else {
            return nil
        }
    }

    /// Whether the other one is as great or greater; false where the two cannot be compared.
    func isAtMost(_ other: Bound) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left <= right
        case (.real(let left), .real(let right)): left <= right
        case (.blob(let left), .blob(let right)): left <= right
        default: false
        }
    }
}

import CambiumModel

extension Limits {
    /// The limits in few words, for people.
    package var notation: String {
        let words = [
            minimum.map { "at least \($0.notation)" }, maximum.map { "at most \($0.notation)" },
            minimumLength.map { "length at least \($0)" },
            maximumLength.map { "length at most \($0)" }, pattern.map { "matches \($0)" },
        ].compactMap(\.self)
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }

    /// Those that others do not have in the same words.
    package func without(_ others: Limits) -> Limits {
        Limits(
            minimum: minimum?.notation == others.minimum?.notation ? nil : minimum,
            maximum: maximum?.notation == others.maximum?.notation ? nil : maximum,
            minimumLength: minimumLength == others.minimumLength ? nil : minimumLength,
            maximumLength: maximumLength == others.maximumLength ? nil : maximumLength,
            pattern: pattern == others.pattern ? nil : pattern)
    }
}

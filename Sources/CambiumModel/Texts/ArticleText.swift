extension String {
    /// The noun with its indefinite article: `a date`, `an integer`. Formats and data have none.
    package var withArticle: String {
        if ["JSON", "Base64", "data"].contains(where: hasPrefix) { return self }
        return (first.map { "aeioAEIO".contains($0) } ?? false ? "an " : "a ") + self
    }
}

@_spi(_Unicode) import Swift

extension String {
    /// The string without the marks that its letters carry.
    ///
    /// It uses the standard library's decomposition, as swift-foundation does: Foundation's own
    /// folding is not in FoundationEssentials.
    var withoutAccents: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var result = ""
        for scalar in _nfd where scalar.properties.canonicalCombiningClass == .notReordered {
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}

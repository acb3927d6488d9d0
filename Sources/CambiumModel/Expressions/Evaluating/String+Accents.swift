@_spi(_Unicode) import Swift

extension String {
    /// The string without the marks that its letters carry.
    ///
    /// It uses the standard library's decomposition, as swift-foundation does: Foundation's own
    /// folding is not in FoundationEssentials.
    var withoutAccents: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        // Marks are left out before, too: the library takes quadratic time to put many in order.
        var letters = self
        if unicodeScalars.contains(where: Self.isMark) {
            letters.unicodeScalars.removeAll(where: Self.isMark)
        }
        var result = ""
        for scalar in letters._nfd where !Self.isMark(scalar) {
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    }
}

/// A pattern of MATCHES, or of an attribute: it matches whole strings, by Unicode scalars.
///
/// The syntax is that of ICU as far as the standard library's `Regex` knows it. As in predicates on
/// Apple's platforms, `.` matches line ends too, and `^` and `$` match at each line.
package struct RegularExpression: Sendable {
    package let pattern: String
    let program: PatternProgram

    /// Whether every text is matched in time that grows with its length only: there are no
    /// back-references, no look-around and no atomic groups. All others have a step budget.
    package var isLinear: Bool { program.isLinear }

    /// How long a pattern may be, in bytes.
    static let maximumLength = 4096
    /// How deep groups and classes may nest, so that no pattern overflows a stack.
    static let maximumDepth = 20

    /// Reads a pattern.
    ///
    /// - Throws: ``PatternSyntaxError`` where it is none, or too large.
    package init(
        _ pattern: String, _ options: ComparisonOptions = []
    ) throws(PatternSyntaxError) {
        self.pattern = pattern
        guard pattern.utf8.count <= Self.maximumLength else {
            throw PatternSyntaxError(
                "it is longer than \(Self.maximumLength) bytes, which are the most")
        }
        let isCaseless = options.contains(.caseInsensitive)
        let folded = pattern.folded(options.intersection(.diacriticInsensitive))
        let parsed = try PatternParser.parse(folded, isCaseless: isCaseless)
        program = try PatternCompiler.program(of: parsed)
    }
}

/// A regular expression as steps of a machine, which starts with the first.
struct PatternProgram: Sendable {
    enum Step: Sendable {
        /// Consumes a scalar of the set with that number.
        case scalar(Int)
        /// Goes on at both places, at the first one first.
        case split(Int, Int)
        case jump(Int)
        case assert(PatternAssertion)
        /// As an assertion that the next scalar is not of the set with that number.
        case notBefore(Int)
        /// The end of the pattern, or of what is tried as a whole.
        case end

        // Those below are in programs that are not linear only.

        /// Notes the place in a register.
        case note(register: Int)
        /// Leaves a loop whose turn has consumed nothing.
        case leave(to: Int, unlessAfter: Int)
        /// Ends a group, with the first of its registers: what it has matched begins at the place
        /// that its third register notes, and ends here.
        case capture(Int)
        /// Consumes what a group has matched, with the first of its registers.
        case reference(Int)
        case grapheme
        /// Tries the steps behind this one as a whole and goes on at a place.
        case atomic(next: Int)
        case lookahead(isNegated: Bool, next: Int)
    }

    /// Where a group's last match starts and ends, and where the present one starts.
    static let registersOfGroup = 3

    var steps: [Step] = []
    var sets: [ScalarSet] = []
    /// How many places are noted.
    var registerCount = 0
    var isLinear = true
    /// Whether a step depends on more than the next scalar.
    var hasAssertions = false
    var looksAtWords = false
    var looksAtGraphemes = false
}

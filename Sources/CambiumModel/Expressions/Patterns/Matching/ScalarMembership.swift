/// Which scalars are in the sets of a program.
///
/// What the standard library decides is asked once for each scalar and kept.
struct ScalarMembership {
    private enum Test {
        case anything
        case lineEnd(isNegated: Bool)
        case only(Unicode.Scalar)
        case caseless(String)
        case regex(Regex<AnyRegexOutput>)
        case never
    }

    private let tests: [Test]
    private var known: [UInt64: Bool] = [:]
    /// More scalars than a text of people has.
    private static let maximumKnown = 10_000

    init(_ sets: [ScalarSet]) {
        tests = sets.map { set in
            switch set {
            case .anything: .anything
            case .lineEnd(let isNegated): .lineEnd(isNegated: isNegated)
            case .only(let scalar): .only(scalar)
            case .caseless(let mapping): .caseless(mapping)
            case .spelt(let text):
                // The parser has compiled it before.
                (try? Regex(text)).map { .regex($0.matchingSemantics(.unicodeScalar)) } ?? .never
            }
        }
    }

    mutating func contains(_ scalar: Unicode.Scalar, in set: Int) -> Bool {
        switch tests[set] {
        case .anything: return true
        case .lineEnd(let isNegated): return ScalarSet.isLineEnd(scalar) != isNegated
        case .only(let wanted): return scalar == wanted
        case .caseless(let mapping): return scalar.properties.lowercaseMapping == mapping
        case .never: return false
        case .regex(let regex):
            let key = UInt64(set) << 32 | UInt64(scalar.value)
            if let known = known[key] { return known }
            let result = (try? regex.wholeMatch(in: String(Character(scalar)))) != nil
            if known.count >= Self.maximumKnown { known.removeAll() }
            known[key] = result
            return result
        }
    }
}

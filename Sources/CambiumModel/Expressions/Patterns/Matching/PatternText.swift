@_spi(_Unicode) import Swift

/// A text while it is matched: its scalars, and where its words and characters begin.
struct PatternText {
    let scalars: [Unicode.Scalar]

    /// Whether each place, from 0 to the number of scalars, is a boundary; empty where the pattern
    /// does not ask.
    private let wordBoundaries: [Bool]
    private let graphemeBoundaries: [Bool]

    init(_ text: String, for program: PatternProgram) {
        scalars = Array(text.unicodeScalars)
        wordBoundaries =
            program.looksAtWords ? Self.boundaries(of: text) { text._wordIndex(after: $0) } : []
        graphemeBoundaries =
            program.looksAtGraphemes ? Self.boundaries(of: text) { text.index(after: $0) } : []
    }

    private static func boundaries(
        of text: String, _ next: (String.Index) -> String.Index
    ) -> [Bool] {
        var result: [Bool] = []
        var boundary = text.startIndex
        for index in text.unicodeScalars.indices {
            result.append(index == boundary)
            if index == boundary { boundary = next(boundary) }
        }
        return result + [true]
    }

    /// What is around a place, from 0 to the number of scalars.
    func place(at place: Int) -> PatternPlace {
        var result = PatternPlace(place < scalars.count ? scalars[place] : nil)
        if place == 0 {
            result.insert(.start)
        } else if ScalarSet.isLineEnd(scalars[place - 1]) {
            result.insert(.behindLineEnd)
        }
        if place == scalars.count - 1 { result.insert(.beforeLast) }
        if !wordBoundaries.isEmpty, wordBoundaries[place] { result.insert(.wordBoundary) }
        if !graphemeBoundaries.isEmpty, graphemeBoundaries[place] {
            result.insert(.graphemeBoundary)
        }
        return result
    }

    /// Where the character that a place is in ends.
    func graphemeEnd(from place: Int) -> Int {
        graphemeBoundaries[(place + 1)...].firstIndex(of: true) ?? scalars.count
    }
}

/// What is around a place of a text: all that a step of a pattern can depend on.
struct PatternPlace {
    /// A truth about a place.
    enum Trait: UInt32 {
        case start = 0x0100_0000
        case behindLineEnd = 0x0200_0000
        case beforeLast = 0x0400_0000
        case wordBoundary = 0x0800_0000
        case graphemeBoundary = 0x1000_0000
    }

    /// The next scalar, or a number that none has, and the traits.
    private(set) var bits: UInt32

    init(_ next: Unicode.Scalar?) {
        bits = next?.value ?? 0x00FF_FFFF
    }

    /// The scalar behind the place; nil at the end.
    var next: Unicode.Scalar? { Unicode.Scalar(bits & 0x00FF_FFFF) }

    mutating func insert(_ trait: Trait) {
        bits |= trait.rawValue
    }

    private func has(_ trait: Trait) -> Bool {
        bits & trait.rawValue != 0
    }

    /// Whether an assertion other than `notBefore`, which is a step of its own, is true.
    func holds(_ assertion: PatternAssertion) -> Bool {
        switch assertion {
        case .start: has(.start)
        case .end: next == nil
        case .endOrLastLineEnd:
            next.map { has(.beforeLast) && ScalarSet.isLineEnd($0) } ?? true
        case .lineStart: has(.start) || has(.behindLineEnd)
        case .lineEnd: next.map(ScalarSet.isLineEnd) ?? true
        case .wordBoundary(let isNegated): has(.wordBoundary) != isNegated
        case .graphemeBoundary(let isNegated): has(.graphemeBoundary) != isNegated
        case .notBefore: false
        }
    }
}

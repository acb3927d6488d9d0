/// The elements of a JSON array as texts, for merging arrays whose elements' type nobody knows.
///
/// What this library wrote has sorted keys and no white space, so that equal elements are equal
/// texts.
struct JSONArrayText {
    private(set) var elements: [ArraySlice<UInt8>]

    /// Takes an array apart; nil where the text is none.
    init?(_ json: some Sequence<UInt8>) {
        var bytes = Array(json)[...]
        Self.trim(&bytes)
        guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]"), bytes.count > 1
        else { return nil }
        bytes = bytes.dropFirst().dropLast()
        elements = []
        var start = bytes.startIndex
        var depth = 0
        var isInText = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                guard append(bytes[start..<index]) else { return nil }
                start = index + 1
            default: break
            }
            if depth < 0 { return nil }
        }
        guard depth == 0, !isInText else { return nil }
        if elements.isEmpty, bytes[start...].allSatisfy(Self.isSpace) { return }
        guard append(bytes[start...]) else { return nil }
    }

    private mutating func append(_ element: ArraySlice<UInt8>) -> Bool {
        var element = element
        Self.trim(&element)
        elements.append(element)
        return !element.isEmpty
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func trim(_ bytes: inout ArraySlice<UInt8>) {
        bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    }

    /// The array as a text.
    var json: [UInt8] {
        [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")])
            + [UInt8(ascii: "]")]
    }

    /// Their elements without those that we took away, and those that we added, which come last.
    static func union(
        base: JSONArrayText, ours: JSONArrayText, theirs: JSONArrayText
    ) -> JSONArrayText {
        let (before, mine) = (Set(base.elements), Set(ours.elements))
        let removed = before.subtracting(mine)
        var known = Set(theirs.elements)
        var merged = theirs
        merged.elements.removeAll { removed.contains($0) }
        for element in ours.elements
        where !before.contains(element) && known.insert(element).inserted {
            merged.elements.append(element)
        }
        return merged
    }
}

/// Bits for each of some values that are in order where the values are, so that most of what sorting
/// has to compare are numbers. Values whose bits are the same are to be compared themselves.
struct SortPrefixes {
    /// What the values are, apart from nil: all numbers, all texts, or anything.
    private enum Kind {
        case numbers
        case texts(inCommon: Int)
        case others
    }

    private let kind: Kind

    init(of values: some Sequence<Value>) {
        var (hasNumbers, hasTexts) = (false, false)
        var common: Substring.UTF8View?
        for value in values {
            switch value {
            case .null:
                continue
            case .int, .double, .date:
                hasNumbers = true
            case .string(let text):
                hasTexts = true
                common = Self.common(common, text)
            default:
                kind = .others
                return
            }
        }
        switch (hasNumbers, hasTexts) {
        case (true, false): kind = .numbers
        // What all texts begin with decides nothing.
        case (false, true): kind = .texts(inCommon: common?.count ?? 0)
        default: kind = .others
        }
    }

    /// What two texts begin with.
    private static func common(
        _ one: Substring.UTF8View?, _ other: String
    ) -> Substring.UTF8View {
        guard let one else { return other[...].utf8 }
        let end = zip(one.indices, other.utf8).first { one[$0.0] != $0.1 }?.0
        return one[
            ..<(end ?? one.index(one.startIndex, offsetBy: min(one.count, other.utf8.count)))]
    }

    /// The bits of a value. Nil has the least.
    subscript(value: Value) -> UInt64 {
        switch (kind, value) {
        case (_, .null), (.others, _): 0
        case (.numbers, .int(let number)): Self.bits(Double(number))
        case (.numbers, .double(let number)): Self.bits(number)
        case (.numbers, .date(let date)): Self.bits(date.timeIntervalSinceReferenceDate)
        case (.texts(let count), .string(let text)): Self.bits(text.utf8.dropFirst(count))
        default: 0
        }
    }

    /// Not 0, and the least for what is not a number.
    private static func bits(_ number: Double) -> UInt64 {
        if number.isNaN { return 1 }
        let bits = (number + 0).bitPattern  // of both zeros the same
        return (bits >> 63 == 0 ? bits | 1 << 63 : ~bits) | 1
    }

    /// Not 0.
    private static func bits(_ text: Substring.UTF8View) -> UInt64 {
        var bits: UInt64 = 0
        var count = 0
        for byte in text.prefix(7) {
            bits = bits << 8 | UInt64(byte)
            count += 1
        }
        return bits << UInt64(8 * (8 - count)) | 1
    }
}

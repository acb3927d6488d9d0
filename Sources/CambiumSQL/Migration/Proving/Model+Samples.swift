import CambiumModel
import CambiumPlan

extension Model {
    /// Returns a value within the attribute's limits, in its stored form. If there are sample
    /// words, it is usually one of them.
    func sample(
        of attribute: Attribute, among words: [Value], _ random: inout SampleRandom
    ) -> StoredValue {
        if !words.isEmpty, random.next(below: 4) > 0,
            let word = stored(words[Int(random.next(below: UInt64(words.count)))], of: attribute)
        {
            return word
        }
        return switch plainType(of: attribute.type) {
        case _ where isEnumeration(attribute.type):
            sampleCase(of: attribute, &random)
        case .bool:
            .integer(Int64(random.next(below: 2)))
        case .float, .double, .date:
            sampleReal(of: attribute, &random)
        case .uuid:
            .blob(sampleBytes(16, &random))
        case .data where attribute.usesExternalForm:
            .blob([ExternalForm.inline] + sampleBytes(sampleLength(of: attribute), &random))
        case .data:
            .blob(sampleBytes(sampleLength(of: attribute), &random))
        case .anyDecimal:
            sampleDecimal(of: attribute, &random)
        case .codable:
            .text("[\(random.next(below: 100))]")
        case .string, .uri, .enumeration:
            .text(sampleText(of: attribute, &random))
        default:
            sampleInteger(of: attribute, &random)
        }
    }

    /// Returns a value within the attribute's limits. Most numbers give different values.
    package func sampleValue(of attribute: Attribute, number: Int) -> StoredValue {
        var random = SampleRandom(UInt64(clamping: number), attribute.name, number, 0)
        return sample(of: attribute, among: [], &random)
    }

    private func isEnumeration(_ type: AttributeType) -> Bool {
        if case .enumeration = type { true } else { false }
    }

    private func sampleCase(
        of attribute: Attribute, _ random: inout SampleRandom
    ) -> StoredValue {
        guard case .enumeration(let name) = attribute.type,
            let cases = enumeration(named: name)?.cases, !cases.isEmpty
        else { return .null }
        let chosen = cases[Int(random.next(below: UInt64(cases.count)))]
        return stored(chosen.rawValue, as: attribute.type) ?? .null
    }

    private func sampleInteger(
        of attribute: Attribute, _ random: inout SampleRandom
    ) -> StoredValue {
        func bound(_ value: Value?) -> Int64? {
            guard let value else { return nil }
            if case .integer(let stored) = stored(value, as: attribute.type) { return stored }
            if case .double(let number) = value { return Int64(exactly: number.rounded()) }
            return nil
        }
        let least = bound(attribute.limits.minimum)
        let greatest = bound(attribute.limits.maximum)
        let start = least ?? min(greatest ?? 0, 0)
        let width = greatest.map { $0.subtractingReportingOverflow(start) }
        let span = width.map { $0.overflow ? 100 : min(max($0.partialValue, 0), 100) } ?? 100
        return .integer(start + Int64(random.next(below: UInt64(span) + 1)))
    }

    private func sampleDecimal(
        of attribute: Attribute, _ random: inout SampleRandom
    ) -> StoredValue {
        let limits = attribute.limits
        let chosen = [limits.minimum, limits.maximum].compactMap { $0 }.first
        let value =
            chosen ?? .decimal(Decimal(random.next(below: 100_001)) / Decimal(1000))
        return stored(value, as: attribute.type) ?? .null
    }

    private func sampleReal(of attribute: Attribute, _ random: inout SampleRandom) -> StoredValue {
        func bound(_ value: Value?) -> Double? {
            guard let value, case .real(let stored) = stored(value, as: attribute.type) else {
                return nil
            }
            return stored
        }
        let least = bound(attribute.limits.minimum)
        let greatest = bound(attribute.limits.maximum)
        let start = least ?? min((greatest ?? 100) - 100, 0)
        let end = greatest ?? start + 100
        return .real(start + (end - start) * Double(random.next(below: 1025)) / 1024)
    }

    private func sampleLength(of attribute: Attribute) -> Int {
        let least = attribute.limits.minimumLength ?? 0
        let greatest = attribute.limits.maximumLength ?? least + 12
        return min(max(least, 8), max(least, greatest))
    }

    private func sampleBytes(_ count: Int, _ random: inout SampleRandom) -> Data {
        Data((0..<count).map { _ in UInt8(random.next(below: 256)) })
    }

    private func sampleText(of attribute: Attribute, _ random: inout SampleRandom) -> String {
        let length = sampleLength(of: attribute)
        if let pattern = attribute.limits.pattern.flatMap(GlobPattern.init(regularExpression:)) {
            return pattern.sample(of: length...length, &random)
        }
        let letters = Array("abcdefghijklmnopqrstuvwxyz'é\"0")
        return String(
            (0..<length).map { _ in
                letters[Int(random.next(below: UInt64(letters.count)))]
            })
    }
}

extension GlobPattern {
    /// Returns a matching text. If the pattern leaves a choice, its length is in a range.
    func sample(of lengths: ClosedRange<Int>, _ random: inout SampleRandom) -> String {
        var elements = fixed
        if let last {
            let least = max(last.minimum, lengths.lowerBound - fixed.count)
            let greatest = min(last.maximum ?? .max, max(least, lengths.upperBound - fixed.count))
            elements += Array(repeating: last.element, count: max(min(least, greatest), 0))
        }
        return elements.map { Self.sample(of: $0, &random) }.joined()
    }

    private static func sample(of element: String, _ random: inout SampleRandom) -> String {
        guard element.count > 1, element.first == "[" else { return element }
        var body = Array(element.unicodeScalars.dropFirst().dropLast())
        let isNegated = body.first == "^"
        if isNegated { body.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var index = 0
        while index < body.count {
            let isRange =
                index + 2 < body.count && body[index + 1] == "-" && body[index] <= body[index + 2]
            ranges.append(body[index]...body[isRange ? index + 2 : index])
            index += isRange ? 3 : 1
        }
        // All that a pattern may name can be printed.
        let printable = (UInt8(ascii: " ")...UInt8(ascii: "~")).map { Unicode.Scalar($0) }
        let choice = printable.filter { scalar in
            ranges.contains { $0.contains(scalar) } != isNegated
        }
        guard !choice.isEmpty else { return "" }
        return String(choice[Int(random.next(below: UInt64(choice.count)))])
    }
}

extension Model {
    /// Returns the edge cases of an attribute in their stored form: the least and the greatest
    /// value, the empty value if it is allowed, and strings of all kinds. Some may exceed limits
    /// that only the table has.
    func extremes(of attribute: Attribute) -> [StoredValue] {
        let limits = attribute.limits
        let type = plainType(of: attribute.type)
        if case .enumeration(let name) = attribute.type {
            return (enumeration(named: name)?.cases ?? []).compactMap {
                stored($0.rawValue, as: attribute.type)
            }
        }
        let bounds = [limits.minimum, limits.maximum].compactMap { value in
            value.flatMap { stored($0, as: attribute.type) }
        }
        switch type {
        case .bool: return [.integer(0), .integer(1)]
        case .float: return bounds + reals(Self.floats, bounds)
        case .double: return bounds + reals(Self.doubles, bounds)
        case .date: return bounds + reals(Self.dates, bounds)
        case .anyDecimal: return bounds + decimals(between: bounds)
        case .uuid: return [UInt8.min, .max].map { .blob(Data(repeating: $0, count: 16)) }
        case .string: return texts(within: limits)
        case .uri: return Self.uris.map { .text($0) }
        case .codable: return Self.documents.map { .text($0) }
        case .data: return blobs(of: attribute)
        default: return bounds + integers(of: type, bounds)
        }
    }

    // MARK: Numbers

    private func integers(of type: AttributeType, _ bounds: [StoredValue]) -> [StoredValue] {
        let range = type.descriptor.integers ?? Int64.min...Int64.max
        // Beyond 2^53, a binary floating-point number cannot hold every integer.
        let numbers: [Int64] = [
            range.lowerBound, range.upperBound, 0, -1, 1, 1 << 31, (1 << 53) + 1, -(1 << 53) - 1,
        ]
        return numbers.filter(range.contains).filter { number in
            isBetween(bounds) { if case .integer(let bound) = $0 { number < bound } else { nil } }
                ?? true
        }.map { .integer($0) }
    }

    private func reals(_ numbers: [Double], _ bounds: [StoredValue]) -> [StoredValue] {
        numbers.filter { number in
            isBetween(bounds) { if case .real(let bound) = $0 { number < bound } else { nil } }
                ?? true
        }.map { .real($0) }
    }

    /// Whether a value is not less than the first bound and not more than the second; nil if there
    /// are not both.
    private func isBetween(
        _ bounds: [StoredValue], isLess: (StoredValue) -> Bool?
    ) -> Bool? {
        guard bounds.count == 2, let isBelow = isLess(bounds[0]), let isWithin = isLess(bounds[1])
        else { return nil }
        return !isBelow && isWithin
    }

    private static let doubles: [Double] = [
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, -1,
        0.1 + 0.2, 1.0 / 3, 9_007_199_254_740_992, 1e22,
    ]

    private static let floats: [Double] = [
        Double(Float.greatestFiniteMagnitude), -Double(Float.greatestFiniteMagnitude),
        Double(Float.leastNonzeroMagnitude), 0, -1, Double(Float(1) / 3),
    ]

    /// The year 1, the year 4001, the reference date, and a date before it.
    private static let dates: [Double] = [
        -63_114_076_800, 63_113_904_000, 0, -0.001, 978_307_200.123_456,
    ]

    private func decimals(between bounds: [StoredValue]) -> [StoredValue] {
        guard bounds.isEmpty else { return [] }
        let texts = [
            "0", "-1", "99999999999999999999999999999999999999",
            "-99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
            "1e100", "-1e-100", "0.1",
        ]
        return texts.compactMap { Decimal(string: $0) }
            .compactMap { stored(.decimal($0), as: .anyDecimal) }
    }

    // MARK: Texts and bytes

    /// Sample strings: white space, characters with a meaning in SQL and in patterns, several
    /// scripts and directions, a letter of three scalars, an emoji of a whole family, the last
    /// scalar.
    private static let texts: [String] = [
        " \u{9}\n\r", "it's \"quoted\"; --", "%_*?[a-z]^\\", "e\u{301}\u{323}", "ßſİıΩ", "漢字かな",
        "\u{202E}עברית العربية", "👩‍👩‍👧‍👦🏳️‍🌈", "\u{FEFF}\u{200D}", "\u{10FFFF}", "NULL",
    ]

    private func texts(within limits: Limits) -> [StoredValue] {
        guard limits.pattern == nil else { return [] }
        let least = limits.minimumLength ?? 0
        let greatest = min(limits.maximumLength ?? 5000, 5000)
        // Lengths count scalars.
        let fitting = Self.texts.filter {
            (least...max(least, greatest)).contains($0.unicodeScalars.count)
        }
        let ends = [least, max(least, greatest)].map { String(repeating: "é", count: $0) }
        return (ends + fitting).map { .text($0) }
    }

    private static let uris = [
        "a:", "https://example.com/?q=%F0%9F%98%80&b=%00#c", "file:///a%20b/%C3%A9",
    ]

    private static let documents = ["[]", "{}", "[\"\\u0000é👩‍👧\"]", "[1e308, -0.0, null, true]"]

    private func blobs(of attribute: Attribute) -> [StoredValue] {
        let least = attribute.limits.minimumLength ?? 0
        let greatest = min(attribute.limits.maximumLength ?? 5000, 5000)
        let contents = [
            Data(repeating: 0, count: least), Data(repeating: 0xFF, count: max(least, 1)),
            Data((0..<max(least, greatest)).map { UInt8($0 % 256) }),
        ]
        return contents.map { .blob(attribute.usesExternalForm ? [ExternalForm.inline] + $0 : $0) }
    }
}

extension SampleRows {
    /// Returns an edge case; nil for an ordinary value. Later attempts use ordinary values more and
    /// more, because a rule may not allow the others.
    func extreme(
        of attribute: Attribute, _ declarer: Entity, _ place: (index: Int, attempt: Int),
        _ random: inout SampleRandom
    ) -> StoredValue? {
        switch content {
        case .ordinary: return nil
        case .extremesWhereTypesStay:
            if hints.isConverted(attribute, of: declarer) { return nil }
        case .extremes: break
        }
        if place.index == 0 || place.attempt > 20
            || place.attempt > 10 && random.next(below: 2) == 0
        {
            return nil
        }
        let values = model.extremes(of: hints.attribute(attribute, of: declarer))
        guard !values.isEmpty else { return nil }
        return values[(place.index - 1 + place.attempt) % values.count]
    }

    func isOneToOne(_ relationship: Relationship) -> Bool {
        guard let inverse = relationship.inverse,
            let destination = model.entity(named: relationship.destination)
        else { return false }
        return model.relationship(inverse, of: destination)?.isToMany == false
    }
}

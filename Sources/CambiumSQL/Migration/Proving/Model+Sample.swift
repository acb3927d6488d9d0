import CambiumModel

extension Model {
    /// A value that keeps to the attribute's limits, as it is stored; mostly one of the words,
    /// where there are any.
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

    /// A value that keeps to the attribute's limits, another one for mostly every number.
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
        let chosen = [limits.minimum, limits.maximum].compactMap(\.self).first
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
    /// A text that matches, of a length in a range where the pattern leaves a choice.
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
        var set: Set<Unicode.Scalar> = []
        var index = 0
        while index < body.count {
            if index + 2 < body.count, body[index + 1] == "-", body[index] <= body[index + 2] {
                for code in body[index].value...body[index + 2].value {
                    if let scalar = Unicode.Scalar(code) { set.insert(scalar) }
                }
                index += 3
            } else {
                set.insert(body[index])
                index += 1
            }
        }
        let printable = (UInt8(ascii: " ")...UInt8(ascii: "~")).map { Unicode.Scalar($0) }
        let choice = isNegated ? printable.filter { !set.contains($0) } : set.sorted()
        guard !choice.isEmpty else { return "" }
        return String(choice[Int(random.next(below: UInt64(choice.count)))])
    }
}

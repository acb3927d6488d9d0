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

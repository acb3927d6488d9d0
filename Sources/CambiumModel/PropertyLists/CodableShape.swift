/// What the JSON of a `codable` type looks like, as far as the type's name tells: types of the program's
/// own may look like anything.
indirect enum CodableShape: Sendable {
    case anything
    case bool
    case integer(ClosedRange<Int64>)
    case number
    case string
    case uuid, url, data
    case list(CodableShape)
    case object(CodableShape)
    case optional(CodableShape)

    /// The shape of a type by its name in Swift, such as `[String: Int]?`.
    init(_ name: String) {
        self = Self.shape(name.filter { $0 != " " }[...])
    }

    private static func shape(_ name: Substring) -> CodableShape {
        for module in ["Swift.", "Foundation."] where name.hasPrefix(module) {
            return shape(name.dropFirst(module.count))
        }
        if name.hasSuffix("?") { return .optional(shape(name.dropLast())) }
        if name.hasPrefix("["), name.hasSuffix("]") {
            let parts = parts(of: name.dropFirst().dropLast(), at: ":")
            return parts.count == 2
                ? dictionary(parts[0], parts[1])
                : parts.count == 1 ? .list(shape(parts[0])) : .anything
        }
        if name.hasSuffix(">"), let start = name.firstIndex(of: "<") {
            let parts = parts(of: name[name.index(after: start)...].dropLast(), at: ",")
            switch (name[..<start], parts.count) {
            case ("Array", 1), ("Set", 1): return .list(shape(parts[0]))
            case ("Optional", 1): return .optional(shape(parts[0]))
            case ("Dictionary", 2): return dictionary(parts[0], parts[1])
            default: return .anything
            }
        }
        return plain[String(name)] ?? .anything
    }

    /// Dictionaries with other keys than texts and numbers are lists to Swift's encoder.
    private static func dictionary(_ key: Substring, _ value: Substring) -> CodableShape {
        if case .string = shape(key) { .object(shape(value)) } else { .anything }
    }

    /// The parts of a list at a separator that is in no brackets.
    private static func parts(of text: Substring, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var (start, depth) = (text.startIndex, 0)
        for index in text.indices {
            switch text[index] {
            case "[", "<", "(": depth += 1
            case "]", ">", ")": depth -= 1
            case separator where depth == 0:
                parts.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
        }
        return parts + [text[start...]]
    }

    private static func range<Number: FixedWidthInteger>(_: Number.Type) -> CodableShape {
        .integer(Int64(clamping: Number.min)...Int64(clamping: Number.max))
    }

    private static let plain: [String: CodableShape] = [
        "Bool": .bool, "String": .string, "UUID": .uuid, "URL": .url, "Data": .data,
        "Double": .number, "Float": .number, "Decimal": .number, "Date": .number,
        "TimeInterval": .number, "Int": range(Int.self), "Int8": range(Int8.self),
        "Int16": range(Int16.self), "Int32": range(Int32.self), "Int64": range(Int64.self),
        "UInt": .number, "UInt8": range(UInt8.self), "UInt16": range(UInt16.self),
        "UInt32": range(UInt32.self), "UInt64": .number,
    ]

    /// A value as the type's decoder takes it; nil where it takes none that is the same. Core Data
    /// keeps truths, whole numbers and others as one kind of number.
    func fitting(_ value: JSONValue) -> JSONValue? {
        let isFit: Bool
        switch self {
        case .anything: isFit = true
        case .optional(let shape):
            if case .null = value { return value }
            return shape.fitting(value)
        case .list(let shape):
            guard case .list(let members) = value else { return nil }
            let fitting = members.compactMap(shape.fitting)
            return fitting.count == members.count ? .list(fitting) : nil
        case .object(let shape):
            guard case .object(let members) = value else { return nil }
            let fitting = members.compactMapValues(shape.fitting)
            return fitting.count == members.count ? .object(fitting) : nil
        case .bool:
            if case .integer(let number) = value, number == 0 || number == 1 {
                return .bool(number == 1)
            }
            if case .bool = value { isFit = true } else { isFit = false }
        case .integer(let range):
            switch value {
            case .integer(let number): isFit = range.contains(number)
            case .bool(let flag): return range.contains(flag ? 1 : 0) ? .integer(flag ? 1 : 0) : nil
            case .real(let number): return Int64(exactly: number).flatMap { fitting(.integer($0)) }
            default: isFit = false
            }
        case .number:
            switch value {
            case .bool(let flag): return .integer(flag ? 1 : 0)
            case .integer, .large, .real: isFit = true
            default: isFit = false
            }
        case .string, .uuid, .url, .data:
            guard case .string(let text) = value else { return nil }
            isFit = isForm(of: text)
        }
        return isFit ? value : nil
    }

    /// Whether a text is one of this shape.
    private func isForm(of text: String) -> Bool {
        switch self {
        case .uuid: UUID(uuidString: text) != nil
        case .url: URL(string: text) != nil
        case .data: Data(base64Encoded: text) != nil
        default: true
        }
    }
}

/// The reason why a text is not a definition of a model.
struct UnreadableDefinition: Error {}

/// A part of a definition. One function writes it and reads it.
protocol DefinitionPart {
    /// Whether the part is written in braces.
    static var isGroup: Bool { get }

    /// Writes a part and makes an equal one. If the part is nil, reads one.
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition)
}

extension DefinitionPart {
    static var isGroup: Bool { true }

    /// Whether another part has the same text. It has all that a part is, so that lists of parts of
    /// many types need no comparisons of their own.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    func isWritten(as other: Self) -> Bool {
        DefinitionCoder.text(of: self) == DefinitionCoder.text(of: other)
    }
}

/// Writes the parts of a model in order, or reads them in the same order. Each part has one
/// function for both, so everything that is written can be read.
///
/// The text is made of words, quoted strings and brackets. A part that has its usual value is not
/// written. A word before each part names the part, except before the first parts.
struct DefinitionCoder {
    /// The text written so far, or, while reading, all of the text.
    private(set) var text: [UInt8]
    private var index = 0
    private let isReading: Bool
    private var depth = 0

    /// The maximum nesting of a text. It is deeper than any expression of a model. Each level of an
    /// expression is a list in a group.
    private static let maximumDepth = ModelExpression.maximumDepth * 2 + 16

    /// A coder that writes.
    init() {
        (text, isReading) = ([], false)
    }

    /// A coder that reads.
    init(reading text: some Sequence<UInt8>) {
        (self.text, isReading) = (Array(text), true)
    }

    /// The text of a part. Only reading fails.
    static func text(of part: some DefinitionPart) -> String {
        var coder = DefinitionCoder()
        _ = try? coder.part(part)
        return String(decoding: coder.text, as: UTF8.self)
    }

    /// The part that all of a text is.
    static func part<Part: DefinitionPart>(
        in text: String
    ) throws(UnreadableDefinition) -> Part {
        var coder = DefinitionCoder(reading: text.utf8)
        let part: Part = try coder.part(nil)
        guard coder.index == coder.text.count else { throw UnreadableDefinition() }
        return part
    }

    // MARK: Parts

    /// One of the type's own words, such as a case's name.
    mutating func word(_ value: String?) throws(UnreadableDefinition) -> String {
        guard isReading else {
            let value = value ?? ""
            write(word: value)
            return value
        }
        guard let word = readWord() else { throw UnreadableDefinition() }
        return word
    }

    /// Any text.
    @inline(never)
    mutating func string(_ value: String?) throws(UnreadableDefinition) -> String {
        guard isReading else {
            let value = value ?? ""
            write(quoted: value)
            return value
        }
        return try readString()
    }

    /// Codes a part that always exists.
    mutating func part<Part: DefinitionPart>(
        _ value: Part?
    ) throws(UnreadableDefinition) -> Part {
        guard Part.isGroup else { return try Part(value, &self) }
        return try within("{", "}") { coder throws(UnreadableDefinition) in
            try Part(value, &coder)
        }
    }

    /// A Boolean part. Its name is in the text if it is true.
    @inline(never)
    mutating func flag(_ name: StaticString, _ value: Bool?) -> Bool {
        guard isReading else {
            if value == true { write(name) }
            return value ?? false
        }
        return reads(name)
    }

    /// Codes a part that may be missing.
    mutating func optional<Part: DefinitionPart>(
        _ name: StaticString, _ value: Part?
    ) throws(UnreadableDefinition) -> Part? {
        flag(name, value != nil) ? try part(value) : nil
    }

    /// A part that has a usual value. The usual value is left out.
    mutating func part<Part: DefinitionPart & Equatable>(
        _ name: StaticString, _ value: Part?, unless usual: Part
    ) throws(UnreadableDefinition) -> Part {
        try optional(name, value == usual ? nil : value) ?? usual
    }

    /// Several things; a name without any is left out.
    mutating func list<Part: DefinitionPart>(
        _ name: StaticString, _ values: [Part]?
    ) throws(UnreadableDefinition) -> [Part] {
        flag(name, values?.isEmpty == false) ? try list(values) : []
    }

    /// Several parts, written even if there are none. The function is compiled once for all types:
    /// specialized copies took a twentieth of this module's compile time.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    mutating func list<Part: DefinitionPart>(
        _ values: [Part]?
    ) throws(UnreadableDefinition) -> [Part] {
        try within("[", "]") { coder throws(UnreadableDefinition) in
            var parts: [Part] = []
            if let values {
                for value in values { parts.append(try coder.part(value)) }
            } else if coder.isReading {
                while coder.peek != UInt8(ascii: "]") { parts.append(try coder.part(nil)) }
            }
            return parts
        }
    }

    /// An author's notes, sorted by name.
    mutating func notes(
        _ name: StaticString, _ values: [String: String]?
    ) throws(UnreadableDefinition) -> [String: String] {
        let sorted = values?.ordered { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let texts = try list(name, sorted?.flatMap { [$0.key, $0.value] })
        guard texts.count.isMultiple(of: 2) else { throw UnreadableDefinition() }
        var notes: [String: String] = [:]
        for index in stride(from: 0, to: texts.count, by: 2) where notes[texts[index]] == nil {
            notes[texts[index]] = texts[index + 1]
        }
        return notes
    }

    private mutating func within<Part>(
        _ start: Unicode.Scalar, _ end: Unicode.Scalar,
        _ code: (inout DefinitionCoder) throws(UnreadableDefinition) -> Part
    ) throws(UnreadableDefinition) -> Part {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw UnreadableDefinition() }
        try bracket(UInt8(ascii: start))
        let part = try code(&self)
        try bracket(UInt8(ascii: end))
        return part
    }

    private mutating func bracket(_ byte: UInt8) throws(UnreadableDefinition) {
        guard isReading else {
            text.append(byte)
            return
        }
        guard peek == byte else { throw UnreadableDefinition() }
        index += 1
    }

    // MARK: Writing

    private mutating func write(word: String) {
        if let last = text.last, Self.isOfWord(last) { text.append(UInt8(ascii: " ")) }
        text += word.utf8
    }

    private mutating func write(_ name: StaticString) {
        if let last = text.last, Self.isOfWord(last) { text.append(UInt8(ascii: " ")) }
        name.withUTF8Buffer { text += $0 }
    }

    private mutating func write(quoted string: String) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                text.append(UInt8(ascii: "\\"))
            }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
    }

    // MARK: Reading

    private var peek: UInt8? { index < text.count ? text[index] : nil }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The range of the next word; nil if something else follows.
    private var nextWord: Range<Int>? {
        let start = peek == UInt8(ascii: " ") ? index + 1 : index
        let end = text[start...].firstIndex { !Self.isOfWord($0) } ?? text.count
        return start < end ? start..<end : nil
    }

    private mutating func readWord() -> String? {
        guard let range = nextWord else { return nil }
        index = range.upperBound
        return String(decoding: text[range], as: UTF8.self)
    }

    /// Reads the word if it is the next one.
    private mutating func reads(_ name: StaticString) -> Bool {
        let start = peek == UInt8(ascii: " ") ? index + 1 : index
        let end = start + name.utf8CodeUnitCount
        guard end <= text.count, end == text.count || !Self.isOfWord(text[end]),
            name.withUTF8Buffer({ text[start..<end].elementsEqual($0) })
        else { return false }
        index = end
        return true
    }

    private mutating func readString() throws(UnreadableDefinition) -> String {
        guard peek == UInt8(ascii: "\"") else { throw UnreadableDefinition() }
        var bytes: [UInt8] = []
        var place = index + 1
        while place < text.count, text[place] != UInt8(ascii: "\"") {
            if text[place] == UInt8(ascii: "\\") { place += 1 }
            guard place < text.count else { throw UnreadableDefinition() }
            bytes.append(text[place])
            place += 1
        }
        guard place < text.count, let string = String(validating: bytes, as: UTF8.self) else {
            throw UnreadableDefinition()
        }
        index = place + 1
        return string
    }
}

extension String: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self = try coder.string(it)
    }
}

extension Int: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        guard let number = Int(try coder.word(it.map(String.init))) else {
            throw UnreadableDefinition()
        }
        self = number
    }
}

/// A value of an enumeration, by its raw value.
extension DefinitionPart where Self: RawRepresentable<String> {
    static var isGroup: Bool { false }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        guard let value = Self(rawValue: try coder.part(it?.rawValue)) else {
            throw UnreadableDefinition()
        }
        self = value
    }
}

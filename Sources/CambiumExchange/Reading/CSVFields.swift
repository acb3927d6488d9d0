/// The fields of a CSV line. It is made once and used for each line, so that lines cost no memory
/// of their own.
struct CSVFields {
    /// A field as it stands in the line.
    struct Field {
        /// Its content, without the quotes around it.
        var range: Range<Int>
        var isQuoted: Bool
        /// Whether quotes in it are doubled.
        var hasQuotes: Bool
    }

    /// What is wrong with a line, and where.
    struct Problem: Error {
        let index: Int
        let message: String
    }

    let separator: UInt8
    private(set) var fields: [Field] = []

    /// Splits a line.
    ///
    /// - Throws: ``Problem`` where quotes stand where they cannot.
    mutating func split(_ bytes: [UInt8], _ line: Range<Int>) throws {
        fields.removeAll(keepingCapacity: true)
        var index = line.lowerBound
        while true {
            if index < line.upperBound, bytes[index] == ASCII.quote {
                index = try takeQuoted(bytes, index + 1, line.upperBound)
            } else {
                index = try takePlain(bytes, index, line.upperBound)
            }
            if index == line.upperBound { return }
            index += 1
        }
    }

    /// - Returns: Where the field ends: at a separator, or at the end of the line.
    private mutating func takePlain(
        _ bytes: [UInt8], _ start: Int, _ end: Int
    ) throws -> Int {
        var index = start
        while index < end, bytes[index] != separator {
            if bytes[index] == ASCII.quote {
                throw Problem(
                    index: index,
                    message: "There is a quote within a field that does not begin with one. "
                        + "Enclose the field in quotes, and double those within.")
            }
            index += 1
        }
        fields.append(Field(range: start..<index, isQuoted: false, hasQuotes: false))
        return index
    }

    private mutating func takeQuoted(
        _ bytes: [UInt8], _ start: Int, _ end: Int
    ) throws -> Int {
        var index = start
        var hasQuotes = false
        while index < end {
            guard bytes[index] == ASCII.quote else {
                index += 1
                continue
            }
            if index + 1 < end, bytes[index + 1] == ASCII.quote {
                hasQuotes = true
                index += 2
                continue
            }
            fields.append(Field(range: start..<index, isQuoted: true, hasQuotes: hasQuotes))
            index += 1
            guard index == end || bytes[index] == separator else {
                throw Problem(
                    index: index,
                    message: "There is more after the quote that closes a field. Double quotes "
                        + "that belong to it.")
            }
            return index
        }
        throw Problem(
            index: start - 1,
            message: "The quote that opens a field is not closed. Close it, or double it where it "
                + "belongs to the field.")
    }

    /// The text of a field; nil where it is no UTF-8.
    static func text(_ field: Field, in bytes: [UInt8]) -> String? {
        let content = bytes[field.range]
        guard field.hasQuotes else { return String(validating: content, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var isSecond = false
        for byte in content {
            if byte == ASCII.quote, !isSecond {
                isSecond = true
                continue
            }
            isSecond = false
            text.append(byte)
        }
        return String(validating: text, as: UTF8.self)
    }

    /// The fields of a text that is a line of CSV itself: a list in a field. An empty text has
    /// none.
    ///
    /// - Throws: ``Problem``
    static func list(_ text: String, separator: UInt8) throws -> [(text: String, isQuoted: Bool)] {
        guard !text.isEmpty else { return [] }
        let bytes = Array(text.utf8)
        var list = CSVFields(separator: separator)
        try list.split(bytes, 0..<bytes.count)
        return list.fields.map { (Self.text($0, in: bytes) ?? "", $0.isQuoted) }
    }
}

@testable import CambiumExchange
import Testing

struct CSVFieldsTests {
    private func fields(_ line: String, separator: UInt8 = ASCII.comma) throws -> [String] {
        let bytes = Array(line.utf8)
        var fields = CSVFields(separator: separator)
        try fields.split(bytes, 0..<bytes.count)
        return fields.fields.map {
            ($0.isQuoted ? "'" : "") + (CSVFields.text($0, in: bytes) ?? "invalid")
        }
    }

    @Test func `a line is split at its separators, outside of quotes`() throws {
        try #expect(fields("a,b") == ["a", "b"])
        try #expect(fields("") == [""])
        try #expect(fields(",") == ["", ""])
        try #expect(fields("a,") == ["a", ""])
        try #expect(fields("\"\",") == ["'", ""])
        try #expect(fields("\"a,\"\"b\"\"\n\", c ") == ["'a,\"b\"\n", " c "])
        try #expect(fields("\"\"\"\"") == ["'\""])
        try #expect(fields("é\tü", separator: ASCII.tab) == ["é", "ü"])
    }

    @Test(arguments: [
        ("a\"b", 1, "within a field"), ("\"a\"b", 3, "after the quote"), ("a,\"b", 2, "not closed"),
        ("\"a\"\"", 0, "not closed"), ("\"", 0, "not closed"),
    ])
    func `quotes that stand where they cannot`(_ line: String, _ index: Int, _ words: String) {
        let problem = #expect(throws: CSVFields.Problem.self) { try fields(line) }
        #expect(problem?.index == index)
        #expect(problem?.message.contains(words) == true)
    }

    @Test func `what is no UTF-8 is no text`() {
        let bytes: [UInt8] = [0x61, 0xFF]
        let field = CSVFields.Field(range: 0..<2, isQuoted: false, hasQuotes: false)
        #expect(CSVFields.text(field, in: bytes) == nil)
    }
}

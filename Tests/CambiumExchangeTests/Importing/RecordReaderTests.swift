@testable import CambiumExchange
import Foundation
import Testing

/// Inputs cut into records, whatever the size of the blocks that they come in.
struct RecordReaderTests {
    /// What a scanner cuts a text into, with the lines; given to it in blocks of a size.
    private func cut(
        _ text: String, _ format: ExchangeFormat, blocks size: Int, columnCount: Int? = nil
    ) throws -> [String] {
        var scanner = try format.scanner(columnCount: columnCount)
        let all = Array(text.utf8)
        var bytes: [UInt8] = []
        var scanned = 0
        var found: [String] = []
        var position = 0
        repeat {
            let block = all[position..<min(position + size, all.count)]
            position = block.endIndex
            bytes += block
            var entries: [RecordBlock.Entry] = []
            try scanner.scan(bytes, from: scanned, isLast: block.isEmpty, into: &entries)
            found += entries.map {
                "\($0.line):" + String(decoding: bytes[$0.range], as: UTF8.self)
            }
            scanned = bytes.count
            let dropped = entries.last?.range.upperBound ?? 0
            bytes.removeFirst(dropped)
            scanned -= dropped
            scanner.drop(dropped)
            if block.isEmpty { return found }
        } while true
    }

    private func check(
        _ text: String, _ format: ExchangeFormat, _ expected: [String], columnCount: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for size in [1, 2, 3, 7, 1000] {
            let found = try cut(text, format, blocks: size, columnCount: columnCount)
            #expect(found == expected, "blocks of \(size)", sourceLocation: sourceLocation)
        }
    }

    @Test func `JSON Lines have a record in each line that is not empty`() throws {
        try check("", .jsonLines, [])
        try check("{}\n{}", .jsonLines, ["1:{}", "2:{}"])
        try check("\n \r\n{}\r\n\n{\"a\":1}\n", .jsonLines, ["3:{}\r", "5:{\"a\":1}"])
    }

    @Test func `a JSON array has a record for each element`() throws {
        try check("[]", .json, [])
        try check("[{},{}]", .json, ["1:{}", "1:{}"])
        try check(
            "\n[ {\"a\": [1, {\"b\": \"]}\\\"\"}]},\n\n  {} ,\n3, \"x\\\\\", true]\n", .json,
            ["2:{\"a\": [1, {\"b\": \"]}\\\"\"}]}", "4:{}", "5:3", "5:\"x\\\\\"", "5:true"])
        try check("{\"a\":\n1}\n", .json, ["1:{\"a\":\n1}"])
    }

    @Test(arguments: [
        ("", "1:1: There is no JSON"), ("[{},]", "1:5: An object is missing"),
        ("[,{}]", "1:2: An object is missing"), ("[{}\n{}]", "2:1: There should be a comma"),
        ("[{}", "1:4: The JSON ends"), ("[{} ", "1:5: The JSON ends"),
        ("[{}] x", "1:6: The JSON has ended"),
        ("[{}][{}]", "1:5: The JSON has ended"), ("[{", "1:3: The JSON ends"),
        ("[\"a", "1:4: The JSON ends"),
    ])
    func `a JSON array that does not go on says where`(_ text: String, _ expected: String) {
        for size in [1, 3, 1000] {
            let error = #expect(throws: InputError.self) {
                try cut(text, .json, blocks: size)
            }
            let shown = error.map { "\($0.line):\($0.column ?? 0): \($0.message)" } ?? ""
            #expect(shown.hasPrefix(expected), "blocks of \(size): \(shown)")
        }
    }

    @Test func `CSV has a record in each line outside of quotes`() throws {
        try check("", .csv(), [])
        try check("a,b\r\n1,2\r\n", .csv(), ["1:a,b", "2:1,2"])
        try check("a,b\n\n1,2", .csv(), ["1:a,b", "3:1,2"])
        try check("a,b\r1,2\r\r3,4", .csv(), ["1:a,b", "2:1,2", "4:3,4"])
        try check(
            "a,b\r\n\"x\r\ny\"\"\",\"\"\r\n\"z\n\",3", .csv(),
            ["1:a,b", "2:\"x\r\ny\"\"\",\"\"", "4:\"z\n\",3"])
        try check("a,b\n\"1,2\n3,4\n", .csv(), ["1:a,b", "2:\"1,2\n3,4\n"])
        try check("a;b\n\";\n\";2", .csv(separator: ";"), ["1:a;b", "2:\";\n\";2"])
    }

    @Test func `an empty line of CSV is a row where there is one column`() throws {
        try check("a\n1\n\n2\n", .csv(), ["1:a", "2:1", "3:", "4:2"])
        try check("1\r\n\r\n2\r\n", .csv(), ["1:1", "2:", "3:2"], columnCount: 1)
        try check("1,2\n\n3,4\n", .csv(), ["1:1,2", "3:3,4"], columnCount: 2)
    }

    @Test func `a mark at the start is passed over, and blocks are joined`() throws {
        let lines = (0..<20_000).map {
            "{\"number\": \($0), \"text\": \"\(String(repeating: "x", count: 100))\"}"
        }
        let text = "\u{FEFF}" + lines.joined(separator: "\n")
        var reader = try RecordReader(.text(text), scanner: LineScanner())
        var found: [String] = []
        while let block = try reader.next() {
            found += block.entries.map { String(decoding: block.bytes[$0.range], as: UTF8.self) }
        }
        #expect(found == lines)
        #expect(reader.position == text.utf8.count)
    }

    @Test func `a separator is a character of ASCII, and none that CSV needs`() {
        for separator in ["\"", "\n", "\r", "\r\n", "é", "\0"] as [Character] {
            #expect(throws: StoreError.self) {
                try ExchangeFormat.csv(separator: separator).scanner(columnCount: nil)
            }
        }
    }
}

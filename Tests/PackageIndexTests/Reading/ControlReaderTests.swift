import Testing

@testable import PackageIndex

@Suite struct ControlReaderTests {
    @Test func `stanzas are divided by empty lines and carry their lines`() throws {
        let stanzas = try read("\n\nPackage: one\nVersion: 1\n\n\n\nPackage: two\n")
        #expect(stanzas.map(\.line) == [3, 8])
        #expect(
            stanzas.first?.fields == [
                ControlField(name: "package", value: "one", line: 3),
                ControlField(name: "version", value: "1", line: 4),
            ])
    }

    @Test func `a file without a last newline ends its stanza`() throws {
        #expect(try read("Package: one")[0]["package"]?.value == "one")
    }

    @Test func `an empty file has no stanza`() throws {
        #expect(try read("").isEmpty)
        #expect(try read("\n \n\t\n").isEmpty)
    }

    @Test func `an indented line goes on with the field`() throws {
        let stanza = try read("Description: short\n long\n .\n  more \nSection: x\n")[0]
        #expect(stanza["description"]?.value == "short\nlong\n.\nmore")
        #expect(stanza["description"]?.firstLine == "short")
        #expect(stanza["section"]?.line == 5)
        #expect(stanza.problems.isEmpty)
    }

    @Test func `comments count as lines and as nothing else`() throws {
        let stanzas = try read("# one\nPackage: a\n# two\n more\n")
        #expect(stanzas.count == 1)
        #expect(stanzas[0]["package"]?.value == "a\nmore")
        #expect(stanzas[0].line == 2)
    }

    @Test func `field names do not differ by case`() throws {
        #expect(try read("pAcKage: a\n")[0]["package"]?.value == "a")
    }

    @Test func `lines may end like those of Windows, and a blank line may have spaces`() throws {
        let stanzas = try read(
            "Package: a\r\nVersion: 1\r\n\r\nPackage: b\r\n \t\r\nPackage: c\r\n")
        #expect(stanzas.map { $0["package"]?.value } == ["a", "b", "c"])
        #expect(stanzas[0]["version"]?.value == "1")
    }

    @Test func `an empty value is a field`() throws {
        #expect(try read("Package:\n")[0]["package"]?.value == "")
    }

    @Test func `only the fields that are asked for are kept`() throws {
        let text = "Package: a\nTag: x\n y\nSize: 3\n"
        #expect(try read(text, keeping: ["size"])[0].fields.map(\.name) == ["size"])
    }

    @Test(arguments: [
        ("Package: a\nnonsense\nVersion: 1\n", 2, "a line without 'Name: value'"),
        ("Package: a\n: x\n", 2, "a line without 'Name: value'"),
        ("Package: a\nTwo Words: x\n", 2, "a field name with other than ASCII letters"),
        ("\n x\nPackage: a\n", 2, "an indented line that no field is above"),
        ("Package: a\nnonsense\n more\n", 3, "an indented line that no field is above"),
    ])
    func `a malformed line is a problem of its stanza`(
        text: String, line: Int, reason: String
    ) throws {
        let stanzas = try read(text + "\nPackage: next\n")
        #expect(stanzas.count == 2)
        #expect(stanzas[0].problems.contains(ControlProblem(line: line, reason: reason)))
        #expect(stanzas[0]["package"]?.value == "a")
        #expect(stanzas[1].problems.isEmpty)
    }

    @Test func `bytes that are not UTF-8 are a problem at their field`() throws {
        var reader = ControlReader(
            MemoryBytes(Array("Package: a\nSection: ".utf8) + [0xFF, 0xFE, 10]))
        let stanza = try #require(try reader.next())
        #expect(
            stanza.problems == [
                ControlProblem(line: 2, reason: "the field 'section' is not UTF-8")
            ])
    }

    @Test func `a line beyond the limit is a problem and is not kept`() throws {
        let long = String(repeating: "x", count: 2000)
        for text in ["Package: \(long)\n\nPackage: b\n", "Package: a\n \(long)\n\nPackage: b\n"] {
            let stanzas = try read(text, limit: 1000)
            #expect(stanzas.count == 2)
            #expect(stanzas[0].problems.count == 1)
            #expect(stanzas[1]["package"]?.value == "b")
        }
    }

    @Test func `a value beyond the limit is a problem`() throws {
        let lines = String(repeating: " xxxxxxxxx\n", count: 200)
        let stanzas = try read("Package: a\n\(lines)\nPackage: b\n", limit: 1000)
        #expect(stanzas[0].problems.first?.line == 101)
        #expect(stanzas[1].problems.isEmpty)
    }

    @Test func `the pieces in which bytes arrive make no difference`() throws {
        let text = "\nPackage: a\r\nDescription: x\n y\n\n# c\nPackage: b\nnonsense\n\n \nC: d"
        let whole = try read(text)
        #expect(whole.count == 3)
        for pieceSize in 1...text.utf8.count {
            var reader = ControlReader(MemoryBytes(Array(text.utf8), pieceSize: pieceSize))
            #expect(try all(&reader) == whole)
        }
    }

    @Test func `random bytes are read to the end without a trap`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(state: seed)
        let alphabet = Array("aP:: \t\n\n\r#\u{E9}".utf8) + [0, 0xFF]
        for _ in 0..<300 {
            let count = Int.random(in: 0..<200, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            var reader = ControlReader(MemoryBytes(bytes, pieceSize: 7), limit: 50)
            for stanza in try all(&reader) {
                #expect(stanza.line >= 1 && stanza.line <= reader.lineCount, "seed \(seed)")
            }
            let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).count
            let last = bytes.last == 10 || bytes.isEmpty ? 1 : 0
            #expect(reader.lineCount == lines - last, "seed \(seed)")
        }
    }

    @Test func `a file that is not there is an error with its name`() throws {
        #expect {
            _ = try FileBytes(path: "/nonexistent/list")
        } throws: {
            "\($0)".contains("/nonexistent/list: No such file")
        }
    }

    @Test func `a folder is an error with its name`() throws {
        var reader = ControlReader(try FileBytes(path: "/"))
        #expect {
            _ = try reader.next()
        } throws: {
            "\($0)".contains("cannot read /: Is a directory")
        }
    }

    private func read(
        _ text: String, keeping names: [String]? = nil, limit: Int = 1 << 20
    ) throws -> [ControlStanza] {
        var reader = ControlReader(
            MemoryBytes(Array(text.utf8)), keeping: names, limit: limit)
        return try all(&reader)
    }

    private func all<Source>(_ reader: inout ControlReader<Source>) throws -> [ControlStanza] {
        var stanzas: [ControlStanza] = []
        while let stanza = try reader.next() { stanzas.append(stanza) }
        return stanzas
    }
}

/// A small generator of random numbers that starts from a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

import CambiumModel
import Testing

@testable import CambiumCoreDataStore

struct ValueTests {
    /// Imports the value of one optional attribute.
    ///
    /// - Returns: The value in the new store, or the reason why the row is not there.
    private func importStore(
        _ type: AttributeType, column: String, _ value: String, isExternal: Bool = false,
        isOptional: Bool = true, default standard: Value? = nil, limits: Limits = Limits(),
        enumerations: [Enumeration] = [],
        prepare: (OldStore) throws -> Void = { _ in }
    ) throws -> (value: String?, report: CoreDataImportReport) {
        let attribute = Attribute(
            name: "x", type: type, isOptional: isOptional,
            defaultValue: standard.map { .constant($0) }, limits: limits, isExternal: isExternal)
        let model = Model(
            name: "M", version: "1", entities: [Entity(name: "A", attributes: [attribute])],
            enumerations: enumerations)
        let store = try OldStore(
            entities: [(1, "A", 0, 1)],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZX \(column));
                INSERT INTO ZA VALUES (1, 1, 1, \(value));
                """)
        try prepare(store)
        let report = try store.importStore([model])
        return (try store.rows("SELECT x FROM A").first?.first, report)
    }

    @Test(arguments: [
        ("INTEGER", AttributeType.bool, "1", "1"),
        ("INTEGER", .int16, "-7", "-7"),
        ("INTEGER", .int64, "9223372036854775807", "9223372036854775807"),
        ("FLOAT", .double, "2.5", "2.5"),
        ("TIMESTAMP", .date, "489492896", "489492896.0"),
        ("TIMESTAMP", .date, "489492896.125", "489492896.125"),
        ("VARCHAR", .string, "'Zoë'", "Zoë"),
        ("VARCHAR", .string, "''", ""),
        ("VARCHAR", .string, "'eight or more ☂ letters'", "eight or more ☂ letters"),
        ("VARCHAR", .uri, "'https://example.org/a?b'", "https://example.org/a?b"),
        ("BLOB", .data, "x'00ff'", "0 ff"),
        ("BLOB", .uuid, "x'000102030405060708090a0b0c0d0e0f'", "0 1 2 3 4 5 6 7 8 9 a b c d e f"),
        ("DECIMAL", .decimal(scale: 2), "19.99", "1999"),
        ("DECIMAL", .decimal(scale: 2), "-3", "-300"),
        ("BLOB", .data, "'ab'", "61 62"),
        ("BLOB", .codable("[String]"), "'[\"a\"]'", "[\"a\"]"),
    ])
    func `values take the form that the store keeps them in`(
        column: String, type: AttributeType, value: String, expected: String
    ) throws {
        let found = try importStore(type, column: column, value)
        #expect(found.value == expected)
        #expect(found.report.isComplete)
        #expect(try importStore(type, column: column, "NULL").value == "nil")
    }

    @Test(arguments: ["10.11", "3.3333333332999993", "0.1", "1234567", "-0.000001", "1e20"])
    func `decimals of any scale have the digits that Core Data shows`(number: String) throws {
        let found = try importStore(.anyDecimal, column: "DECIMAL", number)
        let text = number == "3.3333333332999993" ? "3.3333333333" : number
        let bytes = OrderedDecimal.bytes(spelled: text) ?? Data()
        #expect(found.value == bytes.map { String($0, radix: 16) }.joined(separator: " "))
        #expect(OrderedDecimal.decimal(of: bytes) == Decimal(string: text))
    }

    @Test(arguments: [
        ("INTEGER", AttributeType.bool, "2", "range"),
        ("INTEGER", .int16, "40000", "range"),
        ("INTEGER", .int32, "'many'", "int32"),
        ("VARCHAR", .string, "'a' || char(0) || 'b'", "string"),
        ("VARCHAR", .string, "'of many letters' || char(0)", "string"),
        ("VARCHAR", .string, "CAST(x'6162ff6364' AS TEXT)", "string"),
        ("VARCHAR", .string, "CAST(x'3031323334353637e282' AS TEXT)", "string"),
        ("VARCHAR", .uri, "CAST(x'687474703aff' AS TEXT)", "uri"),
        ("VARCHAR", .string, "x'41'", "string"),
        ("BLOB", .uuid, "x'0001'", "uuid"),
        ("BLOB", .data, "5", "data"),
        ("DECIMAL", .decimal(scale: 2), "1.999", "more than 2 places"),
        ("DECIMAL", .decimal(scale: 2), "'much'", "decimal"),
        ("DECIMAL", .anyDecimal, "'much'", "'much' is not a value of the type decimal"),
        ("INTEGER", .int32, "zeroblob(70)", "70 bytes is not a value of the type int32"),
        ("INTEGER", .int32, "'\(String(repeating: "x", count: 500))'", "xxx…' is not"),
        ("TIMESTAMP", .date, "'now'", "date"),
    ])
    func `a value that is none of its type is refused, never nil`(
        column: String, type: AttributeType, value: String, word: String
    ) throws {
        let found = try importStore(type, column: column, value)
        #expect(found.value == nil)
        let refused = try #require(found.report.refusedRows.first)
        #expect(refused.property == "x")
        #expect(refused.reason.contains(word))
        #expect(found.report.refusedRows.count == 1)
    }

    @Test(arguments: [AttributeType.anyDecimal, .decimal(scale: 2)], ["'NaN'", "'nan'"])
    func `a decimal that is NaN becomes nil or the default, and is named`(
        type: AttributeType, value: String
    ) throws {
        let optional = try importStore(type, column: "DECIMAL", value)
        #expect(optional.value == "nil")
        #expect(
            optional.report.changedValues
                == [.init(entity: "A", id: 1, property: "x", reason: "nil, as the number is NaN")])
        #expect(optional.report.refusedRows.isEmpty && !optional.report.isComplete)

        let ordinary = try importStore(type, column: "DECIMAL", "7")
        let required = try importStore(
            type, column: "DECIMAL", value, isOptional: false, default: .decimal(7))
        #expect(required.value == ordinary.value)
        #expect(
            required.report.changedValues.map(\.reason) == ["the default, as the number is NaN"])

        let refused = try importStore(type, column: "DECIMAL", value, isOptional: false)
        #expect(refused.value == nil && refused.report.changedValues.isEmpty)
        #expect(
            refused.report.refusedRows.map(\.reason)
                == ["\(value) is not a value of the type decimal"])
    }

    @Test func `a value that is no case of its enumeration is refused`() throws {
        let kinds = [
            Enumeration(
                name: "Kind", rawType: .string,
                cases: [EnumerationCase(name: "toy", rawValue: .string("TOY"))])
        ]
        let type = AttributeType.enumeration("Kind")
        #expect(
            try importStore(type, column: "VARCHAR", "'TOY'", enumerations: kinds).value == "TOY")
        #expect(try importStore(type, column: "VARCHAR", "'toy'", enumerations: kinds).value == nil)
    }

    @Test(arguments: ["", "http://a:b:c", "http://host:80x/"])
    func `a text that is no URI is kept and told, and refused where a value is required`(
        text: String
    ) throws {
        let found = try importStore(.uri, column: "VARCHAR", "'\(text)'")
        #expect(found.value == text)
        #expect(found.report.changedValues.map(\.property) == ["x"])
        #expect(!found.report.isComplete)
        let required = try importStore(.uri, column: "VARCHAR", "'\(text)'", isOptional: false)
        #expect(required.value == nil)
        #expect(required.report.refusedRows.map(\.property) == ["x"])
        #expect(required.report.entities.map { [$0.read, $0.written, $0.refused] } == [[1, 0, 1]])
    }

    @Test(arguments: [
        "http://a b", "file:///a/b", "https://[::1]:80/x", "mailto:ann@example.org", "%zz", "a/b",
    ])
    func `a text that can be read as a URI is one`(text: String) throws {
        let found = try importStore(.uri, column: "VARCHAR", "'\(text)'")
        #expect(found.value == text && found.report.isComplete)
    }

    @Test func `limits hold`() throws {
        let limits = Limits(minimum: .int(3))
        #expect(try importStore(.int32, column: "INTEGER", "3", limits: limits).value == "3")
        let found = try importStore(.int32, column: "INTEGER", "2", limits: limits)
        #expect(found.report.refusedRows.first?.reason.contains("minimum") == true)
    }

    @Test func `an archive of a known class becomes JSON, another one nil with a word`() throws {
        let archive = PropertyListBytes.archive([
            .dictionary([
                ("$class", .reference(4)), ("NS.objects", .array([.reference(2), .reference(3)])),
            ]),
            .string("red"), .string("a \"blue\""), PropertyListBytes.archivedClass("NSArray"),
        ])
        let hex = archive.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let found = try importStore(.codable("[String]"), column: "BLOB", "x'\(hex)'")
        #expect(found.value == "[\"red\",\"a \\\"blue\\\"\"]")
        #expect(found.report.isComplete)
        let other = PropertyListBytes.archive([
            .dictionary([("$class", .reference(2))]), PropertyListBytes.archivedClass("Colour"),
        ])
        let otherHex = other.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let unknown = try importStore(.codable("[String]"), column: "BLOB", "x'\(otherHex)'")
        #expect(unknown.value == "nil")
        #expect(unknown.report.changedValues.map(\.property) == ["x"])
        let numbers = try importStore(.codable("[String]"), column: "BLOB", "'[1, 2]'")
        #expect(numbers.value == "nil")
        #expect(
            numbers.report.changedValues.map(\.reason)
                == ["nil, as the value does not fit the type [String]"])
        #expect(try importStore(.codable("[Bool]"), column: "BLOB", "'[1]'").value == "[true]")
    }

    @Test func `large values come from their files, and a file that is missing is named`() throws {
        let name = "7A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5"
        let reference = "x'02' || CAST('\(name)' AS BLOB) || x'00'"
        let value = "CAST(\(reference) AS BLOB)"
        #expect(
            try importStore(.data, column: "BLOB", "x'01aabb'", isExternal: true).value == "1 aa bb"
        )
        let missing = try importStore(.data, column: "BLOB", value, isExternal: true)
        #expect(missing.value == "nil")
        #expect(missing.report.missingFiles.first?.file.hasSuffix(name) == true)
        for (count, isFile) in [(3, false), (200_000, true)] {
            let found = try importStore(.data, column: "BLOB", value, isExternal: true) { store in
                let folder = "\(store.folder)/.Old_SUPPORT/_EXTERNAL_DATA"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true)
                try Data(repeating: 7, count: count).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            #expect(found.report.isComplete)
            #expect(found.value?.hasPrefix(isFile ? "2 " : "1 7 7 7") == true)
        }
    }

    @Test(arguments: [".Old_SUPPORT", ".Old_SUPPORT/_EXTERNAL_DATA", ".Old.sqlite_SUPPORT"])
    func `a folder that cannot be searched is no file that is missing`(folder: String) throws {
        let value = "CAST(x'02' || CAST('7A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5' AS BLOB) AS BLOB)"
        let error = importError {
            _ = try importStore(.data, column: "BLOB", value, isExternal: true) { store in
                // Not even the root of the system can follow it.
                let link = URL(filePath: "\(store.folder)/\(folder)").path
                try FileManager.default.createDirectory(
                    at: URL(filePath: link).deletingLastPathComponent(),
                    withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: link)
            }
        }
        guard case .cannotRead(let path, _)? = error else {
            Issue.record(error.map { "\($0)" } ?? "it was imported")
            return
        }
        #expect(path.contains("_SUPPORT"))
    }

    #if os(Linux)
        @Test func `a link in the place of a file is not followed, and ends the import`() throws {
            let name = "7A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5"
            let value = "CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB)"
            var file = ""
            let error = importError {
                _ = try importStore(.data, column: "BLOB", value, isExternal: true) { store in
                    let folder = "\(store.folder)/.Old_SUPPORT/_EXTERNAL_DATA"
                    file = "\(folder)/\(name)"
                    try FileManager.default.createDirectory(
                        atPath: folder, withIntermediateDirectories: true)
                    try FileManager.default.createSymbolicLink(
                        atPath: file, withDestinationPath: "/etc/passwd")
                }
            }
            guard case .cannotRead(_, let reason)? = error else {
                Issue.record("\(file): \(error.map(String.init(describing:)) ?? "imported")")
                return
            }
            #expect(reason == "it is a link")
        }
    #endif

    @Test(arguments: ["5", "2.5", "1"])
    func `a number is no large value`(number: String) throws {
        let found = try importStore(.data, column: "BLOB", number, isExternal: true)
        #expect(found.value == nil)
        #expect(found.report.refusedRows.first?.reason.contains("data") == true)
        let text = try importStore(.data, column: "BLOB", "'5'", isExternal: true)
        #expect(text.value == "1 35" && text.report.isComplete)
    }

    @Test func `a name that leads out of the folder is not followed`() throws {
        let value = "CAST(x'02' || CAST('../../Old.sqlite' AS BLOB) || x'00' AS BLOB)"
        let found = try importStore(.data, column: "BLOB", value, isExternal: true)
        #expect(found.value == "nil")
        #expect(found.report.missingFiles.first?.file == "no name of a file")
    }
}

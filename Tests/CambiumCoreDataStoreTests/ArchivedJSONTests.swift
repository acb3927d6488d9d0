import CambiumModel
import Testing

@testable import CambiumCoreDataStore

struct ArchivedJSONTests {
    private func archivedClass(_ name: String) -> PropertyListBytes {
        PropertyListBytes.archivedClass(name)
    }

    @Test func `dictionaries, sets, dates, data, UUIDs and URLs have the JSON of Swift's encoder`()
    {
        let archive = PropertyListBytes.archive([
            .dictionary([
                ("$class", .reference(2)),
                ("NS.keys", .array([3, 5, 7, 10, 13, 16].map { .reference($0) })),
                ("NS.objects", .array([4, 6, 8, 11, 14, 17].map { .reference($0) })),
            ]),
            archivedClass("NSDictionary"),
            .string("count"), .integer(-3),
            .string("share"), .real(0.5),
            .string("when"),
            .dictionary([("$class", .reference(9)), ("NS.time", .real(1000))]),
            archivedClass("NSDate"),
            .string("where"),
            .dictionary([("$class", .reference(12)), ("NS.relative", .reference(18))]),
            archivedClass("NSURL"),
            .string("who"),
            .dictionary([
                ("$class", .reference(15)), ("NS.uuidbytes", .data(Array(0..<16))),
            ]),
            archivedClass("NSUUID"),
            .string("yes"), .bool(true), .string("https://a.b/c"),
        ])
        #expect(
            ArchivedJSON.text(of: archive)
                == """
                {"count":-3,"share":0.5,"when":1000,"where":"https://a.b/c",\
                "who":"00010203-0405-0607-0809-0A0B0C0D0E0F","yes":true}
                """)
    }

    @Test func `plain lists and JSON are taken as they are, other bytes are not`() {
        let list = PropertyListBytes.array([.string("a"), .integer(1)]).bytes
        #expect(ArchivedJSON.text(of: list) == "[\"a\",1]")
        #expect(ArchivedJSON.text(of: Data("{\"a\": [1, null]}".utf8)) == "{\"a\": [1, null]}")
        #expect(ArchivedJSON.text(of: Data([1]) + Data("[2]".utf8)) == "[2]")
        for bytes in ["", "{", "hello", "[1", "bplist00", "[1]x"] {
            #expect(ArchivedJSON.text(of: Data(bytes.utf8)) == nil)
        }
    }

    @Test func `of keys that are equal in Swift the first counts`() {
        let archive = PropertyListBytes.archive([
            .dictionary([
                ("$class", .reference(2)),
                ("NS.keys", .array([3, 5, 6, 7].map { .reference($0) })),
                ("NS.objects", .array([4, 8, 4, 8].map { .reference($0) })),
            ]),
            archivedClass("NSDictionary"),
            .string("1"), .string("first"), .integer(1), .string("\u{E9}"),
            .string("e\u{301}"), .string("second"),
        ])
        #expect(ArchivedJSON.text(of: archive) == #"{"1":"first","\#u{E9}":"first"}"#)
    }

    @Test func `an archive without an end is none`() {
        let circle = PropertyListBytes.archive([
            .dictionary([
                ("$class", .reference(2)), ("NS.objects", .array([.reference(1), .reference(1)])),
            ]),
            archivedClass("NSArray"),
        ])
        #expect(ArchivedJSON.text(of: circle) == nil)
    }

    @Test func `no bytes make it fall`() {
        let archive = [UInt8](
            PropertyListBytes.archive([
                .dictionary([
                    ("$class", .reference(3)), ("NS.objects", .array([.reference(2)])),
                ]), .string("x"), archivedClass("NSSet"),
            ]))
        for place in archive.indices {
            for bit in 0..<8 {
                var bytes = archive
                bytes[place] ^= 1 << bit
                _ = ArchivedJSON.text(of: Data(bytes))
            }
            _ = ArchivedJSON.text(of: Data(archive.prefix(place)))
        }
    }

    @Test func `an address that is a part of another one is the whole one`() {
        func archive(base: String) -> Data {
            PropertyListBytes.archive([
                .dictionary([
                    ("$class", .reference(4)), ("NS.relative", .reference(2)),
                    ("NS.base", .reference(3)),
                ]),
                .string("b?x=1"),
                .dictionary([
                    ("$class", .reference(4)), ("NS.relative", .reference(5)),
                    ("NS.base", .reference(0)),
                ]),
                archivedClass("NSURL"), .string(base),
            ])
        }
        #expect(ArchivedJSON.text(of: archive(base: "http://a/c/")) == "\"http://a/c/b?x=1\"")
        #expect(ArchivedJSON.text(of: archive(base: "http://a/c")) == "\"http://a/b?x=1\"")
    }

    @Test(
        arguments: [
            ("[1,0]", "[Bool]", "[true,false]"), ("[true]", "[Int64]", "[1]"),
            ("[1.0, true]", "[Int]", "[1,1]"), ("[300]", "[UInt8]", nil), ("[1.5]", "[Int64]", nil),
            ("[\"1\"]", "[Int64]", nil), ("[1,2]", "[String]", nil), ("{}", "[String]", nil),
            ("7", "[String]", nil), ("null", "[String]?", "null"), ("null", "[String]", nil),
            ("[ 1, 2.5 ]", "Set<Double>", "[ 1, 2.5 ]"), ("\"alone\"", "[String]", nil),
            ("{\"a\":[1]}", "[String: [Bool]]", "{\"a\":[true]}"),
            ("{\"a\":1}", "Dictionary<String, String>", nil),
            ("[\"AA==\"]", "Array<Data>", "[\"AA==\"]"),
            ("[\"no\"]", "[UUID]", nil), ("{\"any\": 1}", "Settings", "{\"any\": 1}"),
            ("[{\"x\": 1}]", "[Shop.Part]", "[{\"x\": 1}]"), ("2", "Bool", nil),
        ] as [(String, String, String?)])
    func `values of another kind become what the type takes, where that is the same`(
        json: String, type: String, expected: String?
    ) {
        #expect(ArchivedJSON.text(of: Data(json.utf8), as: type) == expected)
    }
}

import CambiumExchange
import ExtendedModel
import Foundation
import Testing

/// What files say, as values.
struct ImportValueTests {
    private static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }

    /// A line of JSON and a line of CSV that say the same, and what they say.
    private static let values: [(name: String, json: String, csv: String, value: Value)] = [
        ("title", "\"a\\n\\\"b\\\"\"", "\"a\n\"\"b\"\"\"", .string("a\n\"b\"")),
        ("title", "\"\"", "\"\"", .string("")),
        ("title", "null", "", .null),
        ("flag", "true", "true", .bool(true)), ("flag", "false", "0", .bool(false)),
        ("short", "-32768", "-32768", .int(-32_768)),
        ("long", "9223372036854775807", "9223372036854775807", .int(.max)),
        ("single", "0.1", "0.1", .double(Double(Float(0.1)))),
        ("double", "-1.5e-300", "-1.5e-300", .double(-1.5e-300)),
        ("double", "\"-inf\"", "-inf", .double(-.infinity)),
        ("amount", "12.5", "12.50", .decimal(decimal("12.5"))),
        ("amount", "\"0.01\"", "0.01", .decimal(decimal("0.01"))),
        (
            "exact", "\"12345678901234567890.123456789012345678\"",
            "12345678901234567890.123456789012345678",
            .decimal(decimal("12345678901234567890.123456789012345678"))
        ),
        ("exact", "0.1", "0.1", .decimal(decimal("0.1"))),
        (
            "moment", "\"2001-01-01T00:00:01.5Z\"", "2001-01-01 01:00:01.5+01:00",
            .date(Date(timeIntervalSinceReferenceDate: 1.5))
        ),
        (
            "token", "\"01234567-89ab-cdef-0123-456789abcdef\"",
            "01234567-89AB-CDEF-0123-456789ABCDEF",
            .uuid(
                UUID(
                    uuid: (
                        0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67,
                        0x89, 0xAB, 0xCD, 0xEF
                    )))
        ),
        (
            "link", "\"https://a.b/c?d=1\"", "https://a.b/c?d=1",
            .uri(URL(string: "https://a.b/c?d=1") ?? URL(filePath: "/"))
        ),
        ("bytes", "\"AAH/\"", "AAH/", .data(Data([0, 1, 255]))),
        ("bytes", "\"\"", "\"\"", .data(Data())),
        ("photo", "\"AAH/\"", "AAH/", .data(Data([0, 1, 255]))),
        ("size", "20", "20", .int(20)), ("colour", "\"GREEN\"", "GREEN", .string("GREEN")),
        ("notes", "[\"b\", \"a\"]", "\"[\"\"b\"\", \"\"a\"\"]\"", .string("[\"b\",\"a\"]")),
        ("notes", "null", "\"\"", .null), ("double", "null", "\"\"", .null),
    ]

    @Test(arguments: values.indices)
    func `a value in each format`(_ index: Int) throws {
        let (name, json, csv, value) = Self.values[index]
        let texts: [(ExchangeFormat, String)] = [
            (.jsonLines, "{\"sku\": \"a\", \"\(name)\": \(json)}"),
            (.json, "[{\"sku\": \"a\",\n\"\(name)\": \(json)}]"),
            (.csv(), "sku,\(name)\na,\(csv)"),
            (.csv(separator: "\t"), "\(name)\tsku\r\n\(csv)\ta\r\n"),
        ]
        for (format, text) in texts {
            try withContainer(Exchange.model) { container in
                let context = container.newContext()
                let result = try context.importing(text, as: format)
                #expect(result.inserted == 1)
                try #expect(context.article("a")?.value(forKey: name) == value, "\(format)")
            }
        }
    }

    @Test(
        arguments: [
            ("title", "1", nil, "is not a string"), ("flag", "1", "yes", "neither true nor false"),
            ("short", "32768", "32768", "from -32768 to 32767"),
            ("short", "1.5", "1.5", "not an integer"),
            ("long", "9223372036854775808", "9223372036854775808", "not an integer"),
            ("single", "1e39", "1e39", "not a number"),
            ("double", "\"nan\"", "nan", "not a number"),
            ("double", "\"1\"", "0x10", "not a number"),
            ("amount", "0.001", "0.001", "more than 2 decimal places"),
            ("amount", "\"1,5\"", "\"1,5\"", "not a decimal number"),
            ("amount", "1e30", "1e30", "too many digits"),
            (
                "exact", "0.123456789012345678901234567890123456789012345",
                "0.123456789012345678901234567890123456789012345", "as a text"
            ),
            ("moment", "\"yesterday\"", "yesterday", "ISO 8601"), ("moment", "1", "1", "ISO 8601"),
            ("token", "\"x\"", "x", "not a UUID"), ("link", "\"\"", nil, "not a URI"),
            ("bytes", "\"?\"", "?", "not Base64"), ("size", "2", "2", "Write 1, 20."),
            ("colour", "\"green\"", "green", "Write GREEN, red."), ("notes", nil, "[", "not JSON"),
            ("stock", "null", nil, "is required"), ("stock", "-1", "-1", "stock"),
            ("sku", "\"\"", "\"\"", "sku"), ("sku", "\"!\"", "!", "pattern"),
            ("title", "\"a\\u0000b\"", nil, "NUL"),
        ] as [(String, String?, String?, String)])
    func `what is no value is an error that names the field`(
        _ name: String, _ json: String?, _ csv: String?, _ words: String
    ) throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            if let json {
                let key = name == "sku" ? "" : "\"sku\": \"a\", "
                let text = context.failure("{\"sku\": \"b\"}\n{\(key)\"\(name)\": \(json)}")
                #expect(text.hasPrefix("Article:2: ") && text.contains(words), "\(text)")
                #expect(text.contains(name))
            }
            if let csv {
                let text = context.failure(
                    name == "sku" ? "sku,title\nb,\n\(csv),x" : "sku,\(name)\na,\(csv)",
                    as: .csv())
                #expect(text.contains(words) && text.contains(name), "\(text)")
            }
            try #expect(context.all("Article").isEmpty)
        }
    }

    @Test func `what is left out keeps the default, and in CSV an empty required field too`() throws
    {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            try context.importing("{\"sku\": \"a\"}")
            try context.importing("sku,stock,title\nb,,\nc,3,\"\"", as: .csv())
            let stocks = try context.all("Article").map { try $0.value(forKey: "stock") }
            #expect(stocks == [.int(7), .int(7), .int(3)])
            try #expect(context.article("b")?.value(forKey: "title") == .null)
            try #expect(context.article("c")?.value(forKey: "title") == .string(""))
        }
    }

    @Test func `composite values are nested objects and dotted columns`() throws {
        let texts: [(ExchangeFormat, String)] = [
            (
                .json,
                """
                [{"name": "A", "home": {"street": "s", "spot": {"latitude": 1, "longitude": 2}},
                  "office": null, "nicknames": ["x"], "size": {"width": 1, "height": 2}},
                 {"name": "B", "home": {"street": "t", "spot": null}, "office": {"street": "o"}}]
                """
            ),
            (
                .csv(),
                """
                name,home.street,home.spot.latitude,home.spot.longitude,office.street,nicknames,size
                A,s,1,2,,"[""x""]","{""height"":2,""width"":1}"
                B,t,,,o,[],
                """
            ),
        ]
        for (format, text) in texts {
            try withContainer(Extended.model) { container in
                let context = container.newContext()
                try context.execute(ImportRequest(Person.self, from: .text(text), as: format))
                let people = try context.fetch(Person.fetchRequest().sorted(by: Person.name))
                #expect(people.map(\.home.street) == ["s", "t"])
                #expect(people.map(\.home.spot?.longitude) == [2, nil])
                #expect(people.map(\.office?.street) == [nil, "o"])
                #expect(people.map(\.nicknames) == [["x"], []])
                #expect(people.map(\.size?.height) == [2, nil])
                #expect(people.map(\.nameLength) == [1, 1])
            }
        }
    }

    @Test func `a composite value that lacks a part, or is none`() throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            func failure(_ json: String) -> String { context.failure(json, "Person") }
            #expect(
                failure("{\"name\": \"A\", \"home\": null}").contains("home.street is required"))
            #expect(failure("{\"name\": \"A\", \"home\": 1}").contains("home is not an object"))
            #expect(failure("{\"name\": \"A\", \"home\": {}}").contains("home.street"))
            #expect(
                failure(
                    "{\"name\": \"A\", \"home\": {\"street\": \"s\"}, \"office\": {\"number\": 1}}"
                ).contains("office"))
        }
    }

    @Test func `no date is infinitely far away`() throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            let formats: [ExchangeDateFormat] = [
                .secondsSinceReferenceDate, .secondsSince1970,
                .custom(parse: { _ in Date(timeIntervalSinceReferenceDate: .infinity) }) {
                    "\($0)"
                },
            ]
            for dates in formats {
                for text in ["inf", "-inf"] {
                    let failure = context.failure("sku,moment\na,\(text)", as: .csv()) {
                        $0.sources[0].dateFormat = dates
                    }
                    #expect(failure.contains("moment is not a date"), "\(failure)")
                }
            }
            _ = try context.make("Article", ["sku": "a"])
            try context.article("a")?.setValue(
                .date(Date(timeIntervalSinceReferenceDate: .infinity)), forKey: "moment")
            for format in [ExchangeFormat.json, .csv()] {
                let error = #expect(throws: StoreError.self) {
                    try context.exported("Article", as: format) {
                        $0.dateFormat = .secondsSinceReferenceDate
                    }
                }
                #expect(error?.message.contains("moment is infinitely far away") == true)
            }
        }
    }

    @Test func `dates in formats of the program's choice`() throws {
        let day = Date(timeIntervalSinceReferenceDate: 86_400)
        let formats: [(ExchangeDateFormat, String)] = [
            (.secondsSinceReferenceDate, "86400"), (.secondsSince1970, "978393600"),
            (
                .custom(
                    parse: { $0 == "tomorrow" ? day : nil }, format: { _ in "tomorrow" }),
                "tomorrow"
            ),
        ]
        for (dates, text) in formats {
            for format in [ExchangeFormat.jsonLines, .csv()] {
                try withContainer(Exchange.model) { container in
                    let context = container.newContext()
                    let isNumber = Double(text) != nil
                    let json = "{\"sku\": \"a\", \"moment\": \(isNumber ? text : "\"\(text)\"")}"
                    try context.importing(
                        format == .jsonLines ? json : "sku,moment\na,\(text)", as: format
                    ) { $0.sources[0].dateFormat = dates }
                    try #expect(context.article("a")?.value(forKey: "moment") == .date(day))
                    let wrong = context.failure(
                        format == .jsonLines
                            ? "{\"sku\": \"b\", \"moment\": \"never\"}" : "sku,moment\nb,never",
                        as: format
                    ) { $0.sources[0].dateFormat = dates }
                    #expect(wrong.contains("moment is not a date"))
                    let exported = try context.exported("Article", as: format) {
                        $0.dateFormat = dates
                        $0.properties = ["moment"]
                    }
                    #expect(exported.contains(text), "\(exported)")
                }
            }
        }
    }
}

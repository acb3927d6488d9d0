import CambiumExchange
import Foundation
import Testing

/// Bytes that nobody meant as a file: each is imported, or an error.
struct HostileInputTests {
    private static let formats: [ExchangeFormat] = [
        .json, .jsonLines, .csv(), .csv(separator: ";"),
    ]

    private static let seeds = [
        "{\"sku\": \"a\", \"stock\": 1, \"tags\": [\"x\"], \"city\": {\"name\": \"n\"}}",
        "[{\"sku\": \"a\", \"moment\": \"2001-01-01\"}, {\"sku\": \"b\", \"exact\": 1e9}]",
        "sku,title,stock,tags,city.name,city.region\r\n\"a\",\"x\"\"y\n\",1,\"x;y\",n,r\r\n"
            + "b,,,,,\r\n",
        "sku;moment;double\na;2001-01-01T00:00:00.5Z;1e300\n",
    ]

    @Test func `random and damaged bytes never trap`() throws {
        try forEachSeed(for: 0.5) { seed in
            var generator = SeededGenerator(seed: seed)
            try withContainer(Exchange.model) { container in
                let context = container.newContext()
                for _ in 0..<10 {
                    let bytes = Self.bytes(&generator)
                    let format = Self.formats.randomElement(using: &generator) ?? .json
                    var request = ImportRequest([
                        ImportSource(entityName: "Article", from: .data(bytes), as: format)
                    ])
                    request.onError = .skipInvalidRows
                    request.missingTargets = generator.chance(0.5) ? .skip : .error
                    // It goes on after every error, so it throws none.
                    let result = try context.execute(request)
                    let count = try context.count(
                        for: FetchRequest<ManagedObject>(entityName: "Article"))
                    #expect(count >= result.inserted)
                    request.onError = .stop
                    if result.errorCount == 0 {
                        try context.execute(request)
                    } else {
                        #expect(
                            throws: ImportError.self, "seed \(seed): \(bytes.base64EncodedString())"
                        ) {
                            try context.execute(request)
                        }
                    }
                }
            }
        }
    }

    private static func bytes(_ generator: inout SeededGenerator) -> Data {
        if generator.chance(0.2) {
            return Data(
                (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                })
        }
        var bytes = Array((seeds.randomElement(using: &generator) ?? "").utf8)
        let special = Array("\"\\{}[],;:\n\r\u{0}\u{1}eE+-.0_\u{FEFF}".utf8)
        for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.remove(at: index)
            case 1: bytes[index] = special.randomElement(using: &generator) ?? 0
            case 2: bytes.insert(special.randomElement(using: &generator) ?? 0, at: index)
            default: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        return Data(bytes)
    }

    @Test(arguments: [
        "[" + String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 5_000),
        "[{\"sku\": \"a\", \"notes\": " + String(repeating: "[", count: 2_000)
            + String(repeating: "]", count: 2_000) + "}]",
        "{\"sku\": \"a\", \"exact\": 1e999999999}",
        "{\"sku\": \"a\", \"stock\": 1e999999999999999999999}",
        "{\"sku\": \"\\ud800\"}", "{\"sku\": \"a\", \"sku\": 2}",
        "sku\n\"" + String(repeating: "\"", count: 100_000), String(repeating: ",", count: 10_000),
        "sku," + String(repeating: "x,", count: 2_000) + "\n",
    ])
    func `nesting, numbers and quotes without end`(_ text: String) throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            for format in Self.formats {
                let result = try context.importing(text, as: format) {
                    $0.onError = .skipInvalidRows
                }
                #expect(result.inserted <= 1)
            }
        }
    }
}

import Foundation

/// A file of generated articles as JSON Lines. It is the same on every machine.
struct ArticleFile {
    static let groups = 100

    let path: String
    private(set) var lines = 0
    private(set) var bytes = 0

    /// Writes lines until the file has this number of bytes.
    init(path: String, bytes wanted: Int) throws {
        self.path = path
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteUnknown) }
        defer { try? file.close() }
        var block = Data()
        while bytes + block.count < wanted {
            block += Data(Self.line(lines).utf8)
            lines += 1
            guard block.count > 1 << 20 else { continue }
            try file.write(contentsOf: block)
            bytes += block.count
            block.removeAll(keepingCapacity: true)
        }
        try file.write(contentsOf: block)
        bytes += block.count
    }

    private static func line(_ number: Int) -> String {
        // This is a permutation, so the keys are not in the order of the index.
        let mixed = (number &* 2_654_435_761) & 0xFFFF_FFFF
        let note =
            number % 2 == 0 ? ",\"note\":\"A note of some sixty characters, number \(mixed)\"" : ""
        return "{\"sku\":\"SKU-\(mixed)\",\"title\":\"The title of article \(number)\","
            + "\"price\":\(number % 1000).\(10 + number % 90),\"stock\":\(number % 500),"
            + "\"weight\":\(Double(number % 977) / 8),\"isNew\":\(number % 3 == 0),"
            + "\"created\":\"2024-0\(1 + number % 9)-1\(number % 10)T12:00:00Z\","
            + "\"group\":\"Group \(mixed % groups)\"\(note)}\n"
    }
}

/// A line as a Swift struct, which is the result of decoding alone.
struct ArticleLine: Decodable {
    let sku: String
    let title: String
    let price: Decimal
    let stock: Int32
    let weight: Double
    let isNew: Bool
    let created: String
    let group: String
    let note: String?
}

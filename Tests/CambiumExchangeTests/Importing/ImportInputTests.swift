import CambiumExchange
import Foundation
import Testing

/// Where bytes come from.
struct ImportInputTests {
    private struct Blocks: AsyncSequence, AsyncIteratorProtocol {
        var blocks: [[UInt8]]

        mutating func next() async throws -> [UInt8]? {
            await Task.yield()
            return blocks.isEmpty ? nil : blocks.removeFirst()
        }

        func makeAsyncIterator() -> Blocks { self }
    }

    private struct Bytes: AsyncSequence, AsyncIteratorProtocol {
        var bytes: ArraySlice<UInt8>

        mutating func next() async -> UInt8? { bytes.popFirst() }
        func makeAsyncIterator() -> Bytes { self }
    }

    private let text = (0..<2_000).map { "{\"sku\": \"\($0)\"}" }.joined(separator: "\n")

    private func count(_ input: ImportInput) throws -> Int {
        try withContainer(Exchange.model) { container in
            let source = ImportSource(entityName: "Article", from: input, as: .jsonLines)
            // The same input may be read again.
            let context = container.newContext()
            try #expect(context.execute(ImportRequest([source])).inserted == 2_000)
            return try context.execute(ImportRequest([source])).updated
        }
    }

    @Test func `text, data and a file`() throws {
        try #expect(count(.text(text)) == 2_000)
        try #expect(count(.data(Data(text.utf8))) == 2_000)
        // A slice does not begin at index 0.
        try #expect(count(.data(Data(("xx" + text).utf8)[2...])) == 2_000)
        try withStoreFile { path in
            try Data(text.utf8).write(to: URL(filePath: path))
            try #expect(count(.file(path)) == 2_000)
        }
    }

    @Test func `blocks and bytes that are awaited`() async throws {
        let bytes = Array(text.utf8)
        let blocks = stride(from: 0, to: bytes.count, by: 777).map {
            Array(bytes[$0..<min($0 + 777, bytes.count)])
        }
        let collected = try await ImportInput(collecting: Blocks(blocks: blocks))
        try #expect(count(collected) == 2_000)
        let single = try await ImportInput(collectingBytes: Bytes(bytes: bytes[...]))
        try #expect(count(single) == 2_000)
    }

    @Test func `an error names the file`() throws {
        try withStoreFile { path in
            try Data("{\"sku\": 1}".utf8).write(to: URL(filePath: path))
            try withContainer(Exchange.model) { container in
                let request = ImportRequest([
                    ImportSource(entityName: "Article", from: .file(path), as: .jsonLines)
                ])
                let error = #expect(throws: ImportError.self) {
                    try container.newContext().execute(request)
                }
                #expect(error?.sourceName == path)
                #expect(error.map { "\($0)".hasPrefix("\(path):1: sku is not a string.") } == true)
            }
        }
    }
}

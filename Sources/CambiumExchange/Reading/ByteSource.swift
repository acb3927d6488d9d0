/// Reads an input from its start, block by block.
struct ByteSource {
    /// A block is some thousand rows: what one statement writes.
    static let blockSize = 1 << 20

    private enum Content {
        case file(SystemFile)
        case temporary(SystemFile)
        case data(Data)
    }

    private let content: Content
    /// How many bytes were read.
    private(set) var position = 0

    init(_ input: ImportInput) throws {
        content =
            switch input.content {
            case .file(let path): .file(try reportingFiles { try SystemFile.reading(path) })
            case .temporary(let file): .temporary(file)
            case .data(let data): .data(data)
            }
    }

    /// How many bytes there are; nil where that is not known.
    var size: Int? {
        switch content {
        case .file(let file), .temporary(let file): file.size
        case .data(let data): data.count
        }
    }

    /// The next block; empty at the end.
    mutating func next() throws -> [UInt8] {
        let block: [UInt8]
        switch content {
        case .file(let file):
            block = try reportingFiles { try file.bytes(Self.blockSize, at: nil) }
        case .temporary(let file):
            block = try reportingFiles { try file.bytes(Self.blockSize, at: position) }
        case .data(let data):
            block = Array(data.dropFirst(position).prefix(Self.blockSize))
        }
        position += block.count
        return block
    }
}

/// Where an import's bytes come from.
public struct ImportInput: Sendable {
    enum Content: Sendable {
        case file(String)
        case data(Data)
        case temporary(SystemFile)
    }

    let content: Content
    /// What errors call it; nil for one that has no name of its own.
    let name: String?

    private init(_ content: Content, name: String? = nil) {
        self.content = content
        self.name = name
    }

    /// A file, which is read in blocks when the import runs: within its transaction, so that nobody
    /// else can save meanwhile. What keeps its reader waiting, as a named pipe or a slow network's
    /// files, is better collected first; see ``init(collecting:isolation:)``.
    public static func file(_ path: String) -> ImportInput {
        ImportInput(.file(path), name: path)
    }

    /// The file that a URL names; see ``file(_:)-(String)``. Of a URL that names no file, such as one
    /// of the web, collect the bytes first.
    public static func file(_ url: URL) -> ImportInput { .file(url.pathOfFile) }

    /// Bytes in memory.
    public static func data(_ data: Data) -> ImportInput {
        ImportInput(.data(data))
    }

    /// A text in memory.
    public static func text(_ text: String) -> ImportInput {
        ImportInput(.data(Data(text.utf8)))
    }

    /// What an `AsyncSequence` of blocks of bytes delivers, such as a download. It is collected in
    /// a temporary file first, so that the store is free for others meanwhile; the file goes with
    /// the input.
    ///
    /// - Throws: What the sequence throws; ``StoreError`` where there is no room for the file;
    ///   `CancellationError` where the task is cancelled.
    public init<Blocks: AsyncSequence>(
        collecting blocks: Blocks, isolation: isolated (any Actor)? = #isolation
    ) async throws where Blocks.Element: Sequence<UInt8> {
        let file = try reportingFiles { try SystemFile.temporary() }
        var iterator = blocks.makeAsyncIterator()
        while let block = try await iterator.next(isolation: isolation) {
            try Task.checkCancellation()
            try reportingFiles { try file.append(Array(block)) }
        }
        self.init(.temporary(file))
    }

    /// What an `AsyncSequence` of bytes delivers; see ``init(collecting:isolation:)``.
    public init<Bytes: AsyncSequence>(
        collectingBytes bytes: Bytes, isolation: isolated (any Actor)? = #isolation
    ) async throws where Bytes.Element == UInt8 {
        let file = try reportingFiles { try SystemFile.temporary() }
        var iterator = bytes.makeAsyncIterator()
        var block: [UInt8] = []
        while let byte = try await iterator.next(isolation: isolation) {
            block.append(byte)
            guard block.count >= ByteSource.blockSize else { continue }
            try Task.checkCancellation()
            try reportingFiles { try file.append(block) }
            block.removeAll(keepingCapacity: true)
        }
        try reportingFiles { try file.append(block) }
        self.init(.temporary(file))
    }
}

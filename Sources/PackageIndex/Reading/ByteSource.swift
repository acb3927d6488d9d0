#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A source that returns bytes in pieces.
protocol ByteSource {
    /// The next piece; an empty one means the end.
    mutating func next() throws -> [UInt8]
}

/// Bytes in memory, cut into pieces.
struct MemoryBytes: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let pieceSize: Int

    init(_ bytes: [UInt8], pieceSize: Int = 1 << 16) {
        rest = bytes[...]
        self.pieceSize = max(1, pieceSize)
    }

    mutating func next() -> [UInt8] {
        let piece = Array(rest.prefix(pieceSize))
        rest = rest.dropFirst(pieceSize)
        return piece
    }
}

/// The bytes of a file, read on demand.
final class FileBytes: ByteSource {
    private let path: String
    private let descriptor: Int32
    private static let pieceSize = 1 << 18

    /// Opens a file; throws ``FileError`` if it cannot be read.
    init(path: String) throws(FileError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
    }

    deinit {
        _ = close(descriptor)
    }

    func next() throws -> [UInt8] {
        var failure: Int32?
        // Safety: `read` writes at most `pieceSize` bytes at the start, and exactly that number is
        // declared initialised.
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
            repeat {
                let result = read(descriptor, buffer.baseAddress, Self.pieceSize)
                count = max(0, result)
                failure = result < 0 ? errno : nil
            } while failure == EINTR
        }
        if let failure { throw FileError(path: path, code: failure) }
        return piece
    }
}

/// A file that cannot be read.
struct FileError: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    var description: String {
        "cannot read \(path): \(String(cString: strerror(code)))"
    }
}

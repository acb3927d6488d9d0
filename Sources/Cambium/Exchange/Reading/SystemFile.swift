#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file that is read from its start and written at its end.
final class SystemFile: Sendable {
    private let descriptor: Int32
    private let path: String

    private init(_ descriptor: Int32, _ path: String) throws {
        guard descriptor >= 0 else { throw Self.failure(path, "opened") }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Opens a file for reading.
    static func reading(_ path: String) throws -> SystemFile {
        try SystemFile(open(path, O_RDONLY | O_CLOEXEC), path)
    }

    /// Makes a file, or empties one, for writing.
    static func writing(_ path: String) throws -> SystemFile {
        try SystemFile(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644), path)
    }

    /// A file without a name, which goes when nobody uses it any more.
    static func temporary() throws -> SystemFile {
        let folder = FileManager.default.temporaryDirectory.path()
        let path = "\(folder)/cambium-\(UUID().uuidString)"
        let file = try SystemFile(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), path)
        unlink(path)
        return file
    }

    /// How long it is; nil where that cannot be said, as of a pipe.
    var size: Int? {
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(info.st_size)
    }

    /// The next bytes; none at the end.
    ///
    /// - Parameter offset: Where from; nil means after what was read before, which a pipe asks for.
    func bytes(_ count: Int, at offset: Int?) throws -> [UInt8] {
        while true {
            var failed = false
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let result =
                    offset.map { pread(descriptor, buffer.baseAddress, count, off_t($0)) }
                    ?? read(descriptor, buffer.baseAddress, count)
                failed = result < 0
                filled = max(0, result)
            }
            if !failed { return bytes }
            guard errno == EINTR else { throw Self.failure(path, "read") }
        }
    }

    /// Writes bytes at the end.
    func append(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path, "written") }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives a file another name, which it takes from a file that has it.
    static func move(_ path: String, to other: String) throws {
        guard rename(path, other) == 0 else { throw failure(other, "written") }
    }

    /// Removes a file; one that is gone already is no failure.
    static func remove(_ path: String) {
        unlink(path)
    }

    private static func failure(_ path: String, _ deed: String) -> StoreError {
        StoreError(
            code: .missingFile,
            message: "\(path) cannot be \(deed): \(String(cString: strerror(errno))).")
    }
}

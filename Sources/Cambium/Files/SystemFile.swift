#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file that is read from its start and written at its end. It is closed when nobody uses
/// it any more.
final class SystemFile: Sendable {
    private let descriptor: Int32
    /// What errors call it.
    private let name: String

    private init(_ descriptor: Int32, _ name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit {
        close(descriptor)
    }

    private static func opened(
        _ path: String, _ flags: Int32, mode: mode_t = 0
    ) throws -> SystemFile {
        let descriptor = open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw StoreError.refused(path, "opened") }
        return SystemFile(descriptor, path)
    }

    // MARK: Opening

    /// Opens a file for reading.
    static func reading(_ path: String) throws -> SystemFile {
        try opened(path, O_RDONLY)
    }

    /// Makes a file, or empties one, for writing.
    static func writing(_ path: String) throws -> SystemFile {
        try opened(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
    }

    /// Makes a file that is not there yet, for writing.
    static func making(_ path: String) throws -> SystemFile {
        try opened(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
    }

    /// A file without a name, which goes when nobody uses it any more.
    static func temporary(
        in folder: URL = FileManager.default.temporaryDirectory
    ) throws -> SystemFile {
        // The system knows nothing of percent signs that stand for other characters.
        let path = folder.appending(path: "cambium-\(UUID().uuidString)")
            .path(percentEncoded: false)
        let file = try opened(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        remove(path)
        return file
    }

    /// The stream for what is no result. As this one is always used, it is never closed.
    static let standardError = SystemFile(2, "The standard error")

    // MARK: Reading

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
            // Safety: there is room for so many bytes as the system is asked for, and only those
            // count as filled of which it says so.
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let result =
                    offset.map { pread(descriptor, buffer.baseAddress, count, off_t($0)) }
                    ?? read(descriptor, buffer.baseAddress, count)
                failed = result < 0
                filled = max(0, result)
            }
            if !failed { return bytes }
            guard errno == EINTR else { throw StoreError.refused(name, "read") }
        }
    }

    // MARK: Writing

    /// Writes bytes at the end, all at once where the system takes them.
    func append(_ bytes: some ContiguousBytes) throws {
        // Safety: the system reads so many bytes as there are, and none after the call.
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw StoreError.refused(name, "written") }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    /// Waits until what was written is on the disk, whatever happens to the machine afterwards.
    func synchronize() throws {
        guard fsync(descriptor) == 0 else { throw StoreError.refused(name, "written") }
    }

    // MARK: Names

    /// Gives a file another name, which it takes from a file that has it. Whatever happens to the
    /// machine, the name then leads to the one or to the other; a file that was synchronized before
    /// is complete under it.
    static func move(_ path: String, to other: String) throws {
        guard rename(path, other) == 0 else { throw StoreError.refused(other, "written") }
        let folder = other.lastIndex(of: "/").map { String(other[...$0]) } ?? "."
        // The file is there; a system that cannot wait for a folder is no reason to say it is not.
        try? synchronize(folder: folder)
    }

    /// Waits until the names of a folder's files are on the disk.
    static func synchronize(folder: String) throws {
        try reading(folder).synchronize()
    }

    /// Removes a file; one that is gone already is no failure.
    static func remove(_ path: String) {
        unlink(path)
    }
}

extension StoreError {
    /// What the system refuses to do with a file; asked for at once, while the system knows why.
    fileprivate static func refused(_ name: String, _ deed: String) -> StoreError {
        let reason = errno
        // Safety: the system writes no more than there is room for, with a NUL at the end.
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress,
                strerror_r(reason, start, buffer.count) == 0
            else { return "error \(reason) of the system" }
            return String(cString: start)
        }
        return StoreError(
            code: .missingFile, message: "\(name) cannot be \(deed): \(text).")
    }
}

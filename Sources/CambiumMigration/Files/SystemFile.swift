import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The permissions of a file, in the system's form.
package typealias FileMode = mode_t

/// An open file that is read from its start and written at its end. It is closed when it is not
/// used any more.
package final class SystemFile: Sendable {
    private let descriptor: Int32
    /// The name in errors.
    private let name: String

    private init(_ descriptor: Int32, _ name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit {
        close(descriptor)
    }

    // MARK: Opening

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - name: Its path, relative to the folder if that is not nil.
    ///   - mode: The permissions of a new file; the process's mask restricts them.
    private static func opened(
        _ name: String, in folder: SystemFolder? = nil, _ flags: Int32, mode: FileMode = 0
    ) throws(FileError) -> SystemFile {
        let start = folder?.descriptor ?? AT_FDCWD
        let descriptor = retrying { openat(start, name, flags | O_CLOEXEC, mode) }
        let path = folder.map { "\($0.path)/\(name)" } ?? name
        guard descriptor >= 0 else { throw FileError(refused: path, "opened") }
        return SystemFile(descriptor, path)
    }

    /// Opens a file for reading.
    package static func reading(_ path: String) throws(FileError) -> SystemFile {
        try opened(path, O_RDONLY)
    }

    /// Opens a file for reading. A link is not followed.
    ///
    /// - Parameter name: Its path, relative to the folder if that is not nil.
    package static func reading(
        file name: String, in folder: SystemFolder? = nil
    ) throws(FileError) -> SystemFile {
        let path = folder.map { "\($0.path)/\(name)" } ?? name
        let file: SystemFile
        do throws(FileError) {
            // A special file must not block the caller before its kind is known.
            file = try opened(name, in: folder, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            throw error.code == ELOOP ? FileError(path, "read", because: "it is a link") : error
        }
        var info = stat()
        guard fstat(file.descriptor, &info) == 0 else { throw FileError(refused: path, "read") }
        switch info.st_mode & S_IFMT {
        case S_IFREG: return file
        case S_IFDIR: throw FileError(path, "read", code: EISDIR)
        default: throw FileError(path, "read", because: "it is not a file")
        }
    }

    /// Opens a special file for writing, such as a pipe.
    package static func writing(_ path: String) throws(FileError) -> SystemFile {
        try opened(path, O_WRONLY)
    }

    /// Creates a new file for writing. If a link of that name exists, this fails.
    ///
    /// - Parameter mode: Its maximal permissions, from its creation on.
    package static func making(
        _ name: String, in folder: SystemFolder? = nil, mode: FileMode
    ) throws(FileError) -> SystemFile {
        try opened(name, in: folder, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    }

    /// Creates a file without a name. It is deleted when it is no longer used.
    ///
    /// - Throws: ``FileError``; `RandomNumbersError`.
    package static func temporary(
        in folder: URL = FileManager.default.temporaryDirectory
    ) throws -> SystemFile {
        // The system does not decode percent-encoded characters.
        let path = try folder.appending(path: "cambium-\(UUID.random().uuidString)")
            .path(percentEncoded: false)
        let file = try opened(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        remove(path)
        return file
    }

    /// The stream for messages that are not results. It is never closed, because it is always in
    /// use.
    package static let standardError = SystemFile(2, "The standard error")

    // MARK: Reading

    /// The length of the file, or nil if it has no length, such as a pipe.
    package var size: Int? {
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(info.st_size)
    }

    /// Returns the next bytes; none at the end.
    ///
    /// - Parameter offset: The position to read from. Nil continues after the last read, as a pipe
    ///   requires.
    package func bytes(_ count: Int, at offset: Int?) throws(FileError) -> [UInt8] {
        var failure: FileError?
        // Safety: there is room for the requested number of bytes, and only the bytes that the
        // system reports as read count as initialized.
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let result = retrying {
                offset.map { pread(descriptor, buffer.baseAddress, count, off_t($0)) }
                    ?? read(descriptor, buffer.baseAddress, count)
            }
            if result < 0 { failure = FileError(refused: name, "read") }
            filled = max(0, result)
        }
        if let failure { throw failure }
        return bytes
    }

    /// The content of an unchanging file.
    package func contents() throws(FileError) -> Data {
        let count = size ?? 0
        guard count > 0 else { return Data() }
        // Safety: there is room for the requested number of bytes. The data frees the memory, and
        // has as many bytes as the system reports as read.
        guard let start = malloc(count) else {
            throw FileError(name, "read", code: ENOMEM)
        }
        var filled = 0
        while filled < count {
            let result = retrying {
                pread(descriptor, start + filled, count - filled, off_t(filled))
            }
            guard result > 0 else {
                let isEnd = result == 0
                let failure =
                    isEnd
                    ? FileError(name, "read", because: "it is shorter than it was")
                    : FileError(refused: name, "read")
                free(start)
                throw failure
            }
            filled += result
        }
        return Data(bytesNoCopy: start, count: count, deallocator: .free)
    }

    // MARK: Writing

    /// Writes bytes at the end, at once if the system accepts them.
    package func append(_ bytes: some ContiguousBytes) throws(FileError) {
        var failure: FileError?
        // Safety: the system reads so many bytes as there are, and none after the call.
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = retrying { write(descriptor, rest.baseAddress, rest.count) }
                guard count > 0 else {
                    failure = FileError(refused: name, "written")
                    return
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        if let failure { throw failure }
    }

    /// Writes all that follows in this file at the end of another one.
    package func copy(to other: SystemFile) throws(FileError) {
        while case let part = try bytes(1 << 20, at: nil), !part.isEmpty {
            try other.append(part)
        }
    }

    /// Waits until the written data is on the disk and survives a failure of the machine.
    package func synchronize() throws(FileError) {
        guard retrying({ fsync(descriptor) }) == 0 else {
            throw FileError(refused: name, "written")
        }
    }

    /// Takes the lock of the file; see ``DescriptorLock``.
    func takesLock() -> Bool { DescriptorLock.isTaken(for: descriptor) }

    // MARK: Names

    /// Renames a file, and replaces a file of that name. After a failure of the machine, the name
    /// refers to one or the other; a file that was synchronized before is complete under it.
    ///
    /// - Parameter waits: Whether the name is on the disk at the end.
    package static func move(
        _ path: String, to other: String, waits: Bool = true
    ) throws(FileError) {
        guard rename(path, other) == 0 else { throw FileError(refused: other, "written") }
        // The file exists. If a system cannot wait for a folder, that is no reason to fail.
        if waits { try? synchronize(folder: StoreFiles.folder(of: other)) }
    }

    /// Waits until the names of a folder's files are on the disk.
    package static func synchronize(folder: String) throws(FileError) {
        try reading(folder).synchronize()
    }

    /// Removes a file or a link; a folder of that name stays.
    ///
    /// - Returns: Whether nothing has the name now.
    @discardableResult
    package static func remove(_ path: String) -> Bool {
        retrying { unlink(path) } == 0 || errno == ENOENT
    }
}

/// An open folder. Operations on its files happen in it even if its path changes meanwhile, and
/// never follow a link.
package final class SystemFolder: Sendable {
    let descriptor: Int32
    let path: String

    /// Opens a folder. A link to a folder is not accepted.
    ///
    /// - Parameter name: Its path, relative to the other folder if that is not nil.
    package init(_ name: String, in folder: SystemFolder? = nil) throws(FileError) {
        let start = folder?.descriptor ?? AT_FDCWD
        let path = folder.map { "\($0.path)/\(name)" } ?? name
        let descriptor = retrying {
            openat(start, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard descriptor >= 0 else {
            let failure = FileError(refused: path, "opened")
            var info = stat()
            guard fstatat(start, name, &info, AT_SYMLINK_NOFOLLOW) == 0,
                info.st_mode & S_IFMT == S_IFLNK
            else { throw failure }
            throw FileError(
                path, "opened",
                because: "it is a link, and a store has its files in a folder of its own")
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Opens a folder. It is created if it does not exist.
    ///
    /// - Parameter mode: The maximal permissions of a new folder.
    convenience init(making path: String, mode: FileMode) throws(FileError) {
        guard mkdir(path, mode) == 0 || errno == EEXIST else {
            throw FileError(refused: path, "made")
        }
        try self.init(path)
    }

    /// The names of all that is in it.
    func names() throws(FileError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw FileError(path, "read", because: StoreFiles.reason(for: error))
        }
    }

    /// Creates a file and waits until it is on the disk. If it cannot be finished, it is removed.
    ///
    /// - Parameters:
    ///   - mode: Its maximal permissions, from its creation on.
    ///   - write: Writes the file.
    /// - Throws: ``FileError``; if a file of that name exists already, it stays. The errors of the
    ///   body.
    func make(
        _ name: String, mode: FileMode, _ write: (SystemFile) throws(FileError) -> Void
    ) throws(FileError) {
        let file = try SystemFile.making(name, in: self, mode: mode)
        do throws(FileError) {
            try write(file)
            try file.synchronize()
        } catch {
            remove(name)
            throw error
        }
    }

    /// Gives a file an additional name in another folder. An existing file of that name stays
    /// unchanged. Special files are skipped.
    ///
    /// - Parameter mode: The maximal permissions of a copy, if the file system has no links.
    func link(_ name: String, into other: SystemFolder, mode: FileMode) throws(FileError) {
        var info = stat()
        guard fstatat(descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0,
            info.st_mode & S_IFMT == S_IFREG,
            linkat(descriptor, name, other.descriptor, name, 0) != 0, errno != EEXIST
        else { return }
        let file: SystemFile
        do throws(FileError) {
            file = try SystemFile.reading(file: name, in: self)
        } catch {
            // A save may have removed it since the names were read: no row references it then.
            if error.isMissing { return }
            throw error
        }
        try other.make(name, mode: mode, file.copy)
    }

    /// Removes a file or a link.
    ///
    /// - Returns: Whether nothing has the name now.
    @discardableResult
    func remove(_ name: String) -> Bool {
        retrying { unlinkat(descriptor, name, 0) } == 0 || errno == ENOENT
    }

    /// Takes the lock of the folder; see ``DescriptorLock``.
    func takesLock() -> Bool { DescriptorLock.isTaken(for: descriptor) }

    /// Waits until the names of its files are on the disk.
    func synchronize() throws(FileError) {
        guard retrying({ fsync(descriptor) }) == 0 else {
            throw FileError(refused: path, "written")
        }
    }
}

/// A failed operation on a file, and the reason.
package struct FileError: Error, Sendable, CustomStringConvertible {
    /// The file, or its name in errors.
    package let path: String
    /// The reason, without a full stop.
    package let reason: String
    /// The system's error number; nil if the file itself is not as it must be.
    package let code: Int32?
    private let deed: String

    /// Creates an error from the system's last error.
    ///
    /// - Parameter deed: The operation, such as `opened`.
    init(refused path: String, _ deed: String) {
        self.init(path, deed, code: errno)
    }

    init(_ path: String, _ deed: String, code: Int32) {
        (self.path, self.deed, self.code) = (path, deed, code)
        reason = Self.text(ofCode: code)
    }

    init(_ path: String, _ deed: String, because reason: String) {
        (self.path, self.deed, self.reason, code) = (path, deed, reason, nil)
    }

    /// Whether there is no such file. A folder with this name does not count.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR || code == EISDIR }

    /// Whether there is something of that name already.
    var isOfExisting: Bool { code == EEXIST }

    /// The system's message for an error number.
    package static func text(ofCode code: Int32) -> String {
        // Safety: the system writes no more than there is room for, with a NUL at the end.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0
            else { return "error \(code) of the system" }
            return String(cString: start)
        }
    }

    /// The failed operation and the reason.
    package var description: String { "\(path) cannot be \(deed): \(reason)." }
}

/// Repeats a system call that a signal has interrupted: if the program handles a signal, a waiting
/// call ends without having done anything. Do not use it for `close`: the file's number is free in
/// any case then, and may belong to another file.
package func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}

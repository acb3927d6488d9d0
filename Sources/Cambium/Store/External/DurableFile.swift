import CambiumMigration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files that are on the disk when a call returns, whatever happens to the machine afterwards.
enum DurableFile {
    /// Writes a new file and waits for the disk. A file that was begun and could not be finished is
    /// removed.
    static func write(_ data: Data, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
        guard file >= 0 else { throw failure(path) }
        do {
            try write(data, to: file, path)
            guard fsync(file) == 0 else { throw failure(path) }
        } catch {
            close(file)
            unlink(path)
            throw error
        }
        close(file)
    }

    /// Waits until the names of a folder's files are on the disk.
    static func synchronize(folder: String) throws {
        guard StoreFiles.synchronize(folder: folder) else { throw failure(folder) }
    }

    /// Removes a file; one that is gone already is no failure.
    static func remove(_ path: String) {
        unlink(path)
    }

    private static func write(_ data: Data, to file: Int32, _ path: String) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                bytes.baseAddress.map { systemWrite(file, $0, bytes.count) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func systemWrite(
        _ file: Int32, _ start: UnsafeRawPointer, _ count: Int
    ) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, start, count)
        #elseif canImport(Musl)
            Musl.write(file, start, count)
        #else
            Darwin.write(file, start, count)
        #endif
    }

    private static func failure(_ path: String) -> StoreError {
        StoreError(
            code: .missingFile,
            message: "\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}

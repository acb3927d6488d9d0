import CambiumMigration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What tells whether a file was written meanwhile.
struct FileState: Equatable {
    private let size: Int64?
    private let seconds: Int
    private let nanoseconds: Int
    private let number: UInt64

    /// The state of a file, which links may lead to; of one that is not there too.
    ///
    /// - Throws: Where it cannot be read, or is no file.
    init(of path: String) throws(CoreDataImportError) {
        var info = stat()
        guard stat(path, &info) == 0 else {
            guard [ENOENT, ENOTDIR].contains(errno), !StoreFiles.isThere(path) else {
                throw .cannotRead(path: path, reason: StoreFiles.lastRefusal)
            }
            (size, seconds, nanoseconds, number) = (nil, 0, 0, 0)
            return
        }
        guard info.st_mode & S_IFMT == S_IFREG else {
            let isFolder = info.st_mode & S_IFMT == S_IFDIR
            throw .cannotRead(path: path, reason: "it is \(isFolder ? "a folder" : "no file")")
        }
        guard access(path, R_OK) == 0 else {
            throw .cannotRead(path: path, reason: StoreFiles.lastRefusal)
        }
        size = Int64(info.st_size)
        number = UInt64(info.st_ino)
        #if canImport(Darwin)
            let time = info.st_mtimespec
        #else
            let time = info.st_mtim
        #endif
        (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
    }

    /// Whether there is a file.
    var isThere: Bool { size != nil }

    /// Whether there is a file with anything in it.
    var hasContent: Bool { (size ?? 0) > 0 }
}

import CambiumModel
import CambiumSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files beside a store's own file.
package enum StoreFiles {
    /// The folder of a file.
    @inline(never)
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The name of a file in its folder.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// A folder's name in a sentence.
    static func words(forFolder path: String) -> String {
        path == "." ? "the folder that it lies in" : path
    }

    /// Whether a folder is of that name.
    package static func isFolder(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/.")
    }

    /// Waits until the names of a folder's files are on the disk.
    ///
    /// - Returns: Whether this succeeded; if not, `errno` has the reason.
    package static func synchronize(folder: String) -> Bool {
        (try? SystemFile.synchronize(folder: folder)) != nil
    }

    /// Whether there is anything of that name, be it a dangling link.
    package static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    /// The size of a file in bytes; nil if the file does not exist.
    package static func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Whether a path is a link.
    package static func isLink(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
    }

    /// Removes files, if they exist. A folder of such a name stays.
    package static func removeFiles(_ paths: [String]) {
        for path in paths { SystemFile.remove(path) }
    }

    /// Removes a database and SQLite's files beside it, if they exist. These come first, because a
    /// remaining journal would be applied to the next file of the name.
    package static func removeDatabase(_ path: String) {
        removeFiles(companionSuffixes.map { path + $0 } + [path])
    }

    /// SQLite's suffixes of the name of a database, for the files beside it.
    package static let companionSuffixes = ["-journal", "-wal", "-shm"]

    /// Removes a folder, if it exists and is empty.
    package static func removeFolder(ifEmpty path: String) { rmdir(path) }

    /// The free bytes on the disk of a file, for programs without privileges; nil if the system
    /// does not report them.
    static func freeSpace(at path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfFileSystem(
            forPath: folder(of: path))
        switch attributes?[.systemFreeSize] {
        case let size as Int: return size
        case let size as UInt64: return Int(clamping: size)
        case let size as Int64: return Int(clamping: size)
        default: return nil
        }
    }

    // Paths that resolve to one file: through links, or by another spelling.

    /// Whether two paths resolve to the same file, which may not exist yet.
    package static func isSameFile(_ path: String, _ other: String) -> Bool {
        if resolved(path) == resolved(other) { return true }
        var (one, two) = (stat(), stat())
        guard stat(path, &one) == 0, stat(other, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// Whether a path resolves into a folder.
    package static func isInside(_ path: String, folder: String) -> Bool {
        resolved(path).hasPrefix(resolved(folder) + "/")
    }

    /// Whether a path resolves to a file of a store, existing or not.
    package static func isPart(_ path: String, ofStore store: String) -> Bool {
        let store = resolved(store)
        return ["", "-wal", "-shm", "-journal"].contains { isSameFile(path, store + $0) }
            || isInside(path, folder: ExternalForm.folder(ofStore: store))
    }

    /// The full path without links. If the file does not exist, the existing part of its path is
    /// resolved.
    package static func resolved(_ path: String) -> String {
        // Safety: the system returns a string that ends with a NUL, and that the caller must free.
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        var name = path
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        let folder = folder(of: name)
        guard folder != name else { return name }
        let last = name.split(separator: "/").last ?? ""
        let parent =
            folder == "." ? resolved(FileManager.default.currentDirectoryPath) : resolved(folder)
        return parent == "/" ? "/\(last)" : "\(parent)/\(last)"
    }

    /// The reason why this thread's last system call failed.
    package static var lastRefusal: String { FileError.text(ofCode: errno) }

    /// The reason why an operation on a file failed: the system's message, which Foundation wraps
    /// in errors of its own. Errors of this package are returned unchanged.
    package static func reason(for error: any Error) -> String {
        if let error = error as? FileError { return error.reason }
        let cause = (error as? CocoaError)?.underlying ?? error
        if let system = cause as? POSIXError {
            return FileError.text(ofCode: system.code.rawValue)
        }
        // Errors from outside of Foundation's essentials have a class that the essentials do not
        // have.
        if cause._domain == "NSPOSIXErrorDomain" {
            return FileError.text(ofCode: Int32(truncatingIfNeeded: cause._code))
        }
        let words = "\(error)"
        let parts = words.split(separator: "\"", omittingEmptySubsequences: false)
        return words.hasPrefix("Error Domain=") && parts.count > 1 ? String(parts[1]) : words
    }
}

/// The reasons why a path cannot be that of a store. SQLite would open a temporary database for it,
/// or the database of another file.
package enum StorePathProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path is empty.
    case empty
    /// The path is SQLite's name of a database in memory.
    case memory
    /// The path is a URI.
    case uri(String)
    /// The system takes the path to end at a NUL.
    case nul
    /// The path ends with a slash.
    case folder(String)
    /// There is something else than a file or a folder, such as a pipe or a device.
    case noFile(String)

    /// - Returns: Nil if the path itself is valid. SQLite then finds out whether a file can be
    ///   opened or created there.
    package init?(of path: String) {
        if path.isEmpty {
            self = .empty
        } else if path == ":memory:" {
            self = .memory
        } else if path.hasPrefix("file:") || Self.hasScheme(path) {
            self = .uri(path)
        } else if path.utf8.contains(0) {
            self = .nul
        } else if path.hasSuffix("/") {
            self = .folder(path)
        } else {
            var info = stat()
            let kinds = [S_IFREG, S_IFDIR]
            guard stat(path, &info) == 0, !kinds.contains(info.st_mode & S_IFMT) else { return nil }
            self = .noFile(path)
        }
    }

    /// Whether a path begins as the URL of a server does.
    private static func hasScheme(_ path: String) -> Bool {
        let scheme = path.prefix { $0.isASCII && $0.isLetter }
        return !scheme.isEmpty && path[scheme.endIndex...].hasPrefix("://")
    }

    /// Makes sure that there is nothing wrong with a path.
    package static func check(_ path: String) throws(StorePathProblem) {
        if let problem = StorePathProblem(of: path) { throw problem }
    }

    /// Whether who gave the path may have meant a store in memory.
    package var isOfMemory: Bool { self == .empty || self == .memory }

    /// The problem and its remedy.
    package var description: String { "\(problem) \(remedy)" }

    /// The problem, as a sentence.
    package var problem: String {
        switch self {
        case .empty: "The path of the store is empty."
        case .memory: "':memory:' is SQLite's name of a database in memory, not a file."
        case .uri(let path): "'\(path)' is a URI."
        case .nul: "The path of the store contains a NUL, at which the system would cut it."
        case .folder(let path): "'\(path)' is the path of a folder."
        case .noFile(let path): "\(path) is not a regular file."
        }
    }

    /// The remedy.
    package var remedy: String {
        let example =
            switch self {
            case .memory: ", such as ./:memory: for one of that name"
            case .uri(let path):
                ", such as the path of that URL, or ./\(path) for a file of that name"
            case .folder: ", such as one in that folder"
            case .empty, .nul, .noFile: ""
            }
        return "Give the store the path of a file\(example)."
    }
}

/// The permissions of a store. Files created from it (copies, files of large values, exports) allow
/// no more access, from their creation on; the process's mask restricts it further.
package struct StorePermissions: Sendable {
    /// The bits of the store's file.
    private let bits: FileMode
    /// The group that they are about.
    private let group: gid_t

    /// Reads them from a store's file, which may be a link. If the file does not exist, only the
    /// owner has access.
    package init(of path: String) {
        self = StorePermissions(ofFile: path) ?? StorePermissions(bits: 0, group: 0)
    }

    private init(bits: FileMode, group: gid_t) {
        (self.bits, self.group) = (bits, group)
    }

    /// Reads them from a file; nil if there is no regular file at the path.
    package init?(ofFile path: String) {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(bits: info.st_mode, group: info.st_gid)
    }

    /// The permission bits of a new file in a folder. Its owner, who creates it, may read and write
    /// it.
    package func mode(in folder: String) -> FileMode {
        let others = bits & 0o006
        let members = Self.group(ofFilesIn: folder) == group ? bits & 0o060 : others << 3 & bits
        return 0o600 | members | others
    }

    /// Opens a folder. It is created if it does not exist. Users with permission to read the files
    /// may search it.
    ///
    /// - Throws: ``FileError``, for example if a file has that name.
    @discardableResult
    package func makeFolder(_ path: String) throws(FileError) -> SystemFolder {
        let mode = mode(in: StoreFiles.folder(of: path))
        return try SystemFolder(making: path, mode: mode | (mode & 0o444) >> 2)
    }

    /// The group that the system gives to a new file.
    private static func group(ofFilesIn folder: String) -> gid_t {
        var info = stat()
        guard stat(folder, &info) == 0 else { return getegid() }
        #if canImport(Darwin)
            return info.st_gid
        #else
            return info.st_mode & S_ISGID != 0 ? info.st_gid : getegid()
        #endif
    }

    /// Removes the permissions of a file that the store does not allow.
    ///
    /// - Throws: ``FileError``.
    package func restrict(_ path: String) throws(FileError) {
        var info = stat()
        guard stat(path, &info) == 0 else { throw FileError(refused: path, "read") }
        let present = info.st_mode & 0o7777
        let allowed = present & (mode(in: StoreFiles.folder(of: path)) | ~0o666)
        guard allowed == present || chmod(path, allowed) == 0 else {
            throw FileError(refused: path, "kept from those who may not read the store")
        }
    }

    /// Creates an empty file. To SQLite, it is an empty database.
    ///
    /// - Throws: ``FileError``, for example if a file or a folder has that name.
    package func makeFile(_ path: String) throws(FileError) {
        _ = try SystemFile.making(path, mode: mode(in: StoreFiles.folder(of: path)))
    }
}

extension Connection {
    /// Copies the complete current database to a new file. Only users with permission to read the
    /// store can read it.
    ///
    /// - Parameters:
    ///   - store: The path of the store; nil in memory.
    ///   - path: The new file.
    ///   - shouldContinue: As for `copy`.
    /// - Throws: `SQLiteError` if something exists at the path, if the file cannot be written, or
    ///   if the copy was cancelled. An incomplete copy may remain.
    package func backUp(
        _ store: String?, to path: String,
        _ shouldContinue: (_ copied: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        do {
            if let store { try StorePermissions(of: store).makeFile(path) }
        } catch {
            let cannotOpen: Int32 = 14
            throw SQLiteError(code: cannotOpen, message: "\(error)")
        }
        try backup(to: path, shouldContinue)
    }
}

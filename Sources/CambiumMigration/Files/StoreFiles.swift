import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files that lie beside a store's own.
package enum StoreFiles {
    /// The folder that a file lies in.
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
    /// - Returns: Whether they are; if not, `errno` says why.
    package static func synchronize(folder: String) -> Bool {
        (try? SystemFile.synchronize(folder: folder)) != nil
    }

    /// Whether there is anything of that name, be it a dangling link.
    package static func isThere(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    /// Whether a path is a link.
    package static func isLink(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
    }

    /// Removes files, where they are there; a folder of such a name stays.
    package static func removeFiles(_ paths: [String]) {
        for path in paths { SystemFile.remove(path) }
    }

    /// Removes a database and what SQLite keeps beside it, where it is there: that first, as a
    /// journal that stayed would be played back into the next file of the name.
    package static func removeDatabase(_ path: String) {
        removeFiles(companionSuffixes.map { path + $0 } + [path])
    }

    /// What SQLite puts behind the name of a database, for the files that it keeps beside it.
    package static let companionSuffixes = ["-journal", "-wal", "-shm"]

    /// Removes a folder, where it is there and nothing is in it.
    package static func removeFolder(ifEmpty path: String) { rmdir(path) }

    /// How many bytes the disk of a file has free for programs without privileges; nil where the
    /// system does not tell.
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

    /// Whether two paths resolve to one file, which need not be there yet.
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

    /// Whether a path resolves to a file of a store's, or to where one would be.
    package static func isPart(_ path: String, ofStore store: String) -> Bool {
        let store = resolved(store)
        return ["", "-wal", "-shm", "-journal"].contains { isSameFile(path, store + $0) }
            || isInside(path, folder: ExternalForm.folder(ofStore: store))
    }

    /// The full path without links; of what is not there, as far as there is something.
    package static func resolved(_ path: String) -> String {
        // Safety: the system gives a text that ends with a NUL, and that is ours to free.
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

    /// Why the system refused the last thing that this thread asked of it.
    package static var lastRefusal: String { FileError.text(ofCode: errno) }

    /// Why something could not be done with a file: what the system said, which Foundation wraps in
    /// errors of its own. Errors of ours are taken as they are.
    package static func reason(for error: any Error) -> String {
        if let error = error as? FileError { return error.reason }
        let cause = (error as? CocoaError)?.underlying ?? error
        if let system = cause as? POSIXError {
            return FileError.text(ofCode: system.code.rawValue)
        }
        // What comes from outside Foundation's essentials is of a class that they do not have.
        if cause._domain == "NSPOSIXErrorDomain" {
            return FileError.text(ofCode: Int32(truncatingIfNeeded: cause._code))
        }
        let words = "\(error)"
        let parts = words.split(separator: "\"", omittingEmptySubsequences: false)
        return words.hasPrefix("Error Domain=") && parts.count > 1 ? String(parts[1]) : words
    }
}

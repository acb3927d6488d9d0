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

    /// Whether there is anything of that name, be it a link that leads nowhere.
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
}

import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Names of unfinished files: the name of the file, a mark and a UUID. People do not use such names
/// for their own files. The remaining files of a killed process can therefore be distinguished from
/// other files.
package enum UnfinishedFile {
    /// A new name.
    ///
    /// - Parameters:
    ///   - path: The file that is created.
    ///   - mark: The suffix of its name, such as `.adopting`.
    package static func path(
        for path: String, _ mark: String
    ) throws(RandomNumbersError) -> String {
        "\(path)\(mark)-\(try UUID.random().uuidString)"
    }

    /// All files of this kind beside a file, including unfinished ones in use.
    ///
    /// - Parameter suffixes: The possible suffixes after the UUID.
    package static func leftovers(
        of path: String, _ mark: String, _ suffixes: [String] = [""]
    ) -> [String] {
        let folder = StoreFiles.folder(of: path)
        let prefix =
            folder == "." && !path.hasPrefix("./") ? "" : folder == "/" ? "/" : folder + "/"
        // Names are bytes: two spellings of a letter are two names.
        let start = path.utf8.dropFirst(prefix.utf8.count) + Array("\(mark)-".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            guard name.utf8.starts(with: start) else { return false }
            let rest = Substring(name.utf8.dropFirst(start.count))
            return UUID.isSpelled(rest.prefix(36))
                && suffixes.contains(String(rest.dropFirst(36)))
        }.map { prefix + $0 }
    }
}

/// The lock of an open file or folder of a process. It shows other processes that the file is not a
/// leftover. The system releases the lock however the process ends.
enum DescriptorLock {
    /// Takes the lock.
    ///
    /// - Returns: Whether no other process has the lock, and none has removed the file meanwhile as
    ///   a leftover. If the system has no locks, no other process has one.
    static func isTaken(for descriptor: Int32) -> Bool {
        guard retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 || errno != EWOULDBLOCK
        else { return false }
        var info = stat()
        return fstat(descriptor, &info) == 0 && info.st_nlink > 0
    }
}

/// A file that gets its name when it is complete. A former file of that name exists until then, and
/// stays if an error occurs.
package final class PartialFile {
    private let path: String
    /// The path of the unfinished file.
    private let partial: String
    private let file: SystemFile

    private static let mark = ".partial"

    /// Creates the file in its folder, under another name. The leftovers of killed processes are
    /// removed: they have no lock.
    ///
    /// - Parameters:
    ///   - path: Its final name.
    ///   - mode: Its maximal permissions.
    /// - Throws: ``FileError`` if it cannot be created; `RandomNumbersError`.
    package init(_ path: String, mode: FileMode) throws {
        self.path = path
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let start = "\(path[..<slash]).\(path[slash...])"
        for leftover in UnfinishedFile.leftovers(of: start, Self.mark) {
            guard let file = try? SystemFile.reading(file: leftover), file.takesLock() else {
                continue
            }
            SystemFile.remove(leftover)
        }
        while true {
            let partial = try UnfinishedFile.path(for: start, Self.mark)
            let file = try SystemFile.making(partial, mode: mode)
            // Another one may have taken it for a leftover before it had the lock.
            guard file.takesLock() else { continue }
            (self.partial, self.file) = (partial, file)
            return
        }
    }

    deinit {
        SystemFile.remove(partial)
    }

    /// Writes more of it.
    package func append(_ bytes: some ContiguousBytes) throws(FileError) {
        try file.append(bytes)
    }

    /// Gives it its name; nothing is written after that.
    ///
    /// - Parameter waits: Whether the method waits until the file is on the disk, so that it
    ///   survives a crash of the machine.
    package func finish(waits: Bool = true) throws(FileError) {
        if waits { try file.synchronize() }
        try SystemFile.move(partial, to: path, waits: waits)
    }
}

/// A folder among the temporary files that only its owner may open. It is deleted with the value; a
/// leftover of a killed process is deleted when another one is created.
package final class ScratchFolder {
    /// The path of the folder.
    package let path: String
    /// Holds the lock that shows other processes that it is not a leftover.
    private let folder: SystemFolder

    private static let mark = "-scratch"

    /// Creates the folder.
    ///
    /// - Throws: ``FileError`` if it cannot be created; `RandomNumbersError`.
    package init() throws {
        let start = FileManager.default.temporaryDirectory.appendingPathComponent("cambium").path
        for leftover in UnfinishedFile.leftovers(of: start, Self.mark) {
            guard let folder = try? SystemFolder(leftover), folder.takesLock() else { continue }
            try? FileManager.default.removeItem(atPath: leftover)
        }
        while true {
            let path = try UnfinishedFile.path(for: start, Self.mark)
            guard mkdir(path, 0o700) == 0 else { throw FileError(refused: path, "made") }
            do throws(FileError) {
                let folder = try SystemFolder(path)
                // Another one may have taken it for a leftover before it had the lock.
                guard folder.takesLock() else { continue }
                (self.path, self.folder) = (path, folder)
                return
            } catch {
                guard error.isMissing else { throw error }
            }
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

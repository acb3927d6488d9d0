import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Names of files that are being made: that of the file, a mark and a UUID, which people do not use
/// for their own files. So what a process left that was killed can be distinguished from files that
/// are kept.
package enum UnfinishedFile {
    /// A new name.
    ///
    /// - Parameters:
    ///   - path: The file that is made.
    ///   - mark: What comes behind its name, such as `.adopting`.
    package static func path(
        for path: String, _ mark: String
    ) throws(RandomNumbersError) -> String {
        "\(path)\(mark)-\(try UUID.random().uuidString)"
    }

    /// All of that kind that lie beside a file: those that are being made, too.
    ///
    /// - Parameter suffixes: What may come behind the UUID.
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

/// The lock of an open file or folder that a process makes for itself, by which others see that it
/// is no leftover. The system gives the lock back however the process ends.
enum DescriptorLock {
    /// Takes the lock.
    ///
    /// - Returns: Whether nobody else has it, and nobody has removed the file in between, whom it
    ///   seemed a leftover. Where there are no locks, nobody has one.
    static func isTaken(for descriptor: Int32) -> Bool {
        guard retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 || errno != EWOULDBLOCK
        else { return false }
        var info = stat()
        return fstat(descriptor, &info) == 0 && info.st_nlink > 0
    }
}

/// A file that gets its name when all of it is written. What had the name before is there until
/// then, and stays where something goes wrong.
package final class PartialFile {
    private let path: String
    /// Where it is meanwhile.
    private let partial: String
    private let file: SystemFile

    private static let mark = ".partial"

    /// Makes the file in its folder, under another name. Those that a process left there which was
    /// killed are removed: they have no lock.
    ///
    /// - Parameters:
    ///   - path: The name that it gets.
    ///   - mode: What it allows at most.
    /// - Throws: ``FileError`` where it cannot be made; `RandomNumbersError`.
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
    /// - Parameter waits: Whether it is on the disk before, whatever happens to the machine.
    package func finish(waits: Bool = true) throws(FileError) {
        if waits { try file.synchronize() }
        try SystemFile.move(partial, to: path, waits: waits)
    }
}

/// A folder among the temporary files that only its owner may open. It is deleted with the value; a
/// leftover of a killed process is deleted when another one is made.
package final class ScratchFolder {
    /// Its path.
    package let path: String
    /// Has the lock by which others see that it is no leftover.
    private let folder: SystemFolder

    private static let mark = "-scratch"

    /// Makes the folder.
    ///
    /// - Throws: ``FileError`` where it cannot be made; `RandomNumbersError`.
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

import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Names of files that are being made: that of the file, a mark and a UUID, which nobody gives to a
/// file of their own. So what a process left that was killed can be told from what somebody keeps.
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

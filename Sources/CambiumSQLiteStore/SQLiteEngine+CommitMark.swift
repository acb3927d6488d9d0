import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension SQLiteEngine {
    /// Clocks of file systems tick this slowly, in seconds: what was written since may look like
    /// what will be written next.
    private static let tick = 2

    /// How the database and its log look from outside.
    func commitMark() -> String? {
        guard let path else { return nil }
        let newest = Int(Date.now.timeIntervalSince1970) - Self.tick
        var words: [String] = []
        let file = ExternalForm.storeFile(behind: path)
        for file in [file, file + "-wal"] {
            var info = stat()
            // A log that is empty has nothing that the database does not have.
            guard stat(file, &info) == 0, info.st_size > 0 else { continue }
            #if canImport(Darwin)
                let changed = info.st_mtimespec
            #else
                let changed = info.st_mtim
            #endif
            guard Int(changed.tv_sec) < newest else { return nil }
            words.append(
                "\(info.st_ino) \(info.st_size) \(changed.tv_sec).\(changed.tv_nsec)")
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

import CambiumModel

/// Names of files that are being made: that of the file, a mark and a UUID, which nobody gives to a
/// file of their own. So what a process left that was killed can be told from what somebody keeps.
package enum UnfinishedFile {
    /// A new name.
    ///
    /// - Parameters:
    ///   - path: The file that is made.
    ///   - mark: What comes behind its name, such as `.adopting`.
    package static func path(for path: String, _ mark: String) -> String {
        "\(path)\(mark)-\(UUID().uuidString)"
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
            // What is read as a UUID need not be written as one: a minus is taken for a digit.
            let id = String(rest.prefix(36))
            return UUID(uuidString: id)?.uuidString == id
                && suffixes.contains(String(rest.dropFirst(36)))
        }.map { prefix + $0 }
    }
}

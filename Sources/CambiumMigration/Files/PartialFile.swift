import CambiumModel

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

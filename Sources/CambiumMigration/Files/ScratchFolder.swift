import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder among the temporary files that nobody but its owner may look into. It goes with the
/// value; what a process left that was killed goes when another one is made.
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

import CambiumMigration
import CambiumModel

/// The name of a copy of a store among the temporary files. What a process left there that was
/// killed is removed first.
final class TemporaryCopy {
    /// The path.
    let path: String
    private let lock: AdoptionLock

    private static let mark = "-adopting"

    init() throws(AdoptionError) {
        let start = FileManager.default.temporaryDirectory.appendingPathComponent("cambium").path
        Self.removeLeftovers(start)
        while true {
            let path = try AdoptionError.unfinished(start, Self.mark)
            do throws(AdoptionError) {
                lock = try AdoptionLock(ofStore: path)
            } catch .isRunning {
                // Another one has just taken it for a leftover.
                continue
            }
            self.path = path
            return
        }
    }

    private static func removeLeftovers(_ start: String) {
        let suffix = AdoptionLock.suffix
        for file in UnfinishedFile.leftovers(of: start, mark, [suffix]) {
            let copy = String(file.dropLast(suffix.count))
            // Who makes one has the lock.
            guard let lock = try? AdoptionLock(ofStore: copy) else { continue }
            SourceFile.remove(copy)
            withExtendedLifetime(lock) {}
        }
    }
}

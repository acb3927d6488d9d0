import CambiumMigration
import CambiumModel

/// The name of a copy of a store among the temporary files. What a process left there that was
/// killed is removed first.
final class TemporaryCopy {
    /// The path.
    let path: String
    private let lock: NewStoreLock

    private static let mark = "-adopting"

    init() throws(CoreDataImportError) {
        let start = FileManager.default.temporaryDirectory.appendingPathComponent("cambium").path
        Self.removeLeftovers(start)
        while true {
            let path = try CoreDataImportError.making { () throws(NewStoreError) in
                try NewStoreError.unfinished(start, Self.mark)
            }
            do throws(NewStoreError) {
                lock = try NewStoreLock(ofStore: path)
            } catch .isRunning {
                // Another one has just taken it for a leftover.
                continue
            } catch {
                throw CoreDataImportError(error)
            }
            self.path = path
            return
        }
    }

    private static func removeLeftovers(_ start: String) {
        let suffix = NewStoreLock.suffix
        for file in UnfinishedFile.leftovers(of: start, mark, [suffix]) {
            let copy = String(file.dropLast(suffix.count))
            // Who makes one has the lock.
            guard let lock = try? NewStoreLock(ofStore: copy) else { continue }
            SourceFile.remove(copy)
            withExtendedLifetime(lock) {}
        }
    }
}

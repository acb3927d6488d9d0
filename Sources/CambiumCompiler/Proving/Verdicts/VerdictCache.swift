import CambiumMigration
import CambiumModel
import Foundation
import Synchronization

/// What was proven before, so that it need not be proven again: a folder with a small file for each
/// verdict.
///
/// A file is named by the hash of everything that its verdict depends on: what was proven, and what
/// proved it (the tool, the prover, the SQLite). Who asks for something else finds nothing. Only
/// what succeeded is kept. Nothing here is ever an error: a file that is missing, damaged or
/// unreadable means that the proof is run, and one that cannot be written that it is run again next
/// time. Each file appears at once and whole, so that any number of processes may share a folder.
package final class VerdictCache: Sendable {
    private let folder: URL
    private let identity: String
    private let capacity: Int
    private let hasGrown = Mutex(false)

    private static let suffix = "proof"
    /// What a file takes at least.
    private static let blockSize = 4096
    /// What a single verdict may have.
    private static let verdictSize = 1 << 20

    /// Uses a folder, which is made when there is something to keep.
    ///
    /// - Parameters:
    ///   - folder: Where the verdicts are. Other files in it are left alone.
    ///   - tool: What tells the program that proves from any other, also from one of the same
    ///     version that was built otherwise.
    ///   - capacity: How many bytes all verdicts may take together.
    package init(folder: String, tool: String, capacity: Int = 32 << 20) {
        self.folder = URL(fileURLWithPath: folder, isDirectory: true)
        identity = "verdicts 1, \(tool), \(MigrationProver.identity)"
        self.capacity = capacity
    }

    /// The key of a verdict.
    ///
    /// - Parameters:
    ///   - kind: What kind of thing was found out.
    ///   - parts: Everything that the verdict depends on.
    package func key(of kind: String, _ parts: [String]) -> String {
        var text = ""
        for part in [identity, kind] + parts {
            text += "\(part.utf8.count):"
            text += part
        }
        return SHA256.hexadecimal(of: text)
    }

    /// What was found out before, or nil.
    package func verdict(for key: String) -> String? {
        guard let data = try? Data(contentsOf: file(of: key)) else { return nil }
        let bytes = [UInt8](data)
        let length = 64
        guard bytes.count > length, bytes[length] == UInt8(ascii: "\n") else { return nil }
        let verdict = String(decoding: bytes[(length + 1)...], as: UTF8.self)
        let seal = Self.seal(of: verdict, key)
        return bytes[..<length].elementsEqual(seal.utf8) ? verdict : nil
    }

    /// Remembers what was found out.
    package func keep(_ verdict: String, for key: String) {
        guard verdict.utf8.count <= Self.verdictSize else { return }
        let text = Self.seal(of: verdict, key) + "\n" + verdict
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard (try? Data(text.utf8).write(to: file(of: key), options: .atomic)) != nil else {
            return
        }
        hasGrown.withLock { $0 = true }
    }

    /// Removes the oldest verdicts where there are too many; to be called once everything is done.
    package func prune() {
        guard hasGrown.withLock({ $0 }) else { return }
        let manager = FileManager.default
        let names = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        var verdicts = names.filter(Self.isVerdict).map { name in
            let file = folder.appendingPathComponent(name).path
            let attributes = try? manager.attributesOfItem(atPath: file)
            return (
                file: file, date: attributes?[.modificationDate] as? Date ?? .distantPast,
                size: max(attributes?[.size] as? Int ?? 0, Self.blockSize)
            )
        }
        var total = verdicts.reduce(0) { $0 + $1.size }
        guard total > capacity else { return }
        verdicts.sort { $0.date > $1.date }
        // Half of the room, so that the next run has not to do it again.
        while total > capacity / 2, let oldest = verdicts.popLast() {
            try? manager.removeItem(atPath: oldest.file)
            total -= oldest.size
        }
    }

    private func file(of key: String) -> URL {
        folder.appendingPathComponent("\(key).\(Self.suffix)")
    }

    private static func isVerdict(_ name: String) -> Bool {
        let key = name.utf8.dropLast(suffix.utf8.count + 1)
        return name.hasSuffix(".\(suffix)") && key.count == 64
            && key.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// A verdict that is not exactly what was written, or that belongs to another key, is none.
    private static func seal(of verdict: String, _ key: String) -> String {
        SHA256.hexadecimal(of: "\(key)\n\(verdict)")
    }

    /// What a proof has seen when it was run before, or nil.
    func proof(for key: String) -> MigrationProver.Proof? {
        guard let words = verdict(for: key)?.split(separator: " "), words.count >= 3,
            let rows = Int(words[0]), let newRows = Int(words[1]), let refusals = Int(words[2])
        else { return nil }
        let names = words.dropFirst(3)
        return MigrationProver.Proof(
            rows: rows, newRows: newRows, refusals: refusals,
            refused: names.filter { !$0.hasPrefix(dropMark) }.map(String.init),
            dropped: names.filter { $0.hasPrefix(dropMark) }.map { String($0.dropFirst()) })
    }

    /// Remembers what a proof has seen.
    func keep(_ proof: MigrationProver.Proof, for key: String) {
        let counts = [proof.rows, proof.newRows, proof.refusals].map(String.init)
        let dropped = proof.dropped.map { dropMark + $0 }
        keep((counts + proof.refused + dropped).joined(separator: " "), for: key)
    }

    /// What stands before the name of an entity of which drops have taken objects. No name begins with
    /// it.
    private var dropMark: String { "-" }
}

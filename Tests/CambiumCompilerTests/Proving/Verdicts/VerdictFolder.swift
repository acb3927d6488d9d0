import Foundation

@testable import CambiumCompiler

/// A folder of verdicts that is gone with the value.
final class VerdictFolder: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("cambium-proofs-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func cache(tool: String = "tool", capacity: Int = 1 << 20) -> VerdictCache {
        VerdictCache(folder: url.path, tool: tool, capacity: capacity)
    }

    /// The verdicts.
    var files: [URL] {
        let files = try? FileManager.default.contentsOfDirectory(
            at: url, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "proof" }
    }
}

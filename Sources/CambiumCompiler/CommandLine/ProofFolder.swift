import Foundation

/// Where the proofs of earlier runs are remembered, so that what has not changed is not proven
/// again.
package enum ProofFolder {
    /// The options of commands that prove.
    package static let options = [
        Option("--proofs", "FOLDER", "where proofs are remembered (default: in your cache)"),
        Option("--no-proof-cache", nil, "prove everything, and remember nothing"),
    ]

    /// What those options mean, for the help.
    package static let details = """
        What was proven once, by this tool on this SQLite, is remembered by its hash and not proven
        again. The folder may be removed at any time.
        """

    /// The folder in the user's cache: `$XDG_CACHE_HOME/cambium/proofs` on Linux.
    package static var ofUser: String? {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return caches?.appendingPathComponent("cambium/proofs").path
    }

    /// What was proven before; nil where nothing is to be remembered.
    package static func verdicts(_ arguments: Arguments, _ console: Console) -> VerdictCache? {
        guard !arguments.has("--no-proof-cache"),
            let folder = arguments.value("--proofs") ?? console.proofFolder, let tool
        else { return nil }
        return VerdictCache(folder: folder, tool: tool)
    }

    /// This program. One that was built anew may prove otherwise although its version is the same:
    /// its file then has another date, and mostly another size.
    private static let tool: String? = {
        guard let path = Bundle.main.executablePath,
            let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let size = attributes[.size] as? Int,
            let date = attributes[.modificationDate] as? Date
        else { return nil }
        return "cambium \(SwiftEmitter.cambiumVersion), \(size) bytes, "
            + "\(date.timeIntervalSinceReferenceDate.bitPattern)"
    }()
}

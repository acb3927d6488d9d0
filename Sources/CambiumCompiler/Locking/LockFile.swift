import CambiumModel
import Foundation

/// The versions of a bundle that have shipped: the file `cambium.lock` in it.
///
/// ```
/// # Versions of Shop that have shipped. Written by `cambium freeze`; keep it under version control.
/// cambium-lock 1
/// STORAGE-HASH CONDITIONS-HASH VERSION
/// + NAME=HASH NAME=HASH …
/// ```
///
/// One version a line, in the order of versions, so that two branches that freeze different
/// versions merge. The line after it, which may be missing, has the start of a hash for each
/// declaration: nothing is decided by it, but it tells what has changed.
struct LockFile: Equatable {
    /// The file's name in the bundle. It lies there, and not beside it, so that it goes wherever
    /// the versions go and is an input of the build like them.
    static let name = "cambium.lock"
    private static let format = "cambium-lock 1"
    /// What a line with the hashes of declarations starts with.
    private static let mark = "+"

    /// The versions by name.
    var versions: [String: LockedVersion] = [:]

    init() {}

    /// The file's text.
    func text(bundleName: String) -> String {
        let lines = versions.values.sorted { VersionOrder.precedes($0.name, $1.name) }
            .flatMap { version in
                let hashes = version.declarations.sorted { $0.key < $1.key }
                    .map { " \($0.key)=\($0.value)" }
                return ["\(version.storage) \(version.conditions) \(version.name)"]
                    + (hashes.isEmpty ? [] : [Self.mark + hashes.joined()])
            }
        let title =
            "# Versions of \(bundleName) that have shipped. Written by `cambium freeze`; keep it "
            + "under version control."
        return ([title, Self.format] + lines).map { $0 + "\n" }.joined()
    }

    /// Why a text is no lock.
    struct Malformed: Error {
        let line: Int
        let reason: String
    }

    /// Reads a text.
    init(_ text: String) throws(Malformed) {
        var hasFormat = false
        var last: String?
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            guard hasFormat else {
                guard line == Self.format else {
                    throw Malformed(line: number + 1, reason: "'\(Self.format)' is expected here")
                }
                hasFormat = true
                continue
            }
            if line.hasPrefix(Self.mark), let last {
                versions[last]?.declarations = Self.declarations(line)
                continue
            }
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[2].isEmpty, parts[0...1].allSatisfy(Self.isHash) else {
                throw Malformed(
                    line: number + 1, reason: "Two hashes and the name of a version are expected")
            }
            let name = String(parts[2])
            let version = LockedVersion(
                name: name, storage: String(parts[0]), conditions: String(parts[1]))
            guard versions.updateValue(version, forKey: name) == nil else {
                throw Malformed(line: number + 1, reason: "Version '\(name)' stands here twice")
            }
            last = name
        }
        guard hasFormat else {
            throw Malformed(line: 1, reason: "'\(Self.format)' is expected here")
        }
    }

    /// The hashes of declarations by name.
    private static func declarations(_ line: Substring) -> [String: String] {
        var hashes: [String: String] = [:]
        for word in line.dropFirst().split(separator: " ") {
            let parts = word.split(separator: "=")
            guard parts.count == 2 else { continue }
            hashes[String(parts[0])] = String(parts[1])
        }
        return hashes
    }

    private static func isHash(_ text: Substring) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Reads the lock of a bundle; nil where there is none.
    static func read(inBundle path: String) throws(Malformed) -> LockFile? {
        let file = path + "/" + name
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        guard let data = FileManager.default.contents(atPath: file),
            let text = String(bytes: data, encoding: .utf8)
        else { throw Malformed(line: 1, reason: "The file cannot be read") }
        return try LockFile(text)
    }
}

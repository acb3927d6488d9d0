import Cambium
import Foundation
import Testing

/// A store that an earlier edition of this package made, with what that one read from it.
///
/// `Scripts/old-stores.sh` says which edition, and makes the stores again. They must open, migrate
/// and save for as long as programs in the field have such stores.
struct OldStore: Sendable, CustomTestStringConvertible {
    /// The folder with the store, its files and what was read from it.
    let folder: URL
    /// The name of the model's folder.
    let fixture: String
    /// The name of the model's version.
    let version: String
    /// Whether the store has a history.
    let keepsHistory: Bool

    /// The stores of the archive, and those of the folder that `CAMBIUM_OLD_STORES` names: the script
    /// makes one of real models.
    static let all: [OldStore] = {
        let further = ProcessInfo.processInfo.environment["CAMBIUM_OLD_STORES"]
        return stores(in: unpacked)
            + (further.map { stores(in: URL(fileURLWithPath: $0)) } ?? [])
    }()

    /// Those that the earlier edition could migrate to the current version.
    static let migrated = all.filter { $0.exists("migrated.txt") }

    /// One in three of some, others at each commit, or all with `CAMBIUM_FULL_SIZE` in the environment.
    static func sample(_ stores: [OldStore]) -> [OldStore] {
        let environment = ProcessInfo.processInfo.environment
        guard environment["CAMBIUM_FULL_SIZE"] == nil else { return stores }
        let seed = environment["CAMBIUM_SEED_BASE"].flatMap { UInt64($0) } ?? .random(in: 0...2)
        return stride(from: Int(seed % 3), to: stores.count, by: 3).map { stores[$0] }
    }

    private static func stores(in folder: URL) -> [OldStore] {
        names(in: folder).flatMap { fixture in
            names(in: folder.appendingPathComponent(fixture)).filter { $0 != "model" }.map { name in
                OldStore(
                    folder: folder.appendingPathComponent("\(fixture)/\(name)"), fixture: fixture,
                    version: String(name.prefix { $0 != "+" }), keepsHistory: name.contains("+"))
            }
        }
    }

    private static func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// The archive's content, for as long as the tests run.
    private static let unpacked: URL = {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-old-stores-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: OldStore.unpacked) }
        let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Stores.tar.gz")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["tar", "-xzf", archive.path, "-C", folder.path]
        try? process.run()
        process.waitUntilExit()
        return folder
    }()

    var testDescription: String { "\(fixture) \(folder.lastPathComponent)" }

    private func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
    }

    /// The lines of a file beside the store.
    func lines(_ name: String) throws -> [String] {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    /// Runs a body with a copy of the store, in a folder of its own.
    func withCopy<Result>(_ body: (StoreCopy) throws -> Result) throws -> Result {
        let copy = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-old-store-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: folder, to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        return try body(StoreCopy(folder: copy))
    }
}

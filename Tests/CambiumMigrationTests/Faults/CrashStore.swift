import CambiumMigration
import CambiumSQLite
import Foundation
import Testing

@testable import CrashWorker

/// A store of ``CrashSample`` on the disk that is put back as often as a test likes, and what it
/// must be after a migration that something went wrong with: exactly old or exactly new.
final class CrashStore {
    let sample: CrashSample
    let path: String
    private let folder: URL
    private let original: String
    private let old: [String]
    private let new: [String]

    init(journalMode: String, withStep: Bool = false) throws {
        sample = try CrashSample(withStep: withStep)
        folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "store.sqlite").path()
        original = folder.appending(path: "original").path()
        try sample.makeStore(at: original, journalMode: journalMode)
        old = try TestStore.dump(Connection(path: original))
        try FileManager.default.copyItem(atPath: original, toPath: path)
        _ = try sample.runner.open(fileAt: path)
        new = try TestStore.dump(Connection(path: path))
        try putBack()
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Makes the store what it was before anything.
    func putBack() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path())
        where name != "original" {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        try FileManager.default.copyItem(atPath: original, toPath: path)
    }

    /// What the store is.
    enum State {
        case old, new
    }

    /// Looks at the store after what happened to it.
    ///
    /// - Throws: Where it is neither old nor new, is damaged, or has a copy beside it that is not
    ///   what it was.
    func check(_ place: String) throws -> State {
        let connection = try Connection(path: path)
        try #require(
            connection.rows("PRAGMA integrity_check") == [[.text("ok")]], "damaged: \(place)")
        let dump = try TestStore.dump(connection)
        try #require(dump == old || dump == new, "neither old nor new: \(place)")
        let copy = path + ".backup-1"
        if FileManager.default.fileExists(atPath: copy) {
            try #require(
                try TestStore.dump(Connection(path: copy)) == old, "a wrong copy: \(place)")
        } else {
            try #require(dump == old, "new without a copy: \(place)")
        }
        return dump == old ? .old : .new
    }

    /// Migrates what is there with nothing in the way.
    func finish(_ place: String) throws {
        _ = try sample.runner.open(fileAt: path)
        try #require(
            try TestStore.dump(Connection(path: path)) == new, "not new at last: \(place)")
        try #require(
            !FileManager.default.fileExists(atPath: path + ".backup-1-2"),
            "a second copy of the same store: \(place)")
    }
}

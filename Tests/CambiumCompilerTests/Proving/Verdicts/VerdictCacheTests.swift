import CambiumMigration
import Foundation
import Testing

@testable import CambiumCompiler

@Suite struct VerdictCacheTests {
    private let folder: VerdictFolder

    init() throws {
        folder = try VerdictFolder()
    }

    @Test func `what is kept is found by who asks for the same, and by nobody else`() {
        let cache = folder.cache()
        cache.keep("fine\nin two lines", for: cache.key(of: "step", ["a", "b"]))
        #expect(cache.verdict(for: cache.key(of: "step", ["a", "b"])) == "fine\nin two lines")
        #expect(cache.verdict(for: cache.key(of: "step", ["ab", ""])) == nil)
        #expect(cache.verdict(for: cache.key(of: "step", ["b", "a"])) == nil)
        #expect(cache.verdict(for: cache.key(of: "schema", ["a", "b"])) == nil)
    }

    @Test func `another program finds nothing`() {
        let cache = folder.cache(tool: "one")
        let other = folder.cache(tool: "another")
        cache.keep("fine", for: cache.key(of: "step", ["a"]))
        #expect(folder.cache(tool: "one").verdict(for: cache.key(of: "step", ["a"])) == "fine")
        #expect(other.key(of: "step", ["a"]) != cache.key(of: "step", ["a"]))
        #expect(other.verdict(for: other.key(of: "step", ["a"])) == nil)
    }

    @Test func `the SQLite that proves is part of every key`() {
        #expect(MigrationProver.identity.contains(" 20"))
        #expect(MigrationProver.identity.contains("THREADSAFE"))
    }

    @Test func `every damage makes it a file that is not there`() throws {
        let cache = folder.cache()
        let key = cache.key(of: "step", ["a"])
        cache.keep("12 9 0", for: key)
        let file = try #require(folder.files.first)
        let good = try Data(contentsOf: file)
        for index in good.indices {
            var bad = good
            bad[index] ^= 1
            try bad.write(to: file)
            #expect(cache.verdict(for: key) == nil, "byte \(index)")
            try good.prefix(index).write(to: file)
            #expect(cache.verdict(for: key) == nil, "cut at \(index)")
        }
        try (good + Data("0".utf8)).write(to: file)
        #expect(cache.verdict(for: key) == nil)
        try good.write(to: file)
        #expect(cache.proof(for: key) == MigrationProver.Proof(rows: 12, newRows: 9, refusals: 0))
    }

    @Test func `a file under the name of another key is not believed`() throws {
        let cache = folder.cache()
        let (key, other) = (cache.key(of: "step", ["a"]), cache.key(of: "step", ["b"]))
        cache.keep("1 0", for: key)
        let file = try #require(folder.files.first)
        try FileManager.default.moveItem(
            at: file, to: folder.url.appendingPathComponent("\(other).proof"))
        #expect(cache.verdict(for: other) == nil)
    }

    @Test func `a folder that cannot be made keeps nothing`() throws {
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        let cache = VerdictCache(folder: file.appendingPathComponent("in it").path, tool: "t")
        let key = cache.key(of: "step", ["a"])
        cache.keep("1 0", for: key)
        cache.prune()
        #expect(cache.verdict(for: key) == nil)
        #expect(try Data(contentsOf: file).isEmpty)
    }

    @Test func `the oldest verdicts go when the folder is full, and nothing else`() throws {
        let other = folder.url.appendingPathComponent("notes.txt")
        try Data(count: 100_000).write(to: other)
        let cache = folder.cache(capacity: 10 * 4096)
        for number in 0..<10 {
            cache.keep("\(number) 0", for: cache.key(of: "step", ["\(number)"]))
            let file = folder.url.appendingPathComponent(
                "\(cache.key(of: "step", ["\(number)"])).proof")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(1000 + number))],
                ofItemAtPath: file.path)
        }
        cache.prune()
        #expect(folder.files.count == 10)
        cache.keep("10 0", for: cache.key(of: "step", ["10"]))
        cache.prune()
        let kept = (0...10).filter { cache.verdict(for: cache.key(of: "step", ["\($0)"])) != nil }
        #expect(kept == [6, 7, 8, 9, 10])
        #expect(FileManager.default.fileExists(atPath: other.path))
    }

    @Test func `many may keep the same at once`() async {
        let cache = folder.cache()
        let key = cache.key(of: "step", ["a"])
        let found = (0..<64).map { $0 }.concurrentMap { _ in
            folder.cache().keep("1 0", for: key)
            return folder.cache().verdict(for: key)
        }
        #expect(found.allSatisfy { $0 == "1 0" })
        #expect(folder.files.count == 1)
    }
}

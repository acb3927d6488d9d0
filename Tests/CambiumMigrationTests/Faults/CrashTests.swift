import Foundation
import Testing

/// A process that is killed in the midst of a migration.
struct CrashTests {
    /// Every call with `CAMBIUM_EVERY_CRASH` (in Scripts/test-long.sh),
    /// otherwise one in so many, each time others.
    private static let stride =
        ProcessInfo.processInfo.environment["CAMBIUM_EVERY_CRASH"] == nil ? 41 : 1

    @Test(arguments: ["WAL", "DELETE"])
    func `a kill before any statement leaves the store old or new`(journalMode: String) throws {
        let crashes = try kill("statement", every: 1, from: 1, journalMode)
        #expect(crashes > 10)
    }

    @Test(arguments: ["WAL", "DELETE"], ["call", "torn"])
    func `a kill before or within a call of the file system leaves the store old or new`(
        journalMode: String, place: String
    ) throws {
        let first = Int.random(in: 1...Self.stride)
        print("killed at \(place) \(first), \(first + Self.stride), … (\(journalMode))")
        let crashes = try kill(place, every: Self.stride, from: first, journalMode)
        #expect(crashes >= 90 / Self.stride)
    }

    /// Each place with `CAMBIUM_EVERY_CRASH` in turn and with both journals, otherwise a few with
    /// one of them.
    @Test(arguments: ["statement", "row", "call", "torn"])
    func `a kill around or within a step of the program leaves the store old or new`(
        place: String
    ) throws {
        let isLong = Self.stride == 1
        let modes = ["WAL", "DELETE"].shuffled().prefix(isLong ? 2 : 1)
        let isOfFiles = place == "call" || place == "torn"
        let stride = isLong ? 1 : isOfFiles ? 79 : 7
        for mode in modes {
            let first = Int.random(in: 1...stride)
            print("killed in a step at \(place) \(first), \(first + stride), … (\(mode))")
            let crashes = try kill(place, every: stride, from: first, mode, withStep: true)
            #expect(crashes >= (isOfFiles ? 100 : 14) / stride)
        }
    }

    /// - Returns: How many processes were killed.
    private func kill(
        _ place: String, every stride: Int, from first: Int, _ journalMode: String,
        withStep: Bool = false
    ) throws -> Int {
        let store = try CrashStore(journalMode: journalMode, withStep: withStep)
        var number = first
        var crashes = 0
        while try migrate(store, place, number, withStep: withStep) {
            let description = "\(place) \(number), journal \(journalMode)"
            _ = try store.check(description)
            try store.finish(description)
            try store.putBack()
            crashes += 1
            number += stride
        }
        #expect(try store.check("\(place) \(number) is after the end") == .new)
        return crashes
    }

    /// - Returns: Whether the process was killed; if not, it has done its work.
    private func migrate(
        _ store: CrashStore, _ place: String, _ number: Int, withStep: Bool
    ) throws -> Bool {
        let process = Process()
        process.executableURL = Self.folderOfProducts.appending(path: "CrashWorker")
        process.arguments =
            [store.path, place, String(number)] + (withStep ? ["step"] : [])
        try process.run()
        process.waitUntilExit()
        if process.terminationReason == .uncaughtSignal {
            try #require(process.terminationStatus == SIGKILL)
            return true
        }
        try #require(process.terminationStatus == 0)
        return false
    }

    /// Where the build puts what it makes: beside the tests.
    private static var folderOfProducts: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let tests = bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent()
    }
}

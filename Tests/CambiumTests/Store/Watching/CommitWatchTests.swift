@testable import Cambium
@testable import CambiumSQLiteStore
import Foundation
import Synchronization
import Testing

/// What hears of writes to the files of a database.
@Suite(.onSQLite("They are about files."))
struct CommitWatchTests {
    private final class Counter: Sendable {
        let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
    }

    private func withFiles(_ body: (String) async throws -> Void) async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        for suffix in ["", "-wal"] { try Data([0]).write(to: URL(filePath: path + suffix)) }
        try await body(path)
    }

    private func append(to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data([1]))
        try file.close()
    }

    private func watch(_ path: String, _ counter: Counter) throws -> CommitWatch {
        try CommitWatch(path: path) { counter.count.wrappingAdd(1, ordering: .relaxed) }
    }

    @Test(arguments: ["", "-wal"])
    func `a write to either file is asked about at once, and again`(
        _ suffix: String
    ) async throws {
        try await withFiles { path in
            let counter = Counter()
            let watch = try watch(path, counter)
            // What was written before the watch began is asked about, too.
            try await eventually { counter.value >= 1 }
            let before = counter.value
            try append(to: path + suffix)
            try await eventually { counter.value >= before + 3 }
            #expect(counter.value >= before + 3)
            withExtendedLifetime(watch) {}
        }
    }

    @Test func `it ends with the watch`() async throws {
        try await withFiles { path in
            let counter = Counter()
            var watch: CommitWatch? = try watch(path, counter)
            try await eventually { counter.value >= 1 }
            withExtendedLifetime(watch) {}
            watch = nil
            // What had begun may end.
            try await Task.sleep(for: .milliseconds(5))
            let before = counter.value
            try append(to: path)
            try await Task.sleep(for: .milliseconds(20))
            #expect(counter.value == before)
        }
    }

    #if os(Linux)
        // In a process of its own, where nobody else watches files.
        @Test func `its descriptor is closed with it`() async {
            await #expect(processExitsWith: .success) {
                let path = try makeStorePath()
                defer { removeStore(path) }
                for suffix in ["", "-wal"] { try Data([0]).write(to: URL(filePath: path + suffix)) }
                func watches() throws -> Int { try openDescriptors { $0.contains("inotify") } }
                #expect(try watches() == 0)
                var watch: CommitWatch? = try CommitWatch(path: path) {}
                #expect(try watches() == 1)
                withExtendedLifetime(watch) {}
                watch = nil
                try await eventually { try watches() == 0 }
                #expect(try watches() == 0)
            }
        }
    #endif

    @Test func `a file that is not there cannot be watched`() throws {
        let error = #expect(throws: StoreError.self) {
            try watch("/nowhere/store.sqlite", Counter())
        }
        #expect(error?.message.contains("/nowhere/store.sqlite") == true)
    }
}

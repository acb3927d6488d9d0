import Cambium
import Foundation
import Synchronization
import Testing

/// Random sequences of work, each on every engine: what the program sees and what the stores keep in the
/// end must be the same.
///
/// `CAMBIUM_SEED` replays a run, `CAMBIUM_GENERATOR_RUNS` and `CAMBIUM_GENERATOR_SECONDS` make it longer.
package enum EngineSequences {
    /// The engines that can do everything that a sequence does. A store in memory keeps large values in
    /// its rows: what it has read of a row that is deleted meanwhile it still has, and so it takes part
    /// where there are none.
    private static func engines(withLargeValues: Bool) -> [EngineEntry] {
        [.file] + (withLargeValues ? [] : [.memory]) + EngineEntry.servers
    }

    /// How many sequences one store sees: to make it takes longer than one of them.
    private static let length = 10
    private static let steps = 50

    /// Runs sequences on all engines and compares what came of them.
    package static func run() throws {
        var count = 0
        try forEachSeed(for: 1, length: length) { seed in
            let number = runsAreCounted ? length : 1
            let usesLargeValues = seed.isMultiple(of: 3)
            var expected: [[String]] = []
            for engine in engines(withLargeValues: usesLargeValues) {
                let found = try transcripts(of: engine, seed, number, usesLargeValues)
                if expected.isEmpty { expected = found }
                for (index, (one, other)) in zip(expected, found).enumerated() where one != other {
                    Issue.record(
                        """
                        \(engine.name) differs from \(EngineEntry.file.name) in sequence \(index): \
                        replay with CAMBIUM_SEED=\(seed) CAMBIUM_GENERATOR_RUNS=1
                        \(difference(one, other))
                        """)
                    break
                }
            }
            count += number
        }
        print("sequences: \(count) compared on \(2 + EngineEntry.servers.count) engines")
    }

    private static func transcripts(
        of engine: EngineEntry, _ seed: UInt64, _ count: Int, _ usesLargeValues: Bool
    ) throws -> [[String]] {
        var options = StoreOptions()
        let histories: [HistoryTracking] = [.values, .properties, .values, .off]
        options.history = histories[Int(seed % 4)]
        return try engine.withStore(Bazaar.model, options) { store in
            try (0..<UInt64(count)).map { number in
                let transcript = Transcript()
                let work = SequenceWork(
                    store.container, seed: seed &+ number, usesLargeValues: usesLargeValues,
                    transcript)
                work.run(steps: steps)
                work.dump(try store.engine)
                return transcript.lines
            }
        }
    }

    /// The first line that differs, after those before it.
    private static func difference(_ one: [String], _ other: [String]) -> String {
        let index =
            zip(one, other).enumerated().first { $1.0 != $1.1 }?.offset
            ?? min(one.count, other.count)
        let before = one[max(0, index - 25)..<index].joined(separator: "\n")
        func line(_ lines: [String]) -> String { lines.dropFirst(index).first ?? "nothing" }
        return "\(before)\nexpected: \(line(one))\nfound:    \(line(other))"
    }

    // MARK: Side by side

    private static let programs = 6

    /// Runs sequences side by side on one store, half of them in a container of their own each, and
    /// computes everything that the store keeps up to date again when they have ended.
    package static func runSideBySide(on engine: EngineEntry) throws {
        var saves = 0
        try forEachSeed(share: 0.1, for: 3) { seed in
            // Before anything can crash; what goes to the standard output may be lost then.
            FileHandle.standardError.write(
                Data("side by side on \(engine.name): seed \(seed)\n".utf8))
            try engine.withDescriptions(1) { descriptions in
                var description = descriptions[0]
                description.options.history = seed.isMultiple(of: 2) ? .properties : .off
                let container = try PersistentContainer(Bazaar.model, description)
                let lines = try work(container, description, seed)
                saves += lines.count { $0.hasPrefix("0 did save") || $0.hasPrefix("1 did save") }
                let wrong = zip(lines, lines.dropFirst()).filter { _, line in
                    unexpected.contains { line.hasPrefix("! \($0)") }
                }.map { "\($0) \($1)" }
                #expect(wrong == [], "\(engine.name), seed \(seed)")
                // A container that does not follow others may know rows from before what they did.
                let reader = try PersistentContainer(Bazaar.model, description)
                let faults = try BazaarCheck(reader).faults
                #expect(faults == [], "\(engine.name), seed \(seed)")
            }
        }
        print("side by side: \(saves) saves of \(programs) programs on \(engine.name)")
    }

    /// What no program may see, whatever others do.
    private static let unexpected = ["PostgresError", "SQLiteError", "SaveConflict"]

    /// - Returns: What all of them saw.
    private static func work(
        _ container: PersistentContainer, _ description: StoreDescription, _ seed: UInt64
    ) throws -> [String] {
        let seen = Mutex<(lines: [String], errors: [any Error])>(([], []))
        let isDone = DispatchGroup()
        for program in 0..<programs {
            isDone.enter()
            let thread = Thread {
                defer { isDone.leave() }
                let transcript = Transcript()
                do {
                    let own =
                        program < programs / 2
                        ? container : try PersistentContainer(Bazaar.model, description)
                    SequenceWork(
                        own, seed: seed &* 10 &+ UInt64(program), usesLargeValues: true, transcript
                    )
                    .run(steps: steps)
                } catch {
                    seen.withLock { $0.errors.append(error) }
                }
                seen.withLock { $0.lines += transcript.lines }
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        isDone.wait()
        return try seen.withLock { seen in
            if let error = seen.errors.first { throw error }
            return seen.lines
        }
    }
}

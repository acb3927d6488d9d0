import Foundation
import Testing

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether something with this probability happens.
    mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }
}

private func number(_ name: String) -> Double? {
    ProcessInfo.processInfo.environment[name].flatMap { Double($0) }
}

/// Whether random tests run by number, or again, and not for a time.
var runsAreCounted: Bool { number("CAMBIUM_GENERATOR_RUNS") ?? number("CAMBIUM_SEED") != nil }

/// The seeds of random tests: others each time, or, with `CAMBIUM_SEED_BASE`, those that follow from
/// it. `Scripts/run-tests.sh` makes it of the commit, so that one commit always meets the same cases
/// and the next one others.
struct SeedSource {
    private var generator: any RandomNumberGenerator

    init() {
        let base = ProcessInfo.processInfo.environment["CAMBIUM_SEED_BASE"].flatMap { UInt64($0) }
        generator = base.map { SeededGenerator(seed: $0) } ?? SystemRandomNumberGenerator()
    }

    mutating func next() -> UInt64 { .random(in: 0..<1_000_000_000, using: &generator) }
}

/// The seeds that a random test goes through: the one of `CAMBIUM_SEED`, or new ones, as many as
/// `CAMBIUM_GENERATOR_RUNS` says, or for as long as `CAMBIUM_GENERATOR_SECONDS` says; without any
/// of them for a moment. At least one.
///
/// - Parameters:
///   - share: The part of the time, or of the runs, that belongs to this case of a parameterised
///     test: all cases together are one generator.
///   - defaultSeconds: How long the moment is, for all cases together.
///   - length: How many runs one call of the body is, where they are counted or repeated.
func forEachSeed(
    share: Double = 1, for defaultSeconds: Double = 0.3, length: Int = 1,
    _ body: (UInt64) throws -> Void
) rethrows {
    func run(_ seed: UInt64) throws {
        do {
            try body(seed)
        } catch {
            Issue.record("Replay with CAMBIUM_SEED=\(seed): \(error)")
            throw error
        }
    }
    if let seed = ProcessInfo.processInfo.environment["CAMBIUM_SEED"].flatMap({ UInt64($0) }) {
        return try run(seed)
    }
    var seeds = SeedSource()
    if let runs = number("CAMBIUM_GENERATOR_RUNS") {
        for _ in 0..<max(1, Int(runs * share) / length) { try run(seeds.next()) }
        return
    }
    let seconds = (number("CAMBIUM_GENERATOR_SECONDS") ?? defaultSeconds) * share
    let end = ContinuousClock.now + .seconds(seconds)
    repeat {
        try run(seeds.next())
    } while ContinuousClock.now < end
}

import Foundation

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

/// The seeds that a random test goes through: the one of `CAMBIUM_SEED`, or new ones for as long as
/// `CAMBIUM_GENERATOR_SECONDS` says (without, a second or what the test asks for).
func forEachSeed(for defaultSeconds: Double = 1, _ body: (UInt64) throws -> Void) rethrows {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["CAMBIUM_SEED"].flatMap({ UInt64($0) }) {
        return try body(seed)
    }
    let seconds = environment["CAMBIUM_GENERATOR_SECONDS"].flatMap { Double($0) } ?? defaultSeconds
    let end = ContinuousClock.now + .seconds(seconds)
    repeat {
        try body(UInt64.random(in: 0..<1_000_000_000))
    } while ContinuousClock.now < end
}

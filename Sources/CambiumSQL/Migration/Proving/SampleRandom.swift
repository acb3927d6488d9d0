/// Numbers that depend on nothing but where they are used.
struct SampleRandom {
    private var state: UInt64

    init(_ seed: UInt64, _ entity: String, _ index: Int, _ attempt: Int) {
        state = seed
        for byte in entity.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        state = state &+ UInt64(index) &* 0x9e37_79b9 &+ UInt64(attempt) &* 0x85eb_ca6b_c2b2
    }

    /// A number from 0 to one less than the bound (SplitMix64).
    mutating func next(below bound: UInt64) -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return (mixed ^ mixed >> 31) % max(bound, 1)
    }
}

import Testing

@testable import Cambium

struct KeyTableTests {
    /// Keys of a kind that collide, lie close together, or are as large as keys get.
    private func key(_ random: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .random(in: 0..<40, using: &random)
        case 1: .random(in: 0..<40, using: &random) << 32
        case 2: -.random(in: 1..<40, using: &random)
        default: Bool.random(using: &random) ? .max : .min
        }
    }

    @Test func `a table of keys holds what a dictionary does`() {
        forEachSeed(for: 0.05) { seed in
            var random = SeededGenerator(seed: seed)
            var table = Bool.random(using: &random) ? KeyTable<Int>() : KeyTable(capacity: 20)
            var model: [Int64: Int] = [:]
            for step in 0..<200 {
                let key = key(&random)
                if random.chance(0.6) {
                    let isNew = table.updateValue(step, forKey: key)
                    #expect(isNew == (model.updateValue(step, forKey: key) == nil))
                } else {
                    let wasThere = table.removeValue(forKey: key)
                    #expect(wasThere == (model.removeValue(forKey: key) != nil))
                }
                #expect(table.count == model.count)
            }
            for key in Set(model.keys).union([0, 1, .min, .max, 7 << 32]) {
                #expect(table[key] == model[key], "seed \(seed), key \(key)")
            }
        }
    }
}

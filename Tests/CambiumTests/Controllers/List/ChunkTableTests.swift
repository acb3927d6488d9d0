@testable import Cambium
import Testing

/// The table from keys to chunks, against a dictionary.
struct ChunkTableTests {
    @Test func `it finds what a dictionary finds`() {
        forEachSeed(for: 0.1) { seed in
            var generator = SeededGenerator(seed: seed)
            var table = ChunkTable()
            var expected: [Int64: Int] = [:]
            // Keys close together, and such as share half of their hash's bits by chance.
            let keys = (0..<40).map { _ in
                Bool.random(using: &generator)
                    ? Int64.random(in: 0..<64, using: &generator)
                    : Int64.random(in: .min ... .max, using: &generator)
            }
            for step in 0..<300 {
                let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
                let chunk = Int.random(in: 0..<5, using: &generator)
                switch (expected[key], generator.chance(0.5)) {
                case (nil, _):
                    table.insert(key, in: chunk)
                    expected[key] = chunk
                case (let old?, true):
                    table.remove(key, from: old)
                    expected[key] = nil
                case (let old?, false):
                    table.move(key, from: old, to: chunk)
                    expected[key] = chunk
                }
                for key in keys {
                    let found = table.first(key) { $0 == expected[key] ? $0 : nil }
                    #expect(found == expected[key], "CAMBIUM_SEED=\(seed), step \(step)")
                }
            }
        }
    }

    @Test func `a key that is not there is found in no chunk`() {
        var table = ChunkTable()
        #expect(table.first(1) { $0 } == nil)
        for key: Int64 in 0..<1000 { table.insert(key, in: Int(key)) }
        for key: Int64 in 0..<1000 where !key.isMultiple(of: 3) {
            table.remove(key, from: Int(key))
        }
        for key: Int64 in 0..<1000 {
            #expect(table.first(key) { $0 } == (key.isMultiple(of: 3) ? Int(key) : nil))
        }
    }
}

import Testing

@testable import CambiumRecords

/// Members by their keys.
struct MemberTableTests {
    private func member(_ key: Int64, entity: Int = 0) -> LinkSet.Member {
        LinkSet.Member(key: key, entity: entity)
    }

    @Test func `members come in the order of their keys, however they were put in`() {
        var table = MemberTable()
        for key: Int64 in [3, 5, 9, 4, 1, 7] {
            let isNew = table.insert(member(key))
            #expect(isNew)
        }
        #expect(table.keys == [1, 3, 4, 5, 7, 9])
    }

    @Test func `a member replaces the one with its key`() {
        var table = MemberTable()
        for key: Int64 in [3, 5, 4] { _ = table.insert(member(key)) }
        for key: Int64 in [3, 4, 5] {
            let isNew = table.insert(member(key, entity: 1))
            #expect(!isNew)
        }
        #expect(table.members.map(\.entity) == [1, 1, 1])
        #expect(table.keys == [3, 4, 5])
    }

    @Test func `tables of the same members are equal, whatever was done to them before`() {
        var (one, other) = (MemberTable(), MemberTable())
        for key: Int64 in [1, 2, 3] { _ = one.insert(member(key)) }
        for key: Int64 in [1, 8, 3, 2] { _ = other.insert(member(key)) }
        #expect(one != other)
        let wasThere = other.remove(8)
        #expect(wasThere)
        #expect(one == other)
    }

    @Test func `a table holds what a dictionary holds`() {
        forEachSeed(for: 0.05) { seed in
            var generator = SeededGenerator(seed: seed)
            var table = MemberTable()
            var expected: [Int64: LinkSet.Member] = [:]
            for step in 0..<60 {
                let isNext = Bool.random(using: &generator)
                let key = isNext ? Int64(step) : Int64.random(in: 0..<20, using: &generator)
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    let wasThere = table.remove(key)
                    #expect(wasThere == (expected[key] != nil))
                    expected[key] = nil
                } else {
                    let added = member(key, entity: step)
                    let isNew = table.insert(added)
                    #expect(isNew == (expected[key] == nil))
                    expected[key] = added
                }
                #expect(table[key] == expected[key])
                #expect(table.isEmpty == expected.isEmpty)
            }
            #expect(table.members == expected.values.sorted { $0.key < $1.key }, "seed \(seed)")
        }
    }
}

@testable import Cambium
import CambiumSQL
import TestDummyModel
import Testing

/// The rows of a list, in chunks.
struct ResultRowsTests {
    private let container: PersistentContainer
    private let dummy: TestDummy
    private let order = ObjectOrder([SortTerm(path: ["number"])])

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        dummy = TestDummy(in: container.newContext(), number: 0)
    }

    /// Rows with these values, which are their keys, too.
    private func entries(_ values: some Sequence<Int>) -> [ResultEntry] {
        let seen = SeenState(of: dummy)
        return values.map { value in
            ResultEntry(
                key: Int64(value), object: dummy, keys: [.int(Int64(value))], seen: seen)
        }
    }

    /// For how many rows the chunks have room, for a row that there is.
    private func room(of rows: ResultRows) -> Double {
        let room = rows.chunks.reduce(0) { $0 + max($1.rows.capacity, $1.values.capacity) }
        return Double(room) / Double(rows.count)
    }

    @Test(arguments: [1000, 10_000])
    func `many rows that come to one place and go again leave no room behind`(_ count: Int) {
        var directory = ChunkDirectory()
        var rows = ResultRows(order: order, chunkSize: 512, source: nil)
        rows.reset(to: entries((0..<4000).map { $0 * 20_000 }), &directory)
        let keys = rows.keys(in: 0..<rows.count)
        let places = rows.insert(
            entries((1...count).map { 2000 * 20_000 + $0 }), &directory)
        #expect(rows.count == 4000 + count && Set(places) == [2001])
        #expect(room(of: rows) < 2)
        rows.remove(at: Array(2001..<2001 + count), &directory)
        #expect(rows.keys(in: 0..<rows.count) == keys)
        #expect(room(of: rows) < 2.5)
        #expect(directory.index(of: keys[3000], in: rows) == 3000)
    }

    /// Few of a chunk are moved one by one, many all at once.
    @Test(arguments: [2, 9, 40])
    func `rows come and go all over the list`(_ distance: Int) {
        var directory = ChunkDirectory()
        var rows = ResultRows(order: order, chunkSize: 512, source: nil)
        let all = 0..<3000
        let staying = all.filter { !$0.isMultiple(of: distance) }
        let passing = all.filter { $0.isMultiple(of: distance) }
        rows.reset(to: entries(staying), &directory)
        _ = rows.insert(entries(passing), &directory)
        #expect(rows.keys(in: 0..<rows.count) == all.map { Int64($0) })
        #expect(all.allSatisfy { rows.keys(at: $0) == [.int(Int64($0))] })
        rows.remove(at: passing, &directory)
        #expect(rows.keys(in: 0..<rows.count) == staying.map { Int64($0) })
        #expect(staying.indices.allSatisfy { rows.keys(at: $0) == [.int(Int64(staying[$0]))] })
    }
}

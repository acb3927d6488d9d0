import CambiumMigration
import Testing

@Suite struct ConcurrentMapTests {
    @Test(arguments: [0, 1, 2, 1000]) func `results are in the order of the elements`(count: Int) {
        let numbers = Array(0..<count)
        #expect(numbers.concurrentMap { String($0) } == numbers.map { String($0) })
    }

    @Test func `a part of an array has its own first index`() {
        #expect([1, 2, 3, 4][2...].concurrentMap { $0 * 10 } == [30, 40])
    }
}

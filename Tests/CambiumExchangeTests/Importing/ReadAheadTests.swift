import Synchronization
import Testing

@testable import CambiumExchange

/// Elements that are made on a thread of its own.
struct ReadAheadTests {
    private struct Failure: Error, Equatable {
        let number: Int
    }

    /// Counts up.
    private final class Counter: Sendable {
        private let value = Mutex(0)

        var count: Int { value.withLock { $0 } }

        func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }

    @Test(arguments: [1, 2, 7]) func `all come, in their order, and then nothing`(_ ahead: Int)
        throws
    {
        let counter = Counter()
        let numbers = ReadAhead(ahead) { () -> Int? in
            let number = counter.next()
            return number <= 100 ? number : nil
        }
        defer { numbers.stop() }
        var taken: [Int] = []
        while let number = try numbers.next() { taken.append(number) }
        #expect(taken == Array(1...100))
        let again = try numbers.next()
        #expect(again == nil, "the end is the end, whoever asks again")
    }

    @Test func `an error comes after what was made before it`() throws {
        let counter = Counter()
        let numbers = ReadAhead(3) { () -> Int? in
            let number = counter.next()
            if number == 3 { throw Failure(number: number) }
            return number
        }
        defer { numbers.stop() }
        let taken = [try numbers.next(), try numbers.next()]
        #expect(taken == [1, 2])
        for _ in 0..<2 {
            #expect(throws: Failure(number: 3)) { try numbers.next() }
        }
    }

    @Test func `no more are made ahead than there is room for`() throws {
        let counter = Counter()
        let numbers = ReadAhead(2) { () -> Int? in counter.next() }
        for number in 1...50 {
            let taken = try numbers.next()
            #expect(taken == number)
            // Those that were taken, two that wait and one that is being made.
            #expect(counter.count <= number + 3)
        }
        numbers.stop()
        let count = counter.count
        #expect(count <= 53)
        numbers.stop()
        #expect(counter.count == count, "after the stop nothing is made")
    }

    @Test func `who stops before taking anything waits for no element`() {
        for _ in 0..<200 {
            let counter = Counter()
            let numbers = ReadAhead(1) { () -> Int? in counter.next() }
            numbers.stop()
            let count = counter.count
            #expect(count <= 2)
        }
    }
}

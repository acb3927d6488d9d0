import Testing

@testable import CambiumEngine

struct AttemptsTests {
    @Test func `attempts end by their number or by their time`() {
        func attempts(of time: Duration, counts: Bool) -> Int {
            var attempts = Attempts(for: time)
            var count = 0
            while count < 1_000, attempts.waits(upTo: 1_000, counts: counts) { count += 1 }
            return count
        }
        #expect(attempts(of: .seconds(60), counts: true) == 19)
        #expect(attempts(of: .zero, counts: true) == 0)
        // A server that is away is looked for as long as the program wants.
        #expect((20..<1_000).contains(attempts(of: .milliseconds(100), counts: false)))
    }
}

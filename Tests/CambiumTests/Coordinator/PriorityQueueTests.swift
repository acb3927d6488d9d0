import Testing

@testable import Cambium

struct PriorityQueueTests {
    private static let priorities: [TaskPriority] = [.background, .low, .medium, .high]

    @Test func `the oldest element of the highest priority comes first`() {
        var random = SeededGenerator(seed: 23)
        for _ in 0..<200 {
            var queue = PriorityQueue<Int>()
            var expected: [(element: Int, priority: TaskPriority)] = []
            for number in 0..<Int.random(in: 0..<60, using: &random) {
                if Int.random(in: 0..<3, using: &random) > 0 {
                    let priority = Self.priorities.randomElement(using: &random) ?? .medium
                    queue.insert(number, priority)
                    let place = expected.firstIndex { $0.priority < priority }
                    expected.insert((number, priority), at: place ?? expected.endIndex)
                } else {
                    let first = expected.isEmpty ? nil : expected.removeFirst()
                    #expect(queue.popFirst()?.element == first?.element)
                }
                #expect(queue.firstPriority == expected.first?.priority)
            }
            for (element, priority) in expected {
                let first = queue.popFirst()
                #expect(first?.element == element)
                #expect(first?.priority == priority)
            }
            #expect(queue.popFirst() == nil)
        }
    }
}

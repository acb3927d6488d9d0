@testable import CambiumExchange
@testable import CambiumSQLiteStore
import Testing

struct SpoolTests {
    private struct Value: Codable, Equatable {
        let number: Int
        var text: String?
    }

    @Test func `values come in the order in which they were added, in memory and beyond`() throws {
        for count in 0...13 {
            let values = (0..<count).map { Value(number: $0, text: $0 % 3 == 0 ? "\($0)" : nil) }
            for limit in [1, 3, 4, 20] {
                let spool = Spool(JSONForm<Value>(), capacity: 4)
                for value in values { try spool.append(value) }
                #expect(spool.count == count)
                var read: [Value] = []
                while case let next = try spool.next(limit), !next.isEmpty {
                    #expect(next.count <= limit)
                    read += next
                    #expect(spool.count == count - read.count)
                }
                #expect(read == values)
            }
        }
    }
}

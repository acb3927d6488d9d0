@testable import CambiumModel
import Testing

struct TextOrderTests {
    private static let orders: [TextOrder] = [
        .bytes, .caseInsensitive, .natural, .language("sv"), .language("xx"),
    ]

    @Test(arguments: orders)
    func `an order has a name that it is found by`(_ order: TextOrder) {
        #expect(TextOrder(name: order.name) == order)
    }

    @Test func `an unknown name is no order`() {
        #expect(TextOrder(name: "upside down") == nil)
    }

    @Test func `the natural order tells all texts apart, by letters, accents, then case`() {
        let sorted = ["", "a", "A", "á", "Á", "ab", "á1", "b", "z", "Z"]
        let natural = sorted.sorted {
            TextOrder.natural.key(of: $0).lexicographicallyPrecedes(TextOrder.natural.key(of: $1))
        }
        #expect(natural == ["", "a", "A", "á", "Á", "á1", "ab", "b", "z", "Z"])
        let keys = Set(sorted.map { TextOrder.natural.key(of: $0) })
        #expect(keys.count == sorted.count)
    }

    @Test func `numbers of any length compare by their value`() {
        let long = String(repeating: "9", count: 600)
        let longer = "1" + String(repeating: "0", count: 600)
        func key(_ text: String) -> Data { TextOrder.natural.key(of: text) }
        #expect(key("x\(long)").lexicographicallyPrecedes(key("x\(longer)")))
        #expect(key("x9").lexicographicallyPrecedes(key("x10")))
        #expect(key("x10").lexicographicallyPrecedes(key("xa")))
        #expect(key("x007") != key("x7"))
    }

    @Test func `nil has its place whatever the direction`() {
        func order(_ isDescending: Bool, _ last: Bool?) -> Int {
            TextOrder.bytes.order(
                .null, .int(1), isDescending: isDescending, placesNilLast: last)
        }
        #expect(order(false, nil) < 0)
        #expect(order(true, nil) > 0)
        #expect(order(true, false) < 0)
        #expect(order(false, true) > 0)
    }
}

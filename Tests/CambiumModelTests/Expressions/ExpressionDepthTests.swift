import CambiumModel
import Foundation
import Testing

/// Other threads than the main one have half a megabyte of stack on some platforms.
@Suite struct ExpressionDepthTests {
    /// Whether a text is accepted, on a small stack.
    private func isAccepted(_ text: String) -> Bool {
        let result = ResultBox()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            if let condition = try? ShopModel.condition(text),
                let evaluator = try? ExpressionEvaluator(
                    condition: condition, entity: ShopModel.product, model: ShopModel.model)
            {
                _ = try? evaluator.isTrue(PlainObject())
                result.isAccepted = true
            }
            done.signal()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        done.wait()
        return result.isAccepted
    }

    // Safety: written before the semaphore is signalled and read after it was waited for.
    private final class ResultBox: @unchecked Sendable {
        var isAccepted = false
    }

    @Test(arguments: [
        ("(", "stock == 1", ")"), ("NOT ", "stock == 1", ""), ("abs(", "stock", ") == 1"),
        ("TERNARY(TRUEPREDICATE, ", "stock", ", 1) == 1"), ("-", "stock", " == 1"),
        ("NOT (stock == 1 OR ", "stock == 2", ")"),
        ("SUBQUERY(category.products, $x, ", "stock == 1", ").@count == 1"),
    ])
    func `nesting is accepted or refused, and never overflows a small stack`(
        _ opening: String, _ middle: String, _ closing: String
    ) {
        for depth in [1, 5, 10, 15, 20, 25, 30, 50, 1000] {
            // Closings that make a condition of a value stand once at the end.
            let parts = closing.split(separator: ")", omittingEmptySubsequences: false)
            let isValue = parts.count == 2 && !parts[1].isEmpty && !opening.hasPrefix("SUB")
            let end =
                isValue
                ? String(repeating: String(parts[0]) + ")", count: depth) + String(parts[1])
                : parts.count == 1 ? closing : String(repeating: closing, count: depth)
            let accepted = isAccepted(String(repeating: opening, count: depth) + middle + end)
            // A subselect takes as much of SQLite's stack as two brackets and a call.
            if depth <= (opening.hasPrefix("SUB") ? 5 : 10) {
                #expect(accepted, "\(depth) times \(opening)")
            }
            if depth >= 1000 { #expect(!accepted, "\(depth) times \(opening)") }
        }
    }

    @Test func `a chain of forty sums is accepted on a small stack`() {
        #expect(isAccepted(String(repeating: "stock + ", count: 40) + "stock == 1"))
        #expect(!isAccepted(String(repeating: "stock + ", count: 60) + "stock == 1"))
    }
}

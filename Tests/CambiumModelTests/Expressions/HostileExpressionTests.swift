import CambiumModel
import Foundation
import Testing

/// A megabyte of anything is an answer within moments, on any stack.
@Suite struct HostileExpressionTests {
    private static let isLong =
        ProcessInfo.processInfo.environment["CAMBIUM_GENERATOR_SECONDS"] != nil
    /// The number of bytes: a megabyte in long runs.
    private static let size = isLong ? 1_000_000 : 50_000

    @Test(arguments: [
        "(", ")", "{", "[", "((", "NOT ", "!", "-", "+", "1+", "1**", "a.", "a AND ", "a OR ",
        "a == 1 OR ", "ANY ", "abs(", "TERNARY(", "SUBQUERY(a,$x,", "CAST(", "a", "é", "$", "$a ",
        "@", "@sum.", "'", "\"", "\\", "%@", "%K.", "#", "1", "0x", "1e9", "NOT IN ", "a IN {",
        "1,", "==", "[cd]", "\u{0}", "\u{FFFD}", "category.", "title == 'a' AND ", "$x == ",
        "stock IN {1,2} OR ", "prise OR ", "nil,", "category.products.", "now() - ", ":=", "a:",
    ])
    func `repeated text gives a result or mistakes`(_ part: String) {
        let text = String(repeating: part, count: Self.size / part.utf8.count)
        let short = String(repeating: part, count: Self.size / 50 / part.utf8.count)
        for text in [
            text, "stock == " + short, "stock IN {\(short)}", "'\(short)'", "SELF.\(short)",
        ] {
            let result = ExpressionCompiler.condition(
                text, entity: ShopModel.product, model: ShopModel.model)
            guard case .failure(let failure) = result else { continue }
            #expect(!failure.diagnostics.isEmpty && failure.diagnostics.count <= 100)
            for diagnostic in failure.diagnostics {
                #expect(diagnostic.message.utf8.count < 4000)
                #expect((0...text.utf8.count).contains(diagnostic.offset))
            }
        }
    }

    @Test func `a hostile pattern is refused`() {
        for pattern in [
            String(repeating: "(", count: 100_000), String(repeating: "[", count: 100_000),
            String(repeating: "(a", count: 1000) + String(repeating: ")", count: 1000),
            String(repeating: "a*", count: Self.isLong ? 10_000 : 2500),
            String(repeating: "a|", count: 3000),
        ] {
            #expect(throws: ExpressionDiagnostics.self) {
                try ShopModel.condition("title MATCHES '\(pattern)'")
            }
        }
    }

    @Test func `time grows with the length and no faster`() {
        // Of this thread's own time, since other tests run beside it.
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        func time(_ count: Int) -> Duration {
            let text = Array(repeating: "stock == 1 AND title IN {'a', 'b'}", count: count)
                .joined(separator: " OR ")
            return (0..<3).map { _ in
                let start = now()
                _ = ExpressionCompiler.condition(
                    text, entity: ShopModel.product, model: ShopModel.model)
                return now() - start
            }.min() ?? .zero
        }
        let (one, eight) = Self.isLong ? (time(250), time(2000)) : (time(50), time(400))
        #expect(eight < one * 20, "\(one) and \(eight)")
    }

    @Test func `random bytes never crash`() {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0..<1_000_000)
        print("hostile texts: CAMBIUM_SEED=\(seed)")
        var random = SeededGenerator(state: seed)
        let words = [
            "stock", "title", "tags", "category", "home", "geo", ".", "(", ")", "{", "}", ",", "==",
            "<", "ANY", "ALL", "IN", "BETWEEN", "NOT", "AND", "OR", "$x", "@count", "@sum", "'a'",
            "1", "nil", "SUBQUERY(", "TERNARY(", "CAST(", "'NSDate'", "now()", "+", "-", "**",
            "[c]",
            "LIKE", "SELF", "%@", "#in", "abs:(", "products", "\\", "'", "é", "amount", "colour",
        ]
        for _ in 0..<(Self.isLong ? 1500 : 300) {
            let text = (0..<Int.random(in: 1...14, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }.joined(separator: Bool.random(using: &random) ? " " : "")
            let result = ExpressionCompiler.template(
                text, entity: ShopModel.product, model: ShopModel.model)
            guard case .success(let found) = result else { continue }
            let again = ExpressionCompiler.template(
                found.condition.description, entity: ShopModel.product, model: ShopModel.model)
            #expect((try? again.get().condition) == found.condition, "\(text)")
        }
    }
}

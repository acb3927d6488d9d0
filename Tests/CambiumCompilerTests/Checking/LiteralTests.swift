import Foundation
import Testing

@testable import CambiumCompiler

struct LiteralTests {
    @Test func `every day of four centuries is the day that Foundation means`() {
        var day = Date(timeIntervalSinceReferenceDate: -201 * 366 * 86_400)
        let style = Date.ISO8601FormatStyle()
        for _ in 0..<(400 * 366 / 7) {
            let text = day.formatted(style)
            #expect(DateText.date(text) == day, "\(text)")
            day += 7 * 86_400 + 3_723
        }
    }

    @Test func `a day without a time starts at midnight UTC`() {
        #expect(DateText.date("2001-01-01")?.timeIntervalSinceReferenceDate == 0)
        #expect(DateText.date("1970-01-01")?.timeIntervalSince1970 == 0)
        #expect(DateText.date("2024-02-29")?.timeIntervalSince1970 == 1_709_164_800)
    }

    @Test(arguments: [
        "", "2026", "2026-1-1", "2026-13-01", "2026-00-01", "2026-02-29", "2026-04-31",
        "1900-02-29", "2026-01-01T", "2026-01-01T00:00:00", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01 00:00:00Z", "+026-01-01", "２０２６-01-01", "NOW",
        "2026-01-01T00:00:00ZZ", "2026-01-01-01", "2026-01-01T00:00:00.5Z", "2026-01-01t00:00:00Z",
        "2026-01-01T00:00Z", "2026-01-01T00:00:00+00", "-2026-01-01",
    ])
    func `what is no date is none`(text: String) {
        #expect(DateText.date(text) == nil)
    }

    @Test(arguments: ["1", "-1", "0.10", "12345678901234567890.5", "-0.000001"])
    func `decimals are exact`(text: String) throws {
        let isGreat = text.count > 18
        let result = Literal.parse(text, as: .decimal(scale: 6))
        #expect(((try? result.get()) == nil) == isGreat)
        if !isGreat, case .decimal(let value) = try result.get() {
            #expect(value == Decimal(string: text))
        }
    }

    @Test(arguments: [
        "", "-", ".", "1.", ".5", "1e3", "0x10", "1,5", " 1", "1 ", "--1", "+1", "1.2.3", "NaN",
        "١", "0.0000001", "0.00000000000000000000000000000000000000000001",
    ])
    func `what is no decimal of six places is refused`(text: String) {
        let result = Literal.parse(text, as: .decimal(scale: 6))
        #expect((try? result.get()) == nil)
    }

    @Test(arguments: ["0x1p3", "inf", "nan", "-infinity", "1e999", "", " 1", "1 ", "١"])
    func `what is no finite number is refused`(text: String) {
        #expect((try? Literal.parse(text, as: .double).get()) == nil)
    }
}

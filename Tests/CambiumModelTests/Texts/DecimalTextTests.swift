import CambiumModel
import Foundation
import Testing

struct DecimalTextTests {
    @Test(arguments: ["0", "12", "-12.50", "+1", ".5", "5.", "1e5", "1E-5", "00.10"])
    func `a text is a number`(_ text: String) {
        #expect(DecimalText.isNumber(text))
        #expect(DecimalText.decimal(of: text) == Decimal(string: text))
        #expect(DecimalText.double(of: text) == Double(text))
    }

    @Test(arguments: [
        "", "-", ".", "1e", "e5", "12abc", "1_0", "0x10", " 1", "1 ", "nan", "1,5", "--1",
    ])
    func `a text is no number`(_ text: String) {
        #expect(!DecimalText.isNumber(text))
        #expect(DecimalText.decimal(of: text) == nil)
        #expect(DecimalText.double(of: text) == nil)
    }

    @Test func `a decimal keeps all digits, or is none`() {
        let digits = String(repeating: "9", count: 38)
        #expect(DecimalText.decimal(of: digits)?.description == digits)
        #expect(DecimalText.decimal(of: digits + "1") == nil)
        #expect(DecimalText.decimal(of: digits + "000") != nil)
        #expect(DecimalText.decimal(of: "0." + digits) != nil)
        #expect(DecimalText.decimal(of: "1e400") == nil)
        #expect(DecimalText.decimal(of: "1e-400") == nil)
        #expect(DecimalText.decimal(of: "0e-400") == 0)
    }

    @Test func `a floating-point number is no greater than there are`() {
        #expect(DecimalText.double(of: "1e400") == nil)
        #expect(DecimalText.double(of: "inf") == .infinity)
        #expect(DecimalText.float(of: "-inf") == -.infinity)
        #expect(DecimalText.float(of: "1e39") == nil)
        #expect(DecimalText.float(of: "0.1") == 0.1)
    }

    @Test(
        arguments: [
            (0, "0."), (1.5, "1.5"), (1e-7, "0.0000001"), (1.25e-6, "0.00000125"),
            (123_456_789.125, "123456789.125"), (0.1, "0.1"),
            (2_251_799_813_685_249.5, "2251799813685249.5"),
            (1e15, "1000000000000000."),
        ] as [(Double, String)])
    func `a number as its whole part and its places`(_ value: Double, _ expected: String) {
        let (whole, places) = DecimalText.plain(value)
        #expect("\(whole).\(places)" == expected)
    }
}

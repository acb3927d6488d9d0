import CambiumModel
import Foundation
import Testing

struct JSONWriterTests {
    private func text(_ value: Value, as type: AttributeType) -> String {
        var json = JSONWriter()
        json.write(value, as: type)
        return String(decoding: json.text, as: UTF8.self)
    }

    @Test func `values are spelled so that they lead back to themselves`() {
        #expect(text(.null, as: .string) == "null")
        #expect(text(.bool(true), as: .bool) == "true")
        #expect(text(.int(.min), as: .int64) == "-9223372036854775808")
        #expect(text(.double(Double(Float(0.1))), as: .float) == "0.1")
        #expect(text(.double(Double(Float(0.1))), as: .double) == "0.10000000149011612")
        #expect(text(.double(-.infinity), as: .double) == "\"-inf\"")
        #expect(
            text(.decimal(Decimal(sign: .minus, exponent: -2, significand: 5)), as: .anyDecimal)
                == "-0.05")
        let long = String(repeating: "9", count: 38)
        #expect(Decimal(string: long).map { text(.decimal($0), as: .anyDecimal) } == "\"\(long)\"")
        #expect(text(.string("a\"\\\u{1}\n"), as: .string) == #""a\"\\\u0001\n""#)
        #expect(text(.data(Data([0, 1, 255])), as: .data) == "\"AAH/\"")
        #expect(
            text(.uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10))), as: .uuid)
                == "\"00000000-0000-0000-0000-00000000000A\"")
    }

    @Test func `dates beyond the calendar are seconds`() {
        func date(_ seconds: Double) -> String {
            text(.date(Date(timeIntervalSinceReferenceDate: seconds)), as: .date)
        }
        #expect(date(-0.25) == "\"2000-12-31T23:59:59.75Z\"")
        #expect(date(1e17) == "1e+17")
        #expect(date(.infinity) == "\"inf\"")
    }
}

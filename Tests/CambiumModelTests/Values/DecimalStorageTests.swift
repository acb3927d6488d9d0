import CambiumModel
import Foundation
import Testing

/// Decimals as numbers of units.
@Suite struct DecimalStorageTests {
    /// The units by the digits of the text alone.
    private func expected(_ value: Decimal, scale: Int) -> Int64? {
        Int64(Decimal(sign: .plus, exponent: scale, significand: value).description)
    }

    @Test(arguments: [0, 1, 2, 6, 18])
    func `units are what the digits say`(_ scale: Int) throws {
        let texts = [
            "0", "-0", "1", "-1", "19.99", "-0.05", "0.001", "20", "2000", "1e17", "1e18", "1e19",
            "9.223372036854775807", "9223372036854775807", "-9223372036854775807",
            "-9223372036854775808", "9223372036854775808", "18446744073709551615",
            "18446744073709551616", "18446744073709551617", "36893488147419103233",
            "340282366920938463463374607431768211455", "0.30", "1.10", "-123456789.123456",
            "922337203685477580.7", "1e-128", "1e127", "12.5e3",
        ]
        for text in texts {
            let value = try #require(Decimal(string: text))
            let units = DecimalStorage.units(of: value, scale: scale)
            #expect(units == expected(value, scale: scale), "\(text), scale \(scale)")
            if let units { #expect(DecimalStorage.decimal(ofUnits: units, scale: scale) == value) }
        }
        #expect(DecimalStorage.units(of: .nan, scale: scale) == nil)
    }

    @Test func `units of all small numbers lead back to them`() {
        for scale in 0...4 {
            for units in Int64(-2_000)...2_000 {
                // With the exponent that the scale gives, and with one that division leaves.
                for value in [
                    DecimalStorage.decimal(ofUnits: units, scale: scale),
                    Decimal(units) / Decimal(sign: .plus, exponent: scale, significand: 1),
                ] where DecimalStorage.units(of: value, scale: scale) != units {
                    Issue.record("\(value), scale \(scale)")
                }
            }
        }
    }
}

/// Rounding to a scale: to the nearest, halves away from zero.
@Suite struct DecimalRoundingTests {
    @Test func `units are rounded to those of a smaller scale`() {
        func rounded(_ units: Int64, _ own: Int, _ scale: Int) -> Int64 {
            DecimalStorage.units(units, ofScale: own, roundedTo: scale)
        }
        #expect(rounded(12_345, 3, 3) == 12_345)
        #expect(
            [12_344, 12_345, 12_355, -12_345].map { rounded($0, 3, 2) } == [
                1234, 1235, 1236, -1235,
            ])
        #expect(rounded(.max, 18, 0) == 9 && rounded(.min, 18, 0) == -9)
        #expect(rounded(.max, 19, 0) == 0 && rounded(49, 2, 0) == 0 && rounded(50, 2, 0) == 1)
    }

    @Test(
        arguments: [
            (38.885, 2, 3889), (0.1 + 0.2, 2, 30), (1e-05, 5, 1), (.leastNonzeroMagnitude, 18, 0),
            (0, 18, 0),
            (-2.5, 0, -3), (1.5e+17, 0, 150_000_000_000_000_000), (100, 2, 10_000), (2.675, 2, 268),
        ] as [(Double, Int, Int64)])
    func `a floating-point number is rounded as its digits say`(
        _ number: Double, _ scale: Int, _ units: Int64
    ) {
        #expect(DecimalStorage.units(rounding: number, scale: scale) == units)
    }

    @Test(arguments: [.infinity, .nan, 1e19, -1e300, 1e18] as [Double])
    func `what is too great has no units`(_ number: Double) {
        #expect(DecimalStorage.units(rounding: number, scale: 6) == nil)
    }

    @Test func `a number is rounded to itself where it has few places`() {
        for value in stride(from: -5000, through: 5000, by: 7) {
            let number = Double(value) / 1000
            #expect(DecimalStorage.units(rounding: number, scale: 3) == Int64(value))
        }
    }
}

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

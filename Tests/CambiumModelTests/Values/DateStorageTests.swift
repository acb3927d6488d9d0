import CambiumModel
import Testing

/// Dates to the microsecond.
struct DateStorageTests {
    private let kept = StoredDatePrecision(
        microseconds: -211_845_110_400_000_000...9_223_339_708_799_999_999, years: (-4712, 294_276))

    @Test func `a date that was rounded stays what it is, at any distance`() throws {
        var random = SystemRandomNumberGenerator()
        for exponent in -30..<43 {
            for _ in 0..<200 {
                let magnitude = Double.random(in: 1..<2, using: &random) * exp2(exponent)
                let seconds = Bool.random(using: &random) ? magnitude : -magnitude
                guard let rounded = kept.kept(seconds) else { continue }
                #expect(kept.kept(rounded)?.bitPattern == rounded.bitPattern, "\(seconds)")
                #expect(abs(rounded - seconds) <= max(0.000_000_6, seconds.ulp), "\(seconds)")
                let count = try #require(DateStorage.microseconds(ofSeconds: rounded))
                #expect(DateStorage.seconds(ofMicroseconds: count) == rounded)
            }
        }
    }

    private func exp2(_ exponent: Int) -> Double {
        Double(sign: .plus, exponent: exponent, significand: 1)
    }

    @Test func `what the store cannot keep is told apart`() {
        for seconds in [1e13, -2.2e11, .infinity, -.infinity, .nan, 1e300] as [Double] {
            #expect(kept.kept(seconds) == nil)
            #expect(kept.rounded(seconds).bitPattern == seconds.bitPattern)
        }
        #expect(kept.kept(9_223_339_708_799) != nil)
        #expect(kept.kept(-211_845_110_400) != nil)
    }

    @Test func `halves are rounded away from zero`() {
        #expect(DateStorage.microseconds(ofSeconds: 0.000_000_5) == 1)
        #expect(DateStorage.microseconds(ofSeconds: -0.000_000_5) == -1)
        #expect(DateStorage.microseconds(ofSeconds: -0.0) == 0)
    }

    @Test func `constants of an expression are rounded, wherever they are`() {
        let date = Date(timeIntervalSinceReferenceDate: 0.123_456_78)
        let expected = Date(timeIntervalSinceReferenceDate: 0.123_457)
        let path = ModelExpression.keyPath(root: .subject, names: ["moment"])
        let tree = ModelExpression.not(
            .or([
                .comparison(path, .less, .literal(.date(date)), []),
                .comparison(path, .in, .list([.literal(.date(date)), .literal(.int(1))]), []),
            ]))
        let rounded = ModelExpression.not(
            .or([
                .comparison(path, .less, .literal(.date(expected)), []),
                .comparison(path, .in, .list([.literal(.date(expected)), .literal(.int(1))]), []),
            ]))
        #expect(kept.rounded(tree) == rounded)
    }
}

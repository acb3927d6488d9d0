import CambiumModel
import Testing

struct DurationStorageTests {
    @Test("a duration is read from its own text again, whatever its nanoseconds are")
    func roundTrips() {
        var random = SystemRandomNumberGenerator()
        let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max]
        let units: [Int64] = [1, 1000, 1_000_000_000, 60_000_000_000, 3_600_000_000_000]
        let numbers =
            ends
            + (0..<2000).map { _ in
                let unit = units.randomElement(using: &random) ?? 1
                return Int64.random(in: Int64.min / unit...Int64.max / unit, using: &random) * unit
            }
        for number in numbers {
            let text = DurationStorage.text(of: .nanoseconds(number))
            #expect(DurationStorage.duration(of: text) == .nanoseconds(number), "\(text)")
        }
    }

    @Test(
        "texts of ISO 8601 are read",
        arguments: [
            ("PT0S", 0), ("PT1H30M", 5_400_000_000_000), ("P1DT1S", 86_401_000_000_000),
            ("P2W", 1_209_600_000_000_000), ("-PT0.5S", -500_000_000), ("PT90M", 5_400_000_000_000),
            ("PT0.000000001S", 1), ("PT9223372036.854775807S", Int64.max),
            ("-PT9223372036.854775808S", Int64.min),
        ])
    func reads(_ text: String, _ nanoseconds: Int64) {
        #expect(DurationStorage.duration(of: text) == .nanoseconds(nanoseconds))
    }

    @Test(
        "what is not a duration, or not sure to be one, is not read",
        arguments: [
            "", "P", "PT", "-", "-P", "PT1", "1H", "PT1H1H", "PT1M1H", "P1Y", "P1M", "PT1.5H",
            "PT.5S",
            "PT1.S", "PT0.0000000001S", "PT-1S", "+PT1S", "pt1s", " PT1S", "PT1S ", "PT1ST1S",
            "P1D1S",
            "PT9223372036.854775808S", "PT99999999999999999999S", "PT１S", "PT1e3S", "P1DT",
        ])
    func refuses(_ text: String) {
        #expect(DurationStorage.duration(of: text) == nil)
    }

    @Test("nanoseconds are rounded to the nearest, halves away from zero")
    func rounds() {
        func rounded(_ attoseconds: Int64) -> Int64? {
            DurationStorage.nanoseconds(
                of: Duration(secondsComponent: 0, attosecondsComponent: attoseconds))
        }
        #expect(rounded(499_999_999) == 0)
        #expect(rounded(500_000_000) == 1)
        #expect(rounded(-500_000_000) == -1)
        #expect(rounded(-499_999_999) == 0)
        #expect(rounded(2_400_000_000) == 2)
    }

    @Test("durations that 64 bits do not hold have no nanoseconds, and nothing traps")
    func ends() {
        let limit = Duration.nanoseconds(Int64.max)
        #expect(DurationStorage.nanoseconds(of: limit) == .max)
        #expect(DurationStorage.nanoseconds(of: .nanoseconds(Int64.min)) == .min)
        #expect(DurationStorage.nanoseconds(of: limit + .nanoseconds(1)) == nil)
        for attoseconds in [Int128.min, .max] {
            #expect(DurationStorage.nanoseconds(of: Duration(attoseconds: attoseconds)) == nil)
        }
        for seconds in [1e10, 1e15, 1e19, 1e20] {
            #expect(DurationStorage.nanoseconds(of: .seconds(seconds)) == nil)
            #expect(DurationStorage.nanoseconds(of: .seconds(-seconds)) == nil)
            #expect(DurationStorage.nearest(to: .seconds(seconds)) == limit)
            #expect(DurationStorage.text(of: .seconds(-seconds)) == "-PT2562047H47M16.854775808S")
        }
    }
}

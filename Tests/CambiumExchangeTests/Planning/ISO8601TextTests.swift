import CambiumExchange
import Foundation
import Testing

struct ISO8601TextTests {
    private func seconds(_ text: String) -> Double? {
        ISO8601Text.date(of: text)?.timeIntervalSinceReferenceDate
    }

    private func text(_ seconds: Double) -> String? {
        ISO8601Text.text(of: Date(timeIntervalSinceReferenceDate: seconds))
    }

    @Test(
        arguments: [
            ("2001-01-01", 0), ("2001-01-01T00:00:00Z", 0), ("2001-01-01 00:00", 0),
            ("2001-01-01T00:00:00.25Z", 0.25), ("2000-12-31T23:59:59.75Z", -0.25),
            ("2001-01-01T02:00:00+02:00", 0), ("2001-01-01T02:00:00+0200", 0),
            ("2000-12-31T21:30-02:30", 0), ("2001-01-01T02:00:00+02", 0),
            ("1970-01-01T00:00:00Z", -978_307_200), ("2024-02-29T00:00:00Z", 730_857_600),
            ("2001-01-01t00:00:00,5z", 0.5), ("+2001-01-01", 0),
            ("0001-01-01T00:00:00Z", -63_113_904_000),
        ] as [(String, Double)])
    func `a text is a date`(_ text: String, _ expected: Double) {
        #expect(seconds(text) == expected)
    }

    @Test(arguments: [
        "", "2001", "2001-1-1", "2001-13-01", "2001-00-10", "2001-02-29", "1900-02-29",
        "2001-04-31",
        "2001-01-01T", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:60Z",
        "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00+2", "2001-01-01T00:00:00+24:00",
        "2001-01-01T00:00:00Z ", " 2001-01-01", "2001-01-01Z", "２００１-01-01", "2001-01-01T00",
        "99999999999999999999-01-01", "-", "+",
    ])
    func `a text is no date`(_ text: String) {
        #expect(seconds(text) == nil)
    }

    @Test func `dates are written in UTC, with the places that they have`() {
        #expect(text(0) == "2001-01-01T00:00:00Z")
        #expect(text(0.1) == "2001-01-01T00:00:00.1Z")
        #expect(text(-0.25) == "2000-12-31T23:59:59.75Z")
        #expect(text(730_857_600) == "2024-02-29T00:00:00Z")
        #expect(text(1e13) == "+318888-05-20T17:46:40Z")
        #expect(text(-1e12)?.hasPrefix("-") == true)
        #expect(text(.infinity) == nil)
        #expect(text(.nan) == nil)
        #expect(text(1e15) == nil)
    }

    @Test func `the calendar is that of Foundation`() {
        let formatter = ISO8601DateFormatter()
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let date = Date(
                timeIntervalSinceReferenceDate: .random(in: -1e10...2e11, using: &generator)
                    .rounded())
            #expect(ISO8601Text.text(of: date) == formatter.string(from: date))
        }
    }

    @Test func `a date that is written reads as the very same one`() {
        forEachSeed(for: 0.1) { seed in
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<100 {
                let exponent = Double.random(in: -40...46, using: &generator)
                let seconds =
                    exp2(exponent) * Double.random(in: -1...1, using: &generator)
                let text = text(seconds)
                #expect(text.flatMap(self.seconds) == seconds, "seed \(seed), \(seconds)")
            }
        }
    }
}

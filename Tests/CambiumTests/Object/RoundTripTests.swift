import Cambium
import EverythingModel
import Foundation
import Testing

/// What is set is what another context reads, to the last bit.
struct RoundTripTests {
    /// Saves a sample for each value and reads them in a context of its own.
    private func expectRoundTrip<Value: Equatable>(
        _ kind: StoreKind, _ property: ReferenceWritableKeyPath<Sample, Value>, _ values: [Value],
        areEqual: (Value, Value) -> Bool = { $0 == $1 },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            let ids = values.map { value in
                let sample = Sample(in: context)
                sample[keyPath: property] = value
                return sample.objectID
            }
            try context.save()
            let reader = container.newContext()
            for (id, value) in zip(ids, values) {
                let read = try reader.get(id, as: Sample.self)[keyPath: property]
                let isEqual = areEqual(read, value)
                #expect(
                    isEqual, "\("\(value)".prefix(50)) came back as \("\(read)".prefix(50))",
                    sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `bools come back`(_ kind: StoreKind) throws {
        try expectRoundTrip(kind, \.flag, [true, false])
    }

    @Test(arguments: StoreKind.allCases)
    func `whole numbers come back`(_ kind: StoreKind) throws {
        try expectRoundTrip(kind, \.short, [.min, -1, 0, 1, .max])
        try expectRoundTrip(kind, \.maybeShort, [.min, -1, 0, 1, .max, nil])
        try expectRoundTrip(kind, \.medium, [.min, -1, 0, 1, .max])
        let long: [Int64] = [.min, .min + 1, -1, 0, 1, 9_007_199_254_740_993, .max]
        try expectRoundTrip(kind, \.long, long)
        try expectRoundTrip(kind, \.maybeLong, long + [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `floating-point numbers come back bit for bit, infinite ones too`(
        _ kind: StoreKind
    ) throws {
        let singles: [Float] = [
            0, 0.1, -0.1, .infinity, -.infinity, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, .pi,
        ]
        try expectRoundTrip(kind, \.single, singles) { $0.bitPattern == $1.bitPattern }
        let doubles: [Double] = [
            0, 0.1, -0.1, 1 / 3, .infinity, -.infinity, .leastNonzeroMagnitude,
            -.greatestFiniteMagnitude, .pi, 1e15, 9_007_199_254_740_992,
        ]
        try expectRoundTrip(kind, \.double, doubles) { $0.bitPattern == $1.bitPattern }
        try expectRoundTrip(kind, \.maybeDouble, doubles + [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `decimals come back exactly`(_ kind: StoreKind) throws {
        let values = try [
            "0", "0.01", "-0.01", "-12.34", "99999999.99", "-92233720368547758.08",
            "92233720368547758.07",
        ].map { try #require(Decimal(string: $0)) }
        try expectRoundTrip(kind, \.amount, values)
        try expectRoundTrip(kind, \.maybeAmount, values + [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `strings come back byte for byte`(_ kind: StoreKind) throws {
        let values = [
            "", " ", "plain", "Grüße, 世界 👩‍👩‍👧‍👦", "e\u{301} is not \u{e9}", "\u{10FFFF}",
            "line\nbreak\r\n\ttab", "'; DROP TABLE Sample; --", "\u{FEFF}mark",
            String(repeating: "0123456789abcdeé", count: 1 << 16),
        ]
        try expectRoundTrip(kind, \.text, values) { $0.utf8.elementsEqual($1.utf8) }
        try expectRoundTrip(kind, \.maybeText, values + [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `dates come back bit for bit`(_ kind: StoreKind) throws {
        let values = [
            0, 0.1, -978_307_200, 1 / 3, 1e-300, .greatestFiniteMagnitude, .infinity,
            -63_114_076_800, 800_000_000.123_456_7,
        ].map { Date(timeIntervalSinceReferenceDate: $0) }
        try expectRoundTrip(kind, \.moment, values) {
            $0.timeIntervalSinceReferenceDate.bitPattern
                == $1.timeIntervalSinceReferenceDate.bitPattern
        }
        try expectRoundTrip(kind, \.maybeMoment, values + [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `UUIDs come back`(_ kind: StoreKind) throws {
        let values = [UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))]
        try expectRoundTrip(kind, \.token, values)
        try expectRoundTrip(kind, \.maybeToken, values + [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `URLs come back`(_ kind: StoreKind) throws {
        let values = [
            "https://example.com/a%20b?c=d#e", "file:///tmp/x", "mailto:a@b.c", "relative/path",
        ].map { URL(string: $0) }
        try expectRoundTrip(kind, \.link, values + [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `data comes back`(_ kind: StoreKind) throws {
        let values = [0, 1, 255, 1 << 20].map { count in
            Data(repeating: 0xFF, count: count / 2) + Data(count: count - count / 2)
        }
        try expectRoundTrip(kind, \.bytes, values + [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `enumerations come back`(_ kind: StoreKind) throws {
        try expectRoundTrip(kind, \.size, Size.allCases)
        try expectRoundTrip(kind, \.colour, Colour.allCases + [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `an optional value that was taken away comes back as nil`(_ kind: StoreKind) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            let sample = Sample(
                in: context, link: URL(string: "a:b"), bytes: Data([1]), colour: .red,
                maybeShort: 1, maybeLong: 1, maybeDouble: 1, maybeAmount: 1, maybeText: "text",
                maybeMoment: .now, maybeToken: UUID())
            try context.save()
            sample.link = nil
            sample.bytes = nil
            sample.colour = nil
            sample.maybeShort = nil
            sample.maybeLong = nil
            sample.maybeDouble = nil
            sample.maybeAmount = nil
            sample.maybeText = nil
            sample.maybeMoment = nil
            sample.maybeToken = nil
            try context.save()
            let reader = container.newContext()
            let read: Sample = try reader.get(sample.objectID)
            #expect(read.link == nil)
            #expect(read.bytes == nil)
            #expect(read.colour == nil)
            #expect(read.maybeShort == nil)
            #expect(read.maybeLong == nil)
            #expect(read.maybeDouble == nil)
            #expect(read.maybeAmount == nil)
            #expect(read.maybeText == nil)
            #expect(read.maybeMoment == nil)
            #expect(read.maybeToken == nil)
        }
    }

    @Test func `defaults are there from insertion on`() throws {
        try withContainer(Everything.model) { container in
            let before = Date()
            let context = container.newContext()
            let sample = Sample(in: context)
            #expect(sample.size == .large)
            #expect(sample.scratch == 7)
            #expect(sample.text == "")
            #expect(sample.maybeText == nil)
            #expect(sample.moment >= before && sample.moment <= Date())
            #expect(sample.token != Sample(in: context).token)
        }
    }

    @Test func `a transient value stays in memory and is not written`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = Sample(in: context)
            sample.scratch = 99
            try context.save()
            #expect(sample.scratch == 99)
            let reader = container.newContext()
            let read: Sample = try reader.get(sample.objectID)
            #expect(read.scratch != 99)
        }
    }
}

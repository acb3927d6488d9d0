import Cambium
import EverythingModel
import Foundation
import Testing

extension EngineSuite {
    /// Every type of attribute, with the values at its edges, comes back to the last bit.
    package static let values = EngineSuite("values") {
        EngineCase("bools come back") { engine in
            try expectRoundTrip(engine, \.flag, [true, false])
        }

        EngineCase("whole numbers come back") { engine in
            try expectRoundTrip(engine, \.short, [.min, -1, 0, 1, .max])
            try expectRoundTrip(engine, \.maybeShort, [.min, -1, 0, 1, .max, nil])
            try expectRoundTrip(engine, \.medium, [.min, -1, 0, 1, .max])
            let long: [Int64] = [.min, .min + 1, -1, 0, 1, 9_007_199_254_740_993, .max]
            try expectRoundTrip(engine, \.long, long)
            try expectRoundTrip(engine, \.maybeLong, long + [nil])
        }

        EngineCase("floating-point numbers come back bit for bit, infinite ones too") { engine in
            let singles: [Float] = [
                0, 0.1, -0.1, .infinity, -.infinity, .leastNonzeroMagnitude,
                .greatestFiniteMagnitude, .pi,
            ]
            try expectRoundTrip(engine, \.single, singles) { $0.bitPattern == $1.bitPattern }
            let doubles: [Double] = [
                0, 0.1, -0.1, 1 / 3, .infinity, -.infinity, .leastNonzeroMagnitude,
                -.greatestFiniteMagnitude, .pi, 1e15, 9_007_199_254_740_992,
            ]
            try expectRoundTrip(engine, \.double, doubles) { $0.bitPattern == $1.bitPattern }
            try expectRoundTrip(engine, \.maybeDouble, doubles + [nil])
        }

        EngineCase("decimals come back exactly") { engine in
            let values = try [
                "0", "0.01", "-0.01", "-12.34", "99999999.99", "-92233720368547758.08",
                "92233720368547758.07",
            ].map { try #require(Decimal(string: $0)) }
            try expectRoundTrip(engine, \.amount, values)
            try expectRoundTrip(engine, \.maybeAmount, values + [nil])
        }

        EngineCase("strings come back byte for byte") { engine in
            let values = [
                "", " ", "plain", "Grüße, 世界 👩‍👩‍👧‍👦", "e\u{301} is not \u{e9}", "\u{10FFFF}",
                "line\nbreak\r\n\ttab", "'; DROP TABLE Sample; --", "\u{FEFF}mark",
                String(repeating: "0123456789abcdeé", count: 1 << 16),
            ]
            try expectRoundTrip(engine, \.text, values) { $0.utf8.elementsEqual($1.utf8) }
            try expectRoundTrip(engine, \.maybeText, values + [nil])
        }

        EngineCase("dates come back bit for bit") { engine in
            let values = [
                0, 0.1, -978_307_200, 1 / 3, 1e-300, .greatestFiniteMagnitude, .infinity,
                -63_114_076_800, 800_000_000.123_456_7,
            ].map { Date(timeIntervalSinceReferenceDate: $0) }
            try expectRoundTrip(engine, \.moment, values) {
                $0.timeIntervalSinceReferenceDate.bitPattern
                    == $1.timeIntervalSinceReferenceDate.bitPattern
            }
            try expectRoundTrip(engine, \.maybeMoment, values + [nil])
        }

        EngineCase("UUIDs come back") { engine in
            let values = [UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))]
            try expectRoundTrip(engine, \.token, values)
            try expectRoundTrip(engine, \.maybeToken, values + [nil])
        }

        EngineCase("URLs come back") { engine in
            let values = [
                "https://example.com/a%20b?c=d#e", "file:///tmp/x", "mailto:a@b.c", "relative/path",
            ].map { URL(string: $0) }
            try expectRoundTrip(engine, \.link, values + [nil])
        }

        EngineCase("data comes back") { engine in
            let values = [0, 1, 255, 1 << 20].map { count in
                Data(repeating: 0xFF, count: count / 2) + Data(count: count - count / 2)
            }
            try expectRoundTrip(engine, \.bytes, values + [nil])
        }

        EngineCase("enumerations come back") { engine in
            try expectRoundTrip(engine, \.size, Size.allCases)
            try expectRoundTrip(engine, \.colour, Colour.allCases + [nil])
        }

        EngineCase("an optional value that was taken away comes back as nil") { engine in
            try engine.withContainer(Everything.model) { container in
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

        EngineCase("defaults are there from insertion on") { engine in
            try engine.withContainer(Everything.model) { container in
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

        EngineCase("a transient value stays in memory and is not written") { engine in
            try engine.withContainer(Everything.model) { container in
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
}

/// Saves a sample for each value, and reads them in a context of its own and once more when the
/// store was opened again.
private func expectRoundTrip<Value: Equatable>(
    _ engine: EngineEntry, _ property: ReferenceWritableKeyPath<Sample, Value>, _ values: [Value],
    areEqual: (Value, Value) -> Bool = { $0 == $1 },
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try engine.withStore(Everything.model) { store in
        let context = store.container.newContext()
        let uris = values.map { value in
            let sample = Sample(in: context)
            sample[keyPath: property] = value
            return sample.objectID.uri
        }
        try context.save()
        try store.read { reader in
            for (uri, value) in zip(uris, values) {
                let id = try #require(reader.coordinator.objectID(forURI: uri))
                let read = try reader.get(id, as: Sample.self)[keyPath: property]
                let isEqual = areEqual(read, value)
                #expect(
                    isEqual, "\("\(value)".prefix(50)) came back as \("\(read)".prefix(50))",
                    sourceLocation: sourceLocation)
            }
        }
    }
}

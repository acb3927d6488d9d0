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

        EngineCase("dates come back bit for bit, as the engine keeps them") { engine in
            let kept = try engine.datePrecision(Everything.model)
            let values = awkwardDates.compactMap { seconds in
                (kept == nil ? seconds : kept?.kept(seconds))
                    .map { Date(timeIntervalSinceReferenceDate: $0) }
            }
            try expectRoundTrip(engine, \.moment, values) {
                $0.timeIntervalSinceReferenceDate.bitPattern
                    == $1.timeIntervalSinceReferenceDate.bitPattern
            }
            try expectRoundTrip(engine, \.maybeMoment, values + [nil])
        }

        EngineCase("a date is read as the engine keeps it as soon as it is set") { engine in
            let kept = try engine.datePrecision(Everything.model)
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let sample = Sample(in: context)
                for seconds in awkwardDates where seconds.isFinite {
                    let expected = kept?.rounded(seconds) ?? seconds
                    let date = Date(timeIntervalSinceReferenceDate: seconds)
                    sample.moment = date
                    #expect(sample.moment.timeIntervalSinceReferenceDate == expected)
                    try sample.setValue(.date(date), forKey: "maybeMoment")
                    #expect(sample.maybeMoment?.timeIntervalSinceReferenceDate == expected)
                }
            }
        }

        EngineCase("a date that the engine does not keep is refused before the save") { engine in
            let kept = try engine.datePrecision(Everything.model)
            try engine.withContainer(Everything.model) { container in
                for seconds in [1e13, -2.2e11, .infinity, -.infinity] as [Double] {
                    let context = container.newContext()
                    let sample = Sample(in: context)
                    sample.moment = Date(timeIntervalSinceReferenceDate: seconds)
                    guard kept != nil else {
                        try context.save()
                        continue
                    }
                    let error = #expect(throws: ValidationError.self) { try context.save() }
                    #expect(error?.code == (seconds < 0 ? .dateTooSoon : .dateTooLate))
                    #expect(error?.property == "moment")
                }
            }
        }

        EngineCase("a constant date equals what the engine made of it") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let date = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_7)
                let sample = Sample(in: context)
                sample.moment = date
                let request = Sample.fetchRequest().filter(Sample.moment == date)
                let later = Sample.fetchRequest().filter(Sample.moment > date)
                // Before the save memory answers, and the store after it.
                for _ in 0..<2 {
                    #expect(try context.fetch(request) == [sample])
                    #expect(try context.count(for: later) == 0)
                    #expect(try [sample].filter(Sample.moment == date) == [sample])
                    #expect(
                        try context.count(
                            for: Sample.fetchRequest().filter(Sample.moment.in([date]))) == 1)
                    try context.save()
                }
                #expect(try container.newContext().count(for: request) == 1)
            }
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
                let kept = try engine.datePrecision(Everything.model)
                func now() -> Date {
                    let seconds = Date().timeIntervalSinceReferenceDate
                    return Date(timeIntervalSinceReferenceDate: kept?.rounded(seconds) ?? seconds)
                }
                let before = now()
                let context = container.newContext()
                let sample = Sample(in: context)
                #expect(sample.size == .large)
                #expect(sample.scratch == 7)
                #expect(sample.text == "")
                #expect(sample.maybeText == nil)
                #expect(sample.moment >= before && sample.moment <= now())
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

/// Seconds since 2001 that are hard to keep.
private let awkwardDates: [Double] = [
    0, 0.1, -978_307_200, 1 / 3, 1e-300, .greatestFiniteMagnitude, .infinity, -63_114_076_800,
    800_000_000.123_456_7, -0.000_000_5, 8_589_934_592.000_001, -8_589_934_593.000_001_3,
    9_214_000_000_000.5, -211_000_000_000.123_456,
]

extension EngineEntry {
    /// How a store of the engine keeps dates; nil where each comes back to the bit.
    fileprivate func datePrecision(_ model: CompiledModel) throws -> StoredDatePrecision? {
        try withStore(model) { try $0.engine.datePrecision }
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

import CambiumEngine
import CambiumEngineSpecification
import CambiumModel
import EverythingModel
import Foundation
import Testing

@testable import Cambium

/// Constants at the limits of what engines keep mean the same on all of them, and in memory.
struct ConstantTests {
    private static let engines = [EngineEntry.memory] + EngineEntry.servers

    private func decimal(_ text: String) -> ModelExpression {
        .literal(Decimal(string: text).map { .decimal($0) } ?? .null)
    }

    private var conditions: [(ModelExpression, Bool)] {
        let (least, greatest) = (
            ModelExpression.literal(.int(.min)), ModelExpression.literal(.int(.max))
        )
        let long = ModelExpression.keyPath(root: .subject, names: ["long"])
        let amount = ModelExpression.keyPath(root: .subject, names: ["amount"])
        func compare(
            _ left: ModelExpression, _ relation: ComparisonOperator, _ right: ModelExpression
        ) -> ModelExpression { .comparison(left, relation, right, []) }
        func double(_ number: Double) -> ModelExpression { .literal(.double(number)) }
        func negated(_ value: ModelExpression) -> ModelExpression {
            .arithmetic(value, .multiply, .literal(.int(-1)))
        }
        return [
            (compare(.function(.abs, [least]), .equal, .literal(.null)), true),
            (compare(.function(.abs, [greatest]), .equal, greatest), true),
            (
                compare(
                    .function(.abs, [decimal("-92233720368547758.08")]), .equal, .literal(.null)),
                true
            ),
            (compare(.function(.abs, [decimal("-92233720368547758.07")]), .greater, amount), true),
            (compare(least, .less, long), true),
            (compare(long, .notEqual, least), true),
            (
                compare(.arithmetic(least, .subtract, .literal(.int(1))), .equal, .literal(.null)),
                true
            ),
            (compare(negated(least), .equal, .literal(.null)), true),
            (
                compare(.arithmetic(least, .divide, .literal(.int(-1))), .equal, .literal(.null)),
                true
            ),
            (
                compare(
                    .function(.modulus, [least, .literal(.int(-1))]), .equal, .literal(.int(0))),
                true
            ),
            (compare(decimal("3e30"), .equal, decimal("3e30")), true),
            (compare(decimal("3e30"), .greater, decimal("2e30")), true),
            (compare(decimal("-3e30"), .greater, decimal("2")), false),
            (compare(decimal("1e-64"), .lessOrEqual, decimal("1e64")), true),
            (compare(decimal("3e30"), .greater, least), true),
            (compare(.literal(.int(1)), .less, decimal("9223372036854775808")), true),
            (compare(decimal("9223372036854775808"), .greater, greatest), true),
            (compare(long, .less, decimal("9223372036854775808")), true),
            (compare(least, .equal, double(-0x1p63)), true),
            (compare(least, .less, double(-0x1p63)), false),
            (compare(least, .lessOrEqual, double(-0x1p63)), true),
            (compare(least, .greater, double((-0x1p63).nextDown)), true),
            (compare(least, .less, double((-0x1p63).nextUp)), true),
            (compare(greatest, .less, double(0x1p63)), true),
            (compare(greatest, .greater, double((0x1p63).nextDown)), true),
            (compare(greatest, .notEqual, double(0x1p63)), true),
            (compare(long, .greater, double(6.5)), true),
            (compare(long, .equal, double(7.5)), false),
            (compare(long, .less, double(.infinity)), true),
            (compare(long, .greater, double(-.infinity)), true),
            (compare(amount, .greater, decimal("-3e30")), true),
            (compare(amount, .equal, decimal("3e30")), false),
            (compare(negated(decimal("3e30")), .less, decimal("0")), true),
            (compare(long, .in, .list([])), false),
            (compare(long, .in, .list([least, .literal(.null), greatest])), false),
            (compare(.literal(.null), .equal, long), false),
            (compare(.literal(.null), .less, long), false),
        ]
    }

    @Test(arguments: engines)
    func `constants at the limits of numbers`(_ engine: EngineEntry) throws {
        try engine.withStore(Everything.model) { store in
            let context = store.container.newContext()
            let sample = Sample(in: context)
            (sample.long, sample.amount) = (7, Decimal(12.5))
            try context.save()
            for (condition, expected) in conditions {
                let test = Condition<Sample>(condition)
                try #expect(test.matches(sample) == expected, "\(condition) in memory")
                let found = try context.count(for: Sample.fetchRequest().filter(test))
                #expect((found == 1) == expected, "\(condition)")
            }
        }
    }

    private static let texts = [
        "", "k", "_", "ß", "ſ", "\u{212A}", "İ", "ŉ", "É", "e\u{301}", "Σ", "\u{A0}", "٣", "a\nb",
        "`",
        "@", ":",
    ]
    private static let patterns = [
        ".", "\\w+", "\\d", "\\s", "k", "ss", "[A-Z]+", "[^k]", "[a-z]*", ".*|\\w", "[@#]",
        "[:alpha:]", "k{0}_?", "(k|)",
    ]

    /// Letters that change their length, or become ASCII, if their case is ignored.
    @Test(arguments: engines)
    func `texts that no server folds as Unicode does`(_ engine: EngineEntry) throws {
        try engine.withStore(Everything.model) { store in
            let context = store.container.newContext()
            let sample = Sample(in: context)
            try context.save()
            let pairs =
                Self.patterns.map { (ComparisonOperator.matches, $0) }
                + ["k", "ss", "É", "i\u{307}"].flatMap { text in
                    [.equal, .less, .beginsWith, .contains, .like].map { ($0, text) }
                }
            let options: [ComparisonOptions] = [
                [], .caseInsensitive, .diacriticInsensitive,
                [.caseInsensitive, .diacriticInsensitive],
            ]
            for text in TestSize.sample(Self.texts, oneIn: 2) {
                sample.text = text
                try context.save()
                for (relation, other) in pairs {
                    for options in options {
                        for left in [
                            ModelExpression.keyPath(root: .subject, names: ["text"]),
                            .literal(.string(text)),
                        ] {
                            let test = Condition<Sample>(
                                .comparison(left, relation, .literal(.string(other)), options))
                            let found = try context.count(for: Sample.fetchRequest().filter(test))
                            try #expect((found == 1) == test.matches(sample), "\(test), \(text)")
                        }
                    }
                }
            }
        }
    }

    /// Patterns that a server refuses, or takes seconds for. They are matched in memory, and limit
    /// an attribute without the server.
    private static let largePatterns = [
        "(([ab]?){0,100}c?){0,60}", "((([a-z]?b?c?){0,7}){0,7}){0,6}",
    ]

    @Test(arguments: engines)
    func `patterns that no server expands`(_ engine: EngineEntry) throws {
        let text = Entity(
            name: "Text",
            attributes: Self.largePatterns.indices.map { index in
                Attribute(
                    name: "text\(index)", type: .string, isOptional: true,
                    limits: Limits(pattern: Self.largePatterns[index]))
            })
        let model = Model(name: "Patterns", version: "1", entities: [text])
        try engine.withStore(CompiledModel(model)) { store in
            let context = store.container.newContext()
            for index in Self.largePatterns.indices {
                let object = try context.insertObject(ofEntity: "Text")
                try object.setValue(.string("1"), forKey: "text\(index)")
                #expect(throws: ValidationError.self) { try context.save() }
                try object.setValue(.string("aaa"), forKey: "text\(index)")
                try context.save()
                for (pattern, count) in [(Self.largePatterns[index], 1), ("a{2}", 0), ("a{3}", 1)] {
                    let request = FetchRequest<ManagedObject>(entityName: "Text")
                        .filter(format: "text\(index) MATCHES '\(pattern)'")
                    #expect(try context.count(for: request) == count, "\(pattern)")
                }
            }
        }
    }

    @Test(arguments: engines)
    func `results of constants beyond 64 bits`(_ engine: EngineEntry) throws {
        try engine.withStore(Everything.model) { store in
            let context = store.container.newContext()
            for number in 1...2 { Sample(in: context).long = Int64(number) }
            try context.save()
            let columns = [AggregateFunction.count, .sum, .minimum].map {
                ResultExpression($0, of: decimal("3e30"))
            }
            let entity = try #require(store.container.coordinator.model["Sample"])
            let query = try TypedResults(
                checking: ResultQuery(columns), entity: entity.entity, model: entity.model)
            let rows = try store.engine.results(
                RowRequest(entity: entity, selection: .matching(nil, [:])), query)
            let wanted = ["6e30", "3e30"].map { Decimal(string: $0).map { Value.decimal($0) } }
            #expect(rows == [[.int(2), wanted[0] ?? .null, wanted[1] ?? .null]])
        }
    }

    /// A server keeps dates to the microsecond: a constant equals what it becomes there.
    @Test(arguments: EngineEntry.servers)
    func `dates that are finer than a microsecond`(_ engine: EngineEntry) throws {
        try engine.withStore(Everything.model) { store in
            let context = store.container.newContext()
            let sample = Sample(in: context)
            let moment = Date(timeIntervalSinceReferenceDate: 1_000.000_001)
            let fine = moment + 0.000_000_3
            sample.moment = fine
            sample.maybeMoment = moment
            #expect(sample.moment == moment)
            let conditions: [Condition<Sample>] = [
                Sample.moment == fine, Sample.moment <= fine, Sample.moment >= fine,
                !(Sample.moment < fine), Sample.maybeMoment == fine,
                Condition(
                    .between(
                        .keyPath(root: .subject, names: ["moment"]), lower: .literal(.date(fine)),
                        upper: .literal(.date(fine)))),
                Condition(
                    .comparison(
                        .keyPath(root: .subject, names: ["moment"]), .in,
                        .list([.literal(.date(fine)), .literal(.null)]), [])),
                Condition(
                    .comparison(
                        .conditional(
                            .comparison(
                                .keyPath(root: .subject, names: ["text"]), .like,
                                .keyPath(root: .subject, names: ["text"]), []),
                            then: .literal(.date(fine)), otherwise: .literal(.null)), .equal,
                        .keyPath(root: .subject, names: ["maybeMoment"]), [])),
            ]
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for condition in conditions {
                    let place = Comment(rawValue: "\(condition), saved: \(isSaved)")
                    try #expect(condition.matches(sample), place)
                    let request = Sample.fetchRequest().filter(condition)
                    try #expect(context.fetch(request).count == 1, place)
                    // Decided in memory by the engine.
                    let other = request.filter(format: "text LIKE text")
                    try #expect(context.fetch(other).count == 1, place)
                    try #expect(context.count(for: other) == 1, place)
                }
            }
        }
    }
}

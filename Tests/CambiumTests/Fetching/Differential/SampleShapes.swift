import Cambium
import EverythingModel
import Foundation

/// What predicates may ask of values of every type.
///
/// Left out is where Foundation means something else, as the documentation says: texts that are
/// equal without having the same bytes, the number of characters, overflow, division by zero.
enum SampleShapes {
    private static let doubles = [-1.5, -0.5, 0, 0.5, 2, 3.5]
    private static let amounts: [Decimal] = [-1.25, -0.5, 0, 0.5, 1, 2.75]
    private static let texts = ["", "a", "A", "ab", "b", "é", "Zoë"]
    private static let moments = (-2...3).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
    private static let tokens = (0..<4).map { number in
        UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    }
    private static let links = (0..<3).compactMap { URL(string: "https://a.b/\($0)") }

    private static func integers<Number: SignedInteger>() -> [Number] { [-3, -2, -1, 0, 1, 2, 3] }

    static func all() -> [PredicateShape<Sample>] {
        var writer = ShapeWriter<Sample>()
        writer.whole("short", \.short, integers())
        writer.whole("medium", \.medium, integers())
        writer.whole("long", \.long, integers())
        writer.floating("single", \.single, doubles.map { Float($0) })
        writer.floating("double", \.double, doubles)
        writer.negatable("amount", \.amount, amounts)
        writer.text("text", \.text, texts)
        writer.comparable("moment", \.moment, moments)
        writer.equatable("token", \.token, tokens)
        writer.equatable("flag", \.flag, [true, false])
        writer.equatable("size", \.size, [.small, .large])
        writer.comparableOptional("maybeShort", \.maybeShort, integers())
        writer.comparableOptional("maybeLong", \.maybeLong, integers())
        writer.comparableOptional("maybeDouble", \.maybeDouble, doubles)
        writer.comparableOptional("maybeAmount", \.maybeAmount, amounts)
        writer.comparableOptional("maybeText", \.maybeText, texts)
        writer.comparableOptional("maybeMoment", \.maybeMoment, moments)
        writer.optional("maybeToken", \.maybeToken, tokens)
        writer.optional("colour", \.colour, [.red, .green])
        writer.optional("link", \.link, links)
        addMixed(&writer)
        return writer.shapes
    }

    /// What looks at several properties.
    private static func addMixed(_ writer: inout ShapeWriter<Sample>) {
        writer.add("flag") { sample, _ in
            PredicateExpressions.build_KeyPath(root: sample, keyPath: \.flag)
        }
        writer.add("moment.timeIntervalSinceReferenceDate < a") { sample, random in
            compare(
                PredicateExpressions.build_KeyPath(
                    root: PredicateExpressions.build_KeyPath(root: sample, keyPath: \.moment),
                    keyPath: \.timeIntervalSinceReferenceDate),
                PredicateExpressions.Value(doubles.pick(&random)), &random)
        }
        writer.add("(maybeLong ?? long) != long") { sample, _ in
            PredicateExpressions.build_NotEqual(
                lhs: PredicateExpressions.build_NilCoalesce(
                    lhs: PredicateExpressions.build_KeyPath(root: sample, keyPath: \.maybeLong),
                    rhs: PredicateExpressions.build_KeyPath(root: sample, keyPath: \.long)),
                rhs: PredicateExpressions.build_KeyPath(root: sample, keyPath: \.long))
        }
        writer.add("(flag ? amount : maybeAmount ?? a) < b") { sample, random in
            compare(
                PredicateExpressions.build_Conditional(
                    PredicateExpressions.build_KeyPath(root: sample, keyPath: \.flag),
                    PredicateExpressions.build_KeyPath(root: sample, keyPath: \.amount),
                    PredicateExpressions.build_NilCoalesce(
                        lhs: PredicateExpressions.build_KeyPath(
                            root: sample, keyPath: \.maybeAmount),
                        rhs: PredicateExpressions.Value(amounts.pick(&random)))),
                PredicateExpressions.Value(amounts.pick(&random)), &random)
        }
        writer.add("maybeText?.starts(with: text) ?? false") { sample, _ in
            PredicateExpressions.build_NilCoalesce(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: sample, keyPath: \.maybeText)
                ) { text in
                    PredicateExpressions.build_starts(
                        text,
                        with: PredicateExpressions.build_KeyPath(root: sample, keyPath: \.text))
                },
                rhs: PredicateExpressions.Value(false))
        }
    }

    /// Objects of which half of what may be nil is.
    static func fill(_ context: ManagedObjectContext, _ random: inout SeededGenerator) {
        for _ in 0..<12 {
            let sample = Sample(in: context)
            sample.flag = random.chance(0.5)
            sample.short = integers().pick(&random)
            sample.medium = integers().pick(&random)
            sample.long = integers().pick(&random)
            sample.single = Float(doubles.pick(&random))
            sample.double = doubles.pick(&random)
            sample.amount = amounts.pick(&random)
            sample.text = texts.pick(&random)
            sample.moment = moments.pick(&random)
            sample.token = tokens.pick(&random)
            sample.size = random.chance(0.5) ? .small : .large
            if random.chance(0.5) { sample.maybeShort = integers().pick(&random) }
            if random.chance(0.5) { sample.maybeLong = integers().pick(&random) }
            if random.chance(0.5) { sample.maybeDouble = doubles.pick(&random) }
            if random.chance(0.5) { sample.maybeAmount = amounts.pick(&random) }
            if random.chance(0.5) { sample.maybeText = texts.pick(&random) }
            if random.chance(0.5) { sample.maybeMoment = moments.pick(&random) }
            if random.chance(0.5) { sample.maybeToken = tokens.pick(&random) }
            if random.chance(0.5) { sample.colour = random.chance(0.5) ? .red : .green }
            if random.chance(0.5) { sample.link = links.pick(&random) }
        }
    }
}

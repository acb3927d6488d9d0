import CambiumModel
import CambiumPlan
@testable import CambiumSQL
import Testing

/// A limit that becomes wider refuses no row, so that none is read.
struct ColumnBoundsTests {
    @Test(arguments: [
        (#""count" >= 1"#, #""count" >= 0"#), (#""count" >= 1"#, #""count" >= 1"#),
        (#""count" <= 10"#, #""count" <= 11"#), (#""price" >= 0.5"#, #""price" >= -0.5"#),
        (#"length("name") <= 20"#, #"length("name") <= 200"#),
        (#""price" >= x'80aa'"#, #""price" >= x'80a9'"#),
        (#""size" BETWEEN -32768 AND 32767"#, #""size" BETWEEN -2147483648 AND 2147483647"#),
        (#""size" BETWEEN 1 AND 5"#, #""size" >= 1"#),
        (#""count" >= 1"#, #""count" >= (-9223372036854775807 - 1)"#),
    ])
    func `a bound implies a wider one`(old: String, new: String) {
        #expect(ColumnBounds.condition(old, implies: new))
        #expect(old == new || !ColumnBounds.condition(new, implies: old))
    }

    @Test(arguments: [
        (#""count" >= 1"#, #""count" <= 1"#), (#""count" >= 1"#, #""other" >= 0"#),
        (#""count" >= 1"#, #"length("count") >= 0"#), (#""count" >= 1"#, #""count" >= 0.5"#),
        (#"NOT "a" >= 1"#, #"NOT "a" >= 0"#), (#""a" >= 1 OR "b""#, #""a" >= 0 OR "b""#),
        (#""a" >= "c""#, #""a" >= 0"#), (#""a" >= 5"#, #""a" BETWEEN 1 AND 9"#),
        (#""a b"" >= 9 OR "c" >= 1"#, #""a b"" >= 9 OR "c" >= 0"#),
        (#"'"' || "c" >= 1"#, #"'"' || "c" >= 0"#),
    ])
    func `what the texts do not tell is not implied`(old: String, new: String) {
        #expect(!ColumnBounds.condition(old, implies: new))
    }

    // MARK: Steps

    private func model(_ version: String, _ type: AttributeType, _ limits: Limits) -> Model {
        let attribute = Attribute(name: "count", type: type, isOptional: true, limits: limits)
        return Model(
            name: "Shop", version: version,
            entities: [Entity(name: "Item", attributes: [attribute])])
    }

    private func step(
        _ type: AttributeType, _ old: Limits, _ newType: AttributeType? = nil, to new: Limits
    ) -> (changes: [ModelChange], effects: [TableWork.Effect]) {
        let models = (model("1", type, old), model("2", newType ?? type, new))
        let difference = ModelDifference(from: models.0, to: models.1)
        let work = StoreWork(
            of: difference, schemas: (Schema(of: models.0), Schema(of: models.1)))
        return (difference.changes, work.tables.map(\.effect))
    }

    @Test(arguments: [
        (AttributeType.int64, Limits(minimum: .int(1)), Limits(minimum: .int(0))),
        (.int16, Limits(maximum: .int(5)), Limits(maximum: .int(6))),
        (.double, Limits(minimum: .double(0.5)), Limits(minimum: .double(0.25))),
        (.decimal(scale: 2), Limits(maximum: .decimal(1)), Limits(maximum: .decimal(2))),
        (.anyDecimal, Limits(minimum: .decimal(1)), Limits(minimum: .decimal(-3))),
        (.string, Limits(maximumLength: 20), Limits(maximumLength: 200)),
        (.int64, Limits(minimum: .int(1), maximum: .int(2)), Limits(minimum: .int(1))),
        (.string, Limits(pattern: "[a-z]+"), Limits()),
    ])
    func `a wider limit is additive and takes constant time`(
        type: AttributeType, old: Limits, new: Limits
    ) {
        let (changes, effects) = step(type, old, to: new)
        #expect(changes == [.limitsChanged(entity: "Item", "count", isTighter: false)])
        #expect(changes.map(\.kind) == [.additive])
        #expect(effects == [.constant])
        let (back, read) = step(type, new, to: old)
        #expect(back.map(\.kind) == [.needsData])
        #expect(read == [.scan])
    }

    @Test func `a wider integer reads no row`() {
        #expect(step(.int16, Limits(), .int32, to: Limits()).effects == [.constant])
        #expect(step(.int32, Limits(), .int64, to: Limits()).effects == [.constant])
    }

    @Test func `one limit that is tighter is enough to read the rows`() {
        let old = Limits(minimum: .int(1), maximum: .int(9))
        let (changes, effects) = step(
            .int64, old, to: Limits(minimum: .int(0), maximum: .int(8)))
        #expect(changes.map(\.kind) == [.needsData])
        #expect(effects == [.scan])
    }
}

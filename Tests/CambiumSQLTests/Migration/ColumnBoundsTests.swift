import CambiumModel
import CambiumPlan
@testable import CambiumSQL
import Foundation
import Testing

/// A limit that becomes wider refuses no row, so that none is read.
struct ColumnBoundsTests {
    @Test(arguments: [
        (ColumnBounds(minimum: .integer(1)), ColumnBounds(minimum: .integer(0))),
        (ColumnBounds(maximum: .integer(10)), ColumnBounds(maximum: .integer(11))),
        (ColumnBounds(minimum: .real(0.5)), ColumnBounds(minimum: .real(-0.5))),
        (
            ColumnBounds(isOfLength: true, maximum: .integer(20)),
            ColumnBounds(isOfLength: true, maximum: .integer(200))
        ),
        (
            ColumnBounds(minimum: .blob(Data([0x80, 0xAA]))),
            ColumnBounds(minimum: .blob(Data([0x80, 0xA9])))
        ),
        (
            ColumnBounds(minimum: .integer(-32768), maximum: .integer(32767)),
            ColumnBounds(minimum: .integer(.min), maximum: .integer(.max))
        ),
        (
            ColumnBounds(minimum: .integer(1), maximum: .integer(5)),
            ColumnBounds(minimum: .integer(1))
        ),
    ])
    func `bounds are within wider ones`(old: ColumnBounds, new: ColumnBounds) {
        #expect(old.areWithin(old))
        #expect(old.areWithin(new))
        #expect(!new.areWithin(old))
    }

    @Test(arguments: [
        (ColumnBounds(minimum: .integer(1)), ColumnBounds(maximum: .integer(1))),
        (ColumnBounds(minimum: .integer(1)), ColumnBounds(isOfLength: true, minimum: .integer(0))),
        (ColumnBounds(minimum: .integer(1)), ColumnBounds(minimum: .real(0.5))),
        (
            ColumnBounds(minimum: .integer(5)),
            ColumnBounds(minimum: .integer(1), maximum: .integer(9))
        ),
    ])
    func `what two bounds do not tell is not taken for granted`(
        old: ColumnBounds, new: ColumnBounds
    ) {
        #expect(!old.areWithin(new))
    }

    @Test func `a check of another column, or of more than a column, implies nothing`() throws {
        func checks(atLeast least: Int64) throws -> [Table.Check] {
            let attributes = ["count", "other"].map {
                Attribute(
                    name: $0, type: .int64, isOptional: true, limits: Limits(minimum: .int(least)))
            }
            let rule = Rule(
                name: "rule",
                condition: .not(
                    .comparison(
                        .keyPath(root: .subject, names: ["count"]), .greaterOrEqual,
                        .literal(.int(least)), [])))
            let model = Model(
                name: "Shop", version: "1",
                entities: [Entity(name: "Item", attributes: attributes, rules: [rule])])
            let table = try #require(
                Schema(of: model).tables.first { $0.name == "Item" })
            return table.columns.flatMap(\.checks) + table.checks
        }
        let old = try checks(atLeast: 1)
        let new = try checks(atLeast: 0)
        #expect(
            old.map { one in new.map(one.implies) } == [
                [true, false, false], [false, true, false], [false, false, false],
            ])
        #expect(old.map(\.columns) == [["count"], ["other"], ["count"]])
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

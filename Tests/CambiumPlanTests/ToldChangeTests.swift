import CambiumModel
@testable import CambiumPlan
import Testing

/// What a difference tells beside the change that is written down.
@Suite struct ToldChangeTests {
    private func model(
        _ version: String, _ entities: [Entity], fills: [MigrationDeclaration.Fill] = []
    ) -> Model {
        Model(
            name: "Shop", version: version, entities: entities,
            migration: fills.isEmpty ? nil : MigrationDeclaration(from: "1", fills: fills))
    }

    private func text(optional: Bool, default value: String? = nil) -> Entity {
        Entity(
            name: "A",
            attributes: [
                Attribute(
                    name: "x", type: .string, isOptional: optional,
                    defaultValue: value.map { .constant(.string($0)) })
            ])
    }

    @Test func `what becomes required is filled, by a fill or by its default`() {
        let told: [ModelChange] = [
            .attributeFilled(entity: "A", "x"), .attributeBecameRequired(entity: "A", "x"),
        ]
        let fill = MigrationDeclaration.Fill(
            entity: "A", attribute: "x", value: .literal(.string("?")))
        let filled = ModelDifference(
            from: model("1", [text(optional: true)]),
            to: model("2", [text(optional: false)], fills: [fill]))
        #expect(Set(filled.changes.map { "\($0)" }) == Set(told.map { "\($0)" }))
        let byDefault = ModelDifference(
            from: model("1", [text(optional: true, default: "?")]),
            to: model("2", [text(optional: false, default: "?")]))
        #expect(Set(byDefault.changes.map { "\($0)" }) == Set(told.map { "\($0)" }))
        // What is there already gets none.
        let none = ModelDifference(
            from: model("1", [text(optional: false, default: "?")]),
            to: model("2", [text(optional: false, default: "!")]))
        #expect(none.changes == [.defaultChanged(entity: "A", "x")])
    }

    @Test func `narrower numbers of objects are told of where a list moves or was one`() {
        func list(_ most: Int?, isToMany: Bool = true) -> Relationship {
            Relationship(
                name: "list", destination: "A", isToMany: isToMany, isOptional: true,
                maximumCount: isToMany ? most : nil)
        }
        func difference(_ old: Relationship, _ new: Relationship) -> ModelDifference {
            ModelDifference(
                from: model(
                    "1", [Entity(name: "A"), Entity(name: "B", parent: "A", relationships: [old])]),
                to: model(
                    "2", [Entity(name: "A", relationships: [new]), Entity(name: "B", parent: "A")]))
        }
        let narrower = difference(list(9), list(8))
        #expect(narrower.changes.contains(.countsChanged(entity: "A", "list")))
        #expect(narrower.rowRisks.map(\.kind) == [.counts])
        #expect(difference(list(8), list(9)).rowRisks.isEmpty)
        // One is no more than two.
        #expect(difference(list(nil, isToMany: false), list(2)).rowRisks.isEmpty)
    }
}

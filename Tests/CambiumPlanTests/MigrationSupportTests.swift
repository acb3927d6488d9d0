import CambiumModel
import CambiumPlan
import Testing

/// What an engine cannot do by itself is asked of the author, or said of the rows.
@Suite struct MigrationSupportTests {
    private func model(
        _ version: String, isOptional: Bool = true, limits: Limits = Limits(), rules: [Rule] = [],
        _ migration: MigrationDeclaration? = nil
    ) -> Model {
        let attribute = Attribute(
            name: "x", type: .string, isOptional: isOptional, limits: limits)
        return Model(
            name: "Shop", version: version,
            entities: [Entity(name: "A", attributes: [attribute], rules: rules)],
            migration: migration)
    }

    private let isGone = ModelExpression.comparison(
        .keyPath(root: .subject, names: ["x"]), .equal, .literal(.null), [])

    @Test func `a drop by a condition that the engine cannot compute takes nothing`() {
        let drop = MigrationDeclaration.Drop(entity: "A", condition: isGone, reason: "a test")
        let new = model("2", MigrationDeclaration(from: "1", drops: [drop]))
        func difference(_ support: EngineStandIn) -> ModelDifference {
            ModelDifference(from: model("1"), to: new, on: support)
        }
        let able = difference(EngineStandIn())
        #expect(able.problems.isEmpty)
        #expect(able.match.conditionalDrops.map(\.condition) == [isGone])
        let unable = difference(EngineStandIn(findsObjects: false))
        #expect(
            unable.problems.map(\.fact) == [
                "The store cannot compute which objects of A a drop deletes"
            ])
        #expect(unable.match.conditionalDrops.isEmpty)
    }

    @Test func `a fill that the engine cannot compute is a problem`() {
        let fill = MigrationDeclaration.Fill(
            entity: "A", attribute: "x", value: .literal(.string("?")))
        let new = model(
            "2", isOptional: false, MigrationDeclaration(from: "1", fills: [fill]))
        func problems(_ support: EngineStandIn) -> [String?] {
            ModelDifference(from: model("1"), to: new, on: support).problems.map(\.property)
        }
        #expect(problems(EngineStandIn()) == [])
        #expect(problems(EngineStandIn(computesFills: false)) == ["x"])
    }

    @Test(arguments: [true, false])
    func `a store is refused only by what its engine enforces`(isEnforced: Bool) {
        let difference = ModelDifference(
            from: model("1"),
            to: model(
                "2", limits: Limits(pattern: "[a-z]+"),
                rules: [Rule(name: "r", message: nil, condition: isGone)]),
            on: EngineStandIn(enforcesConditions: isEnforced))
        #expect(difference.rowRisks.map(\.kind) == [.limits, .rule("r")])
        #expect(difference.rowRisks.map(\.refusesStore) == [isEnforced, isEnforced])
    }
}

import CambiumModel
@testable import CambiumPlan
import Testing

/// What has not changed is not looked at again, so it must be certain that nothing about it has.
@Suite struct ModelMatchTests {
    /// A leads to B, B to nothing, C to itself; D is below C.
    private func entities(_ type: AttributeType = .string, isFinal: Bool = false) -> [Entity] {
        [
            Entity(name: "A", relationships: [Relationship(name: "b", destination: "B")]),
            Entity(name: "B", attributes: [Attribute(name: "name", type: type)]),
            Entity(
                name: "C", relationships: [Relationship(name: "c", destination: "C")]),
        ] + (isFinal ? [] : [Entity(name: "D", parent: "C")])
    }

    private func settled(
        _ old: [Entity], _ new: [Entity], enumerations: [Enumeration] = [],
        drops: [MigrationDeclaration.Drop] = []
    ) -> [String] {
        ModelMatch(
            old: Model(name: "M", version: "1", entities: old),
            new: Model(
                name: "M", version: "2", entities: new, enumerations: enumerations,
                migration: MigrationDeclaration(from: "1", drops: drops))
        ).settled.sorted()
    }

    @Test func `everything is settled where nothing has changed`() {
        #expect(settled(entities(), entities()) == ["A", "B", "C", "D"])
    }

    @Test func `an entity is not settled where the one that it leads to has changed`() {
        #expect(settled(entities(), entities(.data)) == ["C", "D"])
    }

    @Test func `an entity is not settled where its table is shared with more or fewer`() {
        #expect(settled(entities(), entities(isFinal: true)) == ["A", "B"])
        #expect(settled(entities(isFinal: true), entities()) == ["A", "B"])
    }

    @Test func `an entity is not settled where its data is declared as dropped`() {
        let drop = MigrationDeclaration.Drop(entity: "B", property: "name", reason: "old")
        #expect(settled(entities(), entities(), drops: [drop]) == ["C", "D"])
    }

    @Test func `nothing is settled where the enumerations have changed`() {
        let colour = Enumeration(name: "Colour", rawType: .string, cases: [])
        #expect(settled(entities(), entities(), enumerations: [colour]).isEmpty)
    }

    @Test func `an entity is not settled where a property is renamed`() {
        let renamed = Entity(
            name: "B",
            attributes: [Attribute(name: "name", type: .string, renamedFrom: "name")])
        let old = entities().map { $0.name == "B" ? renamed : $0 }
        #expect(settled(old, old) == ["C", "D"])
    }

    @Test func `properties of what has not changed are found all the same`() {
        let match = ModelMatch(
            old: Model(name: "M", version: "1", entities: entities()),
            new: Model(name: "M", version: "2", entities: entities()))
        #expect(match.oldAttribute(of: "name", in: "B")?.name == "name")
        #expect(match.newRelationship(of: "b", in: "A")?.name == "b")
        #expect(match.oldAttribute(of: "other", in: "B") == nil)
    }
}

import CambiumModel
import Testing

@testable import CambiumSQL

@Suite struct KeptTablesTests {
    private func model(_ entities: [Entity], cases: [String] = ["one"]) -> Model {
        Model(
            name: "Test", version: "1", entities: entities,
            enumerations: [
                Enumeration(
                    name: "Kind", rawType: .string,
                    cases: cases.map { .init(name: $0, rawValue: .string($0)) })
            ])
    }

    private func entity(
        _ name: String, parent: String? = nil, to destination: String? = nil, many: Bool = false,
        _ more: [Attribute] = []
    ) -> Entity {
        Entity(
            name: name, parent: parent,
            attributes: [
                Attribute(name: "name\(name)", type: .string),
                Attribute(name: "kind\(name)", type: .enumeration("Kind")),
            ] + more,
            relationships: destination.map {
                [
                    Relationship(
                        name: "to\(name)", destination: $0, isToMany: many, isOptional: true)
                ]
            } ?? [])
    }

    private let extra = [Attribute(name: "extra", type: .int64)]

    /// The tables that are taken from the version before; the schema is what it is without it.
    private func kept(_ old: Model, _ new: Model) -> [String] {
        let schema = Schema(of: old)
        #expect(Schema(of: new, after: (old, schema)) == Schema(of: new))
        let tables = KeptTables(from: old, schema, to: new)
        return Schema(of: new).tables.filter { tables.statement(of: $0) != nil }.map(\.name)
    }

    @Test func `tables of entities that have not changed are kept, with those of their links`() {
        let rest = [entity("B", to: "C", many: true), entity("C"), entity("D", parent: "C")]
        #expect(
            kept(model([entity("A")] + rest), model([entity("A", extra)] + rest))
                == ["B", "C", "B_toB"])
    }

    @Test func `a table that leads to a changed one is laid out anew`() {
        let old = [entity("A", to: "B"), entity("B"), entity("C")]
        let new = [entity("A", to: "B"), entity("B", extra), entity("C")]
        #expect(kept(model(old), model(new)) == ["C"])
    }

    @Test func `a child more or less makes another table of the parent and of what leads to it`() {
        let few = [entity("A"), entity("B", to: "A"), entity("C")]
        let more = few + [entity("D", parent: "A")]
        #expect(kept(model(few), model(more)) == ["C"])
        #expect(kept(model(more), model(few)) == ["C"])
    }

    @Test func `nothing is kept where an enumeration has changed`() {
        let entities = [entity("A"), entity("B")]
        #expect(kept(model(entities), model(entities, cases: ["one", "two"])) == [])
        #expect(kept(model(entities), model(entities)) == ["A", "B"])
    }
}

import CambiumModel
import CambiumPlan
import Testing

/// A file is copied for the next version with what it says of former names: it says nothing there
/// any more.
@Suite struct FormerNamesTests {
    private func model(
        _ version: String, _ entities: [Entity], drops: [MigrationDeclaration.Drop] = []
    ) -> Model {
        Model(
            name: "Shop", version: version, entities: entities,
            migration: drops.isEmpty
                ? nil
                : MigrationDeclaration(from: "\((Int(version) ?? 1) - 1)", drops: drops))
    }

    private func a(_ attributes: (String, from: String?)...) -> Entity {
        Entity(
            name: "A",
            attributes: attributes.map {
                Attribute(name: $0.0, type: .string, isOptional: true, renamedFrom: $0.from)
            })
    }

    private func changes(_ old: [Entity], _ new: [Entity]) -> [ModelChange]? {
        let difference = ModelDifference(from: model("1", old), to: model("2", new))
        return difference.problems.isEmpty ? difference.changes : nil
    }

    @Test func `a copy is no difference where a new attribute has a name that is carried on`() {
        let renamed = a(("title", "name"), ("name", nil))
        #expect(changes([renamed], [renamed]) == [])
        let other = a(("title", "name"), ("name", nil), ("note", nil))
        #expect(
            changes([renamed], [other])
                == [.attributeAdded(entity: "A", "note", isFilled: false)])
    }

    @Test func `what goes in the version after is asked about under its own name`() throws {
        let old = a(("title", "name"), ("name", nil))
        let difference = ModelDifference(
            from: model("1", [old]), to: model("2", [a(("title", "name"))]))
        let problem = try #require(difference.problems.first)
        #expect(difference.problems.count == 1)
        #expect(problem.property == "name")
    }

    @Test func `a name that both versions have is the same thing, whatever says otherwise`() {
        // Its rename was taken out of the version between, and came back with a copy.
        #expect(
            changes([a(("title", nil), ("name", nil))], [a(("title", "name"), ("name", nil))]) == []
        )
    }

    @Test func `a copy is no difference where entities and relationships are carried on`() {
        let entities = [
            Entity(
                name: "Product", renamedFrom: "Item",
                relationships: [
                    Relationship(
                        name: "group", destination: "Item", isOptional: true,
                        renamedFrom: "category"),
                    Relationship(name: "category", destination: "Item", isOptional: true),
                ]),
            Entity(name: "Item"),
        ]
        #expect(changes(entities, entities) == [])
    }

    @Test func `a copy is no difference where an inherited name is carried on`() {
        let entities = [
            a(("title", "name"), ("name", nil)), Entity(name: "B", parent: "A"),
        ]
        #expect(changes(entities, entities) == [])
        // The same where both move up.
        let below = [
            Entity(name: "R"),
            Entity(
                name: "A", parent: "R",
                attributes: [
                    Attribute(name: "title", type: .string, isOptional: true, renamedFrom: "name"),
                    Attribute(name: "name", type: .string, isOptional: true),
                ]),
        ]
        let above = [
            Entity(name: "R", attributes: below[1].attributes), Entity(name: "A", parent: "R"),
        ]
        let moved = changes(below, above)
        #expect(
            moved == [
                .attributeMoved(entity: "R", "title", from: ["A.title"]),
                .attributeMoved(entity: "R", "name", from: ["A.name"]),
            ])
    }

    @Test func `names that are exchanged, or passed on, are renames, and their copy is none`() {
        let first = a(("a", nil), ("b", nil))
        let exchanged = a(("a", "b"), ("b", "a"))
        #expect(
            changes([first], [exchanged]) == [
                .attributeRenamed(entity: "A", "a", from: "b"),
                .attributeRenamed(entity: "A", "b", from: "a"),
            ])
        #expect(changes([exchanged], [exchanged]) == [])
        let passedOn = a(("b", "a"), ("c", "b"))
        #expect(
            changes([first], [passedOn]) == [
                .attributeRenamed(entity: "A", "b", from: "a"),
                .attributeRenamed(entity: "A", "c", from: "b"),
            ])
        #expect(changes([passedOn], [passedOn]) == [])
    }

    @Test func `a name whose thing is given up can be taken by another`() {
        let difference = ModelDifference(
            from: model("1", [a(("title", nil), ("name", nil))]),
            to: model(
                "2", [a(("title", "name"))],
                drops: [.init(entity: "A", property: "title", reason: "a test")]))
        #expect(difference.problems.isEmpty)
        #expect(difference.changes.contains(.attributeRenamed(entity: "A", "title", from: "name")))
    }

    @Test func `what moves down keeps its values under a name that is carried on`() {
        let both = a(("title", "name"), ("name", nil))
        let old = [both, Entity(name: "B", parent: "A")]
        let new = [Entity(name: "A"), Entity(name: "B", parent: "A", attributes: both.attributes)]
        // It goes from the objects that no other entity gives it to.
        let drops = ["title", "name"].map {
            MigrationDeclaration.Drop(entity: "A", property: $0, reason: "a test")
        }
        let difference = ModelDifference(
            from: model("1", old), to: model("2", new, drops: drops))
        #expect(difference.problems.isEmpty)
        #expect(
            difference.changes.contains(
                .attributeMoved(entity: "B", "title", from: ["A.title"])))
        #expect(
            difference.changes.contains(.attributeMoved(entity: "B", "name", from: ["A.name"])))
    }

    // MARK: What moves

    private func text(_ name: String, from: String? = nil) -> Attribute {
        Attribute(name: name, type: .string, isOptional: true, renamedFrom: from)
    }

    private func family(_ parent: [Attribute], _ child: [Attribute]) -> [Entity] {
        [
            Entity(name: "P", isAbstract: true, attributes: parent),
            Entity(name: "S", parent: "P", attributes: child),
        ]
    }

    @Test func `a copied former name moves up with its attribute and says nothing there`() {
        let name = text("name", from: "title")
        #expect(
            changes(family([text("title")], [name]), family([text("title"), name], []))
                == [.attributeMoved(entity: "P", "name", from: ["S.name"])])
    }

    @Test func `nor does it where the other attribute goes at the same time`() throws {
        let name = text("name", from: "title")
        let difference = ModelDifference(
            from: model("1", family([text("title")], [name])), to: model("2", family([name], [])))
        #expect(difference.problems.map(\.property) == ["title"])
        #expect(
            difference.changes.contains(.attributeMoved(entity: "P", "name", from: ["S.name"])))
    }

    @Test func `a copied former name moves down with its attribute and says nothing there`() {
        let name = text("name", from: "title")
        #expect(
            changes(family([name], [text("title")]), family([], [text("title"), name]))
                == [.attributeMoved(entity: "S", "name", from: ["P.name"])])
    }

    @Test func `a copied former name of a relationship moves with it`() {
        func link(_ name: String, from: String? = nil) -> Relationship {
            Relationship(name: name, destination: "P", renamedFrom: from)
        }
        func family(_ parent: [Relationship], _ child: [Relationship]) -> [Entity] {
            [
                Entity(name: "P", isAbstract: true, relationships: parent),
                Entity(name: "S", parent: "P", relationships: child),
            ]
        }
        let friend = link("friend", from: "other")
        #expect(
            changes(family([link("other")], [friend]), family([link("other"), friend], []))
                == [.relationshipMoved(entity: "P", "friend", from: ["S.friend"])])
    }

    @Test func `a former name that is said for the first time is heard where others have it`() {
        #expect(
            changes(
                family([text("title")], []), family([text("name", from: "title")], []))
                == [.attributeRenamed(entity: "P", "name", from: "title")])
    }
}

import CambiumModel
import CambiumPlan
import Testing

@Suite struct ModelDifferenceTests {

    private func problems(
        _ old: [Entity], _ new: [Entity], drops: [(String, String?)] = []
    ) -> [MigrationProblem] {
        ModelDifference(
            from: model("1", old), to: model("2", new, drops: drops)
        ).problems
    }

    private var a: Entity { Entity(name: "A", attributes: [string("name")]) }

    @Test func `what disappears is asked about, with both answers ready to paste`() throws {
        let new = Entity(name: "A", attributes: [string("title", default: "x")])
        let problem = try #require(problems([a], [new]).first)
        #expect(problem.entity == "A")
        #expect(problem.property == "name")
        #expect(problem.side == .old)
        #expect(
            problem.fixes.map { $0.xml(from: "1") } == [
                #"<attribute name="title" renamedFrom="name" …/>"#,
                #"<migration from="1"><drop entity="A" property="name" reason="…"/></migration>"#,
            ])
    }

    @Test func `an entity that disappears is asked about`() throws {
        let problem = try #require(problems([a], [Entity(name: "B")]).first)
        #expect(
            problem.fixes.map { $0.xml(from: "1") } == [
                #"<entity name="B" renamedFrom="A">"#,
                #"<migration from="1"><drop entity="A" reason="…"/></migration>"#,
            ])
    }

    @Test func `a new required attribute needs a value for existing objects`() throws {
        let new = Entity(name: "A", attributes: [string("name"), string("kind")])
        let problem = try #require(problems([a], [new]).first)
        #expect(problem.property == "kind")
        #expect(problem.side == .new)
        #expect(problem.message.contains("A.kind is new and required"))
        #expect(problem.fixes.count == 2)
    }

    @Test func `an attribute that is no longer optional needs a value`() {
        let old = Entity(name: "A", attributes: [string("name", optional: true)])
        #expect(problems([old], [a]).map(\.property) == ["name"])
    }

    @Test func `a new entity's required attribute needs none`() {
        #expect(problems([], [a]).isEmpty)
    }

    @Test(arguments: [
        (AttributeType.string, AttributeType.date), (.data, .string), (.double, .float),
        (.date, .int64), (.string, .uuid), (.data, .codable("Place")),
    ])
    func `a change of type that is not sure is refused`(from: AttributeType, to: AttributeType) {
        let old = Entity(name: "A", attributes: [Attribute(name: "x", type: from)])
        let new = Entity(name: "A", attributes: [Attribute(name: "x", type: to)])
        #expect(problems([old], [new]).map(\.property) == ["x"])
    }

    @Test func `another parent is a change, and what objects had from the other is asked about`() {
        let sub = Entity(name: "S", parent: "A")
        let (old, new) = (
            [a, Entity(name: "B"), sub], [a, Entity(name: "B"), Entity(name: "S", parent: "B")]
        )
        #expect(problems(old, new).flatMap(\.fixes) == [.drop(entity: "S", property: "name")])
        let dropped = ModelDifference(
            from: model("1", old), to: model("2", new, drops: [("S", "name")]))
        #expect(dropped.problems.isEmpty)
        #expect(
            dropped.changes == [
                .attributeDropped(entity: "S", "name"),
                .parentChanged(entity: "S", from: "A", to: "B"),
            ])
    }

    @Test func `a to-many does not become a to-one`() {
        func entities(many: Bool) -> [Entity] {
            [
                Entity(
                    name: "A",
                    relationships: [
                        Relationship(name: "bs", destination: "B", inverse: "as", isToMany: many)
                    ]),
                Entity(
                    name: "B",
                    relationships: [
                        Relationship(name: "as", destination: "A", inverse: "bs", isToMany: true)
                    ]),
            ]
        }
        #expect(!problems(entities(many: true), entities(many: false)).isEmpty)
        #expect(problems(entities(many: false), entities(many: true)).isEmpty)
    }

    @Test func `links that both ends lose are one problem, which the drop of the old ones solves`()
    {
        func entities(_ inverse: String?) -> [Entity] {
            let back = inverse.map { Relationship(name: $0, destination: "B", inverse: "to") }
            return [
                Entity(name: "A", relationships: [back].compactMap(\.self)),
                Entity(
                    name: "B",
                    relationships: [Relationship(name: "to", destination: "A", inverse: inverse)]),
            ]
        }
        let found = problems(entities(nil), entities("from"))
        #expect(found.map(\.entity) == ["B"])
        #expect(
            found.first?.fixes == [
                .keep(entity: "A", relationship: "from"), .drop(entity: "B", property: "to"),
            ])
        #expect(problems(entities(nil), entities("from"), drops: [("B", "to")]).isEmpty)
    }

    @Test func `what a new version asks of rows, and what a fill takes care of`() {
        func entity(_ type: AttributeType, _ least: Int64, unique: Bool = false) -> Entity {
            Entity(
                name: "A",
                attributes: [
                    Attribute(name: "x", type: type, limits: Limits(minimum: .int(least)))
                ], uniqueConstraints: unique ? [UniqueConstraint(properties: ["x"])] : [])
        }
        func risks(
            _ new: Entity, fills: [MigrationDeclaration.Fill] = []
        ) -> [RowRisk.Kind] {
            ModelDifference(
                from: model("1", [entity(.int32, 3)]), to: model("2", [new], fills: fills)
            ).rowRisks.map(\.kind)
        }
        #expect(risks(entity(.int32, 3)).isEmpty)
        #expect(risks(entity(.int64, 2)).isEmpty)
        #expect(risks(entity(.int32, 4)) == [.limits])
        #expect(risks(entity(.int16, 3)) == [.narrowedType(isFillable: true)])
        #expect(risks(entity(.int32, 3, unique: true)) == [.uniqueness(["x"])])
        func fill(_ value: ModelExpression) -> MigrationDeclaration.Fill {
            .init(entity: "A", attribute: "x", value: value)
        }
        // What has a value keeps it, unless the fill looks at it.
        #expect(risks(entity(.int32, 4), fills: [fill(.literal(.int(5)))]) == [.limits])
        let sum = ModelExpression.arithmetic(
            .keyPath(root: .subject, names: ["x"]), .add, .literal(.int(1)))
        #expect(risks(entity(.int32, 4), fills: [fill(sum)]).isEmpty)
        #expect(risks(entity(.int16, 3), fills: [fill(sum)]).isEmpty)
    }

    @Test func `narrower limits are a risk wherever in a hierarchy the values come from`() {
        func entity(
            _ name: String, parent: String? = nil, isAbstract: Bool = false, longest: Int? = 0
        ) -> Entity {
            let limits = longest.map { Limits(maximumLength: $0 == 0 ? nil : $0) }
            return Entity(
                name: name, parent: parent, isAbstract: isAbstract,
                attributes: [limits].compactMap(\.self).map {
                    Attribute(name: "x", type: .string, isOptional: true, limits: $0)
                })
        }
        func risks(_ old: [Entity], _ new: [Entity]) -> [RowRisk] {
            ModelDifference(
                from: model("1", old),
                to: model(
                    "2", new,
                    drops: [("A", "x")])
            ).rowRisks
        }
        func words(_ risk: RowRisk) -> String {
            risk.kind == .limits && risk.refusesStore ? "\(risk.entity).\(risk.property ?? "")" : ""
        }
        // Up, into an entity that is new or was there, and down.
        let top = entity("Top", isAbstract: true, longest: 4)
        let below = entity("A", parent: "Top", longest: nil)
        #expect(
            ModelDifference(from: model("1", [entity("A")]), to: model("2", [top, below])).rowRisks
                .map(words) == ["Top.x"])
        let base = entity("Base", longest: nil)
        #expect(
            ModelDifference(
                from: model("1", [base, entity("A", parent: "Base")]),
                to: model(
                    "2", [entity("Base", longest: 4), entity("A", parent: "Base", longest: nil)])
            ).rowRisks.map(words) == ["Base.x"])
        let sub = entity("S", parent: "A", longest: nil)
        let alone = entity("A", longest: nil)
        #expect(
            risks([entity("A"), sub], [alone, entity("S", parent: "A", longest: 4)]).map(words) == [
                "S.x"
            ])
        #expect(risks([entity("A"), sub], [alone, entity("S", parent: "A")]).isEmpty)
    }

    @Test func `a rule is no risk that asks what was asked before, in whatever names`() {
        func more(_ name: String, _ least: Int64) -> ModelExpression {
            .comparison(
                .keyPath(root: .subject, names: [name]), .greater, .literal(.int(least)), [])
        }
        func entity(_ name: String, _ condition: ModelExpression) -> Entity {
            Entity(
                name: "A",
                attributes: [
                    Attribute(name: name, type: .int32, renamedFrom: name == "x" ? nil : "x"),
                    Attribute(name: "y", type: .int32),
                ], rules: [Rule(name: "r", message: nil, condition: condition)])
        }
        let old = model("1", [entity("x", .and([more("x", 3), more("y", 4)]))])
        func risks(_ new: Entity) -> [RowRisk.Kind] {
            ModelDifference(from: old, to: model("2", [new])).rowRisks.map(\.kind)
        }
        let renamed = model("2", [entity("z", .and([more("z", 3), more("y", 4)]))])
        #expect(
            ModelDifference(from: old, to: renamed).changes == [
                .attributeRenamed(entity: "A", "z", from: "x")
            ])
        #expect(risks(entity("z", more("z", 3))).isEmpty)
        #expect(risks(entity("z", more("z", 4))) == [.rule("r")])
        #expect(risks(entity("z", .or([more("z", 3), more("y", 4)]))) == [.rule("r")])
    }

    @Test func `a uniqueness that is widened is no risk, unless a fill changes what differed`() {
        func entity(_ properties: [String]) -> Entity {
            Entity(
                name: "A", attributes: [string("x", optional: true), string("y")],
                uniqueConstraints: [UniqueConstraint(properties: properties)])
        }
        func risks(
            _ properties: [String], fills: [MigrationDeclaration.Fill] = []
        ) -> [RowRisk.Kind] {
            ModelDifference(
                from: model("1", [entity(["x"])]),
                to: model("2", [entity(properties)], fills: fills)
            ).rowRisks.map(\.kind)
        }
        #expect(risks(["x", "y"]).isEmpty)
        #expect(risks(["y"]) == [.uniqueness(["y"])])
        let fill = MigrationDeclaration.Fill(
            entity: "A", attribute: "x", value: .literal(.string("same")))
        #expect(risks(["x", "y"], fills: [fill]) == [.uniqueness(["x", "y"])])
    }

    @Test func `each attribute with a case that is gone is named`() {
        func kind(_ cases: [String]) -> Enumeration {
            Enumeration(
                name: "Kind", rawType: .string,
                cases: cases.map { .init(name: $0, rawValue: .string($0)) })
        }
        let entity = Entity(
            name: "A",
            attributes: ["x", "y"].map { Attribute(name: $0, type: .enumeration("Kind")) })
        func model(_ version: String, _ cases: [String]) -> Model {
            Model(
                name: "Shop", version: version, entities: [entity], enumerations: [kind(cases)])
        }
        let found = ModelDifference(from: model("1", ["a", "b"]), to: model("2", ["a"])).problems
        #expect(found.count == 1)
        #expect(found.first?.message.contains("(A.x, A.y)") == true)
    }

    @Test func `a new required to-one of existing objects is refused`() {
        let new = Entity(
            name: "A", attributes: a.attributes,
            relationships: [Relationship(name: "b", destination: "A", isOptional: false)])
        #expect(problems([a], [new]).map(\.property) == ["b"])
    }

    @Test func `a relationship that leaves the store is asked about as one that is gone`() {
        let b = Entity(name: "B")
        func one(isTransient: Bool) -> Entity {
            Entity(
                name: "A",
                relationships: [
                    Relationship(name: "b", destination: "B", isTransient: isTransient)
                ])
        }
        let (stored, transient) = (one(isTransient: false), one(isTransient: true))
        #expect(
            problems([stored, b], [transient, b]).flatMap(\.fixes) == [
                .rename(.relationship, to: nil, from: "b"), .drop(entity: "A", property: "b"),
            ])
        #expect(problems([stored, b], [transient, b], drops: [("A", "b")]).isEmpty)
        let back = ModelDifference(
            from: model("1", [transient, b]), to: model("2", [stored, b]))
        #expect(back.problems.isEmpty)
        #expect(back.changes == [.relationshipAdded(entity: "A", "b")])
    }

    @Test func `a transient relationship that is new, even a required one, is no change`() {
        let new = Entity(
            name: "A", attributes: a.attributes,
            relationships: [
                Relationship(
                    name: "b", destination: "A", isOptional: false, isTransient: true)
            ])
        let difference = ModelDifference(from: model("1", [a]), to: model("2", [new]))
        #expect(difference.problems.isEmpty && difference.changes.isEmpty)
    }

    @Test func `a fill of what is nil is a change of its own, wherever the attribute was before`() {
        let old = [
            Entity(name: "A", attributes: [string("x", optional: true)]),
            Entity(name: "B", parent: "A", attributes: [string("y")]),
        ]
        let new = [
            Entity(name: "A", attributes: [string("x", optional: true), string("y")]),
            Entity(name: "B", parent: "A"),
        ]
        func fill(_ name: String, _ value: ModelExpression) -> MigrationDeclaration.Fill {
            .init(entity: "A", attribute: name, value: value)
        }
        func changes(_ fills: [MigrationDeclaration.Fill]) -> [ModelChange] {
            ModelDifference(from: model("1", old), to: model("2", new, fills: fills)).changes
        }
        let moved = ModelChange.attributeMoved(entity: "A", "y", from: ["B.y"])
        let constant = ModelExpression.literal(.string("?"))
        let filled = changes([fill("x", constant), fill("y", constant)])
        #expect(
            filled == [
                .attributeFilled(entity: "A", "x"), moved, .attributeFilled(entity: "A", "y"),
            ])
        #expect(filled.map(\.kind) == [.needsData, .reversible, .needsData])
        let path = ModelExpression.keyPath(root: .subject, names: ["y"])
        let revised = changes([fill("y", .function(.uppercase, [path]))])
        #expect(revised == [moved, .attributeRevised(entity: "A", "y")])
        #expect(revised.last?.kind == .lossy)
    }

    @Test func `other numbers of related objects are a change that asks nothing of rows`() {
        func list(_ least: Int?, _ most: Int?) -> Entity {
            Entity(
                name: "A",
                relationships: [
                    Relationship(
                        name: "as", destination: "A", isToMany: true, minimumCount: least,
                        maximumCount: most)
                ])
        }
        let changes = ModelDifference(
            from: model("1", [list(1, nil)]), to: model("2", [list(1, 3)])
        ).changes
        #expect(changes == [.countsChanged(entity: "A", "as")])
        #expect(changes.first?.kind == .additive)
    }

    @Test func `a drop, a fill or a rename of nothing is a mistake`() {
        #expect(problems([a], [a], drops: [("B", nil)]).count == 1)
        #expect(problems([a], [a, Entity(name: "B", renamedFrom: "C")]).count == 1)
        let filled = model(
            "2", [a],
            fills: [.init(entity: "A", attribute: "x", value: .literal(.int(1)))])
        #expect(ModelDifference(from: model("1", [a]), to: filled).problems.count == 1)
    }

    private func string(
        _ name: String, optional: Bool = false, default value: String? = nil
    ) -> Attribute {
        Attribute(
            name: name, type: .string, isOptional: optional,
            defaultValue: value.map { .constant(.string($0)) })
    }

    private func model(
        _ version: String, _ entities: [Entity], fills: [MigrationDeclaration.Fill] = [],
        drops: [(String, String?)] = []
    ) -> Model {
        Model(
            name: "Shop", version: version, entities: entities,
            migration: fills.isEmpty && drops.isEmpty
                ? nil
                : MigrationDeclaration(
                    from: "1", fills: fills,
                    drops: drops.map { .init(entity: $0.0, property: $0.1, reason: "a test") }))
    }
}

import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite
import Testing

@testable import CambiumMigration
@testable import CambiumPostgresStore

/// Kinds of changes that models changed by chance do not have, and what only names and shapes of tables
/// on a server bring with them.
struct ChangeKindTests {
    /// A change, and the kinds that it has to be of.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let kinds: Set<String>
        let old: Model
        let new: Model

        var testDescription: String { name }

        init(
            _ name: String, _ kinds: Set<String>, _ old: [Entity], _ new: [Entity],
            cases: (old: [EnumerationCase], new: [EnumerationCase]) = ([], []),
            _ migration: MigrationDeclaration? = nil
        ) {
            func model(
                _ version: String, _ entities: [Entity], _ cases: [EnumerationCase],
                _ migration: MigrationDeclaration?
            ) -> Model {
                Model(
                    name: "Change", version: version, entities: entities,
                    enumerations: cases.isEmpty
                        ? [] : [Enumeration(name: "Level", rawType: .string, cases: cases)],
                    composites: [
                        Composite(
                            name: "Place",
                            attributes: [
                                Attribute(
                                    name: "street", type: .string, isOptional: version == "1"),
                                Attribute(name: "number", type: .int16, isOptional: true),
                            ])
                    ], migration: migration)
            }
            self.name = name
            self.kinds = kinds
            self.old = model("1", old, cases.old, nil)
            self.new = model("2", new, cases.new, migration)
        }
    }

    @Test(arguments: PostgresServer.some(), Change.all)
    func `each kind of change means the same as in a file`(
        _ server: PostgresServer, _ change: Change
    ) throws {
        let pair = try PostgresProof([change.old, change.new])
        let found = ModelDifference(from: change.old, to: change.new)
        let labels = found.changes.map { Mirror(reflecting: $0).children.first?.label ?? "" }
        #expect(change.kinds.isSubset(of: labels), "\(found.changes), \(found.problems)")
        let plans = try #require(try pair.plans(), "\(found.problems)")
        let connection = try server.connect()
        let match = ModelMatch(old: change.old, new: change.new)
        var migrated = 0
        for seed in UInt64(0)..<3 {
            let content: SampleRows.Content = seed == 2 ? .extremesWhereTypesStay : .ordinary
            let rows = SampleRows(of: change.old, for: match, seed: seed, content: content)
            let file = try pair.file(rows)
            // Links of which not all can stay.
            if seed == 1 { try linkAll(in: file, of: change.old) }
            let outcome = try pair.run(plans, on: file, over: connection)
            if case .migrated = outcome { migrated += 1 }
        }
        #expect(migrated > 0, "the server and the file have refused all rows")
    }

    /// Links all objects with all others, where links are pairs.
    private func linkAll(in file: Connection, of model: Model) throws {
        for table in Schema(of: model).tables {
            guard case .links = table.content else { continue }
            let ends = table.columns.compactMap { $0.destination }.map { SQLText.identifier($0) }
            try file.execute(
                """
                INSERT OR IGNORE INTO \(SQLText.identifier(table.name)) ("_source", "_destination") \
                SELECT one."_id", other."_id" FROM \(ends[0]) AS one, \(ends[1]) AS other \
                WHERE one."_id" <> other."_id"
                """)
        }
    }
}

extension ChangeKindTests.Change {
    private static func path(_ names: String..., of variable: String? = nil) -> ModelExpression {
        .keyPath(root: variable.map { .variable($0) } ?? .subject, names: names)
    }

    private static func entity(
        _ name: String, parent: String? = nil, isAbstract: Bool = false, from: String? = nil,
        _ attributes: [Attribute], composites: [CompositeAttribute] = [],
        _ relationships: [Relationship] = [], unique: [[String]] = [], indexes: [Index] = [],
        rules: [ModelExpression] = []
    ) -> Entity {
        Entity(
            name: name, parent: parent, isAbstract: isAbstract, renamedFrom: from,
            attributes: attributes, compositeAttributes: composites, relationships: relationships,
            uniqueConstraints: unique.map { UniqueConstraint(properties: $0) }, indexes: indexes,
            rules: rules.enumerated().map { number, condition in
                Rule(name: "rule\(number)", condition: condition)
            })
    }

    private static func number(
        _ name: String, _ limits: Limits = Limits(), optional: Bool = false,
        default value: Int64? = nil, from: String? = nil, type: AttributeType = .int32
    ) -> Attribute {
        Attribute(
            name: name, type: type, isOptional: optional,
            defaultValue: value.map { .constant(.int($0)) }, limits: limits, renamedFrom: from)
    }

    private static func text(
        _ name: String, optional: Bool = true, from: String? = nil, derived: ModelExpression? = nil
    ) -> Attribute {
        Attribute(
            name: name, type: .string, isOptional: optional, renamedFrom: from,
            derivation: derived)
    }

    private static func one(
        _ name: String, _ destination: String, _ inverse: String? = nil, required: Bool = false
    ) -> Relationship {
        Relationship(
            name: name, destination: destination, inverse: inverse, isOptional: !required)
    }

    private static func many(
        _ name: String, _ destination: String, _ inverse: String? = nil, ordered: Bool = false,
        most: Int? = nil
    ) -> Relationship {
        Relationship(
            name: name, destination: destination, inverse: inverse, isToMany: true,
            maximumCount: most, isOrdered: ordered)
    }

    private static func item(_ name: String, _ raw: String) -> EnumerationCase {
        EnumerationCase(name: name, rawValue: .string(raw))
    }

    private static let place = [
        Attribute(name: "p.street", type: .string, isOptional: true),
        Attribute(name: "p.number", type: .int16, isOptional: true),
    ]

    private static let placeOfAll = CompositeAttribute(
        name: "p", composite: "Place", isOptional: true)

    private static let long = String(repeating: "averyveryverylongname", count: 4)

    static let all: [Self] = [
        Self(
            "limits", ["limitsChanged"],
            [
                entity(
                    "A",
                    [number("a", Limits(minimum: .int(0))), number("b"), number("c", default: 1)])
            ],
            [
                entity(
                    "A",
                    [
                        number("a", Limits(minimum: .int(-5), maximum: .int(1_000_000))),
                        number("b", Limits(maximum: .int(2_000_000_000)), optional: true),
                        number("c", default: 2),
                    ])
            ]),
        Self(
            "columns with defaults", ["attributeAdded"],
            [entity("A", [number("a")])],
            [
                entity(
                    "A",
                    [
                        number("a"), number("b", optional: true, default: 7),
                        number("c", default: -8), number("d", optional: true),
                    ])
            ]),
        Self(
            "rules", ["ruleAdded", "ruleChanged", "ruleDropped"],
            [
                entity(
                    "A", [number("a"), number("b")],
                    rules: [.or([path("a") >= -1_000_000, path("b") == 1])]),
                entity("B", [number("a")], rules: [path("a") >= -3_000_000_000]),
                entity("C", [number("a"), text("t")]),
            ],
            [
                entity(
                    "A", [number("a"), number("b")],
                    rules: [.or([path("a") >= -2_000_000, path("b") == 1])]),
                entity("B", [number("a")]),
                entity(
                    "C", [number("a"), text("t")],
                    rules: [
                        .or([path("t") == .literal(.null), .function(.length, [path("t")]) >= 0])
                    ]),
            ]),
        Self(
            "constraints and indexes", ["uniqueDropped", "indexesChanged"],
            [entity("A", [number("a"), text("t")], unique: [["a"]])],
            [
                entity(
                    "A", [number("a"), text("t")],
                    indexes: [
                        Index(elements: [IndexElement(property: "t", isDescending: true)]),
                        Index(
                            name: "some", elements: [IndexElement(property: "a")],
                            condition: path("a") >= 5),
                        Index(
                            name: "length",
                            elements: [
                                IndexElement(
                                    property: "x", expression: .function(.length, [path("t")]))
                            ]),
                    ])
            ]),
        Self(
            "cases", ["caseAdded", "caseRenamed", "caseDropped"],
            [
                entity(
                    "A", [Attribute(name: "a", type: .enumeration("Level"), isOptional: true)])
            ],
            [
                entity(
                    "A", [Attribute(name: "a", type: .enumeration("Level"), isOptional: true)])
            ],
            cases: (
                [item("low", "l"), item("high", "h"), item("gone", "g")],
                [item("lower", "l"), item("high", "h"), item("top", "t")]
            ),
            MigrationDeclaration(
                from: "1",
                replacements: [
                    .init(enumeration: "Level", case: "gone", with: "top", reason: "a test")
                ])),
        Self(
            "composite values", ["presenceChanged"],
            [entity("A", [number("a")] + place, composites: [placeOfAll])],
            [entity("A", [number("a")] + place, composites: [placeOfAll])],
            MigrationDeclaration(
                from: "1",
                fills: [
                    .init(entity: "A", attribute: "p.street", value: .literal(.string("High St")))
                ])),
        Self(
            "what was transient", ["attributeStored"],
            [
                entity(
                    "A",
                    [
                        number("a"),
                        Attribute(name: "t", type: .string, isOptional: true, isTransient: true),
                    ])
            ],
            [entity("A", [number("a"), text("t")])]),
        Self(
            "a required relationship", ["relationshipBecameRequired"],
            [
                entity("A", [number("a")], [one("b", "B", "all")]),
                entity("B", [number("a")], [many("all", "A", "b")]),
            ],
            [
                entity("A", [number("a")], [one("b", "B", "all", required: true)]),
                entity("B", [number("a")], [many("all", "A", "b")]),
            ],
            MigrationDeclaration(
                from: "1",
                links: [
                    .init(
                        entity: "A", relationship: "b",
                        condition: .comparison(path("a"), .notEqual, path("a", of: "source"), []),
                        order: [.init("a", isDescending: true)])
                ])),
        Self(
            "a relationship of the parent", ["relationshipMoved", "attributeMoved"],
            [
                entity("P", [number("a")]),
                entity("A", parent: "P", [text("t")], [one("b", "B", "all")]),
                entity("B", [number("a")], [many("all", "A", "b")]),
            ],
            [
                entity("P", [number("a"), text("t")], [one("b", "B", "all")]),
                entity("A", parent: "P", []),
                entity("B", [number("a")], [many("all", "P", "b")]),
            ]),
        Self(
            "counts", ["countsChanged"],
            [
                entity("A", [number("a")], [many("b", "B", "all", ordered: true)]),
                entity("B", [number("a")], [many("all", "A", "b")]),
            ],
            [
                entity("A", [number("a")], [many("b", "B", "all", ordered: true, most: 50)]),
                entity("B", [number("a")], [many("all", "A", "b")]),
            ]),
        Self(
            "values computed anew", ["attributeRevised", "attributeConverted"],
            [entity("A", [number("a"), text("t"), number("n", optional: true)])],
            [
                entity(
                    "A",
                    [
                        number("a", type: .int64), text("t"), number("n", default: 7),
                        text("s", optional: false),
                    ])
            ],
            MigrationDeclaration(
                from: "1",
                fills: [
                    .init(
                        entity: "A", attribute: "a",
                        value: .arithmetic(path("a", of: "old"), .multiply, .literal(.int(2)))),
                    .init(
                        entity: "A", attribute: "s",
                        value: .conditional(
                            path("t", of: "old") == .literal(.null),
                            then: .literal(.string("none")), otherwise: path("t", of: "old"))),
                    .init(
                        entity: "A", attribute: "n",
                        value: .arithmetic(path("a"), .add, .literal(.int(1)))),
                ])),
        Self(
            "an abstract entity", ["entityBecameAbstract"],
            [
                entity("P", isAbstract: true, [number("a")]), entity("A", parent: "P", []),
                entity("B", parent: "P", [text("t")]),
            ],
            [
                entity("P", isAbstract: true, [number("a")]),
                entity("A", parent: "P", isAbstract: true, []),
                entity("B", parent: "P", [text("t")]),
            ],
            MigrationDeclaration(
                from: "1",
                drops: [.init(entity: "A", condition: path("a") == path("a"), reason: "a test")])),
        Self(
            "names that are too long for the server", [],
            [
                entity(
                    "A\(long)", [number("a\(long)"), text("t\(long)")],
                    [many("b\(long)", "B\(long)")],
                    unique: [["a\(long)"]]),
                entity("B\(long)", [number("a\(long)", Limits(minimum: .int(-3_000_000)))]),
            ],
            [
                entity(
                    "A\(long)",
                    [
                        number("n\(long)", optional: true, from: "a\(long)"), text("t\(long)"),
                        text("u\(long)", derived: path("t\(long)")),
                    ],
                    [many("b\(long)", "B\(long)", ordered: true)], unique: [["n\(long)"]]),
                entity(
                    "B\(long)",
                    [number("a\(long)", Limits(minimum: .int(-3_000_001)), type: .int64)]),
            ]),
        Self(
            "names of the server's own columns", [],
            [entity("A", [number("xmin"), text("ctid")])],
            [
                entity(
                    "A",
                    [
                        number("xmax", from: "xmin"), text("ctid"),
                        number("xmin", optional: true, from: "gone"),
                    ])
            ]),
        Self(
            "names that are exchanged", ["entityRenamed", "attributeRenamed"],
            [
                entity("A", [number("a"), number("b")], [one("r", "B")]),
                entity("B", [text("t")], [one("r", "A")]),
            ],
            [
                entity(
                    "B", from: "A", [number("b", from: "a"), number("a", from: "b")],
                    [one("r", "A")]),
                entity("A", from: "B", [text("t")], [one("r", "B")]),
            ]),
        Self(
            "names that differ in case", ["entityRenamed"],
            [entity("Item", [number("a"), text("t")], [many("all", "Item")])],
            [
                entity(
                    "item", from: "Item", [number("A", from: "a"), text("t")], [many("all", "item")]
                )
            ]),
        Self(
            "pairs of objects of one entity", ["linksDropped"],
            [entity("A", [number("a")], [many("r", "A", "r")])],
            [entity("A", [number("a")], [one("r", "A", "r")])],
            MigrationDeclaration(
                from: "1",
                keeps: [
                    .init(
                        entity: "A", relationship: "r",
                        order: [.init("a", isDescending: true)], reason: "a test")
                ])),
        Self(
            "objects that are dropped because of another one", ["objectsDropped"],
            [
                entity("A", [number("a")], [one("b", "B", "all"), one("next", "A")]),
                entity("B", [number("a"), number("n", optional: true)], [many("all", "A", "b")]),
            ],
            [
                entity("A", [number("a")], [one("b", "B", "all"), one("next", "A")]),
                entity("B", [number("a"), number("n", optional: true)], [many("all", "A", "b")]),
            ],
            MigrationDeclaration(
                from: "1",
                drops: [
                    .init(
                        entity: "A", condition: path("b", "n") == .literal(.null), reason: "a test"),
                    .init(
                        entity: "B", condition: .aggregate(.count, path("all")) == 0,
                        reason: "a test"),
                ])),
        Self(
            "derived values", ["derivationChanged", "derivationAdded"],
            [
                entity(
                    "A", [number("a"), text("t"), text("d", derived: path("t"))],
                    [one("b", "B", "all")]),
                entity("B", [number("a"), text("t")], [many("all", "A", "b")]),
            ],
            [
                entity(
                    "A", [number("a"), text("t"), text("d", derived: path("b", "t"))],
                    [one("b", "B", "all")]
                ),
                entity(
                    "B",
                    [
                        number("a"), text("t"),
                        Attribute(
                            name: "n", type: .int64, isOptional: true,
                            derivation: .aggregate(.count, path("all"))),
                        Attribute(
                            name: "s", type: .int64, isOptional: true,
                            derivation: .aggregate(.sum, path("all", "a"))),
                    ], [many("all", "A", "b")]),
            ]),
    ]
}

private func >= (one: ModelExpression, other: Int64) -> ModelExpression {
    .comparison(one, .greaterOrEqual, .literal(.int(other)), [])
}

private func == (one: ModelExpression, other: Int64) -> ModelExpression {
    one == .literal(.int(other))
}

private func == (one: ModelExpression, other: ModelExpression) -> ModelExpression {
    .comparison(one, .equal, other, [])
}

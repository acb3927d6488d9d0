import Foundation
import Testing

@testable import CambiumModel

struct DefinitionTests {
    @Test func `an expression as deep as any may be is read as it was`() {
        var condition = ModelExpression.literal(.bool(true))
        for _ in 1..<ModelExpression.maximumDepth { condition = .not(condition) }
        let entity = Entity(name: "Product", rules: [Rule(name: "deep", condition: condition)])
        let model = Model(name: "Shop", version: "1", entities: [entity])
        #expect(Model(definition: model.definition) == model)
    }

    /// A model with every part that a model can have, at least once.
    static let everything = Model(
        name: "Shop", version: "1 \"beta\" \\",
        entities: [
            Entity(
                name: "Product", className: "ShopProduct", parent: "Thing",
                codeGeneration: .base, hasCustomValidation: true,
                attributes: types.enumerated().map { index, type in
                    Attribute(
                        name: "a\(index)", type: type, isOptional: index % 2 == 0,
                        isTransient: index == 3, merge: index == 2 ? .sum : nil,
                        renamedFrom: index == 4 ? "b4" : nil, hasCustomValidation: index == 5,
                        isExternal: type == .data, isPreservedAfterDeletion: index == 6,
                        hashModifier: index == 7 ? "a \"b\"" : nil,
                        userInfo: index == 8 ? ["b": "2", "a": "1\n"] : [:])
                }
                    + defaults.enumerated().map { index, value in
                        Attribute(name: "d\(index)", type: .string, defaultValue: value)
                    } + [
                        Attribute(
                            name: "limited", type: .double,
                            limits: Limits(
                                minimum: .double(-0.1), maximum: .double(1e300), minimumLength: 0,
                                maximumLength: 9, pattern: "[a-z]\\\\\"+")),
                        Attribute(name: "derived", type: .int64, derivation: expressions[0]),
                        Attribute(name: "place.street", type: .string, isOptional: true),
                    ],
                compositeAttributes: [
                    CompositeAttribute(
                        name: "place", composite: "Place", isOptional: true, renamedFrom: "spot",
                        userInfo: ["k": "v"])
                ],
                relationships: [
                    Relationship(
                        name: "category", destination: "Thing", inverse: "products",
                        isOptional: false, deleteRule: .cascade, renamedFrom: "group"),
                    Relationship(
                        name: "tags", destination: "Product", isToMany: true, minimumCount: 1,
                        maximumCount: 5, isOrdered: true, isTransient: true, hashModifier: "x"),
                ],
                uniqueConstraints: [UniqueConstraint(properties: ["a0", "category"])],
                indexes: [
                    Index(
                        name: "byName", kind: .rtree,
                        elements: [
                            IndexElement(property: "a0", isDescending: true),
                            IndexElement(property: "", expression: expressions[1]),
                        ], condition: expressions[2])
                ],
                rules: expressions.enumerated().map { index, condition in
                    Rule(
                        name: "r\(index)", message: index == 0 ? "No: \"\u{301}" : nil,
                        condition: condition)
                },
                fetchTemplates: [
                    FetchTemplate(
                        name: "cheap",
                        parameters: [
                            FetchParameter(name: "limit", type: .decimal(scale: 2), isList: true),
                            FetchParameter(name: "in", entity: "Thing"),
                        ], condition: expressions[3], sort: [IndexElement(property: "a0")],
                        options: RequestOptions(
                            limit: 3, offset: 1, batchSize: 20, resultKind: .dictionaries,
                            isDistinct: true, includesSubentities: false,
                            includesPendingChanges: false, includesPropertyValues: false,
                            returnsObjectsAsFaults: false, prefetched: ["category"]),
                        userInfo: ["a": ""]),
                    FetchTemplate(name: "all"),
                ],
                fetchedProperties: [
                    FetchedProperty(
                        name: "same", destination: "Product", condition: expressions[4],
                        hashModifier: "m")
                ], hashModifier: "modifier", userInfo: ["": "]"]),
            Entity(
                name: "Thing", isAbstract: true, renamedFrom: "Item",
                relationships: [
                    Relationship(
                        name: "products", destination: "Product", inverse: "category",
                        isToMany: true)
                ]),
        ],
        enumerations: [
            Enumeration(
                name: "Kind", rawType: .string,
                cases: [EnumerationCase(name: "book", rawValue: .string("Book"))]),
            Enumeration(
                name: "Size", rawType: .int16,
                cases: [EnumerationCase(name: "small", rawValue: .int(-1))]),
        ],
        composites: [
            Composite(
                name: "Place", attributes: [.optional("street", .string)],
                compositeAttributes: [CompositeAttribute(name: "geo", composite: "Place")],
                userInfo: ["p": "q"])
        ],
        configurations: [Configuration(name: "Main", entities: [], userInfo: ["c": "d"])],
        identifier: "first", userInfo: ["author": "me"])

    private static let types: [AttributeType] =
        AttributeType.plain + [.decimal(scale: 2), .enumeration("Kind"), .codable("[String: Int]")]

    private static let values: [Value] = [
        .null, .bool(true), .int(.min), .double(0.1), .double(.infinity), .double(-0.0),
        .decimal(Decimal(string: "-12345678901234567890.123456789") ?? 0), .string("a\"\\\n\0b"),
        .date(Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)), .uuid(UUID()),
        .duration(.nanoseconds(Int64.min)), .duration(.nanoseconds(Int64.max)),
        .duration(.nanoseconds(-1)),
        .data(Data([0, 1, 255])),
    ]

    private static let defaults: [DefaultValue] = [.now, .newUUID] + values.map { .constant($0) }

    private static let name = ModelExpression.keyPath(root: .subject, names: ["a0"])
    private static let expressions: [ModelExpression] = [
        .comparison(name, .beginsWith, .parameter("p"), [.caseInsensitive, .normalized]),
        .function(.length, [name]),
        .and([]),
        .or([.not(.quantified(.any, name)), .between(name, lower: .literal(.int(1)), upper: name)]),
        .conditional(
            .comparison(name, .in, .list([.literal(.null), .literal(.date(.distantPast))]), []),
            then: .arithmetic(name, .bitwiseOr, .keyPath(root: .variable("i"), names: [])),
            otherwise: .aggregate(
                .average,
                .subquery(name, variable: "i", condition: .refused("because")))),
    ]

    @Test func `a model is read from its definition as it was`() throws {
        let read = try #require(Model(definition: Self.everything.definition))
        #expect(read == Self.everything)
        #expect(read.definition == Self.everything.definition)
    }

    @Test func `what the author declared about the step before is no part of the definition`() {
        let model = Model(
            name: "A", version: "2", entities: [], migration: MigrationDeclaration(from: "1"))
        #expect(Model(definition: model.definition)?.migration == nil)
    }

    @Test func `a definition is compact`() {
        let model = Model(
            name: "Shop", version: "1",
            entities: [Entity(name: "Product", attributes: [.required("sku", .string)])])
        #expect(
            model.definition
                == #"1"Shop""1"[{"Product"attributes[{"sku"string}]}]"#)
    }

    @Test(arguments: [
        "", "1", "2\"Shop\"\"1\"[]", "1\"Shop\"\"1\"[] ", "1\"Shop\"\"1\"[]later[]",
        "1\"Shop\"\"1\"[{\"Product\"later}]", "1\"Shop\"\"1\"[{\"Product\"attributes[]}]",
        "1\"Shop\"\"1\"[{\"Product\"attributes[{\"a\"later}]}]",
    ])
    func `a text that this Cambium would not write is no definition`(text: String) {
        #expect(Model(definition: text) == nil)
    }

    @Test(arguments: [
        [Entity(name: "A", parent: "B"), Entity(name: "B", parent: "A")],
        [Entity(name: "A", parent: "C")],
        [Entity(name: "A"), Entity(name: "A")],
        [Entity(name: "A\"; DROP TABLE \"x")],
        [Entity(name: "A", attributes: [.required("a", .enumeration("None"))])],
        [Entity(name: "A", attributes: [.required("a", .string), .optional("a", .string)])],
        [Entity(name: "A", relationships: [Relationship(name: "b", destination: "B")])],
        [
            Entity(
                name: "A",
                relationships: [Relationship(name: "b", destination: "A", inverse: "c")])
        ],
        [Entity(name: "A", uniqueConstraints: [UniqueConstraint(properties: ["a"])])],
    ])
    func `a model that the compiler would refuse is not read`(entities: [Entity]) {
        let model = Model(name: "Shop", version: "1", entities: entities)
        #expect(Model(definition: model.definition) == nil)
    }

    @Test func `a damaged definition is none, or another model, and never a trap`() {
        let bytes = Array(Self.everything.definition.utf8)
        var state: UInt64 = .random(in: 0...UInt64.max)
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        for _ in 0..<300 {
            var damaged = bytes
            for _ in 0...next(3) {
                let place = next(damaged.count)
                switch next(3) {
                case 0: damaged.remove(at: place)
                case 1: damaged[place] = bytes[next(bytes.count)]
                default: damaged.removeSubrange(place..<min(damaged.count, place + next(40)))
                }
            }
            let text = String(decoding: damaged, as: UTF8.self)
            if let model = Model(definition: text) { #expect(model.definition == text) }
        }
    }

    @Test func `a definition that nests too deep is refused`() {
        let deep = String(repeating: "[{\"A\"derived{and of", count: 100_000)
        #expect(Model(definition: "1\"Shop\"\"1\"" + deep) == nil)
    }
}

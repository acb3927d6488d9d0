import CambiumModel

@testable import CambiumCompiler

extension EmitterInput {
    /// Entities without a class, bases of hand-written classes, hooks at two levels, and names
    /// that are keywords or types of the library.
    static var mixed: EmitterInput {
        EmitterInput(
            model: Model(
                name: "Mixed", version: "1",
                entities: [
                    Entity(
                        name: "Hidden", isAbstract: true, codeGeneration: .none,
                        attributes: [
                            Attribute(name: "class", type: .string, hasCustomValidation: true)
                        ],
                        relationships: [
                            Relationship(
                                name: "others", destination: "Hidden", isToMany: true,
                                minimumCount: 1)
                        ]),
                    Entity(
                        name: "Base", parent: "Hidden", codeGeneration: .base,
                        hasCustomValidation: true,
                        attributes: [
                            Attribute(name: "in", type: .float, hasCustomValidation: true),
                            Attribute(name: "contexts", type: .uuid),
                        ],
                        relationships: [
                            Relationship(name: "hidden", destination: "Hidden"),
                            Relationship(name: "rule", destination: "Rule", isOptional: false),
                        ]),
                    Entity(name: "Child", parent: "Base", hasCustomValidation: true),
                    Entity(
                        name: "Rule",
                        attributes: [
                            Attribute(name: "value", type: .date),
                            Attribute(name: "note", type: .string, isOptional: true),
                        ]),
                    Entity(name: "Date", parent: "Rule"),
                    Entity(
                        name: "String", attributes: [Attribute(name: "repeat", type: .string)]),
                ],
                enumerations: [
                    Enumeration(
                        name: "Index", rawType: .int64,
                        cases: [EnumerationCase(name: "init", rawValue: .int(.max))])
                ]),
            access: .public)
    }

    /// Every case of the expression tree and every kind of constant.
    static var expressions: EmitterInput {
        let subject = ModelExpression.keyPath(root: .subject, names: [])
        let items = ModelExpression.keyPath(root: .subject, names: ["items"])
        let price = ModelExpression.keyPath(root: .variable("i"), names: ["price"])
        let constants: [Value] = [
            .null, .bool(true), .int(.min), .int(.max), .double(0.1), .double(-0.0),
            .double(.leastNonzeroMagnitude), .double(.infinity), .double(-.infinity),
            .double(1e300),
            .decimal(0), .decimal(-3), .decimal(decimal("19.990")), .decimal(decimal("-0.000001")),
            .decimal(decimal("12345678901234567890.123456789012345678")),
            .decimal(decimal("1000000000000000000000000000000")),
            .decimal(decimal("99999999999999999999999999999999999999")),
            .string("plain"), .string("two\nlines"), .date(Date(timeIntervalSinceReferenceDate: 1)),
            .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
            .data(Data([0, 127, 255])), .data(Data(0...99)), .data(Data()),
        ]
        var conditions: [ModelExpression] = [
            .and([]), .or([]), .not(.and([])),
            .comparison(
                subject, .equal, .parameter("p"),
                [.caseInsensitive, .diacriticInsensitive, .normalized]),
            .between(price, lower: .literal(.int(1)), upper: .literal(.int(2))),
            .comparison(subject, .in, .list([.literal(.int(1)), .literal(.int(2))]), []),
            .comparison(
                .arithmetic(.literal(.int(1)), .add, .literal(.int(2))), .less,
                .conditional(.and([]), then: .literal(.int(1)), otherwise: .literal(.int(2))), []),
            .comparison(
                .aggregate(
                    .count,
                    .subquery(
                        items, variable: "i",
                        condition: .comparison(price, .greater, .literal(.int(3)), []))),
                .greater, .literal(.int(0)), []),
            .comparison(subject, .in, .list(constants.map { .literal($0) }), []),
        ]
        conditions += ComparisonOperator.allCases.map { .comparison(subject, $0, subject, []) }
        conditions += Quantifier.allCases.map {
            .quantified($0, .comparison(items, .equal, items, []))
        }
        conditions += ArithmeticOperator.allCases.map { .arithmetic(subject, $0, subject) }
        conditions += ModelFunction.allCases.map { .function($0, [subject]) }
        conditions += AggregateFunction.allCases.map { .aggregate($0, items) }
        return EmitterInput(
            model: Model(
                name: "Expressions", version: "1",
                entities: [
                    Entity(
                        name: "Thing",
                        rules: conditions.enumerated().map {
                            Rule(name: "rule\($0)", condition: $1)
                        })
                ]))
    }

    private static func decimal(_ text: String) -> Decimal {
        Decimal(string: text) ?? .nan
    }
}

import Cambium
import CambiumModel

/// A model whose rule looks at another object, which no check of a row can hold.
enum Budget {
    static let model = CompiledModel(
        Model(
            name: "Budget", version: "1",
            entities: [
                Entity(
                    name: "Account", attributes: [Attribute(name: "limit", type: .int64)],
                    relationships: [
                        Relationship(
                            name: "costs", destination: "Cost", inverse: "account", isToMany: true,
                            isOptional: true)
                    ]),
                Entity(
                    name: "Cost",
                    attributes: [
                        Attribute(name: "amount", type: .int64),
                        Attribute(name: "number", type: .int64, isOptional: true),
                    ],
                    relationships: [
                        Relationship(
                            name: "account", destination: "Account", inverse: "costs",
                            isOptional: true)
                    ],
                    uniqueConstraints: [UniqueConstraint(properties: ["number"])],
                    rules: [
                        Rule(
                            name: "withinLimit", message: "A cost is within its account's limit",
                            condition: .or([
                                .comparison(path("account"), .equal, .literal(.null), []),
                                .comparison(
                                    path("amount"), .lessOrEqual, path("account", "limit"), []),
                            ]))
                    ]),
            ]))

    private static func path(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }
}

// Conditions, values and requests in the definition of a model.

extension Value: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        let (kind, text) = it?.exactForm ?? ("", "")
        let name = try coder.word(kind)
        guard let value = Value(kind: name, exactText: name == "null" ? "" : try coder.string(text))
        else { throw UnreadableDefinition() }
        self = value
    }
}

extension ModelExpression: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        let part: Part = try coder.part(it.map(Part.init))
        guard let expression = part.expression else { throw UnreadableDefinition() }
        self = expression
    }

    /// A part of a tree with whatever it has, of which each kind has a few.
    fileprivate struct Part {
        let kind: String
        var texts: [String] = []
        var options = 0
        var value: Value?
        var operands: [ModelExpression] = []
    }
}

extension ModelExpression.Part: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            kind: try coder.word(it?.kind), texts: try coder.list("texts", it?.texts),
            options: try coder.part("options", it?.options, unless: 0),
            value: try coder.optional("value", it?.value),
            operands: try coder.list("of", it?.operands))
    }

    fileprivate init(_ expression: ModelExpression) {
        switch expression {
        case .literal(let value): self.init(kind: "literal", value: value)
        case .keyPath(.subject, let names): self.init(kind: "path", texts: names)
        case .keyPath(.variable(let variable), let names):
            self.init(kind: "variable", texts: [variable] + names)
        case .parameter(let name): self.init(kind: "parameter", texts: [name])
        case .list(let elements): self.init(kind: "list", operands: elements)
        case .and(let operands): self.init(kind: "and", operands: operands)
        case .or(let operands): self.init(kind: "or", operands: operands)
        case .not(let operand): self.init(kind: "not", operands: [operand])
        case .comparison(let left, let relation, let right, let options):
            self.init(
                kind: "comparison", texts: [relation.rawValue], options: options.rawValue,
                operands: [left, right])
        case .between(let value, let lower, let upper):
            self.init(kind: "between", operands: [value, lower, upper])
        case .quantified(let quantifier, let operand):
            self.init(kind: "quantified", texts: [quantifier.rawValue], operands: [operand])
        case .arithmetic(let left, let operation, let right):
            self.init(kind: "arithmetic", texts: [operation.rawValue], operands: [left, right])
        case .function(let function, let arguments):
            self.init(kind: "function", texts: [function.rawValue], operands: arguments)
        case .aggregate(let function, let operand):
            self.init(kind: "aggregate", texts: [function.rawValue], operands: [operand])
        case .subquery(let path, let variable, let condition):
            self.init(kind: "subquery", texts: [variable], operands: [path, condition])
        case .conditional(let condition, let result, let otherwise):
            self.init(kind: "conditional", operands: [condition, result, otherwise])
        case .refused(let reason): self.init(kind: "refused", texts: [reason])
        }
    }

    /// The tree; nil where a part is missing or of no known kind.
    fileprivate var expression: ModelExpression? {
        switch (kind, texts.count, operands.count) {
        case ("literal", 0, 0): value.map(ModelExpression.literal)
        case ("path", _, 0): .keyPath(root: .subject, names: texts)
        case ("variable", 1..., 0):
            .keyPath(root: .variable(texts[0]), names: Array(texts.dropFirst()))
        case ("parameter", 1, 0): .parameter(texts[0])
        case ("list", 0, _): .list(operands)
        case ("and", 0, _): .and(operands)
        case ("or", 0, _): .or(operands)
        case ("not", 0, 1): .not(operands[0])
        case ("comparison", 1, 2):
            ComparisonOperator(rawValue: texts[0]).map {
                .comparison(
                    operands[0], $0, operands[1], ComparisonOptions(rawValue: options))
            }
        case ("between", 0, 3): .between(operands[0], lower: operands[1], upper: operands[2])
        case ("quantified", 1, 1):
            Quantifier(rawValue: texts[0]).map { .quantified($0, operands[0]) }
        case ("arithmetic", 1, 2):
            ArithmeticOperator(rawValue: texts[0]).map { .arithmetic(operands[0], $0, operands[1]) }
        case ("function", 1, _):
            ModelFunction(rawValue: texts[0]).map { .function($0, operands) }
        case ("aggregate", 1, 1):
            AggregateFunction(rawValue: texts[0]).map { .aggregate($0, operands[0]) }
        case ("subquery", 1, 2):
            .subquery(operands[0], variable: texts[0], condition: operands[1])
        case ("conditional", 0, 3):
            .conditional(operands[0], then: operands[1], otherwise: operands[2])
        case ("refused", 1, 0): .refused(texts[0])
        default: nil
        }
    }
}

// MARK: What has conditions

extension Index: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.optional("name", it?.name),
            kind: try coder.part("kind", it?.kind, unless: .binary),
            elements: try coder.list(it?.elements),
            condition: try coder.optional("where", it?.condition))
    }
}

extension IndexElement: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            property: try coder.part(it?.property),
            isDescending: coder.flag("descending", it?.isDescending),
            expression: try coder.optional("expression", it?.expression))
    }
}

extension Rule: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name),
            message: try coder.optional("message", it?.message),
            condition: try coder.part(it?.condition))
    }
}

extension FetchTemplate: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name),
            parameters: try coder.list("parameters", it?.parameters),
            condition: try coder.optional("where", it?.condition),
            sort: try coder.list("sort", it?.sort),
            options: try coder.part("options", it?.options, unless: RequestOptions()),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension FetchParameter: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        let name: String = try coder.part(it?.name)
        let isList = coder.flag("list", it?.isList)
        if let entity = try coder.optional("entity", it?.entity) {
            self.init(name: name, entity: entity, isList: isList)
        } else {
            self.init(name: name, type: try coder.part(it?.type), isList: isList)
        }
    }
}

extension FetchedProperty: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name), destination: try coder.part(it?.destination),
            condition: try coder.optional("where", it?.condition),
            sort: try coder.list("sort", it?.sort),
            options: try coder.part("options", it?.options, unless: RequestOptions()),
            hashModifier: try coder.optional("modifier", it?.hashModifier),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension RequestOptions: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            limit: try coder.optional("limit", it?.limit),
            offset: try coder.part(it?.offset), batchSize: try coder.part(it?.batchSize),
            resultKind: try coder.part(it?.resultKind),
            isDistinct: coder.flag("distinct", it?.isDistinct),
            includesSubentities: coder.flag("subentities", it?.includesSubentities),
            includesPendingChanges: coder.flag("pending", it?.includesPendingChanges),
            includesPropertyValues: coder.flag("values", it?.includesPropertyValues),
            returnsObjectsAsFaults: coder.flag("faults", it?.returnsObjectsAsFaults),
            prefetched: try coder.list("prefetched", it?.prefetched))
    }
}

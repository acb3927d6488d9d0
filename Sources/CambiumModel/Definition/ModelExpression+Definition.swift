// Conditions, values and requests in the definition of a model.

extension Value {
    static func coded(
        _ it: Value?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Value {
        let (kind, text) = it.map(\.spelling) ?? ("", "")
        let name = try coder.word(kind)
        if name == "null" { return .null }
        guard let value = Value(name, try coder.string(text)) else { throw UnreadableDefinition() }
        return value
    }

    /// The kind of value, and a text that is it to the last bit.
    private var spelling: (kind: String, text: String) {
        switch self {
        case .null: ("null", "")
        case .bool(let value): ("bool", "\(value)")
        case .int(let value): ("int", "\(value)")
        case .double(let value): ("double", "\(value)")
        case .decimal(let value): ("decimal", "\(value)")
        case .string(let value): ("string", value)
        case .date(let value): ("date", "\(value.timeIntervalSinceReferenceDate)")
        case .uuid(let value): ("uuid", value.uuidString)
        case .uri(let value): ("uri", value.absoluteString)
        case .data(let value): ("data", value.base64EncodedString())
        }
    }

    private init?(_ kind: String, _ text: String) {
        let value: Value? =
            switch kind {
            case "bool": Bool(text).map(Value.bool)
            case "int": Int64(text).map(Value.int)
            case "double": Double(text).map(Value.double)
            case "decimal": DecimalText.decimal(of: text).map(Value.decimal)
            case "string": .string(text)
            case "date":
                Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case "uuid": UUID(uuidString: text).map(Value.uuid)
            case "uri": URL(string: text).map(Value.uri)
            case "data": Data(base64Encoded: text).map(Value.data)
            default: nil
            }
        guard let value else { return nil }
        self = value
    }
}

extension ModelExpression {
    static func coded(
        _ it: ModelExpression?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> ModelExpression {
        let part = try coder.group { coder throws(UnreadableDefinition) in
            try Part.coded(it.map(Part.init), &coder)
        }
        guard let expression = part.expression else { throw UnreadableDefinition() }
        return expression
    }

    /// A part of a tree with whatever it has, of which each kind has a few.
    fileprivate struct Part {
        let kind: String
        var texts: [String] = []
        var options = 0
        var value: Value?
        var operands: [ModelExpression] = []

        static func coded(
            _ it: Part?, _ coder: inout DefinitionCoder
        ) throws(UnreadableDefinition) -> Part {
            Part(
                kind: try coder.word(it?.kind),
                texts: try coder.list("texts", it?.texts, String.coded),
                options: try coder.part("options", it?.options, unless: 0, Int.coded),
                value: try coder.optional("value", it?.value, Value.coded),
                operands: try coder.list("of", it?.operands, ModelExpression.coded))
        }
    }
}

extension ModelExpression.Part {
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

extension Index {
    static func coded(
        _ it: Index?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Index {
        try coder.group { coder throws(UnreadableDefinition) in
            Index(
                name: try coder.optional("name", it?.name, String.coded),
                kind: try coder.part("kind", it?.kind, unless: .binary, IndexKind.coded),
                elements: try coder.list(it?.elements, IndexElement.coded),
                condition: try coder.optional("where", it?.condition, ModelExpression.coded))
        }
    }
}

extension IndexElement {
    fileprivate static func coded(
        _ it: IndexElement?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> IndexElement {
        try coder.group { coder throws(UnreadableDefinition) in
            IndexElement(
                property: try coder.string(it?.property),
                isDescending: coder.flag("descending", it?.isDescending),
                expression: try coder.optional(
                    "expression", it?.expression, ModelExpression.coded))
        }
    }
}

extension Rule {
    static func coded(
        _ it: Rule?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Rule {
        try coder.group { coder throws(UnreadableDefinition) in
            Rule(
                name: try coder.string(it?.name),
                message: try coder.optional("message", it?.message, String.coded),
                condition: try ModelExpression.coded(it?.condition, &coder))
        }
    }
}

extension FetchTemplate {
    static func coded(
        _ it: FetchTemplate?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> FetchTemplate {
        try coder.group { coder throws(UnreadableDefinition) in
            FetchTemplate(
                name: try coder.string(it?.name),
                parameters: try coder.list("parameters", it?.parameters, FetchParameter.coded),
                condition: try coder.optional("where", it?.condition, ModelExpression.coded),
                sort: try coder.list("sort", it?.sort, IndexElement.coded),
                options: try coder.part(
                    "options", it?.options, unless: RequestOptions(), RequestOptions.coded),
                userInfo: try coder.notes("info", it?.userInfo))
        }
    }
}

extension FetchParameter {
    fileprivate static func coded(
        _ it: FetchParameter?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> FetchParameter {
        try coder.group { coder throws(UnreadableDefinition) in
            let name = try coder.string(it?.name)
            let isList = coder.flag("list", it?.isList)
            if let entity = try coder.optional("entity", it?.entity, String.coded) {
                return FetchParameter(name: name, entity: entity, isList: isList)
            }
            return FetchParameter(
                name: name, type: try AttributeType.coded(it?.type, &coder), isList: isList)
        }
    }
}

extension FetchedProperty {
    static func coded(
        _ it: FetchedProperty?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> FetchedProperty {
        try coder.group { coder throws(UnreadableDefinition) in
            FetchedProperty(
                name: try coder.string(it?.name), destination: try coder.string(it?.destination),
                condition: try coder.optional("where", it?.condition, ModelExpression.coded),
                sort: try coder.list("sort", it?.sort, IndexElement.coded),
                options: try coder.part(
                    "options", it?.options, unless: RequestOptions(), RequestOptions.coded),
                hashModifier: try coder.optional("modifier", it?.hashModifier, String.coded),
                userInfo: try coder.notes("info", it?.userInfo))
        }
    }
}

extension RequestOptions {
    fileprivate static func coded(
        _ it: RequestOptions?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> RequestOptions {
        try coder.group { coder throws(UnreadableDefinition) in
            RequestOptions(
                limit: try coder.optional("limit", it?.limit, Int.coded),
                offset: try coder.number(it?.offset), batchSize: try coder.number(it?.batchSize),
                resultKind: try coder.raw(it?.resultKind),
                isDistinct: coder.flag("distinct", it?.isDistinct),
                includesSubentities: coder.flag("subentities", it?.includesSubentities),
                includesPendingChanges: coder.flag("pending", it?.includesPendingChanges),
                includesPropertyValues: coder.flag("values", it?.includesPropertyValues),
                returnsObjectsAsFaults: coder.flag("faults", it?.returnsObjectsAsFaults),
                prefetched: try coder.list("prefetched", it?.prefetched, String.coded))
        }
    }
}

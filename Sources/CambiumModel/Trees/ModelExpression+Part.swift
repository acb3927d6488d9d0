extension ModelExpression {
    /// A part of a tree with whatever it has, of which each kind has a few. So what is the same for
    /// all kinds, such as writing and comparing, is one piece of code.
    struct Part: Hashable {
        /// The kinds, by the words that definitions have for them.
        enum Kind: String {
            case literal
            case path
            case variable
            case parameter
            case list
            case and
            case or
            case not
            case comparison
            case between
            case quantified
            case arithmetic
            case function
            case aggregate
            case subquery
            case conditional
            case refused
        }

        let kind: Kind
        let texts: [String]
        let options: Int
        let value: Value?
        let operands: [ModelExpression]
    }

    /// The root of the tree.
    var part: Part {
        var options = 0
        var value: Value?
        var kind = Part.Kind.literal
        var texts: [String] = []
        switch self {
        case .literal(let own): value = own
        case .keyPath(let root, let names):
            kind = .path
            texts = names
            if case .variable(let variable) = root {
                kind = .variable
                texts.insert(variable, at: 0)
            }
        case .list: kind = .list
        case .and: kind = .and
        case .or: kind = .or
        case .not: kind = .not
        case .between: kind = .between
        case .conditional: kind = .conditional
        default:
            let text: String
            switch self {
            case .parameter(let name): (kind, text) = (.parameter, name)
            case .comparison(_, let relation, _, let chosen):
                (kind, text) = (.comparison, relation.rawValue)
                options = chosen.rawValue
            case .quantified(let quantifier, _):
                (kind, text) = (.quantified, quantifier.rawValue)
            case .arithmetic(_, let operation, _):
                (kind, text) = (.arithmetic, operation.rawValue)
            case .function(let function, _): (kind, text) = (.function, function.rawValue)
            case .aggregate(let function, _): (kind, text) = (.aggregate, function.rawValue)
            case .subquery(_, let variable, _): (kind, text) = (.subquery, variable)
            case .refused(let reason): (kind, text) = (.refused, reason)
            default: text = ""
            }
            texts = [text]
        }
        return Part(kind: kind, texts: texts, options: options, value: value, operands: operands)
    }
}

extension ModelExpression: Hashable {
    /// Whether both trees have equal parts.
    public static func == (one: ModelExpression, other: ModelExpression) -> Bool {
        one.part == other.part
    }

    /// Feeds the parts.
    public func hash(into hasher: inout Hasher) {
        part.hash(into: &hasher)
    }
}

extension ModelExpression.Part.Kind {
    /// How many texts it has; nil for any number.
    private var textCount: Int? {
        switch self {
        case .path, .variable: nil
        case .literal, .list, .and, .or, .not, .between, .conditional: 0
        default: 1
        }
    }

    /// How many operands it has; nil for any number.
    private var operandCount: Int? {
        switch self {
        case .list, .and, .or, .function: nil
        case .not, .quantified, .aggregate: 1
        case .comparison, .arithmetic, .subquery: 2
        case .between, .conditional: 3
        default: 0
        }
    }

    fileprivate func allows(_ texts: Int, _ operands: Int) -> Bool {
        texts == textCount ?? texts && operands == operandCount ?? operands
    }
}

extension ModelExpression.Part {
    /// The tree; nil where something is missing or too much.
    var expression: ModelExpression? {
        guard kind.allows(texts.count, operands.count) else { return nil }
        let text = texts.first ?? ""
        switch kind {
        case .literal: return value.map { .literal($0) }
        case .path: return .keyPath(root: .subject, names: texts)
        case .variable:
            return texts.isEmpty
                ? nil : .keyPath(root: .variable(text), names: Array(texts.dropFirst()))
        case .parameter: return .parameter(text)
        case .list: return .list(operands)
        case .and: return .and(operands)
        case .or: return .or(operands)
        case .function: return ModelFunction(rawValue: text).map { .function($0, operands) }
        case .refused: return .refused(text)
        default: break
        }
        let first = operands[0]
        switch kind {
        case .not: return .not(first)
        case .quantified: return Quantifier(rawValue: text).map { .quantified($0, first) }
        case .aggregate: return AggregateFunction(rawValue: text).map { .aggregate($0, first) }
        default: break
        }
        let second = operands[1]
        switch kind {
        case .comparison:
            let options = ComparisonOptions(rawValue: options)
            return ComparisonOperator(rawValue: text).map {
                .comparison(first, $0, second, options)
            }
        case .arithmetic:
            return ArithmeticOperator(rawValue: text).map { .arithmetic(first, $0, second) }
        case .subquery: return .subquery(first, variable: text, condition: second)
        case .between: return .between(first, lower: second, upper: operands[2])
        default: return .conditional(first, then: second, otherwise: operands[2])
        }
    }
}

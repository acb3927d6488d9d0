extension ModelExpression {
    /// A node of a tree with all possible fields. Each kind uses a few of them. Code that is the
    /// same for all kinds, such as writing and comparing, is therefore written once.
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
        var operands: [ModelExpression]
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
    /// Whether both trees have equal parts. The comparison makes lists of the parts of each node,
    /// because trees are compared when a model is checked, and not for each row.
    public static func == (one: ModelExpression, other: ModelExpression) -> Bool {
        one.part == other.part
    }

    /// Hashes the parts. It costs as much as a comparison.
    public func hash(into hasher: inout Hasher) {
        part.hash(into: &hasher)
    }
}

extension ModelExpression.Part.Kind {
    /// The number of strings, or nil if any number is allowed.
    private var textCount: Int? {
        switch self {
        case .path, .variable: nil
        case .literal, .list, .and, .or, .not, .between, .conditional: 0
        default: 1
        }
    }

    /// The number of operands, or nil if any number is allowed.
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
    /// The tree; nil if a field is missing or superfluous.
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

extension ModelExpression {
    /// Returns the expression with arguments in place of its parameters: single values or lists.
    /// Parameters without an argument stay.
    package func substituting(_ arguments: [String: FormatArgument]) -> ModelExpression {
        guard !arguments.isEmpty else { return self }
        return transformed { expression in
            switch expression {
            case .parameter(let name):
                switch arguments[name] {
                case .value(let value): .literal(value)
                case .list(let values): .list(values.map { .literal($0) })
                case .object(_, let key): .literal(.int(key))
                case .objects(_, let keys): .list(keys.map { .literal(.int($0)) })
                case nil: nil
                }
            case .between(let operand, .parameter(let lower), .parameter(let upper))
            where lower == upper:
                if case .list(let values) = arguments[lower], values.count == 2 {
                    .between(
                        operand.substituting(arguments), lower: .literal(values[0]),
                        upper: .literal(values[1]))
                } else {
                    nil
                }
            default: nil
            }
        }
    }

    /// Returns the tree with parts replaced by a function, from the root downwards. If the function
    /// returns nil for a part, it is called for the part's operands in turn.
    package func transformed(_ replace: (ModelExpression) -> ModelExpression?) -> ModelExpression {
        if let replacement = replace(self) { return replacement }
        var part = part
        guard !part.operands.isEmpty else { return self }
        part.operands = part.operands.map { $0.transformed(replace) }
        return part.expression ?? self
    }

    /// Looks at all parts, the whole first.
    package func visit(_ body: (ModelExpression) -> Void) {
        body(self)
        for operand in operands { operand.visit(body) }
    }

    /// The operands of the node itself.
    package var operands: [ModelExpression] {
        switch self {
        case .literal, .keyPath, .parameter, .refused: []
        case .list(let operands), .and(let operands), .or(let operands),
            .function(_, let operands):
            operands
        case .not(let operand), .quantified(_, let operand), .aggregate(_, let operand): [operand]
        case .comparison(let left, _, let right, _), .arithmetic(let left, _, let right),
            .subquery(let left, _, let right):
            [left, right]
        case .between(let one, let two, let three), .conditional(let one, let two, let three):
            [one, two, three]
        }
    }
}

extension ModelExpression {
    /// The maximum depth of a tree. Recursion over it, including checks and evaluation, then needs
    /// at most half a megabyte of stack, which is the size for threads on some platforms.
    package static let maximumDepth = 100
    /// The maximum number of parts. If a part is used twice, the tree grows faster than its code.
    package static let maximumSize = 1_000_000

    /// The number of levels and the number of parts that are not constants. It is nil if the tree
    /// exceeds a limit or contains a rejected part.
    package var extent: (depth: Int, size: Int)? {
        var greatest = 1
        var size = 1
        var open = [(part: self, depth: 1)]
        while let (part, depth) = open.popLast() {
            greatest = max(greatest, depth)
            if case .refused = part { return nil }
            for operand in part.operands {
                if case .literal = operand { continue }
                size += 1
                open.append((operand, depth + 1))
            }
            guard greatest <= Self.maximumDepth, size <= Self.maximumSize else { return nil }
        }
        return (greatest, size)
    }

    /// The tree, or a rejected part in its place if it is too deep or too large.
    package var limited: ModelExpression {
        extent == nil ? .tooLarge : self
    }

    /// The replacement of a tree that is too deep or too large.
    package static var tooLarge: ModelExpression {
        .refused(
            "the expression nests deeper than \(maximumDepth) levels, or has more than "
                + "\(maximumSize) parts")
    }
}

extension StoredDatePrecision {
    /// Returns an expression with constant dates rounded as the store rounds dates, so that they
    /// equal stored values.
    package func rounded(_ expression: ModelExpression) -> ModelExpression {
        expression.transformed { part in
            if case .literal(.date(let date)) = part { .literal(rounded(.date(date))) } else { nil }
        }
    }
}

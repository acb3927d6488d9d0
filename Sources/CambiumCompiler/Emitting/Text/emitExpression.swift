import CambiumModel

/// The expression tree as Swift, in the short form with leading dots that needs no inference.
struct ExpressionEmitter {
    let literals: LiteralEmitter

    /// A `ModelExpression`, where one is expected.
    func code(_ expression: ModelExpression) -> SwiftCode {
        switch expression {
        case .refused(let reason):
            .call(".refused", .string(reason))
        case .literal(let value):
            .call(".literal", literals.value(value))
        case .keyPath(let root, let names):
            .call(
                ".keyPath",
                [("root", code(root)), ("names", .array(names.map { .string($0) }))])
        case .parameter(let name):
            .call(".parameter", .string(name))
        case .list(let elements):
            .call(".list", .array(elements.map(code)))
        case .and(let operands):
            .call(".and", .array(operands.map(code)))
        case .or(let operands):
            .call(".or", .array(operands.map(code)))
        case .not(let operand):
            .call(".not", code(operand))
        case .comparison(let left, let relation, let right, let options):
            .call(
                ".comparison", code(left), .text(".\(relation)"), code(right),
                code(options))
        case .between(let value, let lower, let upper):
            .call(
                ".between",
                [(nil, code(value)), ("lower", code(lower)), ("upper", code(upper))])
        case .quantified(let quantifier, let comparison):
            .call(".quantified", .text(".\(quantifier)"), code(comparison))
        case .arithmetic(let left, let operation, let right):
            .call(".arithmetic", code(left), .text(".\(operation)"), code(right))
        case .function(let function, let arguments):
            .call(".function", .text(".\(function)"), .array(arguments.map(code)))
        case .aggregate(let function, let operand):
            .call(".aggregate", .text(".\(function)"), code(operand))
        case .subquery(let objects, let variable, let condition):
            .call(
                ".subquery",
                [
                    (nil, code(objects)), ("variable", .string(variable)),
                    ("condition", code(condition)),
                ])
        case .conditional(let condition, let first, let second):
            .call(
                ".conditional",
                [(nil, code(condition)), ("then", code(first)), ("otherwise", code(second))])
        }
    }

    private func code(_ root: PathRoot) -> SwiftCode {
        switch root {
        case .subject: .text(".subject")
        case .variable(let name): .call(".variable", .string(name))
        }
    }

    private func code(_ options: ComparisonOptions) -> SwiftCode {
        var names: [String] = []
        if options.contains(.caseInsensitive) { names.append(".caseInsensitive") }
        if options.contains(.diacriticInsensitive) { names.append(".diacriticInsensitive") }
        if options.contains(.normalized) { names.append(".normalized") }
        return .array(names.map { .text($0) })
    }
}

import CambiumModel

extension ExpressionSQL {
    /// The SQL of a value; it can stand beside any operator without brackets.
    mutating func value(
        _ expression: TypedExpression
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        switch expression {
        case .literal(let value, let type):
            // An exact number out of range is nil in arithmetic, as it is in memory.
            return constant(type.stored(value) ?? .null)
        case .parameter(let name, let type):
            guard constants != .inline else {
                throw Self.failure("the parameter $\(name) has no value here")
            }
            return SQLFragment(.named(name, type))
        case .attribute(let path, let attribute, let declarer):
            guard !attribute.isTransient else {
                throw Self.failure(
                    "'\(attribute.name)' is transient, so the store has no column for it")
            }
            return try column(model.column(of: attribute.name, in: declarer), of: path)
        case .object(let path):
            return try key(of: path)
        case .and, .or, .not, .comparison, .among, .amongList, .text, .exists:
            return "(\(try condition(expression, .boolean)))"
        case .aggregate(let function, let collection, let operand):
            return try aggregate(function, collection, operand)
        case .arithmetic(let left, let operation, let right, let type):
            return try arithmetic(left, operation, right, type)
        case .convert(let operand, let type):
            return try convert(operand, type)
        case .function(let function, let operands, _):
            return try self.function(function, operands)
        case .conditional(let test, let first, let second):
            let test = try condition(test, .filter)
            let one = try value(first)
            return "CASE WHEN \(test) THEN \(one) ELSE \(try value(second)) END"
        }
    }

    // MARK: Constants

    func constant(_ value: StoredValue) -> SQLFragment {
        constants == .parameters && value != .null
            ? SQLFragment(.value(value)) : SQLFragment(raw: SQLText.literal(value))
    }

    /// Returns whether an expression can be NULL. The column of a required attribute cannot be NULL
    /// in the rows of its entity.
    func isNullable(_ expression: TypedExpression) -> Bool {
        switch expression {
        case .literal(let value, let type): type.stored(value) ?? .null == .null
        case .attribute(let path, let attribute, _):
            attribute.isOptional || attribute.isTransient || !path.steps.isEmpty
        case .object(let path): !path.steps.isEmpty
        case .and, .or, .not, .comparison, .among, .amongList, .text, .exists: false
        case .aggregate(let function, _, _): function != .count
        case .conditional(_, let first, let second): isNullable(first) || isNullable(second)
        case .convert(let operand, let type): !type.isFloatingPoint || isNullable(operand)
        case .function(.length, let operands, _): operands.contains(where: isNullable)
        case .function(.now, _, _), .function(.uuid, _, _): false
        case .parameter, .arithmetic, .function: true
        }
    }

    // MARK: Arithmetic

    /// An exact number times a power of ten.
    func scaled(_ fragment: SQLFragment, by places: Int) -> SQLFragment {
        guard places > 0 else { return fragment }
        return "(\(fragment) * \(raw: String(DecimalStorage.powerOfTen(places))))"
    }

    private mutating func arithmetic(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression,
        _ type: ExpressionType
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        var one = try value(left)
        var other = try value(right)
        if type == .string { return "(\(one) || \(other))" }
        if operation == .power { return dialect.call(.power, "\(one), \(other)") }
        if type == .anyDecimal {
            return dialect.call(.calculate, "\(one), '\(raw: operation.rawValue)', \(other)")
        }
        guard let scale = type.scale else { return "(\(one) \(raw: operation.rawValue) \(other))" }
        switch operation {
        case .bitwiseAnd, .bitwiseOr:
            return "(\(one) \(raw: operation.rawValue) \(other))"
        case .add, .subtract:
            one = rescaled(one, left, to: scale)
            other = rescaled(other, right, to: scale)
        case .multiply, .divide, .power:
            break
        }
        let isBounded = TypedExpression.arithmetic(left, operation, right, type).bounds != nil
        return isBounded
            ? "(\(one) \(raw: operation.rawValue) \(other))"
            : dialect.whole("\(one) \(raw: operation.rawValue) \(other)")
    }

    private func rescaled(
        _ fragment: SQLFragment, _ operand: TypedExpression, to scale: Int
    ) -> SQLFragment {
        let places = scale - (operand.type.scale ?? 0)
        guard places > 0 else { return fragment }
        let scaled = scaled(fragment, by: places)
        return operand.bounds(rescaledTo: scale) == nil ? dialect.whole(scaled) : scaled
    }

    private mutating func convert(
        _ operand: TypedExpression, _ type: ExpressionType
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let fragment = try value(operand)
        if operand.type == .anyDecimal {
            return type == .anyDecimal ? fragment : dialect.call(.double, fragment)
        }
        guard let scale = operand.type.scale else { return fragment }
        if type == .anyDecimal {
            return dialect.call(.decimal, "\(fragment), \(raw: String(scale))")
        }
        if let wanted = type.scale { return rescaled(fragment, operand, to: wanted) }
        if scale == 0 { return dialect.real(fragment) }
        let divisor = String(DecimalStorage.powerOfTen(scale))
        return "(\(dialect.real(fragment)) / \(raw: divisor).0)"
    }

    // MARK: Functions

    private mutating func function(
        _ function: ModelFunction, _ operands: [TypedExpression]
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        guard let first = operands.first else {
            if function == .uuid { return dialect.randomUUID }
            return constants == .inline ? dialect.now.impure : SQLFragment(.now)
        }
        if function == .entity, case .object(let path) = first {
            let root = model.root(of: path.entity)
            if model.hasSubentities(root) { return try column(SystemColumn.entity, of: path) }
            let name = SQLText.literal(root.name)
            return "CASE WHEN \(try key(of: path)) IS NOT NULL THEN \(raw: name) END"
        }
        let operand = try value(first)
        switch function {
        case .length: return dialect.length(wholeText(operand, of: first))
        case .abs where first.type == .anyDecimal: return dialect.call(.magnitude, operand)
        case .abs:
            // SQLite's abs() keeps the sign of −0.0. A sum with 0.0 removes it.
            guard first.type.scale != nil else { return "(abs(\(operand)) + 0.0)" }
            if first.hasMagnitude { return "abs(\(operand))" }
            // abs() of the least integer is an error.
            return "abs(nullif(\(operand), \(raw: SQLText.literal(.integer(.min)))))"
        case .modulus: return "(\(operand) % \(try value(operands[1])))"
        case .string:
            switch first.type {
            case .string: return dialect.call(.number, operand)
            case .integer: return dialect.text(operand)
            case .decimal(let scale):
                return dialect.call(.string, "\(operand), \(raw: String(scale))")
            default: return dialect.call(.string, "\(operand), NULL")
            }
        case _ where function.descriptor.isCalledBySQL:
            var list = operand
            for next in operands.dropFirst() { list = "\(list), \(try value(next))" }
            return dialect.call(StoreFunction(function), list)
        default:
            throw Self.failure("\(function.rawValue)() should have been resolved")
        }
    }

    mutating func text(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression,
        _ options: ComparisonOptions, _ use: Use
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let one = try value(left)
        let other = try value(right)
        if relation == .equal {
            let bits = SQLFragment(raw: String(options.rawValue))
            return dialect.areSame(
                dialect.call(.fold, "\(one), \(bits)"), dialect.call(.fold, "\(other), \(bits)"))
        }
        let test =
            builtIn(left, relation, right, options, one, other)
            ?? dialect.call(
                .text,
                "\(one), '\(raw: relation.rawValue)', \(other), \(raw: String(options.rawValue))")
        let isNullable = isNullable(left) || isNullable(right)
        return use == .filter || !isNullable ? test : dialect.boolean(test)
    }

    /// Returns the test with the engine's own functions, or nil if they have another meaning.
    private func builtIn(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression,
        _ options: ComparisonOptions, _ one: SQLFragment, _ other: SQLFragment
    ) -> SQLFragment? {
        guard options.isEmpty else { return nil }
        // Operands may be written twice. That must not double a tree at each level.
        let areLeaves = left.isLeaf && right.isLeaf
        if relation == .contains { return areLeaves ? dialect.contains(one, other) : nil }
        let (one, other) = (wholeText(one, of: left), wholeText(other, of: right))
        if let pattern = pattern(relation, right) {
            return dialect.isLike(one, constant(.text(pattern)))
        }
        guard areLeaves else { return nil }
        switch relation {
        case .matches:
            guard case .literal(.string(let text), _) = right else { return nil }
            return dialect.matches(one, text)
        case .beginsWith: return dialect.begins(one, with: other)
        case .endsWith: return dialect.ends(one, with: other)
        default: return nil
        }
    }

    /// The pattern of a constant LIKE or BEGINSWITH.
    private func pattern(_ relation: ComparisonOperator, _ right: TypedExpression) -> String? {
        guard case .literal(.string(let text), _) = right else { return nil }
        switch relation {
        case .like: return dialect.pattern(WildcardPattern(text).elements)
        case .beginsWith:
            let letters = text.unicodeScalars.map { WildcardPattern.Element.scalar($0) }
            return dialect.pattern(letters + [.anything])
        default: return nil
        }
    }
}

/// Integers and strings as a JSON array, which SQLite's `json_each` splits again.
struct JSONList {
    let text: String

    /// Creates the list, or nil if there are other values: JSON has no bytes, and a floating-point
    /// number might not be read back exactly.
    init?(_ values: [StoredValue]) {
        var text = "["
        for value in values {
            if text.utf8.count > 1 { text += "," }
            switch value {
            case .integer(let number): text += String(number)
            case .text(let string): Self.append(string, to: &text)
            case .null, .real, .blob: return nil
            }
        }
        self.text = text + "]"
    }

    private static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

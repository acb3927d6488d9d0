import CambiumModel

extension ExpressionSQL {
    mutating func condition(
        _ expression: TypedExpression, _ use: Use
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        switch expression {
        case .and(let operands):
            return try joined(operands, by: " AND ", none: dialect.condition(true), use)
        case .or(let operands):
            return try joined(operands, by: " OR ", none: dialect.condition(false), use)
        case .not(let operand):
            return "NOT (\(try condition(operand, .boolean)))"
        case .comparison(let left, let relation, let right):
            return try comparison(left, relation, right, use)
        case .among(let operand, let constants):
            return try among(operand, constants, use)
        case .text(let left, let relation, let right, let options):
            return try text(left, relation, right, options, use)
        case .amongList(_, let name):
            throw Self.failure(
                "the list $\(name) has no values here; put them in with substituting(_:)")
        case .exists(let collection):
            return "EXISTS (\(try select("1", from: collection)))"
        case .literal, .parameter, .attribute, .object, .aggregate, .arithmetic, .convert,
            .function, .conditional:
            let value = try value(expression)
            return use == .filter || !isNullable(expression) ? value : dialect.boolean(value)
        }
    }

    /// Operands in groups, so that a thousand of them do not exceed SQLite's limit on depth.
    private mutating func joined(
        _ operands: [TypedExpression], by word: String, none: SQLFragment, _ use: Use
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        guard let first = operands.first else { return none }
        if operands.count == 1 {
            let only = try condition(first, use)
            if case .or = first { return "(\(only))" }
            return only
        }
        var parts: [SQLFragment] = []
        for operand in operands {
            let part = try condition(operand, use)
            switch operand {
            case .and, .or: parts.append("(\(part))")
            default: parts.append(part)
            }
        }
        let groupSize = StatementDepth.chainLength
        while parts.count > groupSize {
            parts = stride(from: 0, to: parts.count, by: groupSize).map { start in
                "(\(Self.joined(parts[start..<min(start + groupSize, parts.count)], by: word)))"
            }
        }
        return Self.joined(parts[...], by: word)
    }

    static func joined(_ parts: ArraySlice<SQLFragment>, by word: String) -> SQLFragment {
        var result: SQLFragment = ""
        for (index, part) in parts.enumerated() {
            if index > 0 { result.append(SQLFragment(raw: word)) }
            result.append(part)
        }
        return result
    }

    // MARK: Comparisons

    private mutating func comparison(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression,
        _ use: Use
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        if left.isNull, !right.isNull {
            return try comparison(right, relation.mirrored, left, use)
        }
        if right.isNull {
            switch relation {
            case .equal: return "\(try value(left)) IS NULL"
            case .notEqual: return "\(try value(left)) IS NOT NULL"
            default: return dialect.condition(false)
            }
        }
        if case .literal(.decimal(let bound), _) = right, let scale = left.type.scale {
            return try compare(left, scale: scale, relation, bound, use)
        }
        if case .literal(.decimal(let bound), _) = left, let scale = right.type.scale {
            return try compare(right, scale: scale, relation.mirrored, bound, use)
        }
        let places = (left.type.scale ?? 0) - (right.type.scale ?? 0)
        let isExact = left.type.scale != nil && right.type.scale != nil
        // Only one side is multiplied. Where that exceeds 64 bits SQLite goes on with a
        // floating-point number, which is beyond all that the other side can be.
        let one = try scaled(value(left), by: isExact ? -places : 0)
        let other = try scaled(value(right), by: isExact ? places : 0)
        return relate(
            one, relation, other, use, isNullable: (isNullable(left), isNullable(right)))
    }

    private func relate(
        _ left: SQLFragment, _ relation: ComparisonOperator, _ right: SQLFragment, _ use: Use,
        isNullable: (left: Bool, right: Bool)
    ) -> SQLFragment {
        switch relation {
        case .equal:
            let canBeBothNull = isNullable.left && isNullable.right
            let isNever = !isNullable.left && !isNullable.right
            return isNever || (use == .filter && !canBeBothNull)
                ? "\(left) = \(right)" : dialect.areSame(left, right)
        case .notEqual:
            return !isNullable.left && !isNullable.right
                ? "\(left) <> \(right)" : dialect.areDifferent(left, right)
        default:
            let test: SQLFragment = "\(left) \(raw: relation.rawValue) \(right)"
            return use == .filter || (!isNullable.left && !isNullable.right)
                ? test : dialect.boolean(test)
        }
    }

    /// An exact number against a constant, which may have more places, or be greater, than the
    /// column can hold: the constant is rounded, so that the column stays as it is.
    private mutating func compare(
        _ operand: TypedExpression, scale: Int, _ relation: ComparisonOperator, _ bound: Decimal,
        _ use: Use
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let operandSQL = try value(operand)
        let nullable = (isNullable(operand), false)
        if let units = DecimalStorage.units(of: bound, scale: scale) {
            return relate(
                operandSQL, relation, constant(.integer(units)), use, isNullable: nullable)
        }
        let limit = Self.floor(of: bound, scale: scale)
        switch relation {
        case .equal: return dialect.condition(false)
        case .notEqual: return dialect.condition(true)
        case .less, .lessOrEqual:
            return relate(operandSQL, .lessOrEqual, constant(limit), use, isNullable: nullable)
        default:
            return relate(operandSQL, .greater, constant(limit), use, isNullable: nullable)
        }
    }

    /// The greatest number of units that is less, as a floating-point number where it is out of
    /// range: then it only has to be beyond every integer.
    private static func floor(of bound: Decimal, scale: Int) -> StoredValue {
        let shifted = Decimal(sign: .plus, exponent: scale, significand: 1) * bound
        let text = shifted.description
        let whole = text.prefix { $0 != "." }
        guard let units = Int64(whole) else { return .real(bound < 0 ? -1e300 : 1e300) }
        guard bound < 0, whole.count < text.count else { return .integer(units) }
        return units == .min ? .real(-1e300) : .integer(units - 1)
    }

    /// How many constants of a list are bound one by one. More become one parameter, so that the
    /// text stays short, and the same for any number of them.
    private static let longestList = 500

    private mutating func among(
        _ operand: TypedExpression, _ constants: ValueSet, _ use: Use
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let elements = constants.values.compactMap(operand.type.stored)
        let list: SQLFragment
        if elements.count > Self.longestList, self.constants == .parameters,
            let json = JSONList(elements)
        {
            list = dialect.elements(ofJSON: constant(.text(json.text)))
        } else {
            let constants = elements.map { element in
                // So many would take all the parameters that a statement may have.
                elements.count > Self.longestList
                    ? SQLFragment(raw: SQLText.literal(element)) : constant(element)
            }
            list = Self.joined(constants[...], by: ", ")
        }
        let test: SQLFragment = "\(try value(operand)) IN (\(list))"
        return use == .filter || !isNullable(operand) ? test : dialect.boolean(test)
    }
}

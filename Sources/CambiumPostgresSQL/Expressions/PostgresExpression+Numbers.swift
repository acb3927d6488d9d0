import CambiumModel
import CambiumSQL

extension PostgresExpression {
    // MARK: Arithmetic

    package mutating func arithmetic(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression,
        _ type: ExpressionType
    ) throws -> PostgresFragment {
        if type == .string { return "(\(try value(left)) || \(try value(right)))" }
        if type == .anyDecimal {
            if isOfTable { throw UnsupportedExpression() }
            return try decimal(left, operation, right)
        }
        guard let scale = type.scale else {
            guard !isOfTable,
                type != .date || left.type == .date || right.type == .date
            else { throw UnsupportedExpression() }
            return try double(left, operation, right)
        }
        switch operation {
        case .bitwiseAnd, .bitwiseOr:
            return """
                ((\(try value(left)))::bigint \(raw: operation.rawValue) \
                (\(try value(right)))::bigint)
                """
        case .add, .subtract:
            let one = try rescaled(left, to: type, scale)
            let other = try rescaled(right, to: type, scale)
            return whole("\(one) \(raw: operation.rawValue) \(other)", type)
        case .multiply:
            return whole("\(try exact(left)) * \(try exact(right))", type)
        case .divide where type == .integer || type == .duration:
            return whole(
                "div(\(try exact(left)), nullif(\(try exact(right)), 0))", type)
        case .divide, .power: throw UnsupportedExpression()
        }
    }

    private mutating func exact(_ operand: TypedExpression) throws -> PostgresFragment {
        "(\(try value(operand)))::numeric"
    }

    /// An operand of a sum, with as many decimal places as the sum. It has to fit with these too.
    private mutating func rescaled(
        _ operand: TypedExpression, to type: ExpressionType, _ scale: Int
    ) throws -> PostgresFragment {
        let exact = try exact(operand)
        return operand.type.scale == scale ? exact : "(\(whole(exact, type)))::numeric"
    }

    // A select in FROM names a value that is used more than once. OFFSET prevents the server from
    // writing the value at each of its uses: over several levels, the statement would grow without
    // bound.

    /// An exact number, or NULL if its units do not fit in 64 bits. As in memory, the smallest and
    /// the largest 64-bit integer count as overflows.
    ///
    /// - Parameter isOfTable: Whether a subquery is not allowed, so that the number is written
    ///   twice.
    package static func whole(
        _ number: PostgresFragment, _ type: ExpressionType, isOfTable: Bool = false
    ) -> PostgresFragment {
        let places = type.wireScale ?? 0
        if isOfTable {
            let result: PostgresFragment =
                type.wireScale == nil ? "(\(number))::bigint" : "(\(number))"
            let factor = String(DecimalStorage.powerOfTen(places))
            return """
                (CASE WHEN (\(number)) * \(raw: factor) BETWEEN -9223372036854775807 AND \
                9223372036854775806 THEN \(result) END)
                """
        }
        let result: PostgresFragment = type.wireScale == nil ? "n::bigint" : "n"
        return """
            (SELECT CASE WHEN \(raw: units("n", places)) BETWEEN -9223372036854775807 AND \
            9223372036854775806 THEN \(result) END FROM (SELECT \(number) AS n OFFSET 0) AS _n)
            """
    }

    private func whole(
        _ number: PostgresFragment, _ type: ExpressionType
    ) -> PostgresFragment {
        Self.whole(number, type, isOfTable: isOfTable)
    }

    private static func units(_ number: String, _ places: Int) -> String {
        places == 0 ? number : "\(number) * \(DecimalStorage.powerOfTen(places))"
    }

    /// Exact numbers of any scale. A decimal has 38 digits. If the exact result needs more, or one
    /// operand does when aligned with the other, only the program can round it correctly.
    private mutating func decimal(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression
    ) throws -> PostgresFragment {
        let operands: PostgresFragment =
            "SELECT \(try exact(left)) AS a, \(try exact(right)) AS b OFFSET 0"
        let limit: String
        switch operation {
        case .add, .subtract:
            limit = """
                greatest(abs(a), abs(b), abs(a \(operation.rawValue) b)) \
                * power(10::numeric, greatest(min_scale(a), min_scale(b)))
                """
        case .multiply:
            limit = """
                greatest(abs(a), abs(b), abs(a * b), 1) \
                * power(10::numeric, min_scale(a) + min_scale(b))
                """
        default: throw UnsupportedExpression()
        }
        let isSure = "\(limit) < 1e38::numeric"
        doubts.append("(SELECT NOT (\(raw: isSure)) FROM (\(operands)) AS _n)")
        return "(SELECT a \(raw: operation.rawValue) b FROM (\(operands)) AS _n)"
    }

    // MARK: Floating-point numbers

    /// A number as one of 64 bits.
    package mutating func double(_ operand: TypedExpression) throws -> PostgresFragment {
        if operand.type == .date { return try seconds(operand) }
        let value = try value(operand)
        return operand.type == .float ? "(\(value))::double precision" : value
    }

    package static let infinity = "'Infinity'::double precision"

    /// Floating-point arithmetic. The server fails if a result overflows or underflows, so it does
    /// not compute if that is possible.
    private mutating func double(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression
    ) throws -> PostgresFragment {
        let isSure: (String) -> String
        let result: String
        switch operation {
        case .add, .subtract:
            isSure = { "(abs(\($0)) < 8e307 OR abs(\($0)) = \(Self.infinity))" }
            result = "a \(operation.rawValue) b"
        case .multiply, .divide:
            isSure = {
                """
                (\($0) = 0 OR abs(\($0)) BETWEEN 1e-150 AND 1e150 \
                OR abs(\($0)) = \(Self.infinity))
                """
            }
            result = operation == .multiply ? "a * b" : "a / nullif(b, 0)"
        case .power, .bitwiseAnd, .bitwiseOr: throw UnsupportedExpression()
        }
        let operands: PostgresFragment =
            "SELECT \(try double(left)) AS a, \(try double(right)) AS b OFFSET 0"
        let wild = [(left, "a"), (right, "b")].filter { !isTame($0.0) }.map { isSure($0.1) }
        guard !wild.isEmpty else {
            return "(SELECT nullif(\(raw: result), 'NaN') FROM (\(operands)) AS _n)"
        }
        let areSure = wild.joined(separator: " AND ")
        doubts.append("(SELECT NOT (\(raw: areSure)) FROM (\(operands)) AS _n)")
        return """
            (SELECT CASE WHEN \(raw: areSure) THEN nullif(\(raw: result), 'NaN') END \
            FROM (\(operands)) AS _n)
            """
    }

    /// Whether a floating-point number is infinite, or never near the limits of its range.
    private func isTame(_ operand: TypedExpression) -> Bool {
        switch operand {
        case .literal(.double(let number), _):
            number == 0 || (1e-150...1e150).contains(number.magnitude)
        case .convert(let operand, _): operand.type.scale != nil
        default: operand.type == .float && !operand.isComputed
        }
    }

    // MARK: Conversions

    package mutating func convert(
        _ operand: TypedExpression, _ type: ExpressionType
    ) throws -> PostgresFragment {
        if operand.type == .date { return try seconds(operand) }
        if operand.type == .anyDecimal {
            let value = try value(operand)
            return type == .anyDecimal ? value : "(\(value))::double precision"
        }
        if type == .anyDecimal { return try exact(operand) }
        guard let scale = operand.type.scale else { return try double(operand) }
        let fragment = try value(operand)
        if let wanted = type.scale {
            return wanted == scale ? fragment : whole("(\(fragment))::numeric", type)
        }
        // In two steps, each rounded, as in memory.
        guard case .decimal = operand.type else { return "(\(fragment))::double precision" }
        let divisor = String(DecimalStorage.powerOfTen(scale))
        return "(((\(fragment)) * \(raw: divisor))::double precision / \(raw: divisor))"
    }

    // MARK: Functions

    package mutating func function(
        _ function: ModelFunction, _ operands: [TypedExpression]
    ) throws -> PostgresFragment {
        // All other functions need subqueries, or are in doubt.
        if isOfTable, !Self.functionsOfTables.contains(function) { throw UnsupportedExpression() }
        if fillsObjectsOf != nil, function == .now || function == .uuid {
            return function == .now ? "now()" : "gen_random_uuid()"
        }
        if function == .now {
            if isKept { throw UnsupportedExpression() }
            return nowConstant
        }
        guard let first = operands.first else { throw UnsupportedExpression() }
        switch function {
        case .entity:
            guard case .object(let path) = first else { throw UnsupportedExpression() }
            return try entity(of: path)
        case .length:
            switch first.type {
            case .string, .uri: return "char_length(\(try value(first)))"
            case .data: return "octet_length(\(try value(first)))"
            default: throw UnsupportedExpression()
            }
        case .abs: return try magnitude(first)
        case .ceiling, .floor, .trunc:
            let name = function == .ceiling ? "ceil" : function.rawValue
            return "\(raw: name)(\(try double(first)))"
        case .sqrt:
            return """
                (SELECT CASE WHEN n >= 0 THEN sqrt(n) END \
                FROM (SELECT \(try double(first)) AS n OFFSET 0) AS _n)
                """
        case .modulus:
            guard operands.count == 2 else { throw UnsupportedExpression() }
            let divisor = try value(operands[1])
            return "((\(try value(first)))::bigint % nullif((\(divisor))::bigint, 0))"
        case .string:
            switch first.type {
            case .integer: return "((\(try value(first)))::text COLLATE \"C\")"
            case .decimal, .anyDecimal:
                return "(trim_scale(\(try value(first)))::text COLLATE \"C\")"
            default: throw UnsupportedExpression()
            }
        default: return try textFunction(function, operands)
        }
    }

    private static let functionsOfTables: Set<ModelFunction> = [
        .length, .ceiling, .floor, .trunc, .abs, .modulus, .string, .indexOf, .replace, .trim,
    ]

    private mutating func magnitude(_ operand: TypedExpression) throws -> PostgresFragment {
        guard operand.type.scale != nil else { return "abs(\(try double(operand)))" }
        if isOfTable { throw UnsupportedExpression() }
        // The least number has no other sign.
        let units = Self.units("n", operand.type.wireScale ?? 0)
        let type = operand.type.wireScale == nil ? "bigint" : "numeric"
        return """
            (SELECT CASE WHEN \(raw: units) > -9223372036854775808 THEN abs(n) END \
            FROM (SELECT (\(try value(operand)))::\(raw: type) AS n OFFSET 0) AS _n)
            """
    }

    private mutating func entity(of path: ObjectPath) throws -> PostgresFragment {
        let root = model.root(of: path.entity)
        if model.hasSubentities(root) { return try column(SystemColumn.entity, of: path) }
        let name = PostgresFragment(raw: SQLText.literal(root.name))
        return "CASE WHEN \(try key(of: path)) IS NOT NULL THEN \(name) END"
    }
}

extension TypedExpression {
    /// Whether the expression is neither a constant nor a property.
    fileprivate var isComputed: Bool {
        switch self {
        case .literal, .attribute: false
        default: true
        }
    }
}

extension ExpressionType {
    /// The decimal places of a number that the server keeps as a decimal. Other numbers are kept as
    /// units.
    package var wireScale: Int? {
        if case .decimal(let scale) = self { scale } else { nil }
    }
}

import CambiumModel
import CambiumRecords
import CambiumSQL

/// The server cannot express an expression with its meaning in memory.
package struct UnsupportedExpression: Error {
    package init() {}
}

/// Turns expressions into SQL over a row, with the results that ``ExpressionEvaluator`` has for the
/// object. If the server's result differs, or an error would end the transaction, the expression is
/// ``UnsupportedExpression``, or in doubt. An expression in doubt has the right result for most
/// rows. The server can identify the other rows, for example rows with strings that are not all
/// ASCII.
package struct PostgresExpression {
    /// The use of a condition's result.
    package enum Use {
        /// For WHERE: NULL counts as false. Indexes can be used.
        case filter
        /// For a value: never NULL.
        case boolean
    }

    /// The rows for which the SQL of a condition may be wrong.
    package enum Doubt {
        case none
        /// The rows that meet this condition.
        case rows(PostgresFragment)
        case all

        package func merging(_ other: Doubt) -> Doubt {
            switch (self, other) {
            case (.none, let doubt), (let doubt, .none): doubt
            case (.all, _), (_, .all): .all
            case (.rows(let one), .rows(let two)): .rows("\(one) OR \(two)")
            }
        }
    }

    package let layout: PostgresLayout
    package var model: Model { layout.model.model }
    /// The value of `now()`.
    private let now: Date
    package let alias: String
    package var aliasCount = 0
    /// The tables on to-one paths from the row, each joined once.
    package var joins: [(column: String, table: String, alias: String)] = []
    /// Whether the expression is part of a table: a generated column, a check or an index. Then it
    /// must not contain subqueries.
    package private(set) var isOfTable = false
    /// Whether the value is that of a generated column. It must not read other generated columns.
    private var isOfGeneratedColumn = false
    /// Whether the statement is kept, so that it must not contain the current time.
    package var isKept = false
    /// In a fill, the entity of the new objects. The first variable is the old object; its values
    /// are beside those of the new row.
    package var fillsObjectsOf: Entity?
    /// Conditions; if any of them is true, the SQL written so far is wrong.
    package var doubts: [PostgresFragment] = []

    package init(_ layout: PostgresLayout, alias: String = PostgresTable.alias, now: Date = .now) {
        self.layout = layout
        self.alias = alias
        self.now = now
    }

    // Expressions of a table over its own row have no table name before the names of columns: the
    // table may be renamed.

    /// The value that the server computes from the row alone, on every write; nil if it cannot.
    package static func generated(
        _ attribute: Attribute, of entity: Entity, _ layout: PostgresLayout
    ) -> String? {
        var expression = PostgresExpression(layout, alias: "")
        expression.isOfTable = true
        expression.isOfGeneratedColumn = true
        guard let fragment = try? expression.derived(attribute, of: entity),
            let text = fragment.inlined, expression.joins.isEmpty,
            text.utf8.count <= Self.longestGenerated
        else { return nil }
        return text
    }

    /// A condition in a CHECK, or of the rows of an index; nil if the server cannot express it
    /// without doubt.
    package static func condition(
        _ condition: TypedExpression, for use: Use, _ layout: PostgresLayout
    ) -> String? {
        part(layout) { try $0.condition(condition, use) }
    }

    /// An element of an index.
    package static func element(
        _ value: TypedExpression, _ layout: PostgresLayout
    ) -> String? {
        part(layout) { try $0.value(value) }
    }

    private static func part(
        _ layout: PostgresLayout,
        _ write: (inout PostgresExpression) throws -> PostgresFragment
    ) -> String? {
        var expression = PostgresExpression(layout, alias: "")
        expression.isOfTable = true
        expression.isKept = true
        guard let fragment = try? write(&expression), expression.doubts.isEmpty,
            expression.joins.isEmpty
        else { return nil }
        return fragment.inlined
    }

    /// The limit of the length. A value that other values contain twice grows fast.
    private static let longestGenerated = 10_000

    /// The value of a derived attribute for its row.
    package mutating func derived(
        _ attribute: Attribute, of entity: Entity
    ) throws -> PostgresFragment {
        guard let derivation = attribute.derivation else { throw UnsupportedExpression() }
        let typed = try ExpressionCompiler.typedValue(
            derivation, as: attribute.type, entity: entity, model: model)
        // A number that single precision cannot hold would be an error.
        if attribute.type == .float { throw UnsupportedExpression() }
        isKept = true
        let value = try value(typed)
        guard doubts.isEmpty else { throw UnsupportedExpression() }
        return value
    }

    /// The joins after the table in FROM.
    package var joinedTables: String {
        joins.map { " LEFT JOIN \($0.table) AS \($0.alias) ON \($0.alias).\"_id\" = \($0.column)" }
            .joined()
    }

    /// The doubts of all that has been written, as one condition; nil without any.
    package var doubt: PostgresFragment? { doubts.isEmpty ? nil : .joined(doubts, by: " OR ") }

    // MARK: Conditions

    /// A condition that includes all rows that meet the expression, and the rows among its results
    /// that have to be checked in memory.
    package mutating func superset(
        of expression: TypedExpression
    ) -> (condition: PostgresFragment?, doubt: Doubt) {
        if case .and(let operands) = expression {
            var conditions: [PostgresFragment] = []
            var doubt = Doubt.none
            for operand in operands {
                let part = superset(of: operand)
                if let condition = part.condition { conditions.append(condition) }
                doubt = doubt.merging(part.doubt)
            }
            return (conditions.isEmpty ? nil : .joined(conditions, by: " AND "), doubt)
        }
        let former = self
        doubts = []
        guard let condition = try? condition(expression, .filter) else {
            // The joins of the failed condition are discarded.
            self = former
            return (nil, .all)
        }
        let doubt = doubt
        doubts = former.doubts
        guard let doubt else { return ("(\(condition))", .none) }
        return ("(\(condition) OR \(doubt))", .rows(doubt))
    }

    package mutating func condition(
        _ expression: TypedExpression, _ use: Use
    ) throws -> PostgresFragment {
        switch expression {
        case .and(let operands): return try joined(operands, " AND ", ofNone: "true", use)
        case .or(let operands): return try joined(operands, " OR ", ofNone: "false", use)
        case .not(let operand): return "NOT (\(try condition(operand, .boolean)))"
        case .comparison(let left, let relation, let right):
            return try comparison(left, relation, right, use)
        case .among(let operand, let constants): return try among(operand, constants, use)
        case .text(let left, let relation, let right, let options):
            return try text(left, relation, right, options, use)
        case .exists(let collection): return "EXISTS (\(try select(collection) { _ in "1" }))"
        case .literal, .parameter, .attribute, .object, .aggregate, .arithmetic, .convert,
            .function, .conditional:
            let value = try value(expression)
            return use == .filter ? value : "coalesce(\(value), false)"
        case .amongList: throw UnsupportedExpression()
        }
    }

    private mutating func joined(
        _ operands: [TypedExpression], _ word: String, ofNone: PostgresFragment, _ use: Use
    ) throws -> PostgresFragment {
        guard !operands.isEmpty else { return ofNone }
        var parts: [PostgresFragment] = []
        for operand in operands { parts.append("(\(try condition(operand, use)))") }
        return .joined(parts, by: word)
    }

    private mutating func comparison(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression,
        _ use: Use
    ) throws -> PostgresFragment {
        if left.isNull, !right.isNull {
            return try comparison(right, relation.mirrored, left, use)
        }
        if right.isNull {
            let one = try value(left)
            switch relation {
            case .equal: return "\(one) IS NULL"
            case .notEqual: return "\(one) IS NOT NULL"
            default: return "false"
            }
        }
        let one = try comparand(left, beside: right)
        let other = try comparand(right, beside: left)
        switch relation {
        case .equal:
            let canBeNull = isNullable(left) || isNullable(right)
            let canBeBothNull = isNullable(left) && isNullable(right)
            return !canBeNull || (use == .filter && !canBeBothNull)
                ? "\(one) = \(other)" : "\(one) IS NOT DISTINCT FROM \(other)"
        case .notEqual: return "\(one) IS DISTINCT FROM \(other)"
        default:
            let test: PostgresFragment = "\(one) \(raw: relation.rawValue) \(other)"
            return use == .filter ? test : "coalesce(\(test), false)"
        }
    }

    /// One side of a comparison, in a form that the server compares exactly with the other.
    private mutating func comparand(
        _ operand: TypedExpression, beside other: TypedExpression
    ) throws -> PostgresFragment {
        if operand.type == .date {
            return isTimestamp(operand) && isTimestamp(other)
                ? try value(operand) : try seconds(operand)
        }
        if case .literal(.decimal(let number), let type) = operand, type.scale != nil {
            // If possible, the constant has the form of the other side, so that an index can be
            // used.
            if let scale = other.type.scale,
                let units = DecimalStorage.units(of: number, scale: scale)
            {
                return PostgresFragment(.integer(units), as: try wireType(of: other.type))
            }
            return try decimal(number)
        }
        let isExact = operand.type.scale != nil || operand.type == .anyDecimal
        if other.type.isFloatingPoint, isExact {
            // The server would round it.
            guard operand.type == .integer, case .literal = other else {
                throw UnsupportedExpression()
            }
        }
        if operand.type.isFloatingPoint, other.type.scale != nil || other.type == .anyDecimal {
            guard other.type == .integer, case .literal(.double(let number), _) = operand else {
                throw UnsupportedExpression()
            }
            // Between two integers, the exact position does not matter.
            guard -0x1p63..<0x1p63 ~= number else { return try decimal(number < 0 ? -1e30 : 1e30) }
            let floor = number.rounded(.down)
            return try decimal(Decimal(Int64(floor)) + (floor == number ? 0 : 0.5))
        }
        return try value(operand)
    }

    private func decimal(_ number: Decimal) throws -> PostgresFragment {
        guard let stored = ExpressionType.anyDecimal.stored(.decimal(number)) else {
            throw UnsupportedExpression()
        }
        return PostgresFragment(stored, as: .anyDecimal)
    }

    private mutating func among(
        _ operand: TypedExpression, _ constants: ValueSet, _ use: Use
    ) throws -> PostgresFragment {
        let type =
            operand.type == .date && !isTimestamp(operand)
            ? .double : try wireType(of: operand.type)
        let elements = constants.values.compactMap(operand.type.stored)
        guard !elements.isEmpty else { return "false" }
        let list = PostgresFragment(array: elements, of: type)
        let test: PostgresFragment = "\(try value(operand)) = ANY(\(list))"
        return use == .filter ? test : "coalesce(\(test), false)"
    }

    // MARK: Values

    package mutating func value(_ expression: TypedExpression) throws -> PostgresFragment {
        switch expression {
        case .literal(let value, let type): return try constant(value, type)
        case .attribute(let path, let attribute, let declarer):
            guard !attribute.isTransient, !attribute.usesExternalForm else {
                throw UnsupportedExpression()
            }
            if isOfGeneratedColumn, attribute.derivation != nil {
                guard path.root == .subject, path.steps.isEmpty else {
                    throw UnsupportedExpression()
                }
                return "(\(try derived(attribute, of: declarer)))"
            }
            return try column(model.column(of: attribute.name, in: declarer), of: path)
        case .object(let path): return try key(of: path)
        case .and, .or, .not, .comparison, .among, .text, .exists:
            return "(\(try condition(expression, .boolean)))"
        case .aggregate(let function, let collection, let operand):
            return try aggregate(function, collection, operand)
        case .arithmetic(let left, let operation, let right, let type):
            return try arithmetic(left, operation, right, type)
        case .convert(let operand, let type): return try convert(operand, type)
        case .function(let function, let operands, _):
            return try self.function(function, operands)
        case .conditional(let test, let first, let second):
            let test = try condition(test, .filter)
            let areSeconds = expression.type == .date && !isTimestamp(expression)
            let one = areSeconds ? try seconds(first) : try value(first)
            let other = areSeconds ? try seconds(second) : try value(second)
            return "CASE WHEN \(test) THEN \(one) ELSE \(other) END"
        case .parameter, .amongList: throw UnsupportedExpression()
        }
    }

    private func constant(_ value: Value, _ type: ExpressionType) throws -> PostgresFragment {
        guard type != .null else { return "NULL" }
        let wire = try wireType(of: type)
        guard let stored = type.stored(value), stored != .null else {
            return "NULL::\(raw: wire.baseName)"
        }
        let constant = PostgresFragment(stored, as: wire)
        // Whatever the database's own order is.
        return wire == .text ? "(\(constant) COLLATE \"C\")" : constant
    }

    /// The form in which constants of a type are sent.
    package func wireType(of type: ExpressionType) throws -> PostgresType {
        switch type {
        case .bool: .boolean
        case .integer, .duration, .object: .bigint
        case .float, .double: .double
        case .decimal(let scale): .decimal(scale: scale)
        case .anyDecimal: .anyDecimal
        case .string, .uri: .text
        case .date: .timestamp
        case .uuid: .uuid
        case .data: .bytea
        case .enumeration(let name):
            model.storageClass(of: .enumeration(name)) == .text ? .text : .bigint
        case .codable, .null: throw UnsupportedExpression()
        }
    }

    private func isNullable(_ expression: TypedExpression) -> Bool {
        switch expression {
        case .literal(let value, let type): type.stored(value) ?? .null == .null
        case .attribute(let path, let attribute, _):
            // A value that cannot be computed is NULL.
            attribute.isOptional || attribute.derivation != nil || !path.steps.isEmpty
        case .object(let path): !path.steps.isEmpty
        case .and, .or, .not, .comparison, .among, .text, .exists: false
        case .aggregate(let function, _, _): function != .count
        default: true
        }
    }

    // MARK: Dates

    /// Whether a date is a timestamp, as in columns. A computed date is not rounded to the
    /// microseconds of columns: it is a number of seconds since 2001.
    package func isTimestamp(_ expression: TypedExpression) -> Bool {
        switch expression {
        case .literal, .attribute, .function(.now, _, _): true
        case .aggregate(_, _, let operand): isTimestamp(operand)
        case .conditional(_, let first, let second): isTimestamp(first) && isTimestamp(second)
        default: false
        }
    }

    /// A date as seconds since 2001.
    package mutating func seconds(_ expression: TypedExpression) throws -> PostgresFragment {
        // The parts of a timestamp that the server extracts may depend on the session.
        if isOfTable { throw UnsupportedExpression() }
        if case .literal(.date(let date), _) = expression {
            return PostgresFragment(.real(date.timeIntervalSinceReferenceDate), as: .double)
        }
        let value = try value(expression)
        guard isTimestamp(expression) else { return value }
        return "\(raw: Self.beforeMoment)\(value)\(raw: Self.afterMoment)"
    }

    private static let beforeMoment = "(((extract(epoch FROM "
    private static let afterMoment =
        ") - 978307200) * 1000000)::double precision / 1000000)"

    /// The seconds since 2001 of a timestamp.
    package static func seconds(since2001 moment: String) -> String {
        beforeMoment + moment + afterMoment
    }

    package var nowConstant: PostgresFragment {
        PostgresFragment(.real(now.timeIntervalSinceReferenceDate), as: .timestamp)
    }
}

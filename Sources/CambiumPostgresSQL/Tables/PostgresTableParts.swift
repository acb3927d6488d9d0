import CambiumModel
import CambiumSQL

// The expressions of the model that are part of a table on PostgreSQL. A CHECK or an index contains
// no subquery, reads its own row alone, and always gives the same result.

extension Model {
    /// The condition of a CHECK on PostgreSQL that enforces a rule; nil if the server cannot
    /// express it for certain, or if stores in files check it only on save too.
    package func postgresCheck(of rule: Rule, of entity: Entity) -> TypedExpression? {
        guard isEnforcedByStore(rule, of: entity),
            let condition = try? ExpressionCompiler.typedCondition(
                rule.condition, entity: entity, model: self),
            condition.isPart(of: .check, in: self)
        else { return nil }
        return condition
    }

    /// An index of computed values or of some rows, in PostgreSQL's form. Nil if the server cannot
    /// compute them for certain, or if a fetch computes them differently and could not use the
    /// index.
    package func postgresForm(of index: TableIndex) -> PostgresIndex? {
        guard let root = entity(named: index.table) else { return nil }
        for entity in family(of: root) {
            guard
                let declared = declaredIndexes(of: entity)
                    .first(where: { $0.index.name == index.name })?.declared
            else { continue }
            let elements = zip(declared.elements, index.elements)
                .compactMap { declared, made -> PostgresIndex.Element? in
                    guard let expression = declared.expression else { return .column(made) }
                    return typedPart(expression, of: entity)
                        .map { .value($0, isDescending: declared.isDescending) }
                }
            guard elements.count == declared.elements.count else { return nil }
            let condition = declared.condition.flatMap { postgresRows($0, of: entity) }
            guard declared.condition == nil || condition != nil else { return nil }
            let index = PostgresIndex(elements: elements, condition: condition)
            return index.fits ? index : nil
        }
        return nil
    }

    /// The condition of the rows in an index on PostgreSQL; nil if the server cannot express it.
    package func postgresRows(_ condition: ModelExpression, of entity: Entity) -> TypedExpression? {
        let typed = try? ExpressionCompiler.typedCondition(condition, entity: entity, model: self)
        return typed.flatMap { $0.isPart(of: .index, in: self) ? $0 : nil }
    }

    /// Whether stores on PostgreSQL have an index.
    package func isMadeByPostgres(_ declared: Index, of entity: Entity) -> Bool {
        declaredIndexes(of: entity).first { $0.declared == declared }.map {
            $0.index.isOfEveryEngine || postgresForm(of: $0.index) != nil
        } ?? false
    }

    private func typedPart(
        _ expression: ModelExpression, of entity: Entity
    ) -> TypedExpression? {
        let typed = try? ExpressionCompiler.typedValue(expression, entity: entity, model: self)
        return typed.flatMap { $0.isPart(of: .index, in: self) ? $0 : nil }
    }
}

/// An index on PostgreSQL of computed values or of some rows.
package struct PostgresIndex: Sendable {
    /// A column or a value by which the index is sorted.
    package enum Element: Sendable {
        /// A column, as it is everywhere.
        case column(TableIndex.Element)
        case value(TypedExpression, isDescending: Bool)
    }

    package let elements: [Element]
    /// The condition of the rows in it; nil if all rows are.
    package let condition: TypedExpression?

    package init(elements: [Element], condition: TypedExpression?) {
        self.elements = elements
        self.condition = condition
    }

    /// Whether the server has room for it. It keeps the expressions of an index in one row, of at
    /// most a page.
    package var fits: Bool {
        let size = elements.reduce(condition?.size ?? 0) { size, element in
            if case .value(let value, _) = element { size + value.size } else { size }
        }
        return size <= 6_000
    }
}

/// The part of a table that contains an expression.
private enum TablePart {
    case check
    case index
}

extension TypedExpression {
    /// The maximum depth of exact operations. In SQL without subqueries, each operand occurs
    /// several times.
    private static let greatestDepth = 3

    fileprivate func isPart(of part: TablePart, in model: Model) -> Bool {
        isPart(of: part, model, depth: 0)
    }

    private func isPart(of part: TablePart, _ model: Model, depth: Int) -> Bool {
        func areParts(_ operands: TypedExpression..., depth: Int = depth) -> Bool {
            operands.allSatisfy { $0.isPart(of: part, model, depth: depth) }
        }
        switch self {
        case .literal(let value, let type): return Self.isConstant(value, type)
        case .attribute(let path, let attribute, _):
            // A check is made before saves write computed values.
            let exists = part == .index || attribute.derivation == nil
            return path.isOwnRow && exists && !attribute.isTransient
                && !attribute.usesExternalForm
        case .object(let path):
            guard path.root == .subject, path.steps.count <= 1 else { return false }
            return path.steps.last.map { model.hasKey(of: $0) } ?? true
        case .and(let operands), .or(let operands):
            return operands.allSatisfy { $0.isPart(of: part, model, depth: depth) }
        case .not(let operand): return areParts(operand)
        case .comparison(let left, _, let right):
            return areParts(left, right)
                && (left.isNull || right.isNull || left.isComparable(with: right))
        case .among(let operand, let constants):
            return areParts(operand) && operand.isMoment
                && constants.values.allSatisfy { Self.isConstant($0, operand.type) }
        case .text(let left, let relation, let right, let options):
            // The server converts the case of ASCII characters only.
            guard options.subtracting(.normalized).isEmpty else { return false }
            return areParts(left, right) && relation.isOfTexts(constant: right.isLiteral)
        case .arithmetic(let left, let operation, let right, let type):
            if type == .string { return areParts(left, right) }
            switch operation {
            case .bitwiseAnd, .bitwiseOr: return areParts(left, right)
            case .power: return false
            case .divide where type != .integer && type != .duration: return false
            case .add, .subtract, .multiply, .divide:
                return part == .check && type.scale != nil && depth < Self.greatestDepth
                    && areParts(left, right, depth: depth + 1)
            }
        case .convert(let operand, let type):
            guard operand.type != .date else { return false }
            guard let wanted = type.scale, let scale = operand.type.scale, wanted != scale else {
                return areParts(operand)
            }
            return part == .check && depth < Self.greatestDepth
                && areParts(operand, depth: depth + 1)
        case .function(let function, let operands, _):
            return operands.allSatisfy { $0.isPart(of: part, model, depth: depth) }
                && function.isPart(operands)
        case .conditional(let test, let first, let second):
            return areParts(test, first, second) && first.isMoment && second.isMoment
        case .parameter, .amongList, .exists, .aggregate: return false
        }
    }

    /// About how many bytes the server keeps of it in an index. The server writes each byte of a
    /// constant as a number.
    fileprivate var size: Int {
        func total(_ operands: [TypedExpression]) -> Int { operands.reduce(300) { $0 + $1.size } }
        switch self {
        case .literal(let value, let type): return 200 + Self.size(value, type)
        case .among(let operand, let constants):
            return constants.values.reduce(400 + operand.size) {
                $0 + Self.size($1, operand.type) + 40
            }
        case .and(let operands), .or(let operands), .function(_, let operands, _):
            return total(operands)
        case .not(let operand), .convert(let operand, _): return total([operand])
        case .comparison(let left, _, let right), .text(let left, _, let right, _),
            .arithmetic(let left, _, let right, _):
            return total([left, right])
        case .conditional(let test, let first, let second): return total([test, first, second])
        case .attribute, .object, .parameter, .amongList, .exists, .aggregate: return 300
        }
    }

    private static func size(_ value: Value, _ type: ExpressionType) -> Int {
        switch type.stored(value) {
        case .text(let text): 4 * text.utf8.count
        case .blob(let bytes): 4 * bytes.count
        case .integer, .real, .null, nil: 40
        }
    }

    private var isLiteral: Bool { if case .literal = self { true } else { false } }

    /// Whether the text of a statement can contain a constant.
    private static func isConstant(_ value: Value, _ type: ExpressionType) -> Bool {
        guard type != .null, let stored = type.stored(value), stored != .null else { return true }
        switch stored {
        case .real(let seconds) where type == .date:
            return DateStorage.microseconds(ofSeconds: seconds)
                .map { DateStorage.seconds(ofMicroseconds: $0) } == seconds
        case .real(let number): return number.isFinite
        case .text(let text): return !text.utf8.contains(0)
        case .null, .integer, .blob: return true
        }
    }

    /// Whether, if it is a date, it is one as columns have them, and not a number of seconds.
    private var isMoment: Bool {
        guard type == .date else { return true }
        switch self {
        case .literal, .attribute: return true
        case .conditional(_, let first, let second): return first.isMoment && second.isMoment
        default: return false
        }
    }

    /// Whether the server compares the two without rounding either.
    private func isComparable(with other: TypedExpression) -> Bool {
        guard type != .date else { return isMoment && other.isMoment }
        func isExact(_ type: ExpressionType) -> Bool { type.scale != nil || type == .anyDecimal }
        func fits(_ one: TypedExpression, beside other: TypedExpression) -> Bool {
            if other.type.isFloatingPoint, isExact(one.type) {
                return one.type == .integer && one.isLiteral
            }
            if one.type.isFloatingPoint, isExact(other.type) {
                return other.type == .integer && one.isLiteral
            }
            return true
        }
        return fits(self, beside: other) && fits(other, beside: self)
    }
}

extension ObjectPath {
    fileprivate var isOwnRow: Bool { root == .subject && steps.isEmpty }
}

extension Model {
    fileprivate func hasKey(of step: ObjectPath.Step) -> Bool {
        if case .key = storage(of: step.relationship, of: step.source) { true } else { false }
    }
}

extension ComparisonOperator {
    /// Whether the server supports the relation for strings.
    fileprivate func isOfTexts(constant: Bool) -> Bool {
        switch self {
        case .contains, .beginsWith, .endsWith, .equal, .less, .lessOrEqual, .greater,
            .greaterOrEqual:
            true
        case .like: constant
        case .matches, .notEqual, .in: false
        }
    }
}

extension ModelFunction {
    /// Whether the server computes it without a subquery.
    fileprivate func isPart(_ operands: [TypedExpression]) -> Bool {
        guard let type = operands.first?.type, type != .date else { return false }
        switch self {
        case .length: return type == .string || type == .uri || type == .data
        case .ceiling, .floor, .trunc, .modulus, .indexOf, .replace, .trim: return true
        case .abs: return type.isFloatingPoint
        case .string: return type.scale != nil || type == .anyDecimal
        default: return false
        }
    }
}

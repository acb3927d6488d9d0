import CambiumModel

/// Turns expressions into SQL over a row of an entity's table, with the results that
/// ``ExpressionEvaluator`` has for the object.
package struct ExpressionSQL {
    /// The form of constants.
    package enum Constants: Sendable {
        /// As question marks, up to the maximum of a statement. If there are more, in the text.
        case parameters
        /// In the text, except for values that are known only when the statement runs.
        case literals
        /// In the text: for schemas and scripts.
        case inline
    }

    /// The use of a condition's result.
    package enum Use: Sendable {
        /// For WHERE: NULL counts as false. Indexes can be used.
        case filter
        /// For CHECK and as a value: 0 or 1, never NULL.
        case boolean
    }

    let entity: Entity
    let model: Model
    let constants: Constants
    let dialect: any SQLDialect
    /// Whether texts may have a NUL in them. Cambium writes none, but a store that another program
    /// has written to may have some, and `length()` and GLOB of SQLite's end there.
    private let heedsNUL: Bool
    private let alias: String?
    /// Above 0 inside a subselect. There, columns of the outer row need a table name.
    private var depth = 0
    private var aliasCount = 0
    /// The tables on the paths from the subject, if the statement joins them; nil if each path is a
    /// subselect of its own.
    var joins: JoinedTables?
    /// Whether the first variable is the row in the previous version. Its values are in additional
    /// columns of the new row.
    var readsFormerRow = false

    /// Prepares for statements that give the entity's table a name.
    package init(
        entity: Entity, model: Model, alias: String? = nil, constants: Constants = .parameters,
        heedsNUL: Bool = false, dialect: any SQLDialect = SQLiteDialect()
    ) {
        self.heedsNUL = heedsNUL
        self.dialect = dialect
        self.entity = entity
        self.model = model
        self.alias = alias
        self.constants = constants
    }

    // MARK: Entry points

    /// Returns the SQL of a condition.
    ///
    /// - Parameters:
    ///   - alias: The name of the entity's table in the statement. If it is nil, columns have no
    ///     table name (in a schema), except inside subselects, which name the table itself.
    ///   - values: Values for `$name`; others become named parameters.
    ///   - variables: Objects that `$name.property` may start from, with their entities. The
    ///     statement has their tables as ``alias(ofVariable:)`` in the order of the names.
    ///   - heedsNUL: Whether texts are read to their end if another program has put a NUL into
    ///     them.
    /// - Throws: ``ExpressionDiagnostics`` if the condition does not fit the entity, or uses
    ///   properties that the store does not have.
    @inline(never)
    package static func condition(
        _ condition: ModelExpression, use: Use = .filter, entity: Entity, model: Model,
        alias: String? = nil, constants: Constants = .parameters, values: [String: Value] = [:],
        variables: [String: Entity] = [:], heedsNUL: Bool = false
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let typed = try ExpressionCompiler.typedCondition(
            condition, entity: entity, model: model, parameters: values, variables: variables,
            allowsParameters: true)
        let lowering = ExpressionSQL(
            entity: entity, model: model, alias: alias, constants: constants, heedsNUL: heedsNUL)
        return try lowering.limited { (lowering) throws(ExpressionDiagnostics) in
            try lowering.condition(typed, use)
        }
    }

    /// Returns the SQL of a value, in the stored form of the attribute type.
    ///
    /// - Parameters:
    ///   - type: The type of the attribute that gets the value; nil for the expression's own.
    ///   - alias: The name of the entity's table in the statement.
    ///   - values: Values for `$name`; others become named parameters.
    /// - Throws: ``ExpressionDiagnostics`` if the expression does not fit the entity, or uses
    ///   properties that the store does not have.
    @inline(never)
    package static func value(
        _ expression: ModelExpression, as type: AttributeType? = nil, entity: Entity,
        model: Model, alias: String? = nil, constants: Constants = .parameters,
        values: [String: Value] = [:], heedsNUL: Bool = false
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let typed = try ExpressionCompiler.typedValue(
            expression, as: type, entity: entity, model: model, parameters: values,
            allowsParameters: true)
        let lowering = ExpressionSQL(
            entity: entity, model: model, alias: alias, constants: constants, heedsNUL: heedsNUL)
        return try lowering.limited { (lowering) throws(ExpressionDiagnostics) in
            try lowering.value(typed)
        }
    }

    /// Returns the SQL of a fill for existing objects, in the stored form of the attribute type.
    ///
    /// - Parameter former: The objects in the previous version; nil if there were none.
    /// - Throws: ``ExpressionDiagnostics`` if the expression does not fit the entity, or uses
    ///   properties that the store does not have.
    static func fill(
        _ expression: ModelExpression, as type: AttributeType, entity: Entity, model: Model,
        former: Entity?
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let typed = try ExpressionCompiler.typedValue(
            expression, as: type, entity: entity, model: model,
            variables: FillScope.variables(former), isFill: true)
        var lowering = ExpressionSQL(
            entity: entity, model: model, constants: .inline, heedsNUL: true)
        lowering.readsFormerRow = former != nil
        return try lowering.value(typed)
    }

    /// Returns the additional column of a new row that contains the value of an old attribute.
    ///
    /// - Parameters:
    ///   - attribute: The old attribute.
    ///   - entity: The entity of the new version that has the fill.
    package static func formerColumn(of attribute: String, for entity: Entity) -> String {
        "_old.\(entity.name).\(attribute.replacing(".", with: "_"))"
    }

    /// Returns a condition for WHERE with the values to bind, in the order of the text. The tables
    /// that it needs are added to the joins.
    ///
    /// - Parameter parameters: Values for `$name`; each needs one.
    package mutating func condition(
        _ condition: ModelExpression, parameters: [String: Value], now: Date = .now
    ) throws(ExpressionDiagnostics) -> (sql: String, parameters: [StoredValue]) {
        let typed = try ExpressionCompiler.typedCondition(
            condition, entity: entity, model: model, parameters: parameters)
        var joins = self.joins
        let fragment = try limited { (lowering) throws(ExpressionDiagnostics) in
            let fragment = try lowering.condition(typed, .filter)
            joins = lowering.joins
            return fragment
        }
        self.joins = joins
        // Other conditions may follow with AND.
        if case .or = typed { return ("(\(fragment.text))", try fragment.bindings(now: now)) }
        return (fragment.text, try fragment.bindings(now: now))
    }

    /// Returns the terms of ORDER BY: properties of the rows or of related objects, or values
    /// computed from them. The tables that they need are added to the joins.
    mutating func order(_ terms: [SortTerm]) throws(ExpressionDiagnostics) -> [SQLFragment] {
        var fragments: [SQLFragment] = []
        for term in terms {
            let typed = try ExpressionCompiler.typedValue(
                term.value, entity: entity, model: model)
            fragments.append(
                dialect.order(
                    by: try value(typed), isDescending: term.isDescending, texts: term.texts,
                    placesNilLast: term.placesNilLast))
        }
        return fragments
    }

    // MARK: Parameters

    /// SQLite takes 32766 in a statement, and compares each with all before it. Constants in the
    /// text are compared faster.
    private static let maximumParameters = 2000

    /// Writes an expression. If there are too many constants for a statement's parameters, they are
    /// in the text.
    private func limited(
        _ write: (inout ExpressionSQL) throws(ExpressionDiagnostics) -> SQLFragment
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        var lowering = self
        let fragment = try write(&lowering)
        guard constants == .parameters, fragment.parameters.count > Self.maximumParameters else {
            return fragment
        }
        lowering = ExpressionSQL(
            entity: entity, model: model, alias: alias, constants: .literals, heedsNUL: heedsNUL,
            dialect: dialect)
        lowering.joins = joins
        return try write(&lowering)
    }

    // MARK: Names

    /// The name before columns of the subject's row, if any.
    var subjectAlias: String? {
        alias ?? (depth > 0 ? model.root(of: entity).name : nil)
    }

    /// The name in statements of the table of a variable.
    static func alias(ofVariable variable: Int) -> String { "_v\(variable)" }

    func alias(ofVariable variable: Int) -> String { Self.alias(ofVariable: variable) }

    mutating func makeAlias() -> String {
        aliasCount += 1
        return "_t\(aliasCount)"
    }

    /// Writes the content of a subselect.
    mutating func inSubselect(
        _ write: (inout ExpressionSQL) throws(ExpressionDiagnostics) -> SQLFragment
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        depth += 1
        defer { depth -= 1 }
        return try write(&self).impure
    }

    /// A text for functions that may end at a NUL.
    func wholeText(_ text: SQLFragment, of expression: TypedExpression) -> SQLFragment {
        if case .literal = expression { return text }
        if heedsNUL { return dialect.wholeText(text) }
        var text = text
        text.endsAtNUL = true
        return text
    }

    static func failure(_ message: String) -> ExpressionDiagnostics {
        ExpressionDiagnostics([ExpressionDiagnostic(offset: 0, message: message)])
    }
}

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
        if case .literal(let one, let type) = left, case .literal(let other, let otherType) = right,
            type.stored(one) == nil || otherType.stored(other) == nil
        {
            return dialect.condition(Value.isTrue(one, relation, other))
        }
        if case .literal(.decimal(let bound), _) = right, let scale = left.type.scale {
            return try compare(left, scale: scale, relation, bound, use)
        }
        if case .literal(.decimal(let bound), _) = left, let scale = right.type.scale {
            return try compare(right, scale: scale, relation.mirrored, bound, use)
        }
        let places = (left.type.scale ?? 0) - (right.type.scale ?? 0)
        let isExact = left.type.scale != nil && right.type.scale != nil
        // Only one side is multiplied. If the product exceeds 64 bits, SQLite continues with a
        // floating-point number. That is beyond all possible values of the other side.
        let one = try scaled(value(left), by: isExact ? -places : 0)
        let other = try scaled(value(right), by: isExact ? places : 0)
        return relate(
            one, relation, other, use, isNullable: (isNullable(left), isNullable(right)))
    }

    @inline(never)
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

    /// Compares an exact number with a constant. The constant may have more decimal places than the
    /// column, or be out of its range. It is rounded, so that the column stays unchanged.
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

    /// Returns the greatest number of units that is less. If it is out of range, the result is a
    /// floating-point number beyond every integer.
    private static func floor(of bound: Decimal, scale: Int) -> StoredValue {
        let shifted = Decimal(sign: .plus, exponent: scale, significand: 1) * bound
        let text = shifted.description
        let whole = text.prefix { $0 != "." }
        guard let units = Int64(whole) else { return .real(bound < 0 ? -1e300 : 1e300) }
        guard bound < 0, whole.count < text.count else { return .integer(units) }
        return units == .min ? .real(-1e300) : .integer(units - 1)
    }

    /// The maximum number of constants of a list that are bound one by one. A longer list becomes
    /// one parameter, so that the text is short and does not depend on the length.
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
                // That many would take all the parameters that a statement may have.
                elements.count > Self.longestList
                    ? SQLFragment(raw: SQLText.literal(element)) : constant(element)
            }
            list = Self.joined(constants[...], by: ", ")
        }
        let test: SQLFragment = "\(try value(operand)) IN (\(list))"
        return use == .filter || !isNullable(operand) ? test : dialect.boolean(test)
    }
}

import CambiumModel

extension Model {
    /// The stored form of a constant default, or nil where there is none.
    package func sqlDefault(of attribute: Attribute) -> StoredValue? {
        guard case .constant(let value) = attribute.defaultValue, value != .null else {
            return nil
        }
        return stored(value, of: attribute)
    }

    /// The conditions on one column: the range of its type and the limits. Each is NULL, which a
    /// CHECK lets pass, where the column is. A pattern has one where GLOB can say it: SQLite has no
    /// regular expressions of its own.
    func checks(of attribute: Attribute, of entity: Entity) -> [Table.Check] {
        let name = column(of: attribute.name, in: entity)
        let column = SQLText.identifier(name)
        var checks: [Table.Check] = []
        func add(
            _ check: ConstraintName.Check, _ condition: String, endsAtNUL: Bool = false,
            _ bounds: ColumnBounds? = nil
        ) {
            checks.append(
                Table.Check(
                    name: .property(entity: entity.name, property: attribute.name, check),
                    condition: condition, columns: [name], endsAtNUL: endsAtNUL, bounds: bounds))
        }
        func addRange(of integers: ClosedRange<Int64>) {
            add(
                .range, "\(column) BETWEEN \(integers.lowerBound) AND \(integers.upperBound)",
                ColumnBounds(
                    minimum: .integer(integers.lowerBound), maximum: .integer(integers.upperBound)))
        }
        if attribute.type == .bool {
            add(.range, "\(column) IN (0, 1)")
        } else if let integers = attribute.type.narrowIntegers {
            addRange(of: integers)
        }
        let limits = attribute.enforcedLimits
        if let value = limits.minimum.flatMap({ bound($0, of: attribute) }) {
            add(.minimum, "\(column) >= \(SQLText.literal(value))", ColumnBounds(minimum: value))
        }
        if let value = limits.maximum.flatMap({ bound($0, of: attribute) }) {
            add(.maximum, "\(column) <= \(SQLText.literal(value))", ColumnBounds(maximum: value))
        }
        // How long a value in a file is, the row does not say.
        guard !attribute.usesExternalForm else { return checks }
        if let length = limits.minimumLength {
            add(
                .minimumLength, "length(\(column)) >= \(length)", endsAtNUL: true,
                ColumnBounds(isOfLength: true, minimum: .integer(Int64(length))))
        }
        if let length = limits.maximumLength {
            add(
                .maximumLength, "length(\(column)) <= \(length)", endsAtNUL: true,
                ColumnBounds(isOfLength: true, maximum: .integer(Int64(length))))
        }
        if let pattern = limits.pattern.flatMap(GlobPattern.init(regularExpression:)) {
            add(.pattern, pattern.condition(on: column), endsAtNUL: true)
        }
        return checks
    }

    /// A limit as the column's values are stored. A limit that they cannot be compared with (the
    /// compiler refuses such models) gives none.
    private func bound(_ value: Value, of attribute: Attribute) -> StoredValue? {
        if let stored = stored(value, as: attribute.type), stored != .null { return stored }
        switch (value, attribute.type) {
        case (.int(let value), .int16), (.int(let value), .int32): return .integer(value)
        case (.double(let value), .int16), (.double(let value), .int32),
            (.double(let value), .int64):
            return .real(value)
        default: return nil
        }
    }

    /// A condition over the columns of a row and SQLite's own functions, or nil where it needs
    /// more; such a rule only validates, and such an index covers all rows.
    ///
    /// - Parameter use: A CHECK needs a Boolean; an index wants the very text of a filter, or
    ///   SQLite would not see that it serves a query.
    func columnCondition(
        _ condition: ModelExpression, of entity: Entity, for use: ExpressionSQL.Use
    ) -> SQLFragment? {
        let fragment = try? ExpressionSQL.condition(
            condition, use: use, entity: entity, model: self, constants: .inline)
        return fragment.flatMap { $0.isPure ? $0 : nil }
    }

    /// Whether the store enforces a rule too, by a CHECK. One that needs more than the columns of
    /// its row and SQLite's own functions is checked on save only.
    package func isEnforcedByStore(_ rule: Rule, of entity: Entity) -> Bool {
        columnCondition(rule.condition, of: entity, for: .boolean) != nil
    }

    /// Whether the store's CHECKs hold an attribute's values to its pattern too.
    package func enforcesPattern(of attribute: Attribute) -> Bool {
        attribute.enforcedLimits.pattern == attribute.limits.pattern
            && (attribute.limits.pattern.map { GlobPattern(regularExpression: $0) != nil } ?? true)
    }

    /// A value over the columns of a row and SQLite's own functions, in the stored form of an
    /// attribute, or of its own type without one; nil where it needs more.
    func columnValue(
        _ expression: ModelExpression, for attribute: Attribute? = nil, of entity: Entity
    ) -> String? {
        let fragment = try? ExpressionSQL.value(
            expression, as: attribute?.type, entity: entity, model: self, constants: .inline)
        return fragment.flatMap { $0.isPure ? $0.text : nil }
    }

    /// The same for what existing objects get, whose texts another program may have put a NUL into.
    ///
    /// - Parameter former: What the objects were; the values that they had are in the columns that
    ///   ``ExpressionSQL/formerColumn(of:for:)`` names.
    func fillValue(
        _ expression: ModelExpression, for attribute: Attribute, of entity: Entity,
        former: Entity?
    ) -> String? {
        let fragment = try? ExpressionSQL.fill(
            expression, as: attribute.type, entity: entity, model: self, former: former)
        return fragment.flatMap { $0.isPure ? $0.text : nil }
    }

    /// SQL for the values of a derived attribute over the columns of its own row, or nil where they
    /// need more; the runtime writes such values when it saves.
    package func generatedValue(of attribute: Attribute, of entity: Entity) -> String? {
        attribute.derivation.flatMap { columnValue($0, for: attribute, of: entity) }
    }
}

/// What the values of a column, or their lengths, lie between.
struct ColumnBounds: Sendable, Equatable {
    /// Whether it is about the length.
    var isOfLength = false
    /// The least value; nil where there is none.
    var minimum: StoredValue?
    /// The greatest value; nil where there is none.
    var maximum: StoredValue?

    /// Whether others allow all that these do; false where the two cannot be compared.
    func areWithin(_ others: ColumnBounds) -> Bool {
        guard isOfLength == others.isOfLength else { return false }
        let isWithinBelow = others.minimum.map { wanted in
            minimum.map { Self.isAtMost(wanted, $0) } ?? false
        }
        let isWithinAbove = others.maximum.map { wanted in
            maximum.map { Self.isAtMost($0, wanted) } ?? false
        }
        return (isWithinBelow ?? true) && (isWithinAbove ?? true)
    }

    private static func isAtMost(_ one: StoredValue, _ other: StoredValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one <= other
        case (.real(let one), .real(let other)): one <= other
        case (.blob(let one), .blob(let other)): !other.lexicographicallyPrecedes(one)
        default: false
        }
    }
}

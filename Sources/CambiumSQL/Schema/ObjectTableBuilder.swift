import CambiumModel
import CambiumPlan

/// Lays out the one table that a root entity and all its sub-entities share.
struct ObjectTableBuilder {
    let root: Entity
    let model: Model
    /// Writes the name of a column in checks.
    var identifier: (String) -> String = SQLText.identifier

    var family: [Entity] { model.family(of: root) }

    var table: Table {
        let entities = family
        return Table(
            name: root.name,
            columns: systemColumns + entities.flatMap(columns),
            checks: requirements + entities.flatMap(rules),
            options: "STRICT", indexes: entities.flatMap(indexes),
            content: .objects(root: root.name))
    }

    /// The checks for required values of sub-entities, and for composite values.
    var requirements: [Table.Check] {
        let entities = family
        return entities.flatMap(requirements) + entities.flatMap(presences)
    }

    private var systemColumns: [Table.Column] {
        let columns = [
            Table.Column(
                name: SystemColumn.key, type: .integer, isPrimaryKey: true, content: .system),
            Table.Column(
                name: SystemColumn.version, type: .integer, isRequired: true,
                defaultValue: .integer(1), content: .system),
        ]
        guard model.hasSubentities(root) else { return columns }
        return columns + [
            Table.Column(
                name: SystemColumn.entity, type: .text, isRequired: true, content: .entity)
        ]
    }

    private func columns(of entity: Entity) -> [Table.Column] {
        entity.attributes.filter { !$0.isTransient }.map { attribute in
            column(of: attribute, of: entity)
        } + entity.relationships.flatMap { keyColumns(of: $0, of: entity) }
    }

    private func column(of attribute: Attribute, of entity: Entity) -> Table.Column {
        let isComputed = attribute.derivation != nil
        // A column of a sub-entity is NULL in rows of other entities, so it has no NOT NULL and no
        // DEFAULT.
        let isOfAll = entity.parent == nil && !isComputed
        return Table.Column(
            name: model.column(of: attribute.name, in: entity),
            type: model.storageClass(of: attribute.type),
            isRequired: isOfAll && !attribute.isOptional,
            defaultValue: isOfAll ? model.sqlDefault(of: attribute) : nil,
            generation: isComputed ? generation(of: attribute, of: entity) : nil,
            checks: isComputed ? [] : model.checks(of: attribute, of: entity),
            content: .attribute(entity: entity.name, name: attribute.name))
    }

    private func keyColumns(of relationship: Relationship, of entity: Entity) -> [Table.Column] {
        guard
            case .key(let column, let entityColumn) = model.storage(of: relationship, of: entity)
        else { return [] }
        let isRequired = entity.parent == nil && !relationship.isOptional
        var columns = [
            Table.Column(
                name: column, type: .integer, isRequired: isRequired,
                destination: model.rootName(of: relationship.destination),
                content: .key(entity: entity.name, relationship: relationship.name))
        ]
        if let entityColumn {
            columns.append(
                Table.Column(
                    name: entityColumn, type: .text, isRequired: isRequired,
                    content: .entityOfKey(entity: entity.name, relationship: relationship.name)))
        }
        return columns + [positionColumn(of: relationship, of: entity)].compactMap { $0 }
    }

    /// The position in the ordered inverse to-many.
    private func positionColumn(of key: Relationship, of entity: Entity) -> Table.Column? {
        guard let column = model.inversePositionColumn(of: key, of: entity),
            let ordered = model.inverse(of: key)
        else { return nil }
        return Table.Column(
            name: column, type: .integer,
            content: .position(
                entity: ordered.entity.name, relationship: ordered.relationship.name))
    }

    /// Returns the checks for values that a sub-entity requires, but that rows of other entities do
    /// not have.
    private func requirements(of entity: Entity) -> [Table.Check] {
        guard entity.parent != nil else { return [] }
        let attributes = entity.attributes
            .filter { !$0.isTransient && !$0.isOptional && $0.derivation == nil }
            .map { ($0.name, model.column(of: $0.name, in: entity)) }
        let links = entity.relationships.filter { !$0.isToMany && !$0.isOptional }
            .compactMap { relationship -> (String, String)? in
                guard case .key(let column, _) = model.storage(of: relationship, of: entity) else {
                    return nil
                }
                return (relationship.name, column)
            }
        return (attributes + links).map { property, column in
            Table.Check(
                name: .property(entity: entity.name, property: property, .required),
                condition:
                    "\(otherEntities(than: entity)) OR \(identifier(column)) IS NOT NULL",
                columns: [SystemColumn.entity, column])
        }
    }

    /// Returns the checks for the parts that an optional composite value requires if any part has a
    /// value. All parts are NULL in the rows of other entities.
    private func presences(of entity: Entity) -> [Table.Check] {
        entity.presenceRules(in: model).map { rule in
            func names(_ parts: [String]) -> [String] {
                parts.map { model.column(of: $0, in: entity) }
            }
            func columns(_ parts: [String], _ test: String) -> String {
                names(parts).map { "\(identifier($0)) \(test)" }
                    .joined(separator: " AND ")
            }
            return Table.Check(
                name: .property(entity: entity.name, property: rule.composite, .presence),
                condition: """
                    \(columns(rule.parts, "IS NULL")) \
                    OR \(columns(rule.required, "IS NOT NULL"))
                    """,
                columns: Set(names(rule.parts + rule.required)))
        }
    }

    /// Returns the expression of a generated column, if SQLite can compute the values from the row
    /// alone. Otherwise the runtime writes them. There is no NOT NULL: a value that cannot be
    /// computed (an overflow) is not a reason to reject a row.
    ///
    /// The column is virtual: ALTER TABLE can add it, and it takes no space in the row.
    private func generation(of attribute: Attribute, of entity: Entity) -> String? {
        model.generatedValue(of: attribute, of: entity).map { value in
            entity.parent == nil ? value : "CASE WHEN \(isOfFamily(entity)) THEN \(value) END"
        }
    }

    private func isOfFamily(_ entity: Entity) -> String {
        SQLText.isOfEntity(model.family(of: entity).names)
    }

    private func rules(of entity: Entity) -> [Table.Check] {
        entity.rules.compactMap { rule in
            model.columnCondition(rule.condition, of: entity, for: .boolean).map { condition in
                let name = ConstraintName.rule(entity: entity.name, name: rule.name)
                guard entity.parent != nil else {
                    return Table.Check(
                        name: name, condition: condition.text, columns: condition.columns,
                        endsAtNUL: condition.endsAtNUL)
                }
                return Table.Check(
                    name: name,
                    condition: "\(otherEntities(than: entity)) OR (\(condition.text))",
                    columns: condition.columns.union([SystemColumn.entity]),
                    endsAtNUL: condition.endsAtNUL)
            }
        }
    }

    private func otherEntities(than entity: Entity) -> String {
        SQLText.isOfEntity(model.family(of: entity).names, isNegated: true)
    }

    /// Returns one index for each key, each unique constraint and each index of the model.
    func indexes(of entity: Entity) -> [TableIndex] {
        keyIndexes(of: entity) + uniqueIndexes(of: entity) + modelIndexes(of: entity)
    }

    private func keyIndexes(of entity: Entity) -> [TableIndex] {
        entity.relationships.compactMap { relationship in
            guard case .key(let column, _) = model.storage(of: relationship, of: entity) else {
                return nil
            }
            // The positions are in the index, so that the members of an ordered to-many
            // relationship are read in their order.
            let position = model.inversePositionColumn(of: relationship, of: entity)
            return index(
                "\(entity.name).key.\(relationship.name)",
                by: [column, position].compactMap { $0.map { .column($0) } })
        }
    }

    private func uniqueIndexes(of entity: Entity) -> [TableIndex] {
        let entities = entity.parent == nil ? [] : model.family(of: entity).names
        var seen: Set<[String]> = []
        let constraints = entity.uniqueConstraints.filter { seen.insert($0.properties).inserted }
        return constraints.map { constraint in
            let rows = UniqueRows(
                constraint.properties.map { column(of: $0, in: entity) }, of: entities)
            return index(
                ConstraintName.unique(
                    entity: entity.name, properties: constraint.properties
                ).text, by: rows.columns.map { .column($0) }, where: rows.condition, unique: rows)
        }
    }

    private func modelIndexes(of entity: Entity) -> [TableIndex] {
        declaredIndexes(of: entity).map(\.index)
    }

    /// Returns the indexes of the model, each with its declaration.
    func declaredIndexes(of entity: Entity) -> [(declared: Index, index: TableIndex)] {
        var uses: [String: Int] = [:]
        return entity.indexes.compactMap { declared in
            let columns = declared.elements.compactMap { indexed($0, of: entity) }
            // A value that only the program can compute cannot be in the store's index.
            guard columns.count == declared.elements.count else { return nil }
            let words = declared.elements.map { element in
                (element.expression == nil ? element.property : "computed")
                    + (element.isDescending ? " descending" : "")
            }
            let name = "\(entity.name).index.\(declared.name ?? words.joined(separator: "+"))"
            uses[name, default: 0] += 1
            let count = uses[name] ?? 1
            let index = index(
                count == 1 ? name : "\(name).\(count)", by: columns,
                where: declared.condition.flatMap {
                    model.columnCondition($0, of: entity, for: .filter)?.text
                })
            return (declared, index)
        }
    }

    private func indexed(_ element: IndexElement, of entity: Entity) -> TableIndex.Element? {
        guard let expression = element.expression else {
            return .column(
                column(of: element.property, in: entity), isDescending: element.isDescending)
        }
        return model.columnValue(expression, of: entity)
            .map { .value($0, isDescending: element.isDescending) }
    }

    private func index(
        _ name: String, by elements: [TableIndex.Element], where condition: String? = nil,
        unique: UniqueRows? = nil
    ) -> TableIndex {
        TableIndex(
            name: name, table: root.name, elements: elements, condition: condition,
            uniqueRows: unique)
    }

    /// The column of an own or inherited property.
    private func column(of property: String, in entity: Entity) -> String {
        model.column(of: property, in: model.declarer(of: property, in: entity) ?? entity)
    }
}

extension Model {
    /// Returns the indexes that the model declares for an entity, each with the index of its table.
    package func declaredIndexes(of entity: Entity) -> [(declared: Index, index: TableIndex)] {
        ObjectTableBuilder(root: root(of: entity), model: self).declaredIndexes(of: entity)
    }

    /// Returns the stored form of a constant default, or nil if there is none.
    package func sqlDefault(of attribute: Attribute) -> StoredValue? {
        guard case .constant(let value) = attribute.defaultValue, value != .null else {
            return nil
        }
        return stored(value, of: attribute)
    }

    /// Returns the conditions on one column: the range of its type and the limits. If the column is
    /// NULL, each condition is NULL, and a CHECK accepts that. A pattern has a condition if GLOB
    /// can express it, because SQLite has no regular expressions of its own.
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
        // The row does not contain the length of a value in a file.
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

    /// Returns a limit in the stored form of the column's values. The result is nil if they cannot
    /// be compared with the limit; the compiler rejects such models.
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

    /// Returns a condition over the columns of a row and SQLite's own functions, or nil if it needs
    /// more. Without it, a rule is only validated, and an index covers all rows.
    ///
    /// - Parameter use: A CHECK needs a Boolean. An index needs the exact text of a filter;
    ///   otherwise SQLite would not use it for a query.
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

    /// Returns a value over the columns of a row and SQLite's own functions, or nil if it needs
    /// more. It has the stored form of an attribute, or its own type if there is no attribute.
    func columnValue(
        _ expression: ModelExpression, for attribute: Attribute? = nil, of entity: Entity
    ) -> String? {
        let fragment = try? ExpressionSQL.value(
            expression, as: attribute?.type, entity: entity, model: self, constants: .inline)
        return fragment.flatMap { $0.isPure ? $0.text : nil }
    }

    /// Returns the same for fills of existing objects. Another program may have put a NUL into
    /// their texts.
    ///
    /// - Parameter former: The objects in the previous version. Their values are in the columns
    ///   that ``ExpressionSQL/formerColumn(of:for:)`` names.
    func fillValue(
        _ expression: ModelExpression, for attribute: Attribute, of entity: Entity,
        former: Entity?
    ) -> String? {
        let fragment = try? ExpressionSQL.fill(
            expression, as: attribute.type, entity: entity, model: self, former: former)
        return fragment.flatMap { $0.isPure ? $0.text : nil }
    }

    /// Returns SQL for the values of a derived attribute over the columns of its own row, or nil if
    /// it needs more. The runtime writes such values when it saves.
    package func generatedValue(of attribute: Attribute, of entity: Entity) -> String? {
        attribute.derivation.flatMap { columnValue($0, for: attribute, of: entity) }
    }
}

/// The bounds of a column's values, or of their lengths.
package struct ColumnBounds: Sendable, Equatable {
    /// Whether the bounds are about the length.
    var isOfLength = false
    /// The least value; nil if there is none.
    var minimum: StoredValue?
    /// The greatest value; nil if there is none.
    var maximum: StoredValue?

    /// Whether other bounds allow all values that these do; false if the two cannot be compared.
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

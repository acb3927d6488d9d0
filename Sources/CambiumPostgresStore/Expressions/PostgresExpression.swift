import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL

/// The server cannot say an expression with the meaning that it has in memory.
struct Unsayable: Error {}

/// Turns expressions into SQL over a row, with the results that ``ExpressionEvaluator`` has for the
/// object. What the server says otherwise, or only with an error that would end the transaction, is
/// ``Unsayable``.
struct PostgresExpression {
    /// What a condition's result is for.
    enum Use {
        /// For WHERE, where NULL is as good as false. Indexes can be used.
        case filter
        /// For a value: never NULL.
        case boolean
    }

    private let layout: PostgresLayout
    private var model: Model { layout.model.model }
    private let alias: String
    private var aliasCount = 0
    /// The tables on to-one paths from the row, each joined once.
    private(set) var joins: [(column: String, table: String, alias: String)] = []
    private var canJoin = true
    /// Whether the values are those of a generated column, in which are no subqueries, and which reads
    /// no other one.
    private var isOfGeneratedColumn = false

    init(_ layout: PostgresLayout, alias: String = PostgresTable.alias) {
        self.layout = layout
        self.alias = alias
    }

    /// What the server computes from the row alone, whenever it is written; nil where it cannot.
    ///
    /// - Parameter alias: The name of the table.
    static func generated(
        _ attribute: Attribute, of entity: Entity, _ layout: PostgresLayout, alias: String
    ) -> String? {
        var expression = PostgresExpression(layout, alias: alias)
        expression.isOfGeneratedColumn = true
        guard let fragment = try? expression.derived(attribute, of: entity),
            let text = fragment.inlined, expression.joins.isEmpty,
            text.utf8.count <= Self.longestGenerated
        else { return nil }
        return text
    }

    /// A value that is put into others twice grows fast.
    private static let longestGenerated = 10_000

    /// The value of a derived attribute for its row.
    mutating func derived(
        _ attribute: Attribute, of entity: Entity
    ) throws -> PostgresFragment {
        guard let derivation = attribute.derivation else { throw Unsayable() }
        let typed = try ExpressionCompiler.typedValue(
            derivation, as: attribute.type, entity: entity, model: model)
        // A number that single precision cannot hold would be an error.
        if attribute.type == .float { throw Unsayable() }
        return try value(typed)
    }

    /// What follows the table in FROM.
    var joinedTables: String {
        joins.map { " LEFT JOIN \($0.table) AS \($0.alias) ON \($0.alias).\"_id\" = \($0.column)" }
            .joined()
    }

    // MARK: Conditions

    /// A condition that every row meets which meets the expression, and whether it is met by no
    /// others.
    mutating func superset(
        of expression: TypedExpression
    ) -> (condition: PostgresFragment?, isExact: Bool) {
        if case .and(let operands) = expression {
            let parts = operands.map { superset(of: $0) }
            let conditions = parts.compactMap(\.condition)
            return (
                conditions.isEmpty ? nil : .joined(conditions, by: " AND "),
                parts.allSatisfy(\.isExact)
            )
        }
        let former = self
        if let condition = try? condition(expression, .filter) {
            return ("(\(condition))", true)
        }
        // Its joins are not wanted.
        self = former
        return (nil, false)
    }

    mutating func condition(
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
            guard options.isEmpty else { throw Unsayable() }
            return try text(left, relation, right, use)
        case .exists(let collection): return "EXISTS (\(try select("1", from: collection)))"
        case .literal, .parameter, .attribute, .object, .aggregate, .arithmetic, .convert,
            .function, .conditional:
            let value = try value(expression)
            return use == .filter ? value : "coalesce(\(value), false)"
        case .amongList: throw Unsayable()
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
        let one = try value(left)
        if right.isNull {
            switch relation {
            case .equal: return "\(one) IS NULL"
            case .notEqual: return "\(one) IS NOT NULL"
            default: return "false"
            }
        }
        let other = try value(right)
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

    private mutating func among(
        _ operand: TypedExpression, _ constants: ValueSet, _ use: Use
    ) throws -> PostgresFragment {
        let type = try wireType(of: operand.type)
        let elements = constants.values.compactMap(operand.type.stored)
        guard !elements.isEmpty else { return "false" }
        let list = PostgresFragment(array: elements, of: type)
        let test: PostgresFragment = "\(try value(operand)) = ANY(\(list))"
        return use == .filter ? test : "coalesce(\(test), false)"
    }

    // MARK: Texts

    private mutating func text(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression,
        _ use: Use
    ) throws -> PostgresFragment {
        let one = try value(left)
        let test: PostgresFragment
        if case .literal(.string(let pattern), _) = right, let like = like(relation, pattern) {
            test = "\(one) LIKE \(PostgresFragment(.text(like), as: .text))"
        } else {
            let other = try value(right)
            switch relation {
            case .contains: test = "strpos(\(one), \(other)) > 0"
            case .beginsWith: test = "starts_with(\(one), \(other))"
            case .endsWith: test = "right(\(one), char_length(\(other))) = \(other)"
            default: throw Unsayable()
            }
        }
        return use == .filter ? test : "coalesce(\(test), false)"
    }

    /// The pattern of LIKE for a constant.
    private func like(_ relation: ComparisonOperator, _ text: String) -> String? {
        let letters = text.unicodeScalars.map { WildcardPattern.Element.scalar($0) }
        let elements: [WildcardPattern.Element]
        switch relation {
        case .like: elements = WildcardPattern(text).elements
        case .beginsWith: elements = letters + [.anything]
        case .endsWith: elements = [.anything] + letters
        case .contains: elements = [.anything] + letters + [.anything]
        default: return nil
        }
        var pattern = ""
        for element in elements {
            switch element {
            case .anything: pattern += "%"
            case .one: pattern += "_"
            case .scalar(let scalar):
                if "%_\\".unicodeScalars.contains(scalar) { pattern += "\\" }
                pattern.unicodeScalars.append(scalar)
            }
        }
        return pattern
    }

    // MARK: Values

    mutating func value(_ expression: TypedExpression) throws -> PostgresFragment {
        switch expression {
        case .literal(let value, let type):
            guard let stored = type.stored(value), stored != .null else { return "NULL" }
            return PostgresFragment(stored, as: try wireType(of: type))
        case .attribute(let path, let attribute, let declarer):
            guard !attribute.isTransient, !attribute.usesExternalForm else { throw Unsayable() }
            if isOfGeneratedColumn, attribute.derivation != nil {
                guard path.root == .subject, path.steps.isEmpty else { throw Unsayable() }
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
            let one = try value(first)
            return "CASE WHEN \(test) THEN \(one) ELSE \(try value(second)) END"
        case .parameter, .amongList: throw Unsayable()
        }
    }

    /// How constants of a type are sent.
    func wireType(of type: ExpressionType) throws -> PostgresType {
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
        case .codable, .null: throw Unsayable()
        }
    }

    private func isNullable(_ expression: TypedExpression) -> Bool {
        switch expression {
        case .literal(let value, let type): type.stored(value) ?? .null == .null
        case .attribute(let path, let attribute, _):
            // What cannot be computed is NULL.
            attribute.isOptional || attribute.derivation != nil || !path.steps.isEmpty
        case .object(let path): !path.steps.isEmpty
        case .and, .or, .not, .comparison, .among, .text, .exists: false
        case .aggregate(let function, _, _): function != .count
        default: true
        }
    }

    private mutating func arithmetic(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression,
        _ type: ExpressionType
    ) throws -> PostgresFragment {
        let one = try value(left)
        let other = try value(right)
        if type == .string { return "(\(one) || \(other))" }
        guard let scale = type.scale else { throw Unsayable() }
        let (exact, otherExact): (PostgresFragment, PostgresFragment) =
            ("(\(one))::numeric", "(\(other))::numeric")
        switch operation {
        case .add, .subtract, .multiply:
            return whole("\(exact) \(raw: operation.rawValue) \(otherExact)", type, scale)
        case .divide where type == .integer:
            return whole("div(\(exact), nullif(\(otherExact), 0))", type, scale)
        default: throw Unsayable()
        }
    }

    /// An exact number; NULL where 64 bits do not hold its units.
    private func whole(
        _ number: PostgresFragment, _ type: ExpressionType, _ scale: Int
    ) -> PostgresFragment {
        let places = type.wireScale ?? 0
        let limit = String(DecimalStorage.powerOfTen(places))
        if isOfGeneratedColumn {
            let result: PostgresFragment = places == 0 ? "(\(number))::bigint" : number
            return """
                (CASE WHEN (\(number)) * \(raw: limit) BETWEEN -9223372036854775808 AND \
                9223372036854775807 THEN \(result) END)
                """
        }
        let result: PostgresFragment = places == 0 ? "n::bigint" : "n"
        return """
            (SELECT CASE WHEN n * \(raw: limit) BETWEEN -9223372036854775808 AND \
            9223372036854775807 THEN \(result) END FROM (SELECT \(number) AS n) AS _n)
            """
    }

    private mutating func convert(
        _ operand: TypedExpression, _ type: ExpressionType
    ) throws -> PostgresFragment {
        let fragment = try value(operand)
        if operand.type == .anyDecimal || type == .anyDecimal { throw Unsayable() }
        guard let scale = operand.type.scale else { return fragment }
        if let wanted = type.scale {
            return wanted == scale ? fragment : whole("(\(fragment))::numeric", type, wanted)
        }
        // In two steps, each rounded, as in memory.
        guard case .decimal = operand.type else { return "(\(fragment))::double precision" }
        let divisor = String(DecimalStorage.powerOfTen(scale))
        return "(((\(fragment)) * \(raw: divisor))::double precision / \(raw: divisor))"
    }

    private mutating func function(
        _ function: ModelFunction, _ operands: [TypedExpression]
    ) throws -> PostgresFragment {
        guard let first = operands.first else { throw Unsayable() }
        if function == .entity, case .object(let path) = first {
            let root = model.root(of: path.entity)
            if model.hasSubentities(root) { return try column(SystemColumn.entity, of: path) }
            let name = PostgresFragment(raw: SQLText.literal(root.name))
            return "CASE WHEN \(try key(of: path)) IS NOT NULL THEN \(name) END"
        }
        let operand = try value(first)
        switch function {
        case .length where first.type == .string || first.type == .uri:
            return "char_length(\(operand))"
        default: throw Unsayable()
        }
    }

    // MARK: Paths

    private mutating func makeAlias() -> String {
        aliasCount += 1
        return "_t\(aliasCount)"
    }

    private static func alias(ofVariable variable: Int) -> String { "_v\(variable)" }

    private func alias(of root: ObjectPath.Root) -> String {
        switch root {
        case .subject: alias
        case .variable(let variable): Self.alias(ofVariable: variable)
        }
    }

    /// The key of the object that a path leads to.
    private mutating func key(of path: ObjectPath) throws -> PostgresFragment {
        if let last = path.steps.last,
            case .key(let column, _) = model.storage(of: last.relationship, of: last.source)
        {
            return try self.column(column, of: path.root, path.steps.dropLast())
        }
        return try column(SystemColumn.key, of: path)
    }

    private mutating func column(
        _ column: String, of path: ObjectPath
    ) throws -> PostgresFragment {
        try self.column(column, of: path.root, path.steps[...])
    }

    private mutating func column(
        _ column: String, of root: ObjectPath.Root, _ steps: ArraySlice<ObjectPath.Step>
    ) throws -> PostgresFragment {
        if isOfGeneratedColumn, !steps.isEmpty || root != .subject { throw Unsayable() }
        var source = alias(of: root)
        var rest = steps
        if root == .subject, canJoin {
            while let step = rest.first,
                // Only a look-up by key yields one row for each.
                case .key(let key, _) = model.storage(of: step.relationship, of: step.source)
            {
                source = try join(step, PostgresTable.column(key, of: source))
                rest = rest.dropFirst()
            }
        }
        guard !rest.isEmpty else {
            return PostgresFragment(raw: PostgresTable.column(column, of: source))
        }
        var sources: [String] = []
        var links: [String] = []
        for step in rest {
            let alias = makeAlias()
            sources.append("\(try table(of: step.relationship)) AS \(alias)")
            switch model.storage(of: step.relationship, of: step.source) {
            case .key(let key, _):
                links.append("\(alias).\"_id\" = \(PostgresTable.column(key, of: source))")
            case .inverseKey(let key):
                links.append("\(PostgresTable.column(key, of: alias)) = \(source).\"_id\"")
            case .joinTable, .transient: throw Unsayable()
            }
            source = alias
        }
        return PostgresFragment(
            raw: """
                (SELECT \(PostgresTable.column(column, of: source)) \
                FROM \(sources.joined(separator: ", ")) WHERE \(links.joined(separator: " AND ")))
                """)
    }

    private mutating func join(_ step: ObjectPath.Step, _ column: String) throws -> String {
        if let known = joins.first(where: { $0.column == column }) { return known.alias }
        let alias = "_j\(joins.count + 1)"
        joins.append((column, try table(of: step.relationship), alias))
        return alias
    }

    private func table(of relationship: Relationship) throws -> String {
        guard let entity = model.entity(named: relationship.destination) else { throw Unsayable() }
        return layout.table(of: entity)
    }

    // MARK: Collections

    private mutating func select(
        _ results: PostgresFragment, from collection: TypedCollection
    ) throws -> PostgresFragment {
        if isOfGeneratedColumn { throw Unsayable() }
        let element = Self.alias(ofVariable: collection.variable)
        let table = "\(layout.table(of: collection.destination)) AS \(element)"
        let source: String
        let link: String
        switch model.storage(of: collection.relationship, of: collection.owner.entity) {
        case .inverseKey(let column):
            (source, link) = (table, PostgresTable.column(column, of: element))
        case .joinTable(let name, let sourceColumn, let destinationColumn):
            let pairs = makeAlias()
            source =
                "\(layout.qualified(name)) AS \(pairs) JOIN \(table) ON \(element).\"_id\" = "
                + PostgresTable.column(destinationColumn, of: pairs)
            link = PostgresTable.column(sourceColumn, of: pairs)
        case .key, .transient: throw Unsayable()
        }
        let owner = try key(of: collection.owner)
        let select: PostgresFragment =
            "SELECT \(results) FROM \(raw: source) WHERE \(raw: link) = \(owner)"
        guard let test = collection.condition else { return select }
        return "\(select) AND (\(try condition(test, .filter)))"
    }

    private mutating func aggregate(
        _ function: AggregateFunction, _ collection: TypedCollection, _ operand: TypedExpression
    ) throws -> PostgresFragment {
        let element = try value(operand)
        return
            "(\(try select(try aggregate(function, of: operand.type, element), from: collection)))"
    }

    /// One value out of many, which are not NULL where they take part.
    func aggregate(
        _ function: AggregateFunction, of type: ExpressionType, _ element: PostgresFragment
    ) throws -> PostgresFragment {
        switch function {
        case .count: return "count(\(element))"
        case .minimum, .maximum:
            switch type {
            case .integer, .duration, .float, .double, .decimal, .date, .string:
                return "\(raw: function == .minimum ? "min" : "max")(\(element))"
            default: throw Unsayable()
            }
        case .sum:
            guard let scale = type.scale else { throw Unsayable() }
            return whole("coalesce(sum((\(element))::numeric), 0)", type, scale)
        case .average:
            guard let scale = type.scale else { throw Unsayable() }
            let divisor = String(DecimalStorage.powerOfTen(scale))
            let units: PostgresFragment =
                type.wireScale == nil
                ? "sum((\(element))::numeric)" : "sum((\(element))::numeric) * \(raw: divisor)"
            return """
                (CASE WHEN \(units) BETWEEN -9223372036854775808 AND 9223372036854775807 \
                THEN (\(units))::double precision / nullif(count(\(element)), 0) / \(raw: divisor) END)
                """
        }
    }
}

extension ExpressionType {
    /// The places of a number that the server keeps with a point. It keeps units of others.
    fileprivate var wireScale: Int? {
        if case .decimal(let scale) = self { scale } else { nil }
    }
}

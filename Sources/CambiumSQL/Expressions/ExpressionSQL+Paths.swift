import CambiumModel

extension ExpressionSQL {
    private func alias(of root: ObjectPath.Root) -> String? {
        switch root {
        case .subject: subjectAlias
        case .variable(let variable): alias(ofVariable: variable)
        }
    }

    private func table(of entity: Entity) -> String {
        SQLText.identifier(model.root(of: entity).name)
    }

    /// Returns a column of the row that a path references; NULL if the path ends early.
    mutating func column(
        _ column: String, of path: ObjectPath
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        try self.column(column, of: path.root, path.steps[...])
    }

    /// The key of the object that a path references.
    mutating func key(of path: ObjectPath) throws(ExpressionDiagnostics) -> SQLFragment {
        if let last = path.steps.last,
            case .key(let column, _) = model.storage(of: last.relationship, of: last.source)
        {
            return try self.column(column, of: path.root, path.steps.dropLast())
        }
        return try column("_id", of: path)
    }

    /// Paths use tables that the statement joins, or are correlated subselects, one for each use.
    private mutating func column(
        _ column: String, of root: ObjectPath.Root, _ allSteps: ArraySlice<ObjectPath.Step>
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        if readsFormerRow, root == .variable(0), allSteps.isEmpty {
            return SQLFragment(raw: SQLText.identifier(Self.formerColumn(of: column, for: entity)))
        }
        let (start, steps) = try join(root, allSteps)
        guard !steps.isEmpty else {
            let isOfSubject = allSteps.isEmpty && root == .subject
            return SQLFragment(
                raw: SQLText.column(column, of: start), isPure: allSteps.isEmpty,
                columns: isOfSubject ? [column] : [])
        }
        let select = try inSubselect { sql throws(ExpressionDiagnostics) in
            var previous = allSteps.count == steps.count ? sql.alias(of: root) : start
            var sources: [String] = []
            var tables: Set<String> = []
            var links: [String] = []
            for step in steps {
                guard let destination = sql.model.entity(named: step.relationship.destination)
                else {
                    throw Self.failure("there is no entity '\(step.relationship.destination)'")
                }
                let alias = sql.makeAlias()
                sources.append("\(sql.table(of: destination)) AS \(SQLText.identifier(alias))")
                tables.insert(sql.model.root(of: destination).name)
                links.append(try sql.link(step, from: previous, to: alias))
                previous = alias
            }
            return SQLFragment(
                raw: """
                    SELECT \(SQLText.column(column, of: previous)) \
                    FROM \(sources.joined(separator: ", ")) \
                    WHERE \(links.joined(separator: " AND "))
                    """, tables: tables)
        }
        return "(\(select))"
    }

    /// Joins the tables at the start of a path that can be joined.
    ///
    /// - Returns: The table that the rest of the path starts from, and the rest.
    private mutating func join(
        _ root: ObjectPath.Root, _ steps: ArraySlice<ObjectPath.Step>
    ) throws(ExpressionDiagnostics) -> (String?, ArraySlice<ObjectPath.Step>) {
        var source = alias(of: root)
        guard root == .subject, var joins else { return (source, steps) }
        var rest = steps
        while let step = rest.first,
            // Only a look-up by key yields one row for each.
            case .key(let column, _) = model.storage(of: step.relationship, of: step.source),
            let destination = model.entity(named: step.relationship.destination),
            let joined = joins.alias(
                of: table(of: destination), by: SQLText.column(column, of: source))
        {
            source = joined
            rest = rest.dropFirst()
        }
        self.joins = joins
        return (source, rest)
    }

    private func link(
        _ step: ObjectPath.Step, from source: String?, to destination: String
    ) throws(ExpressionDiagnostics) -> String {
        switch model.storage(of: step.relationship, of: step.source) {
        case .key(let column, _):
            return SQLText.column("_id", of: destination) + " = "
                + SQLText.column(column, of: source)
        case .inverseKey(let column):
            return SQLText.column(column, of: destination) + " = "
                + SQLText.column("_id", of: source)
        case .joinTable:
            throw Self.failure("'\(step.relationship.name)' is a to-many relationship")
        case .transient:
            throw Self.failure("'\(step.relationship.name)' is transient: it is not in the store")
        }
    }

    // MARK: Collections

    /// A subselect over the elements of a collection that meet its condition.
    mutating func select(
        _ results: SQLFragment, from collection: TypedCollection
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        try inSubselect { sql throws(ExpressionDiagnostics) in
            try sql.select(collection) { _ throws(ExpressionDiagnostics) in results }
        }
    }

    private mutating func select(
        _ collection: TypedCollection,
        _ results: (inout ExpressionSQL) throws(ExpressionDiagnostics) -> SQLFragment
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let results = try results(&self)
        let element = alias(ofVariable: collection.variable)
        let table = "\(table(of: collection.destination)) AS \(SQLText.identifier(element))"
        var tables: Set = [model.root(of: collection.destination).name]
        let source: String
        let link: String
        switch model.storage(of: collection.relationship, of: collection.owner.entity) {
        case .inverseKey(let column):
            source = table
            link = SQLText.column(column, of: element)
        case .joinTable(let name, let sourceColumn, let destinationColumn):
            let pairs = makeAlias()
            tables.insert(name)
            source =
                "\(SQLText.identifier(name)) AS \(SQLText.identifier(pairs)) JOIN \(table) ON "
                + SQLText.column("_id", of: element) + " = "
                + SQLText.column(destinationColumn, of: pairs)
            link = SQLText.column(sourceColumn, of: pairs)
        case .key:
            throw Self.failure("'\(collection.relationship.name)' references one object")
        case .transient:
            throw Self.failure(
                "'\(collection.relationship.name)' is transient: it is not in the store")
        }
        let owner = try key(of: collection.owner)
        let from = SQLFragment(raw: source, tables: tables)
        let select: SQLFragment = "SELECT \(results) FROM \(from) WHERE \(raw: link) = \(owner)"
        guard let test = collection.condition else { return select }
        let filter = try condition(test, .filter)
        if case .or = test { return "\(select) AND (\(filter))" }
        return "\(select) AND \(filter)"
    }

    // MARK: Aggregates

    mutating func aggregate(
        _ function: AggregateFunction, _ collection: TypedCollection, _ operand: TypedExpression
    ) throws(ExpressionDiagnostics) -> SQLFragment {
        let select = try inSubselect { sql throws(ExpressionDiagnostics) in
            try sql.select(collection) { sql throws(ExpressionDiagnostics) in
                let element = try sql.value(operand)
                return sql.aggregate(function, of: operand, element) ?? Self.halves(of: element)
            }
        }
        guard let scale = operand.type.scale, function == .sum || function == .average else {
            return "(\(select))"
        }
        let sum = dialect.whole("(h + (l >> 32)) * 4294967296 + (l & 4294967295)")
        guard function == .average else { return "(SELECT \(sum) FROM (\(select)))" }
        let divisor = String(DecimalStorage.powerOfTen(scale))
        return "(SELECT \(dialect.real(sum)) / n / \(raw: divisor).0 FROM (\(select)))"
    }

    /// Returns an aggregate of values that are written as `element`; nil for an aggregate of
    /// integers that needs more than a function.
    func aggregate(
        _ function: AggregateFunction, of operand: TypedExpression, _ element: SQLFragment
    ) -> SQLFragment? {
        switch function {
        case .count: return isNullable(operand) ? "count(\(element))" : "count(*)"
        case .minimum: return "min(\(element))"
        case .maximum: return "max(\(element))"
        case .sum, .average:
            let isMean = function == .average
            if operand.type == .anyDecimal {
                return dialect.total(ofDecimals: element, isMean: isMean)
            }
            guard operand.type.scale == nil else { return nil }
            let total = dialect.total(element)
            return isMean ? "\(total) / count(\(element))" : total
        }
    }

    /// Sums the upper and the lower 32 bits, because sum() itself fails if 64 bits cannot hold the
    /// result.
    private static func halves(of element: SQLFragment) -> SQLFragment {
        """
        coalesce(sum(\(element) >> 32), 0) AS h, \
        coalesce(sum(\(element) & 4294967295), 0) AS l, count(\(element)) AS n
        """
    }
}

/// The tables on the to-one paths from a statement's rows. Each table is joined once, however many
/// parts of the statement use it.
///
/// A join by key adds and removes no rows. If the condition tests a value of the joined table,
/// SQLite may also start there, with an index of that table.
package struct JoinedTables: Sendable {
    private struct Join: Sendable {
        let table: String
        /// The column that holds the key.
        let column: String
        let alias: String
    }

    /// SQLite joins at most 64 tables, and the surrounding statement has some too.
    private static let maximum = 32

    private var joins: [Join] = []

    package init() {}

    /// Returns the alias of the table that a column references; nil if there are too many.
    mutating func alias(of table: String, by column: String) -> String? {
        if let known = joins.first(where: { $0.column == column }) { return known.alias }
        guard joins.count < Self.maximum else { return nil }
        let alias = "_j\(joins.count + 1)"
        joins.append(Join(table: table, column: column, alias: alias))
        return alias
    }

    /// The joins after the first table in FROM.
    package var sql: String {
        joins.map { join in
            " LEFT JOIN \(join.table) AS \(SQLText.identifier(join.alias)) ON "
                + SQLText.column(SystemColumn.key, of: join.alias) + " = " + join.column
        }.joined()
    }
}

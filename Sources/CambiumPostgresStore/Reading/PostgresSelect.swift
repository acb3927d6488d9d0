import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL

/// The statement of a request for rows, and what is left to be done in memory.
struct PostgresSelect {
    let statement: PostgresStatement
    /// Whether the rows are to be looked at in memory: the server could not say the whole condition.
    let filtersInMemory: Bool
    /// Whether they are to be sorted in memory.
    let sortsInMemory: Bool
    /// Whether the limit and the offset are the server's.
    var isComplete: Bool { !filtersInMemory && !sortsInMemory }

    /// - Throws: ``ExpressionDiagnostics`` where the condition or the order does not fit the entity.
    ///
    /// - Parameters:
    ///   - counts: Whether only the number of the rows is wanted.
    ///   - locks: Whether nobody else may write the rows until the transaction ends.
    init(
        _ request: RowRequest, _ layout: PostgresLayout, counts: Bool = false, locks: Bool = false
    ) throws {
        let table = layout.tables[request.entity.index]
        var expressions = PostgresExpression(layout)
        var conditions: [PostgresFragment] = []
        if let own = request.includesSubentities ? table.ofFamily : table.ofEntity {
            conditions.append(PostgresFragment(raw: own))
        }
        var joined = ""
        var order: [PostgresFragment] = []
        var isExact = true
        switch request.selection {
        case .matching(let condition?, let arguments):
            let typed = try ExpressionCompiler.typedCondition(
                condition, entity: request.entity.entity, model: layout.model.model,
                parameters: arguments)
            let (superset, exact) = expressions.superset(of: typed)
            if let superset { conditions.append(superset) }
            isExact = exact
        case .matching(nil, _): break
        case .key(let key):
            conditions.append("\(raw: Self.key) = \(PostgresFragment(.integer(key), as: .bigint))")
        case .keys(let keys):
            conditions.append("\(raw: Self.key) = ANY(\(PostgresFragment(keys: keys)))")
        case .farEnd(let origin):
            let link = try PostgresLink(origin.relationship, of: origin.entity, layout)
            joined = link.join
            conditions.append(
                "\(raw: link.owner) = \(PostgresFragment(.integer(origin.key), as: .bigint))")
            if let position = link.position {
                order.append(PostgresFragment(raw: "\(position) NULLS LAST"))
            }
        }
        filtersInMemory = !isExact
        var sorts = true
        if order.isEmpty, !counts {
            for term in request.sort {
                guard let fragment = try expressions.order(term, of: request.entity) else {
                    sorts = false
                    break
                }
                order.append(fragment)
            }
        }
        sortsInMemory = !sorts
        let columns =
            counts
            ? "count(*)"
            : request.readsKeysOnly && isExact && sorts
                ? table.systemColumns.map { PostgresTable.column($0) }.joined(separator: ", ")
                : table.list
        var sql: PostgresFragment =
            "SELECT \(raw: columns) FROM \(raw: table.source)\(raw: joined)\(raw: expressions.joinedTables)"
        if !conditions.isEmpty {
            sql.append(" WHERE \(PostgresFragment.joined(conditions, by: " AND "))")
        }
        if !counts, sorts, !request.isUnordered {
            order.append(PostgresFragment(raw: Self.key))
            sql.append(" ORDER BY \(PostgresFragment.joined(order, by: ", "))")
        }
        if !counts, isExact, sorts {
            if let limit = request.limit {
                sql.append(" LIMIT \(PostgresFragment(.integer(Int64(limit)), as: .bigint))")
            }
            if request.offset > 0 {
                sql.append(
                    " OFFSET \(PostgresFragment(.integer(Int64(request.offset)), as: .bigint))")
            }
        }
        if locks { sql.append(" FOR NO KEY UPDATE OF \(raw: PostgresTable.alias)") }
        statement = sql.statement()
    }

    private static let key = PostgresTable.column(SystemColumn.key)
}

extension PostgresFragment {
    /// A list of keys, as one parameter.
    init(keys: [Int64]) {
        self.init(array: keys.map { .integer($0) }, of: .bigint)
    }
}

extension PostgresExpression {
    /// A level of an order; nil where the server does not sort so.
    mutating func order(
        _ term: SortTerm, of entity: EntityDescription
    ) throws -> PostgresFragment? {
        let typed = try ExpressionCompiler.typedValue(
            term.value, entity: entity.entity, model: entity.model)
        return order(
            by: typed, texts: term.texts, isDescending: term.isDescending,
            placesNilLast: term.placesNilLast)
    }

    mutating func order(
        by typed: TypedExpression, texts: TextOrder, isDescending: Bool, placesNilLast: Bool?
    ) -> PostgresFragment? {
        guard texts == .bytes || typed.type != .string else { return nil }
        let former = self
        guard let value = try? value(typed) else {
            self = former
            return nil
        }
        // NULL is the least value, unless the request says otherwise.
        let isLast = placesNilLast ?? isDescending
        return
            "\(value)\(raw: isDescending ? " DESC" : "")\(raw: isLast ? " NULLS LAST" : " NULLS FIRST")"
    }
}

/// Where the far end of a relationship is found.
struct PostgresLink {
    /// What the statement joins to the table of the far end.
    let join: String
    /// The column that holds the key of the owner.
    let owner: String
    /// The column of the places in the list, where the store keeps them.
    let position: String?

    private static let pairs = "_p"

    /// - Throws: ``StoreError`` for a relationship that is not kept elsewhere.
    init(
        _ relationship: RelationshipDescription, of entity: EntityDescription,
        _ layout: PostgresLayout
    ) throws {
        let model = layout.model.model
        let declarer =
            model.declarer(of: relationship.relationship.name, in: entity.entity)
            ?? entity.entity
        let position = model.positionColumn(of: relationship.relationship, of: declarer)
        switch model.storage(of: relationship.relationship, of: declarer) {
        case .inverseKey(let column):
            join = ""
            owner = PostgresTable.column(column)
            self.position = position.map { PostgresTable.column($0) }
        case .joinTable(let name, let source, let destination):
            join =
                " JOIN \(layout.qualified(name)) AS \(Self.pairs) ON "
                + "\(PostgresTable.column(destination, of: Self.pairs)) = "
                + PostgresTable.column(SystemColumn.key)
            owner = PostgresTable.column(source, of: Self.pairs)
            self.position = position.map { PostgresTable.column($0, of: Self.pairs) }
        case .key, .transient:
            throw StoreError.invalidRequest(
                "The relationship \(relationship.relationship.name) is not asked for.",
                remedy: "Read the key in the row.")
        }
    }
}

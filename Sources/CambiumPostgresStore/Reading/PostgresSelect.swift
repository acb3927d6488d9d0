import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The statement of a request for rows, and the work that remains in memory.
struct PostgresSelect {
    /// The purpose of the statement.
    enum Purpose {
        case rows
        /// The number of rows that need no check in memory.
        case count
        /// Only the rows that need a check in memory.
        case rowsInDoubt
    }

    let statement: PostgresStatement
    /// The FROM clause of the same rows if ``isComplete``, for another select that does not depend
    /// on their order.
    let source: PostgresFragment
    /// The rows that have to be checked in memory, because the server could not express the
    /// complete condition.
    let doubt: PostgresExpression.Doubt
    /// Whether the rows must be sorted in memory.
    let sortsInMemory: Bool
    /// The column with the doubt of each row; nil if it is the same for all rows.
    let doubtColumn: Int?

    /// Whether there may be more rows than the statement returns. This is so if it returns as many
    /// rows as ``firstRows(of:)``.
    let isPartial: Bool

    var filtersInMemory: Bool { if case .none = doubt { false } else { true } }
    /// Whether the limit and the offset are the server's.
    var isComplete: Bool { !filtersInMemory && !sortsInMemory }

    /// - Throws: ``ExpressionDiagnostics`` if the condition or the order does not fit the entity.
    ///
    /// - Parameters:
    ///   - isFirstPart: Whether a part of the rows may suffice for the window.
    ///   - locks: Whether other writers are excluded from the rows until the transaction ends.
    init(
        _ request: RowRequest, _ layout: PostgresLayout, _ purpose: Purpose = .rows,
        isFirstPart: Bool = false, locks: Bool = false
    ) throws {
        let table = layout.tables[request.entity.index]
        var source = try PostgresSource(request, layout)
        doubt = source.doubt
        let isExact = if case .none = doubt { true } else { false }
        var order: [PostgresFragment] = source.position.map { [PostgresFragment(raw: $0)] } ?? []
        var sorts = true
        if order.isEmpty, purpose != .count {
            for term in request.sort {
                guard let fragment = try source.expressions.order(term, of: request.entity) else {
                    sorts = false
                    break
                }
                order.append(fragment)
            }
        }
        sortsInMemory = !sorts
        var columns: PostgresFragment
        if purpose == .count {
            columns = "count(*)"
        } else if request.readsKeysOnly, isExact, sorts {
            columns = PostgresFragment(
                raw: table.systemColumns.map { PostgresTable.column($0) }.joined(separator: ", "))
        } else {
            columns = PostgresFragment(raw: table.list)
        }
        doubtColumn =
            if case .rows = doubt { table.systemColumns.count + table.columns.count } else { nil }
        if case .rows(let doubt) = doubt {
            switch purpose {
            case .rows: columns.append(", coalesce(\(doubt), false)")
            case .count: source.conditions.append("NOT coalesce(\(doubt), false)")
            case .rowsInDoubt:
                columns.append(", true")
                source.conditions.append("(\(doubt))")
            }
        }
        var ordered = source.fragment
        if purpose != .count, sorts, !request.isUnordered {
            order.append(PostgresFragment(raw: Self.key))
            ordered.append(" ORDER BY \(PostgresFragment.joined(order, by: ", "))")
        }
        let hasWindow = request.limit != nil || request.offset > 0
        self.source = hasWindow ? "\(ordered)\(.window(request))" : source.fragment
        var sql: PostgresFragment = "SELECT \(columns) \(ordered)"
        let limit = Self.firstRows(of: request)
        if purpose == .rows, sorts {
            if isExact {
                sql.append(.window(request))
            } else if isFirstPart, let limit {
                sql.append(" LIMIT \(PostgresFragment(.integer(Int64(limit)), as: .bigint))")
            }
        }
        isPartial = purpose == .rows && sorts && !isExact && isFirstPart && limit != nil
        if locks { sql.append(" FOR NO KEY UPDATE OF \(raw: PostgresTable.alias)") }
        statement = sql.statement()
    }

    /// The number of rows to read if the request has a limit, and the condition excludes some rows
    /// in memory.
    static func firstRows(of request: RowRequest) -> Int? {
        guard let limit = request.limit else { return nil }
        let (wanted, overflows) = limit.addingReportingOverflow(request.offset)
        // If the number is too large, all rows are read instead.
        return overflows || wanted > 100_000 ? nil : 2 * wanted + 100
    }

    static let key = PostgresTable.column(SystemColumn.key)

    /// Descriptions of the parts of a condition that are evaluated in memory.
    static func decidedInMemory(
        _ request: RowRequest, _ layout: PostgresLayout
    ) throws -> [String] {
        guard case .matching(let condition?, let arguments) = request.selection else { return [] }
        func parts(_ condition: ModelExpression) -> [ModelExpression] {
            if case .and(let operands) = condition { operands.flatMap(parts) } else { [condition] }
        }
        return try parts(condition).compactMap { part in
            let typed = try ExpressionCompiler.typedCondition(
                part, entity: request.entity.entity, model: layout.model.model,
                parameters: arguments)
            var expressions = PostgresExpression(layout)
            return switch expressions.superset(of: typed).doubt {
            case .none: nil
            case .rows: "\(part), for the rows that the server is not sure of"
            case .all: "\(part)"
            }
        }
    }
}

/// The clauses after the columns of a SELECT: FROM and WHERE.
struct PostgresSource {
    var expressions: PostgresExpression
    var conditions: [PostgresFragment] = []
    /// The rows for which the condition may be wrong.
    private(set) var doubt = PostgresExpression.Doubt.none
    /// The column by which the rows are ordered, if they are the far end of a list.
    private(set) var position: String?
    private var joined = ""
    private let table: PostgresTable

    init(_ request: RowRequest, _ layout: PostgresLayout) throws {
        table = layout.tables[request.entity.index]
        expressions = PostgresExpression(layout)
        if let own = request.includesSubentities ? table.ofFamily : table.ofEntity {
            conditions.append(PostgresFragment(raw: own))
        }
        switch request.selection {
        case .matching(let condition?, let arguments):
            let typed = try ExpressionCompiler.typedCondition(
                condition, entity: request.entity.entity, model: layout.model.model,
                parameters: arguments)
            let superset = expressions.superset(of: typed)
            if let condition = superset.condition { conditions.append(condition) }
            doubt = superset.doubt
        case .matching(nil, _): break
        case .key(let key):
            conditions.append(
                "\(raw: PostgresSelect.key) = \(PostgresFragment(.integer(key), as: .bigint))")
        case .keys(let keys):
            conditions.append("\(raw: PostgresSelect.key) = ANY(\(PostgresFragment(keys: keys)))")
        case .farEnd(let origin):
            let link = try PostgresLink(origin.relationship, of: origin.entity, layout)
            joined = link.join
            conditions.append(
                "\(raw: link.owner) = \(PostgresFragment(.integer(origin.key), as: .bigint))")
            position = link.position.map { "\($0) NULLS LAST" }
        }
    }

    /// With the tables that have been joined until now.
    var fragment: PostgresFragment {
        let from = "FROM \(table.source)\(joined)\(expressions.joinedTables)"
        if conditions.isEmpty { return PostgresFragment(raw: from) }
        return "\(raw: from) WHERE \(PostgresFragment.joined(conditions, by: " AND "))"
    }
}

extension PostgresFragment {
    /// A list of keys, as one parameter.
    init(keys: [Int64]) {
        self.init(array: keys.map { .integer($0) }, of: .bigint)
    }

    /// The LIMIT and OFFSET of a query.
    static func window(_ request: RowRequest) -> PostgresFragment {
        var window = PostgresFragment(raw: "")
        if let limit = request.limit {
            window.append(" LIMIT \(PostgresFragment(.integer(Int64(limit)), as: .bigint))")
        }
        if request.offset > 0 {
            window.append(
                " OFFSET \(PostgresFragment(.integer(Int64(request.offset)), as: .bigint))")
        }
        return window
    }
}

extension PostgresExpression {
    /// A level of an order; nil if the server does not sort in this order.
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
        // If a row is in doubt, all rows have to be sorted in memory.
        guard let value = try? value(typed), doubts.count == former.doubts.count else {
            self = former
            return nil
        }
        if case .literal = typed { return PostgresFragment(raw: "NULL::text") }
        return .order("\(value)", isDescending: isDescending, placesNilLast: placesNilLast)
    }
}

extension PostgresFragment {
    /// A level of an order.
    static func order(
        _ value: PostgresFragment, isDescending: Bool, placesNilLast: Bool?
    ) -> PostgresFragment {
        // NULL is the least value, unless the request defines its position.
        let isLast = placesNilLast ?? isDescending
        let direction = isDescending ? " DESC" : ""
        return "\(value)\(raw: direction)\(raw: isLast ? " NULLS LAST" : " NULLS FIRST")"
    }
}

/// The columns and tables that connect a relationship with its far end.
struct PostgresLink {
    /// The join to the table of the far end.
    let join: String
    /// The column that holds the key of the owner.
    let owner: String
    /// The column of the positions in the list, if the store keeps them.
    let position: String?
    /// The table of pairs, and its column that holds the key at the far end.
    let pairs: (table: String, member: String)?

    private static let pairsAlias = "_p"

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
            pairs = nil
            owner = PostgresTable.column(column)
            self.position = position.map { PostgresTable.column($0) }
        case .joinTable(let name, let source, let destination):
            let table = "\(layout.qualified(name)) AS \(Self.pairsAlias)"
            let member = PostgresTable.column(destination, of: Self.pairsAlias)
            join = " JOIN \(table) ON \(member) = \(PostgresTable.column(SystemColumn.key))"
            pairs = (table, member)
            owner = PostgresTable.column(source, of: Self.pairsAlias)
            self.position = position.map { PostgresTable.column($0, of: Self.pairsAlias) }
        case .key, .transient:
            throw StoreError.invalidRequest(
                "The relationship \(relationship.relationship.name) was not fetched.",
                remedy: "Read the key in the row.")
        }
    }
}

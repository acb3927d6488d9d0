import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The statement that computes results from rows, in a total order, the same as that of
/// ``ResultComposer``.
///
/// It consists of nested selects: the values of each row, then the values of each group, then one
/// of each set of equal results. Each value is written once, and outer selects use its name.
struct PostgresResults {
    let statement: PostgresStatement
    /// The statement that returns whether any of the rows is in doubt, so that the results may be
    /// wrong; nil if no row can be.
    let check: PostgresStatement?
    /// The types of the columns.
    private let types: [PostgresType]
    private let query: TypedResults
    private let request: RowRequest

    private static let rows = "_r"
    private static let key = "\(rows).\"k\""

    /// - Throws: ``UnsupportedExpression`` if the server cannot compute them.
    init(_ request: RowRequest, _ query: TypedResults, _ layout: PostgresLayout) throws {
        self.query = query
        self.request = request
        var source = try PostgresSource(request, layout)
        if case .all = source.doubt { throw UnsupportedExpression() }
        var values = Values()
        values.groups = try query.groups.map { try values.value($0, &source.expressions) }
        values.isGrouped = query.isGrouped
        let groups = values.groups
        let columns = try query.columns.map { try values.column($0, &source.expressions) }
        let having = try query.having.map { try values.test($0, &source.expressions) }
        let orders = try query.order.map { term in
            guard term.texts == .bytes || term.column.type != .string else {
                throw UnsupportedExpression()
            }
            return try values.column(term.column, &source.expressions)
        }
        types = try query.columns.map { column in
            try column.wireType(in: source.expressions)
        }

        var rowDoubts = source.expressions.doubts
        if case .rows(let doubt) = source.doubt { rowDoubts.append(doubt) }
        let rows = values.selected(from: source, doubts: rowDoubts)
        var doubts = values.doubts
        if !rowDoubts.isEmpty {
            doubts.append(query.isGrouped ? "bool_or(_r.\"d\")" : "_r.\"d\"")
        }
        let ties = query.isGrouped ? groups : [PostgresFragment(raw: Self.key)]
        var parts = Self.named(columns, "v") + Self.named(orders, "o") + Self.named(ties, "t")
        if let having { parts.append("\(having) AS \"h\"") }
        if !doubts.isEmpty {
            parts.append("coalesce(\(PostgresFragment.joined(doubts, by: " OR ")), false) AS \"d\"")
        }
        var results: PostgresFragment =
            "SELECT \(PostgresFragment.joined(parts, by: ", ")) FROM \(rows)"
        if !groups.isEmpty {
            results.append(" GROUP BY \(PostgresFragment.joined(groups, by: ", "))")
        }
        check =
            doubts.isEmpty
            ? nil
            : ("SELECT EXISTS (SELECT 1 FROM (\(results)) AS _s WHERE _s.\"d\")" as PostgresFragment)
                .statement()
        var sql = Self.ordered(results, query, tieCount: ties.count)
        sql.append(.window(request))
        statement = sql.statement()
    }

    /// Parts of a select with the names that a later part has for them.
    private static func named(
        _ parts: [PostgresFragment], _ letter: String
    ) -> [PostgresFragment] {
        parts.enumerated().map { "\($1) AS \"\(raw: "\(letter)\($0)")\"" }
    }

    /// The results without duplicates, in order.
    private static func ordered(
        _ results: PostgresFragment, _ query: TypedResults, tieCount: Int
    ) -> PostgresFragment {
        let list = query.columns.indices.map { "_s.\"v\($0)\"" }
        let names = list.joined(separator: ", ")
        var sql: PostgresFragment = "SELECT \(raw: names) FROM (\(results)) AS _s"
        if query.having != nil { sql.append(" WHERE _s.\"h\"") }
        var order: [PostgresFragment] = []
        for (index, term) in query.order.enumerated() {
            // For distinct results, each order is one of the columns.
            let value = query.isDistinct ? "(array_agg(_s.\"o\(index)\"))[1]" : "_s.\"o\(index)\""
            order.append(
                .order(
                    PostgresFragment(raw: value), isDescending: term.isDescending,
                    placesNilLast: term.placesNilLast))
        }
        if query.isDistinct { sql.append(" GROUP BY \(raw: names)") }
        for tie in query.isDistinct ? list : (0..<tieCount).map({ "_s.\"t\($0)\"" }) {
            order.append(PostgresFragment(raw: "\(tie) NULLS FIRST"))
        }
        if !order.isEmpty {
            sql.append(" ORDER BY \(PostgresFragment.joined(order, by: ", "))")
        }
        return sql
    }

    /// The results from the rows of the server.
    ///
    /// - Throws: ``StoreError`` if another program has written a value of another type.
    func values(_ rows: PostgresRows) throws -> [[Value]] {
        try (0..<rows.count).map { row in
            try query.columns.indices.map { column in
                if rows.isNull(row, column) { return .null }
                let stored = types[column].value(of: rows.bytes(row, column))
                if let value = query.columns[column].type.value(of: stored) { return value }
                throw StoreError(
                    code: .corrupt,
                    message: "Another program has written a value of another type to a row "
                        + "of \(request.entity.name).",
                    remedy: "Correct the value, or restore a backup.")
            }
        }
    }

    /// The values that are computed from each row, and from the rows of a group.
    private struct Values {
        /// The columns of the innermost select: `expression AS "c0"`.
        private var rows: [PostgresFragment] = []
        /// The values that the rows of a group share.
        var groups: [PostgresFragment] = []
        var isGrouped = false
        /// Whether all are written as constants and columns.
        private var areLeaves = true
        private var operands: [PostgresFragment] = []
        /// Conditions; if any of them is true, a group's values may be wrong.
        private(set) var doubts: [PostgresFragment] = []

        /// The select of the values of each row.
        ///
        /// - Parameter doubts: Conditions; if any of them is true, a row is in doubt.
        func selected(
            from source: PostgresSource, doubts: [PostgresFragment]
        ) -> PostgresFragment {
            var parts = rows + ["\(raw: PostgresSelect.key) AS \"k\""]
            if !doubts.isEmpty {
                parts.append(
                    "coalesce(\(PostgresFragment.joined(doubts, by: " OR ")), false) AS \"d\"")
            }
            // A computed value is used more than once, but is to be computed once.
            let fence = areLeaves ? "" : " OFFSET 0"
            return """
                (SELECT \(PostgresFragment.joined(parts, by: ", ")) \(source.fragment)\(raw: fence)) \
                AS \(raw: PostgresResults.rows)
                """
        }

        /// The name of the value of a row.
        mutating func value(
            _ operand: TypedExpression, _ expressions: inout PostgresExpression
        ) throws -> PostgresFragment {
            areLeaves = areLeaves && operand.isLeaf
            let former = expressions.doubts
            let value =
                operand.isNull ? "NULL::text" : try expressions.element(operand)
            let index = operands.firstIndex(of: value) ?? operands.count
            let name = "\"c\(index)\""
            if index == operands.count {
                operands.append(value)
                rows.append("\(value) AS \(raw: name)")
            } else {
                // These doubts are included already.
                expressions.doubts = former
            }
            return PostgresFragment(raw: "\(PostgresResults.rows).\(name)")
        }

        mutating func column(
            _ column: TypedResults.Column, _ expressions: inout PostgresExpression
        ) throws -> PostgresFragment {
            let value = try value(column.operand, &expressions)
            guard let function = column.function else {
                // All rows of a group have the same value.
                return isGrouped && !groups.contains(value) ? "(array_agg(\(value)))[1]" : value
            }
            let aggregate = try PostgresExpression.Aggregate(
                function, of: column.operand.type, value, order: PostgresResults.key)
            if let doubt = aggregate.doubt { doubts.append(doubt) }
            return aggregate.value
        }

        /// A condition over groups: never NULL.
        mutating func test(
            _ test: TypedResults.Test, _ expressions: inout PostgresExpression
        ) throws -> PostgresFragment {
            switch test {
            case .comparison(let column, let relation, let value):
                let left = try self.column(column, &expressions)
                if value == .null {
                    switch relation {
                    case .equal: return "(\(left) IS NULL)"
                    case .notEqual: return "(\(left) IS NOT NULL)"
                    default: return "false"
                    }
                }
                guard let stored = column.type.stored(value) else { throw UnsupportedExpression() }
                let constant = PostgresFragment(
                    stored, as: try column.wireType(in: expressions))
                switch relation {
                case .equal: return "(\(left) IS NOT DISTINCT FROM \(constant))"
                case .notEqual: return "(\(left) IS DISTINCT FROM \(constant))"
                case .less, .lessOrEqual, .greater, .greaterOrEqual:
                    return "coalesce(\(left) \(raw: relation.rawValue) \(constant), false)"
                default: throw UnsupportedExpression()
                }
            case .and(let tests): return try joined(tests, " AND ", ofNone: "true", &expressions)
            case .or(let tests): return try joined(tests, " OR ", ofNone: "false", &expressions)
            case .not(let test): return "(NOT \(try self.test(test, &expressions)))"
            }
        }

        private mutating func joined(
            _ tests: [TypedResults.Test], _ word: String, ofNone: PostgresFragment,
            _ expressions: inout PostgresExpression
        ) throws -> PostgresFragment {
            guard !tests.isEmpty else { return ofNone }
            var parts: [PostgresFragment] = []
            for test in tests { parts.append(try self.test(test, &expressions)) }
            return "(\(PostgresFragment.joined(parts, by: word)))"
        }
    }
}

extension TypedResults.Column {
    /// The type of its values on the wire.
    fileprivate func wireType(in expressions: PostgresExpression) throws -> PostgresType {
        switch type {
        case .null, .codable: .text
        case .date: expressions.isTimestamp(operand) ? .timestamp : .double
        default: try expressions.wireType(of: type)
        }
    }
}

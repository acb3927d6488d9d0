import CambiumModel
import CambiumPlan

/// How the rows of a new table come out of the old store.
struct TableCopy {
    /// The new table.
    let table: Table
    /// The old tables that have its rows; none where they come from elsewhere or there are none.
    var parts: [Part] = []
    /// Where the rows come from, if not from `parts`: a query of `source`, `destination` and the
    /// table's other columns, and the tables that it reads.
    var links: (query: String, tables: Set<String>)?

    /// The old table that the rows come from, or most of them.
    var source: Table? { parts.first?.source }

    /// Rows of one old table.
    struct Part {
        /// The old table.
        let source: Table
        /// One per column of the new table.
        var values: [Value]
        /// What fills look at of the old row: columns that are beside those of the new one while it
        /// is filled, and SQL over the old row.
        var former: [(column: String, old: Origin)] = []
        /// A condition on the old rows that are taken.
        var filter: String?
        /// The old root entities whose keys come before those of the rows.
        var precedingRoots: [String] = []
    }

    /// The value of a column.
    struct Value {
        /// From the old row.
        var old: Origin
        /// SQL over the columns of the new row, which `old` has filled; nil where that is all.
        var new: String?
        /// When `new` is evaluated: it sees what those before it have given.
        var turn = 1

        init(_ old: Origin, new: String? = nil) {
            self.old = old
            self.new = new
        }
    }

    /// Where a value comes from.
    enum Origin: Equatable {
        /// An old column as it is.
        case column(String)
        /// The column's DEFAULT, which is this.
        case columnDefault(String)
        /// NULL.
        case null
        /// SQL over columns of the old row, whose table is called `old`, and over other tables.
        case sql(String, of: [String], tables: Set<String> = [])
        /// From SQLite, which computes it from the new row.
        case generated

        var sql: String {
            switch self {
            case .column(let name): "old.\(SQLText.identifier(name))"
            case .columnDefault(let literal): literal
            case .null, .generated: "NULL"
            case .sql(let sql, _, _): sql
            }
        }

        /// The columns of the old row that are read.
        var columns: [String] {
            switch self {
            case .column(let name): [name]
            case .sql(_, let columns, _): columns
            case .columnDefault, .null, .generated: []
            }
        }

        /// The other tables that are read.
        var tables: Set<String> {
            if case .sql(_, _, let tables) = self { tables } else { [] }
        }
    }

    /// The statements that fill the new table, which has another name meanwhile; none where there
    /// are no rows to take.
    func insertStatements(into name: String) -> [MigrationStatement] {
        if let links {
            let columns = table.columns.map { SQLText.identifier($0.name) }
            let results = ["\"source\"", "\"destination\""] + columns.dropFirst(2)
            return [
                MigrationStatement(
                    .insertRows(name, from: links.tables.sorted()),
                    insertion(columns, into: name)
                        + """
                        SELECT DISTINCT \(results.joined(separator: ", "))\n\
                        FROM (\(links.query))
                        """)
            ]
        }
        return parts.map { part in
            let written = Array(zip(part.values, table.columns).filter { !$1.isGenerated })
            return MigrationStatement(
                .copyRows(copy(of: part, written, into: name)),
                insertion(written.map { SQLText.identifier($1.name) }, into: name),
                query(of: part, written))
        }
    }

    private func copy(
        of part: Part, _ written: [(Value, Table.Column)], into name: String
    ) -> RowCopy {
        var origins: [String: [String]] = [:]
        for (value, column) in written where value.old.columns != [column.name] {
            origins[column.name] = value.old.columns
        }
        for (column, old) in part.former { origins[column] = old.columns }
        let old = written.map(\.0.old) + part.former.map { $0.old }
        return RowCopy(
            part.source.name, to: name, written.map(\.1.name), origins: origins,
            computed: table.columns.filter { $0.isGenerated }.names,
            after: part.precedingRoots,
            with: Set(old.flatMap { $0.tables }).sorted())
    }

    private func query(of part: Part, _ written: [(Value, Table.Column)]) -> String {
        let columns = written.map { SQLText.identifier($1.name) }
        let old = written.map { value, column in
            value.old == .column(column.name)
                ? value.old.sql : "\(value.old.sql) AS \(SQLText.identifier(column.name))"
        }
        let former = part.former.map { "\($0.old.sql) AS \(SQLText.identifier($0.column))" }
        let query =
            """
            SELECT\n    \((old + former).joined(separator: ",\n    "))\n\
            FROM \(SQLText.identifier(part.source.name)) AS old
            """
            + (part.filter.map { "\nWHERE \($0)" } ?? "")
        let last = written.filter { $0.0.new != nil }.map(\.0.turn).max() ?? 0
        func given(in turn: Int) -> String {
            let results = zip(written, columns).map { entry, column in
                guard entry.0.turn == turn, let new = entry.0.new else { return column }
                return turn == last ? new : "\(new) AS \(column)"
            }
            let rest = turn == last ? [] : part.former.map { SQLText.identifier($0.column) }
            return "SELECT\n    \((results + rest).joined(separator: ",\n    "))\nFROM "
        }
        if last == 0 { return query }
        if last == 1 { return given(in: 1) + "(\n\(query)\n)" }
        // One after the other: SQLite's parser ends at a dozen queries within each other. OFFSET
        // keeps it from putting the expressions of one into the next, which would let them grow.
        func named(_ turn: Int, _ query: String) -> String {
            "\"_turn\(turn)\" AS (\n\(query)\nLIMIT -1 OFFSET 0\n)"
        }
        let turns =
            [named(0, query)] + (1..<last).map { named($0, given(in: $0) + "\"_turn\($0 - 1)\"") }
        return "WITH " + turns.joined(separator: ", ") + "\n"
            + given(in: last) + "\"_turn\(last - 1)\""
    }

    private func insertion(_ columns: [String], into name: String) -> String {
        "INSERT INTO \(SQLText.identifier(name)) (\(columns.joined(separator: ", ")))\n"
    }

    /// What is to be done about the table.
    enum Way {
        /// Nothing: table and rows are the same.
        case keep
        /// Columns are added to it, and what it says about others becomes something else.
        case restate(added: [Table.Column], Restatement)
        /// It is rebuilt and filled.
        case rebuild

        var isKeep: Bool { if case .keep = self { true } else { false } }
        var isRebuild: Bool { if case .rebuild = self { true } else { false } }
    }

    /// What keeps the table from being changed in place.
    enum RebuildReason {
        /// Its rows come from elsewhere, or not all of them stay.
        case rows
        /// What is said about a column, or what rows get there.
        case column(Table.Column)
        /// What the table says beside its columns.
        case statement
    }

    /// The simplest way. The order of columns is of no importance.
    var way: Way {
        guard rebuildReasons.isEmpty, let source,
            let restatement = Restatement(from: source, to: table, besides: added)
        else { return .rebuild }
        return added.isEmpty && restatement.isEmpty
            ? .keep : .restate(added: added, restatement)
    }

    /// Why there is nothing simpler than to rebuild it; none where there is.
    var rebuildReasons: [RebuildReason] {
        guard parts.count == 1, let part = parts.first, part.source.name == table.name,
            part.filter == nil, links == nil
        else { return [.rows] }
        let known = Dictionary(
            part.source.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var reasons: [RebuildReason] = []
        for (column, value) in zip(table.columns, part.values)
        where !isInPlace(column, value, from: known[column.name]) {
            reasons.append(.column(column))
        }
        let names = Set(table.columns.names)
        reasons += part.source.columns.filter { !names.contains($0.name) }.map { .column($0) }
        let isRestatable = Restatement(from: part.source, to: table, besides: added) != nil
        return reasons.isEmpty && !isRestatable ? [.statement] : reasons
    }

    private var added: [Table.Column] {
        let names = Set((source?.columns ?? []).names)
        return table.columns.filter { !names.contains($0.name) }
    }

    private func isInPlace(
        _ column: Table.Column, _ value: Value, from old: Table.Column?
    ) -> Bool {
        guard value.new == nil else { return false }
        guard let old else { return value.isOfNewColumn }
        let isSame = value.old == .column(column.name) || value.old == .generated
        return isSame && old.isGenerated == column.isGenerated
            && (old.definition == column.definition
                || Restatement.Form(old).canBecome(column))
    }
}

extension TableCopy.Value {
    /// Whether ALTER TABLE can add a column with the value: it takes constants only, and an
    /// expression is in parentheses.
    fileprivate var isOfNewColumn: Bool {
        switch old {
        case .null, .generated: true
        case .columnDefault(let literal): !literal.hasPrefix("(")
        case .column, .sql: false
        }
    }
}

extension ConvertedValue {
    /// SQL for the new value, from SQL for the old one.
    func sql(_ old: String) -> String {
        switch self {
        case .same: return old
        case .cast(let kind): return "CAST(\(old) AS \(kind.rawValue))"
        case .multiplied(let factor): return "\(old) * \(factor)"
        case .divided(let factor): return "\(old) / \(factor)"
        case .real(let units): return "CAST(\(old) AS REAL) / \(units).0"
        case .units(let factor): return "CAST(round(\(old) * \(factor).0) AS INTEGER)"
        case .call(let function, let value, let scale):
            return "\(function.rawValue)(\(value.sql(old))\(scale.map { ", \($0)" } ?? ""))"
        case .textOfBool:
            return "CASE WHEN \(old) = 1 THEN 'true' WHEN \(old) = 0 THEN 'false' END"
        case .boolOfText:
            return """
                CASE WHEN \(old) IN ('1', 'true') THEN 1 \
                WHEN \(old) IN ('0', 'false') THEN 0 END
                """
        case .textOfReal:
            // The usual 15 digits, or as many as there are where those are not enough.
            return """
                CASE WHEN CAST(CAST(\(old) AS TEXT) AS REAL) = \(old) \
                THEN CAST(\(old) AS TEXT) \
                WHEN \(old) IS NOT NULL THEN printf('%!.17g', \(old)) END
                """
        case .textOfUUID:
            let groups = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map {
                "substr(hex(\(old)), \($0), \($1))"
            }
            let text = groups.joined(separator: " || '-' || ")
            return "CASE WHEN \(old) IS NOT NULL THEN \(text) END"
        case .replaced(let ways, let value):
            let cases = ways.map {
                "WHEN \(SQLText.literal($0.gone)) THEN \(SQLText.literal($0.other))"
            }
            return "CASE \(old) \(cases.joined(separator: " ")) ELSE \(value.sql(old)) END"
        case .external(let value): return "CAST(x'01' || \(value.sql(old)) AS BLOB)"
        case .content(let value): return value.sql("substr(\(old), 2)")
        }
    }
}

extension ConversionCondition {
    /// SQL that is true where the condition is, from SQL for the old value.
    func sql(_ old: String) -> String {
        switch self {
        case .within(let range): return Self.sql(old, within: range)
        case .has(let value, nil): return "\(value.sql(old)) IS NOT NULL"
        case .has(let value, let range?):
            return "coalesce(\(Self.sql(value.sql(old), within: range)), 0)"
        case .isMultiple(let factor, let range):
            return "\(old) % \(factor) = 0"
                + (range.map { " AND \(Self.sql("\(old) / \(factor)", within: $0))" } ?? "")
        case .isUUID: return "length(\(old)) = 16"
        case .isWhole(let range):
            let isWithin = range.map { Self.sql(old, within: $0) }
            let isNear = isWithin ?? "abs(\(old)) <= 9007199254740992"
            return "\(isNear) AND CAST(\(old) AS INTEGER) = \(old)"
        case .hasUnits(let factor):
            return """
                abs(\(old) * \(factor).0) <= 9007199254740992.0 \
                AND round(\(old) * \(factor).0) / \(factor).0 = \(old)
                """
        case .isReadAgainFromText:
            return "CAST(\(ConvertedValue.textOfReal.sql(old)) AS REAL) = \(old)"
        case .isTextOfBool: return "\(old) IN ('0', '1', 'false', 'true')"
        case .isTextOfInteger(let range):
            let number = "CAST(\(old) AS INTEGER)"
            return "CAST(\(number) AS TEXT) = \(old)"
                + (range.map { " AND \(Self.sql(number, within: $0))" } ?? "")
        case .isTextOfReal:
            // What JSON takes for a number is one, to its end and not beyond what there is.
            return """
                CASE WHEN json_valid(\(old)) THEN json_type(\(old)) IN ('integer', 'real') \
                AND instr(\(old), char(0)) = 0 \
                AND abs(CAST(\(old) AS REAL)) <= 1.7976931348623157e308 ELSE 0 END
                """
        case .isOne(let cases, let value, let other):
            let list = cases.map(SQLText.literal).joined(separator: ", ")
            return (other.map { "\($0.sql(old)) AND " } ?? "") + "\(value.sql(old)) IN (\(list))"
        case .isReplaced(let ways, let other):
            let removed = ways.map { SQLText.literal($0.gone) }.joined(separator: ", ")
            return "(\(old) IN (\(removed)) OR \(other.sql(old)))"
        case .isInline(let other):
            return "substr(\(old), 1, 1) = x'01'"
                + (other.map { " AND \($0.sql("substr(\(old), 2)"))" } ?? "")
        }
    }

    private static func sql(_ value: String, within range: ClosedRange<Int64>) -> String {
        "\(value) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    }
}

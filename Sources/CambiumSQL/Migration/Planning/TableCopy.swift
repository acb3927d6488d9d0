import CambiumModel
import CambiumPlan

/// The plan that copies the rows of a new table from the old store.
struct TableCopy {
    /// The new table.
    let table: Table
    let dialect: any MigrationDialect
    /// The old tables that have its rows; empty if the rows come from elsewhere or there are none.
    var parts: [Part] = []
    /// The source of the rows, if it is not `parts`: a query of `source`, `destination` and the
    /// table's other columns, and the tables that it reads.
    var links: (query: String, tables: Set<String>)?

    /// The old table that the rows come from, or most of them.
    var source: Table? { parts.first?.source }

    /// Rows of one old table.
    struct Part {
        /// The old table.
        let source: Table
        /// One value for each column of the new table.
        var values: [Value]
        /// The values of the old row that fills use. They are additional columns of the new row
        /// while it is filled, with SQL over the old row.
        var former: [(column: String, old: Origin)] = []
        /// A condition on the old rows that are copied.
        var filter: String?
        /// The old root entities with keys before the keys of the rows.
        var precedingRoots: [String] = []
    }

    /// The value of a column.
    struct Value {
        /// The value is copied from the old row.
        var old: Origin
        /// SQL over the columns of the new row after `old` has filled them; nil if there is no
        /// second value.
        var new: String?
        /// The pass of `new`. It uses the values of earlier passes.
        var pass = 1

        init(_ old: Origin, new: String? = nil) {
            self.old = old
            self.new = new
        }
    }

    /// The source of a value.
    enum Origin: Equatable {
        /// An unchanged old column.
        case column(String)
        /// The column's DEFAULT, with its value.
        case columnDefault(String)
        /// NULL.
        case null
        /// SQL over columns of the old row, with `old` as the name of its table, and over other
        /// tables.
        case sql(String, of: [String], tables: Set<String> = [])
        /// The engine computes it from the new row.
        case generated

        /// SQL for it.
        var sql: String { sql(none: "NULL") }

        /// SQL for it.
        ///
        /// - Parameter none: NULL, of the type of the value.
        func sql(none: String) -> String {
            switch self {
            case .column(let name): "old.\(SQLText.identifier(name))"
            case .columnDefault(let literal): literal
            case .null, .generated: none
            case .sql(let sql, _, _): sql
            }
        }

        /// The constant value; nil if it is not a constant.
        var constant: String? {
            if case .columnDefault(let literal) = self { literal } else { nil }
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

    /// Returns the statements that fill the new table under its temporary name. The result is empty
    /// if there are no rows to copy.
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
                        FROM \(dialect.source(links.query))
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
            let sql = value.old.sql(none: dialect.none(of: column))
            return value.old == .column(column.name)
                ? sql : "\(sql) AS \(SQLText.identifier(column.name))"
        }
        let former = part.former.map { "\($0.old.sql) AS \(SQLText.identifier($0.column))" }
        let query =
            """
            SELECT\n    \((old + former).joined(separator: ",\n    "))\n\
            FROM \(SQLText.identifier(part.source.name)) AS old
            """
            + (part.filter.map { "\nWHERE \($0)" } ?? "")
        let last = written.filter { $0.0.new != nil }.map(\.0.pass).max() ?? 0
        func given(in pass: Int) -> String {
            let results = zip(written, columns).map { entry, column in
                guard entry.0.pass == pass, let new = entry.0.new else { return column }
                return pass == last ? new : "\(new) AS \(column)"
            }
            let rest = pass == last ? [] : part.former.map { SQLText.identifier($0.column) }
            return "SELECT\n    \((results + rest).joined(separator: ",\n    "))\nFROM "
        }
        if last == 0 { return query }
        if last == 1 { return given(in: 1) + dialect.source("\n\(query)\n") }
        // The queries are not nested, because SQLite's parser accepts only a dozen nested queries.
        func named(_ pass: Int, _ query: String) -> String {
            "\"_turn\(pass)\" AS (\n\(dialect.fenced(query))\n)"
        }
        let passes =
            [named(0, query)] + (1..<last).map { named($0, given(in: $0) + "\"_turn\($0 - 1)\"") }
        return "WITH " + passes.joined(separator: ", ") + "\n"
            + given(in: last) + "\"_turn\(last - 1)\""
    }

    private func insertion(_ columns: [String], into name: String) -> String {
        "INSERT INTO \(SQLText.identifier(name)) (\(columns.joined(separator: ", ")))\n"
    }

    /// The kind of change to the table.
    enum Strategy {
        /// No change: table and rows are the same.
        case keep
        /// Columns are added to it, and definitions of other columns change.
        case restate(added: [Table.Column], Restatement)
        /// The table is rebuilt and filled.
        case rebuild

        var isKeep: Bool { if case .keep = self { true } else { false } }
        var isRebuild: Bool { if case .rebuild = self { true } else { false } }
    }

    /// A reason why the table cannot be changed in place.
    enum RebuildReason {
        /// The rows come from another table, or some of them are deleted.
        case rows
        /// A column's definition, or the values that rows get there.
        case column(Table.Column)
        /// A part of the table's definition besides its columns.
        case statement
    }

    /// The simplest way. The order of columns is of no importance.
    var strategy: Strategy {
        guard rebuildReasons.isEmpty, let source,
            let restatement = Restatement(from: source, to: table, besides: added)
        else { return .rebuild }
        return added.isEmpty && restatement.isEmpty
            ? .keep : .restate(added: added, restatement)
    }

    /// The reasons why it must be rebuilt; empty if there is a simpler way.
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
    /// Whether ALTER TABLE can add a column with the value. It accepts only constants, and an
    /// expression is in parentheses.
    fileprivate var isOfNewColumn: Bool {
        switch old {
        case .null, .generated: true
        case .columnDefault(let literal): !literal.hasPrefix("(")
        case .column, .sql: false
        }
    }
}

import CambiumModel

/// How the rows of a new table come out of the old store.
struct TableCopy {
    /// The new table.
    let table: Table
    /// The old table that has its rows; nil where they come from elsewhere or there are none.
    let source: Table?
    /// One per column of the new table.
    var values: [Value] = []
    /// A condition on the old rows that are taken.
    var filter: String?
    /// Where the rows come from, if not from `source`: a query of `source`, `destination` and the
    /// table's other columns.
    var linkQuery: String?

    /// The value of a column.
    struct Value {
        /// From the old row.
        var old: Origin
        /// SQL over the columns of the new row, which `old` has filled; nil where that is all.
        var new: String?

        init(_ old: Origin, new: String? = nil) {
            self.old = old
            self.new = new
        }
    }

    /// Where a value comes from.
    enum Origin: Hashable {
        /// An old column as it is.
        case column(String)
        /// The column's DEFAULT, which is this.
        case columnDefault(String)
        /// NULL.
        case null
        /// SQL over the old row, whose table is called `old`.
        case sql(String)
        /// From SQLite, which computes it from the new row.
        case generated

        var sql: String {
            switch self {
            case .column(let name): "old.\(SQLText.identifier(name))"
            case .columnDefault(let literal): literal
            case .null, .generated: "NULL"
            case .sql(let sql): sql
            }
        }
    }

    /// What is to be done about the table.
    enum Way: Hashable {
        /// Nothing: table and rows are the same.
        case keep
        /// These columns are added at its end.
        case append([Table.Column])
        /// It is made anew and filled.
        case rebuild
    }

    /// The simplest way.
    var way: Way {
        guard let source, source.name == table.name, filter == nil, linkQuery == nil,
            source.constraints == table.constraints, source.options == table.options,
            source.columns.count <= table.columns.count,
            zip(source.columns, table.columns).allSatisfy({ $0.definition == $1.definition }),
            values.allSatisfy({ $0.new == nil })
        else { return .rebuild }
        let kept = values.prefix(source.columns.count)
        guard
            zip(kept, source.columns).allSatisfy({
                $0.old == .column($1.name) || $0.old == .generated
            })
        else {
            return .rebuild
        }
        let added = values.dropFirst(source.columns.count).allSatisfy { value in
            switch value.old {
            case .null, .generated: true
            // ALTER TABLE takes constants only, and an expression is in parentheses.
            case .columnDefault(let literal): !literal.hasPrefix("(")
            case .column, .sql: false
            }
        }
        guard added else { return .rebuild }
        let columns = Array(table.columns.dropFirst(source.columns.count))
        return columns.isEmpty ? .keep : .append(columns)
    }

    /// The statement that fills the new table, which has another name meanwhile; nil where there
    /// are no rows to take.
    func insertStatement(into name: String) -> String? {
        if let linkQuery {
            let columns = table.columns.map { SQLText.identifier($0.name) }
            let results = ["\"source\"", "\"destination\""] + columns.dropFirst(2)
            return insertion(columns, into: name)
                + "SELECT DISTINCT \(results.joined(separator: ", "))\nFROM (\(linkQuery))"
        }
        guard let source else { return nil }
        let written = Array(zip(values, table.columns).filter { !$1.isGenerated })
        let columns = written.map { SQLText.identifier($1.name) }
        let head = insertion(columns, into: name)
        let old = written.map { value, column in
            value.old == .column(column.name)
                ? value.old.sql : "\(value.old.sql) AS \(SQLText.identifier(column.name))"
        }
        let query =
            "SELECT\n    \(old.joined(separator: ",\n    "))\n"
            + "FROM \(SQLText.identifier(source.name)) AS old"
            + (filter.map { "\nWHERE \($0)" } ?? "")
        guard written.contains(where: { $0.0.new != nil }) else { return head + query }
        let new = zip(written, columns).map { entry, column in entry.0.new ?? column }
        return head + "SELECT\n    \(new.joined(separator: ",\n    "))\nFROM (\n\(query)\n)"
    }

    private func insertion(_ columns: [String], into name: String) -> String {
        "INSERT INTO \(SQLText.identifier(name)) (\(columns.joined(separator: ", ")))\n"
    }
}

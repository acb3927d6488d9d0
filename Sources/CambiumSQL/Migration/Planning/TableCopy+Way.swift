import CambiumModel

extension TableCopy {
    /// What is to be done about the table.
    enum Way: Hashable {
        /// Nothing: table and rows are the same.
        case keep
        /// Columns are added to it, and what it says about others becomes something else.
        case restate(added: [Table.Column], Restatement)
        /// It is made anew and filled.
        case rebuild
    }

    /// The simplest way. The order of columns is of no importance.
    var way: Way {
        guard parts.count == 1, let part = parts.first, part.source.name == table.name,
            part.filter == nil, linkQuery == nil, part.values.allSatisfy({ $0.new == nil })
        else { return .rebuild }
        let known = Dictionary(
            part.source.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var added: [Table.Column] = []
        for (column, value) in zip(table.columns, part.values) {
            if let old = known[column.name] {
                let isSame = value.old == .column(column.name) || value.old == .generated
                guard isSame, old.isGenerated == column.isGenerated else { return .rebuild }
            } else if value.isOfNewColumn {
                added.append(column)
            } else {
                return .rebuild
            }
        }
        guard table.columns.count - added.count == part.source.columns.count,
            let restatement = Restatement(from: part.source, to: table, besides: added)
        else { return .rebuild }
        return added.isEmpty && restatement.isEmpty
            ? .keep : .restate(added: added, restatement)
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

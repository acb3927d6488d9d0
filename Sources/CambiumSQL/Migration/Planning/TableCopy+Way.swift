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

    /// What keeps the table from being changed in place.
    enum Obstacle: Hashable {
        /// Its rows come from elsewhere, or not all of them stay.
        case rows
        /// What is said about a column, or what rows get there.
        case column(Table.Column)
        /// What the table says beside its columns.
        case statement
    }

    /// The simplest way. The order of columns is of no importance.
    var way: Way {
        guard obstacles.isEmpty, let source,
            let restatement = Restatement(from: source, to: table, besides: added)
        else { return .rebuild }
        return added.isEmpty && restatement.isEmpty
            ? .keep : .restate(added: added, restatement)
    }

    /// Why there is nothing simpler than to make it anew; none where there is.
    var obstacles: [Obstacle] {
        guard parts.count == 1, let part = parts.first, part.source.name == table.name,
            part.filter == nil, links == nil
        else { return [.rows] }
        let known = Dictionary(
            part.source.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var obstacles: [Obstacle] = []
        for (column, value) in zip(table.columns, part.values)
        where !isInPlace(column, value, from: known[column.name]) {
            obstacles.append(.column(column))
        }
        let names = Set(table.columns.map(\.name))
        obstacles += part.source.columns.filter { !names.contains($0.name) }.map { .column($0) }
        let isRestatable = Restatement(from: part.source, to: table, besides: added) != nil
        return obstacles.isEmpty && !isRestatable ? [.statement] : obstacles
    }

    private var added: [Table.Column] {
        let names = Set((source?.columns ?? []).map(\.name))
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
                || Restatement.canRestate(old.definition, as: column))
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

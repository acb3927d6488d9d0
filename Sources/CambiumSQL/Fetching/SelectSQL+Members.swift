import CambiumModel

extension SelectSQL {
    /// The statement that returns the far ends of a relationship of many owners, whose keys are in
    /// the `pending` table: the owner's key, the member's, and its entity where the table has that
    /// column; owner by owner, each list in its order.
    ///
    /// - Parameter selection: What selects the members of one owner.
    /// - Returns: nil for a selection that is none of a relationship.
    package func members(_ selection: Selection) -> String? {
        let table = "\(SQLText.identifier(root.name)) AS \(SQLText.identifier(Self.alias))"
        let source: String
        var member = column(SystemColumn.key)
        switch selection {
        case .referring(let name, _):
            source = "CROSS JOIN \(table) ON \(column(name)) = p.key"
        case .linked(let join, let sourceColumn, let destination, _):
            let pairs =
                "CROSS JOIN \(SQLText.identifier(join)) AS \(SQLText.identifier(Self.join)) ON "
                + "\(SQLText.column(sourceColumn, of: Self.join)) = p.key"
            let far = SQLText.column(destination, of: Self.join)
            if hasEntityColumn {
                source = "\(pairs) CROSS JOIN \(table) ON \(member) = \(far)"
            } else {
                source = pairs
                member = far
            }
        case .matching, .key, .pendingKeys, .keyRange: return nil
        }
        let names = ["p.key", member] + (hasEntityColumn ? [column(SystemColumn.entity)] : [])
        let order = ["p.key"] + (selection.position.map { ["\($0) NULLS LAST"] } ?? []) + [member]
        return "SELECT \(names.joined(separator: ", ")) FROM pending AS p \(source) "
            + "ORDER BY \(order.joined(separator: ", "))"
    }
}

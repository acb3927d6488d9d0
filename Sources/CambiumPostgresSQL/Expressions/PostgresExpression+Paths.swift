import CambiumModel
import CambiumSQL

// The columns and keys at the end of paths of relationships.
extension PostgresExpression {
    package mutating func makeAlias() -> String {
        aliasCount += 1
        return "_t\(aliasCount)"
    }

    package static func alias(ofVariable variable: Int) -> String { "_v\(variable)" }

    private func alias(of root: ObjectPath.Root) -> String {
        switch root {
        case .subject: alias
        case .variable(let variable): Self.alias(ofVariable: variable)
        }
    }

    /// The key of the object at the end of a path.
    package mutating func key(of path: ObjectPath) throws -> PostgresFragment {
        if let last = path.steps.last,
            case .key(let column, _) = model.storage(of: last.relationship, of: last.source)
        {
            return try self.column(column, of: path.root, path.steps.dropLast())
        }
        return try column(SystemColumn.key, of: path)
    }

    package mutating func column(
        _ column: String, of path: ObjectPath
    ) throws -> PostgresFragment {
        try self.column(column, of: path.root, path.steps[...])
    }

    private mutating func column(
        _ column: String, of root: ObjectPath.Root, _ steps: ArraySlice<ObjectPath.Step>
    ) throws -> PostgresFragment {
        if isOfTable, !steps.isEmpty || root != .subject { throw UnsupportedExpression() }
        if let fillsObjectsOf, root != .subject {
            let name = ExpressionSQL.formerColumn(of: column, for: fillsObjectsOf)
            return PostgresFragment(raw: PostgresName.identifier(name))
        }
        var source = alias(of: root)
        var rest = steps
        if root == .subject {
            while let step = rest.first,
                // Only a look-up by key yields one row for each.
                case .key(let key, _) = model.storage(of: step.relationship, of: step.source)
            {
                source = try join(step, PostgresTable.column(key, of: source))
                rest = rest.dropFirst()
            }
        }
        guard !rest.isEmpty else {
            return PostgresFragment(raw: PostgresTable.column(column, of: source))
        }
        var sources: [String] = []
        var links: [String] = []
        for step in rest {
            let alias = makeAlias()
            sources.append("\(try table(of: step.relationship)) AS \(alias)")
            switch model.storage(of: step.relationship, of: step.source) {
            case .key(let key, _):
                links.append("\(alias).\"_id\" = \(PostgresTable.column(key, of: source))")
            case .inverseKey(let key):
                links.append("\(PostgresTable.column(key, of: alias)) = \(source).\"_id\"")
            case .joinTable, .transient: throw UnsupportedExpression()
            }
            source = alias
        }
        return PostgresFragment(
            raw: """
                (SELECT \(PostgresTable.column(column, of: source)) \
                FROM \(sources.joined(separator: ", ")) WHERE \(links.joined(separator: " AND ")))
                """)
    }

    private mutating func join(_ step: ObjectPath.Step, _ column: String) throws -> String {
        if let known = joins.first(where: { $0.column == column }) { return known.alias }
        let alias = "_j\(joins.count + 1)"
        joins.append((column, try table(of: step.relationship), alias))
        return alias
    }

    private func table(of relationship: Relationship) throws -> String {
        guard let entity = model.entity(named: relationship.destination) else {
            throw UnsupportedExpression()
        }
        return layout.table(of: entity)
    }
}

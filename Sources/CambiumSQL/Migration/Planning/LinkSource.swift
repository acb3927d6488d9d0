import CambiumModel

/// SQL for the object that a to-one leads to where existing objects have none there.
enum LinkSource {
    /// A query of the old key of the object, for an old row whose table is called `old`; nil where
    /// the store cannot compute it.
    static func query(_ link: MigrationDeclaration.Link, in match: ModelMatch) -> String? {
        guard let entity = match.new.entity(named: link.entity),
            let relationship = entity.relationships.first(where: { $0.name == link.relationship }),
            let source = match.oldEntity(of: entity),
            let destination = match.new.entity(named: relationship.destination),
            let oldDestination = match.oldEntity(of: destination),
            let condition = try? ExpressionSQL.condition(
                link.condition, entity: oldDestination, model: match.old, alias: alias,
                constants: .inline, variables: [sourceName: source], heedsNUL: true),
            condition.parameters.isEmpty
        else { return nil }
        let (root, sourceRoot) = (match.old.root(of: oldDestination), match.old.root(of: source))
        // The old row under the name that the condition has for it.
        let row = SQLText.identifier(ExpressionSQL.alias(ofVariable: 0))
        let key = SQLText.column(SystemColumn.key, of: alias)
        var conditions = ["\(row).\"_id\" = old.\"_id\""]
        if match.old.hasSubentities(root) {
            // Only what lives on, and as what the relationship may lead to.
            let names = match.new.family(of: destination).compactMap {
                match.oldEntity(of: $0).map { SQLText.literal(.text($0.name)) }
            }
            conditions.append("\(alias).\"_entity\" IN (\(names.joined(separator: ", ")))")
        }
        conditions.append("(\(condition.text))")
        var order: [String] = []
        for item in link.order {
            guard let declarer = match.old.declarer(of: item.attribute, in: oldDestination),
                match.old.attribute(item.attribute, of: oldDestination)?.isTransient == false
            else { return nil }
            let column = match.old.column(of: item.attribute, in: declarer)
            order.append(
                "\(SQLText.column(column, of: alias))\(item.isDescending ? " DESC" : "") NULLS LAST"
            )
        }
        order.append(key)
        let newKey =
            match.shiftsKeys(of: oldDestination) ? match.newKey(key, of: oldDestination) : key
        return "(SELECT \(newKey) FROM \(SQLText.identifier(root.name)) AS \(alias), "
            + "\(SQLText.identifier(sourceRoot.name)) AS \(row) "
            + "WHERE \(conditions.joined(separator: " AND ")) "
            + "ORDER BY \(order.joined(separator: ", ")) LIMIT 1)"
    }

    private static let alias = "found"
    /// What the condition calls the object that gets the link.
    private static let sourceName = "source"
}

import CambiumModel

extension ObjectTableBuilder {
    /// One per key, one per unique constraint, one per index of the model.
    func indexes(of entity: Entity) -> [TableIndex] {
        keyIndexes(of: entity) + uniqueIndexes(of: entity) + modelIndexes(of: entity)
    }

    private func keyIndexes(of entity: Entity) -> [TableIndex] {
        entity.relationships.compactMap { relationship in
            guard case .key(let column, _) = model.storage(of: relationship, of: entity) else {
                return nil
            }
            // With the places, the members of an ordered to-many are read in their order.
            let position = model.inversePositionColumn(of: relationship, of: entity)
            return index(
                "\(entity.name).key.\(relationship.name)",
                by: [column, position].compactMap { $0.map(SQLText.identifier) })
        }
    }

    private func uniqueIndexes(of entity: Entity) -> [TableIndex] {
        let entities = entity.parent == nil ? [] : model.family(of: entity).map(\.name)
        var seen: Set<UniqueConstraint> = []
        return entity.uniqueConstraints.filter { seen.insert($0).inserted }.map { constraint in
            let rows = UniqueRows(
                constraint.properties.map { column(of: $0, in: entity) }, of: entities)
            return index(
                ConstraintName.unique(
                    entity: entity.name, properties: constraint.properties
                ).text, by: [rows.list], where: rows.condition, unique: rows)
        }
    }

    private func modelIndexes(of entity: Entity) -> [TableIndex] {
        var uses: [String: Int] = [:]
        return entity.indexes.compactMap { declared in
            let columns = declared.elements.compactMap { indexed($0, of: entity) }
            // A value that only the program can compute cannot be in the store's index.
            guard columns.count == declared.elements.count else { return nil }
            let words = declared.elements.map { element in
                (element.expression == nil ? element.property : "computed")
                    + (element.isDescending ? " descending" : "")
            }
            let name = "\(entity.name).index.\(declared.name ?? words.joined(separator: "+"))"
            uses[name, default: 0] += 1
            let count = uses[name] ?? 1
            return index(
                count == 1 ? name : "\(name).\(count)", by: columns,
                where: declared.condition.flatMap {
                    model.columnCondition($0, of: entity, for: .filter)
                })
        }
    }

    private func indexed(_ element: IndexElement, of entity: Entity) -> String? {
        let direction = element.isDescending ? " DESC" : ""
        guard let expression = element.expression else {
            return SQLText.identifier(column(of: element.property, in: entity)) + direction
        }
        return model.columnValue(expression, of: entity).map { "(\($0))\(direction)" }
    }

    private func index(
        _ name: String, by columns: [String], where condition: String? = nil,
        unique: UniqueRows? = nil
    ) -> TableIndex {
        TableIndex(
            name: name,
            createStatement: "CREATE \(unique == nil ? "" : "UNIQUE ")INDEX "
                + "\(SQLText.identifier(name)) ON \(SQLText.identifier(root.name)) "
                + "(\(columns.joined(separator: ", ")))"
                + (condition.map { "\n    WHERE \($0)" } ?? ""),
            uniqueRows: unique)
    }

    /// The column of an own or inherited property.
    private func column(of property: String, in entity: Entity) -> String {
        model.column(of: property, in: model.declarer(of: property, in: entity) ?? entity)
    }
}

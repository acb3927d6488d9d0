import CambiumModel

/// The triggers of a join table.
struct LinkHistory {
    /// One end of the pairs.
    private struct End {
        /// The column of the object's key.
        let column: String
        let entity: Entity
        /// The relationship of that object which the pairs are.
        let relationship: Relationship
        /// The column of its places, where it is ordered.
        let position: String?
    }

    private let table: Table
    private let model: Model
    private let ends: [End]

    /// - Parameters:
    ///   - entity: The entity whose objects are the sources.
    ///   - relationship: The relationship that the table is named after.
    init?(_ table: Table, _ entity: String, _ relationship: String, _ model: Model) {
        guard let source = model.entity(named: entity),
            let first = source.relationships.first(where: { $0.name == relationship }),
            let destination = model.entity(named: first.destination)
        else { return nil }
        self.table = table
        self.model = model
        func position(_ relationship: Relationship, _ entity: Entity) -> String? {
            let name = model.positionColumn(of: relationship, of: entity)
            return table.columns.first { $0.name == name }?.name
        }
        var ends = [
            End(
                column: "_source", entity: source, relationship: first,
                position: position(first, source))
        ]
        if let inverse = model.inverse(of: first) {
            let isItsOwn = inverse.relationship == first && inverse.entity == source
            ends.append(
                End(
                    column: "_destination", entity: destination,
                    relationship: inverse.relationship,
                    position: isItsOwn ? nil : position(inverse.relationship, inverse.entity)))
        }
        self.ends = ends
    }

    var triggers: [StoreTrigger] {
        let name = SQLText.identifier(table.name)
        return [
            HistoryWriting.trigger(
                "INSERT ON \(name)", named: "insert", on: table.name,
                ends.map { touch($0, .new) }),
            HistoryWriting.trigger(
                "DELETE ON \(name)", named: "delete", on: table.name,
                ends.map { touch($0, .old) }),
        ]
            + ends.compactMap { end in
                end.position.map { position in
                    HistoryWriting.trigger(
                        "UPDATE OF \(SQLText.identifier(position)) ON \(name)",
                        named: "place.\(position)", on: table.name,
                        [touch(end, .new, where: ObjectHistory.differs(position))])
                }
            }
    }

    private func touch(
        _ end: End, _ version: RowVersion, where condition: String? = nil
    ) -> String {
        HistoryWriting.change(
            .update, entity: entity(of: end, version), key: version.column(end.column),
            properties: HistoryWriting.property(end.relationship.name), where: condition)
    }

    /// The entity of the object at an end, which its own row knows.
    private func entity(of end: End, _ version: RowVersion) -> String {
        let literal = SQLText.literal(end.entity.name)
        let root = model.root(of: end.entity)
        guard model.hasSubentities(end.entity) else { return literal }
        return """
            coalesce((SELECT \(SQLText.identifier(SystemColumn.entity)) \
            FROM \(SQLText.identifier(root.name)) \
            WHERE \(SQLText.identifier(SystemColumn.key)) = \(version.column(end.column))), \
            \(literal))
            """
    }
}

import CambiumModel

/// The object that a key leads to, to which a relationship leads back: a change of the key changes
/// that one, too.
struct KeyOwner {
    private let table: String
    private let key: String
    /// The column of the owner's entity, where it has one.
    private let entityColumn: String?
    /// The column of the place in the owner's list, where that is ordered.
    private let positionColumn: String?
    /// The entity that the key leads to.
    private let destination: String
    /// The name of the relationship that leads back.
    private let inverse: String

    /// - Returns: Nil where the column is no key, or nothing leads back.
    init?(of column: Table.Column, in table: Table, _ model: Model) {
        guard case .key(let entityName, let name) = column.content,
            let entity = model.entity(named: entityName),
            let relationship = entity.relationships.first(where: { $0.name == name }),
            let inverse = model.inverse(of: relationship), !inverse.relationship.isTransient
        else { return nil }
        self.table = table.name
        key = column.name
        entityColumn =
            table.columns.first {
                $0.content == .entityOfKey(entity: entityName, relationship: name)
            }?.name
        let position = model.inversePositionColumn(of: relationship, of: entity)
        positionColumn = table.columns.first { $0.name == position }?.name
        destination = relationship.destination
        self.inverse = inverse.relationship.name
    }

    /// Writes the owner that a row leads to.
    func touch(_ version: RowVersion) -> String {
        touch(version, where: "\(version.column(key)) IS NOT NULL")
    }

    /// Writes the owner that a row led or leads to, where these are two.
    func touchIfChanged(_ version: RowVersion) -> String {
        touch(
            version,
            where: "\(version.column(key)) IS NOT NULL AND \(ObjectHistory.differs(key))")
    }

    /// Writes the owner of a list in which a row got another place.
    var placeTrigger: StoreTrigger? {
        positionColumn.map { position in
            HistoryWriting.trigger(
                "UPDATE OF \(SQLText.identifier(position)) ON \(SQLText.identifier(table))",
                named: "place.\(position)", on: table,
                [
                    touch(
                        .new,
                        where: "\(RowVersion.new.column(key)) IS NOT NULL "
                            + "AND \(ObjectHistory.differs(position))")
                ])
        }
    }

    private func touch(_ version: RowVersion, where condition: String) -> String {
        let literal = SQLText.literal(destination)
        return HistoryWriting.change(
            .update,
            entity: entityColumn.map { "coalesce(\(version.column($0)), \(literal))" } ?? literal,
            key: version.column(key), properties: HistoryWriting.property(inverse),
            where: condition)
    }
}

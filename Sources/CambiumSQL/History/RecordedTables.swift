import CambiumModel

/// The content of a history about changes in a table of objects, independent of how it is written.
package struct RecordedObjects: Sendable {
    /// A column with recorded values. Columns of values that may be in files, and position columns,
    /// are excluded.
    package struct Column: Sendable {
        package let name: String
        /// The column of the key that this one is the entity of.
        package let key: String?
        /// Whether the history of a deleted row has it in any case.
        package let isPreserved: Bool
    }

    /// The properties, each with its columns.
    package let properties: [(name: String, columns: [String])]
    package let columns: [Column]
    package let owners: [RecordedOwner]

    package init(of table: Table, _ model: Model) {
        var names: [String] = []
        var columns: [String: [String]] = [:]
        for column in table.columns {
            guard let name = column.content.property else { continue }
            if columns[name] == nil { names.append(name) }
            columns[name, default: []].append(column.name)
        }
        properties = names.map { ($0, columns[$0] ?? []) }
        self.columns = table.columns.compactMap { Column($0, in: table, model) }
        owners = table.columns.compactMap { RecordedOwner(of: $0, in: table, model) }
    }
}

extension RecordedObjects.Column {
    fileprivate init?(_ column: Table.Column, in table: Table, _ model: Model) {
        switch column.content {
        case .attribute(let entity, let name):
            guard let attribute = model.entity(named: entity)?.attribute(named: name),
                !attribute.usesExternalForm
            else { return nil }
            self.init(
                name: column.name, key: nil, isPreserved: attribute.isPreservedAfterDeletion)
        case .key:
            self.init(name: column.name, key: nil, isPreserved: false)
        case .entityOfKey(let entity, let relationship):
            let key = table.columns.first {
                $0.content == .key(entity: entity, relationship: relationship)
            }
            self.init(name: column.name, key: key?.name, isPreserved: false)
        case .system, .entity, .position: return nil
        }
    }
}

/// The object that a key references and that has the inverse relationship. A change of the key
/// changes that object too.
package struct RecordedOwner: Sendable {
    package let table: String
    package let key: String
    /// The column of the owner's entity, if there is one.
    package let entityColumn: String?
    /// The column of the position in the owner's list, if that is ordered.
    package let positionColumn: String?
    /// The entity that the key references.
    package let destination: String
    /// The name of the inverse relationship.
    package let inverse: String

    /// - Returns: Nil if the column is not a key, or has no inverse.
    init?(of column: Table.Column, in table: Table, _ model: Model) {
        guard case .key(let entityName, let name) = column.content,
            let entity = model.entity(named: entityName),
            let relationship = entity.relationship(named: name),
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
}

/// One end of the pairs of a join table. A pair that is added or removed changes the object there.
package struct RecordedEnd: Sendable {
    /// The column of the object's key.
    package let column: String
    package let entity: String
    /// The table that contains the object's entity; nil if there is only one entity.
    package let tableOfEntities: String?
    /// The relationship of that object that the pairs represent.
    package let relationship: String
    /// The column of its positions, if it is ordered.
    package let position: String?

    /// Returns the ends of a join table. The second end exists only if the relationship has an
    /// inverse.
    ///
    /// - Returns: Nil if the table is not one of the model's.
    package static func ends(of table: Table, _ model: Model) -> [RecordedEnd]? {
        guard case .links(let entity, let relationship) = table.content,
            let source = model.entity(named: entity),
            let first = source.relationship(named: relationship),
            let destination = model.entity(named: first.destination)
        else { return nil }
        func end(
            _ column: String, _ entity: Entity, _ relationship: Relationship,
            position name: String?
        ) -> RecordedEnd {
            RecordedEnd(
                column: column, entity: entity.name,
                tableOfEntities: model.hasSubentities(entity) ? model.root(of: entity).name : nil,
                relationship: relationship.name,
                position: table.columns.first { $0.name == name }?.name)
        }
        var ends = [
            end(
                "_source", source, first, position: model.positionColumn(of: first, of: source))
        ]
        if let inverse = model.inverse(of: first) {
            let isItsOwn = inverse.relationship == first && inverse.entity == source
            ends.append(
                end(
                    "_destination", destination, inverse.relationship,
                    position: isItsOwn
                        ? nil
                        : model.positionColumn(of: inverse.relationship, of: inverse.entity)))
        }
        return ends
    }
}

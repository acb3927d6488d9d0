/// Where a relationship's links are kept.
public enum RelationshipStorage: Sendable, Hashable {
    /// In a column of the row itself that holds the destination's key; `entityColumn` holds the
    /// destination's entity where that has sub-entities.
    case key(column: String, entityColumn: String?)
    /// In the key column of the inverse, in the destination's row.
    case inverseKey(column: String)
    /// In a table of pairs; `sourceColumn` holds this side's key.
    case joinTable(name: String, sourceColumn: String, destinationColumn: String)
    /// Nowhere: the links live in memory only.
    case transient
}

extension Model {
    /// Where the links of a relationship of `entity` (its own or an inherited one) are kept.
    ///
    /// A one-to-one is kept by one side: the required one, else the first by entity and name. A
    /// many-to-many, and a to-many without inverse, has a table named after its first side.
    public func storage(of relationship: Relationship, of entity: Entity) -> RelationshipStorage {
        if relationship.isTransient { return .transient }
        let source = declarer(of: relationship.name, in: entity) ?? entity
        guard let destination = self.entity(named: relationship.destination),
            let inverse = relationship.inverse.flatMap({ self.relationship($0, of: destination) })
        else {
            return relationship.isToMany
                ? joinTable(source.name, relationship.name, isFirst: true)
                : keyColumn(of: relationship, in: source)
        }
        let inverseSource = declarer(of: inverse.name, in: destination) ?? destination
        let isFirst =
            (source.name, relationship.name) <= (inverseSource.name, inverse.name)
        switch (relationship.isToMany, inverse.isToMany) {
        case (false, true):
            return keyColumn(of: relationship, in: source)
        case (true, false):
            return .inverseKey(column: column(of: inverse.name, in: inverseSource))
        case (false, false):
            let ownsKey =
                relationship.isOptional == inverse.isOptional ? isFirst : !relationship.isOptional
            return ownsKey
                ? keyColumn(of: relationship, in: source)
                : .inverseKey(column: column(of: inverse.name, in: inverseSource))
        case (true, true):
            return isFirst
                ? joinTable(source.name, relationship.name, isFirst: true)
                : joinTable(inverseSource.name, inverse.name, isFirst: false)
        }
    }

    /// The column of a stored property that `entity` declares: its name, or `Entity_name` where
    /// another column of the same table would have that name, in whatever case. The dots in the name
    /// of a part of a composite value become underscores.
    public func column(of property: String, in entity: Entity) -> String {
        indexByName[entity.name].flatMap { hierarchy.columns[$0][property] }
            ?? ColumnNames.plainName(of: property)
    }

    private func keyColumn(of relationship: Relationship, in entity: Entity) -> RelationshipStorage
    {
        let column = column(of: relationship.name, in: entity)
        let destination = self.entity(named: relationship.destination)
        let isPolymorphic = destination.map(hasSubentities) ?? false
        return .key(column: column, entityColumn: isPolymorphic ? "\(column)_entity" : nil)
    }

    private func joinTable(
        _ entity: String, _ relationship: String, isFirst: Bool
    ) -> RelationshipStorage {
        .joinTable(
            name: hierarchy.joinTables["\(entity).\(relationship)"]
                ?? "\(entity)_\(relationship)", sourceColumn: isFirst ? "_source" : "_destination",
            destinationColumn: isFirst ? "_destination" : "_source")
    }
}

/// Where the order of an ordered to-many is kept: in a column of numbers beside the one that holds
/// the owner's key, `<column of the owner's key>_position`.
///
/// The numbers have gaps, so that an insertion writes one of them, and are not unique. A member
/// without a number comes after those that have one; members that are equal in it come in the order
/// of their keys.
extension Model {
    /// The distance of neighbours that were appended.
    package static let positionGap: Int64 = 1 << 20

    /// The position column of an ordered to-many of `entity` (its own or an inherited one): in the
    /// destination's table, or in the join table. Nil where nothing is ordered or stored.
    public func positionColumn(of relationship: Relationship, of entity: Entity) -> String? {
        guard relationship.isToMany, relationship.isOrdered else { return nil }
        return switch storage(of: relationship, of: entity) {
        case .inverseKey(let column): "\(column)_position"
        case .joinTable(_, let source, _): "\(source)_position"
        case .key, .transient: nil
        }
    }

    /// The column, in the rows of a to-one's own objects, of their places in the ordered to-many
    /// that leads back to them; nil where there is none.
    public func inversePositionColumn(
        of relationship: Relationship, of entity: Entity
    ) -> String? {
        guard !relationship.isToMany, let inverse = inverse(of: relationship) else { return nil }
        return positionColumn(of: inverse.relationship, of: inverse.entity)
    }

    /// The relationship that leads back, and the entity that declares it.
    public func inverse(
        of relationship: Relationship
    ) -> (relationship: Relationship, entity: Entity)? {
        guard let name = relationship.inverse,
            let destination = entity(named: relationship.destination),
            let declarer = declarer(of: name, in: destination),
            let inverse = declarer.relationships.first(where: { $0.name == name })
        else { return nil }
        return (inverse, declarer)
    }
}

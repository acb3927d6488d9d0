/// A link from objects of one entity to objects of another (or the same).
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(name:destination:inverse:isToMany:isOptional:minimumCount:maximumCount:deleteRule:renamedFrom:isOrdered:isTransient:hashModifier:userInfo:)``
///
/// ### Name and ends
///
/// - ``name``
/// - ``destination``
/// - ``inverse``
/// - ``deleteRule``
///
/// ### Number and order of objects
///
/// - ``isToMany``
/// - ``isOptional``
/// - ``minimumCount``
/// - ``maximumCount``
/// - ``isOrdered``
///
/// ### Storage
///
/// - ``isTransient``
///
/// ### Versions and notes
///
/// - ``renamedFrom``
/// - ``hashModifier``
/// - ``userInfo``
public final class Relationship: Sendable {
    /// The name of the Swift property.
    public let name: String
    /// The entity of the objects at the other end.
    public let destination: String
    /// The inverse relationship of the destination, which is kept consistent with this one.
    public let inverse: String?
    /// Whether the relationship can reference any number of objects.
    public let isToMany: Bool
    /// Whether a to-one may be nil. For a to-many, see ``minimumCount``.
    public let isOptional: Bool
    /// The least number of objects of a to-many; nil means none.
    public let minimumCount: Int?
    /// The greatest number of objects of a to-many; nil means no limit.
    public let maximumCount: Int?
    /// The effect on the objects at the other end when this end's object is deleted.
    public let deleteRule: DeleteRule
    /// The relationship's name in the previous version, or nil if it was not renamed.
    public let renamedFrom: String?
    /// Whether the objects of a to-many have an order that is kept.
    public let isOrdered: Bool
    /// Whether the links live in memory only and are never stored.
    public let isTransient: Bool
    /// A text that changes the version hash although the storage is the same.
    public let hashModifier: String?
    /// The author's notes for programs.
    public let userInfo: [String: String]

    /// Describes a relationship.
    public init(
        name: String, destination: String, inverse: String? = nil, isToMany: Bool = false,
        isOptional: Bool = true, minimumCount: Int? = nil, maximumCount: Int? = nil,
        deleteRule: DeleteRule = .nullify, renamedFrom: String? = nil, isOrdered: Bool = false,
        isTransient: Bool = false, hashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.isOptional = isOptional
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
        self.deleteRule = deleteRule
        self.renamedFrom = renamedFrom
        self.isOrdered = isOrdered
        self.isTransient = isTransient
        self.hashModifier = hashModifier
        self.userInfo = userInfo
    }

    /// Returns the relationship with another inverse and another former name.
    package func with(inverse: String?, renamedFrom: String?) -> Relationship {
        Relationship(
            name: name, destination: destination, inverse: inverse, isToMany: isToMany,
            isOptional: isOptional, minimumCount: minimumCount, maximumCount: maximumCount,
            deleteRule: deleteRule, renamedFrom: renamedFrom, isOrdered: isOrdered,
            isTransient: isTransient, hashModifier: hashModifier, userInfo: userInfo)
    }
}

extension Relationship: Hashable {
    /// Whether all parts are equal.
    public static func == (one: Relationship, other: Relationship) -> Bool {
        one === other || one.name == other.name && one.isWritten(as: other)
    }

    /// Hashes the parts that nearly always differ.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(destination)
    }
}

/// The effect of a deletion on the objects at the other end of a relationship.
public enum DeleteRule: String, Sendable, Hashable, CaseIterable {
    /// The objects lose their link to the deleted object.
    case nullify
    /// The objects are deleted too.
    case cascade
    /// If there are such objects, the save rejects the deletion.
    case deny
}

/// The storage of a relationship's links.
public enum RelationshipStorage: Sendable, Equatable {
    /// A column of the row itself that contains the destination's key. If the destination has
    /// sub-entities, `entityColumn` contains the destination's entity.
    case key(column: String, entityColumn: String?)
    /// In the key column of the inverse, in the destination's row.
    case inverseKey(column: String)
    /// In a table of pairs; `sourceColumn` holds this side's key.
    case joinTable(name: String, sourceColumn: String, destinationColumn: String)
    /// The links are not stored. They exist in memory only.
    case transient
}

extension Model {
    /// Returns the storage of a relationship of `entity` (its own or an inherited one).
    ///
    /// A one-to-one is stored on one side: the required one, or else the first by entity and name.
    /// A many-to-many, and a to-many without inverse, has a table named after its first side.
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

    /// Returns the column of a stored property that `entity` declares. It has the property's name,
    /// or `Entity_name` if another column of the same table would have that name, ignoring case.
    /// The dots in the name of a part of a composite value become underscores.
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

/// The order of an ordered to-many is stored in a column of numbers beside the column of the
/// owner's key: `<column of the owner's key>_position`.
///
/// The numbers have gaps, so that an insertion writes only one of them, and are not unique. Members
/// without a number come last. Members with equal numbers are ordered by their keys.
extension Model {
    /// The distance of neighbours that were appended.
    package static let positionGap: Int64 = 1 << 20

    /// Returns the position column of an ordered to-many of `entity` (its own or an inherited one).
    /// It is in the destination's table, or in the join table. The result is nil if the
    /// relationship is not ordered or not stored.
    public func positionColumn(of relationship: Relationship, of entity: Entity) -> String? {
        guard relationship.isToMany, relationship.isOrdered else { return nil }
        return switch storage(of: relationship, of: entity) {
        case .inverseKey(let column): "\(column)_position"
        case .joinTable(_, let source, _): "\(source)_position"
        case .key, .transient: nil
        }
    }

    /// Returns the column for the positions of a to-one's own objects in the ordered to-many that
    /// is its inverse; nil if there is none.
    public func inversePositionColumn(
        of relationship: Relationship, of entity: Entity
    ) -> String? {
        guard !relationship.isToMany, let inverse = inverse(of: relationship) else { return nil }
        return positionColumn(of: inverse.relationship, of: inverse.entity)
    }

    /// The inverse relationship, and the entity that declares it.
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

/// One complete, checked version of a data model.
///
/// The compiler creates it from XML, generated code contains it as text, the runtime uses it, and
/// the migration planner compares two of them. There is no second model type.
///
/// The compiler's checks establish these invariants, and all code may rely on them: names are
/// unique, every referenced name exists, an inverse references its relationship, and parents have
/// no cycles.
///
/// It is a class because it never changes: its holders share references to it.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(name:version:entities:enumerations:composites:configurations:identifier:userInfo:migration:)``
///
/// ### Name and version
///
/// - ``name``
/// - ``version``
/// - ``identifier``
/// - ``versionHash``
/// - ``migration``
/// - ``userInfo``
///
/// ### Entities
///
/// - ``entities``
/// - ``roots``
/// - ``entity(named:)``
/// - ``configurations``
///
/// ### Inheritance
///
/// - ``lineage(of:)``
/// - ``family(of:)``
/// - ``root(of:)``
/// - ``hasSubentities(_:)``
/// - ``entity(_:isKindOf:)``
///
/// ### Properties
///
/// - ``attributes(of:)``
/// - ``attribute(_:of:)``
/// - ``compositeAttributes(of:)``
/// - ``compositeAttribute(_:of:)``
/// - ``relationships(of:)``
/// - ``relationship(_:of:)``
/// - ``inverse(of:)``
/// - ``fetchedProperties(of:)``
/// - ``declarer(of:in:)``
/// - ``path(_:of:)``
///
/// ### Enumerations and composite types
///
/// - ``enumerations``
/// - ``enumeration(named:)``
/// - ``composites``
/// - ``composite(named:)``
///
/// ### Storage
///
/// - ``column(of:in:)``
/// - ``storage(of:of:)``
/// - ``positionColumn(of:of:)``
/// - ``inversePositionColumn(of:of:)``
/// - ``storageClass(of:)``
/// - ``stored(_:as:)``
/// - ``value(_:as:)``
public final class Model: Sendable {
    /// The model's name, such as `Shop`.
    public let name: String
    /// The version's name, such as `3`. Versions of a bundle are ordered by the compiler.
    public let version: String
    /// The entities in declaration order.
    public let entities: [Entity]
    /// The enumerations that attributes may have as their type.
    public let enumerations: [Enumeration]
    /// The composite types that attributes may have.
    public let composites: [Composite]
    /// Parts of the model that stores of their own may hold.
    public let configurations: [Configuration]
    /// The version's identifier from Core Data's tools, or nil if it has none.
    public let identifier: String?
    /// The author's notes for programs.
    public let userInfo: [String: String]
    /// The author's declaration of the migration from the previous version, or nil if there is
    /// none.
    public let migration: MigrationDeclaration?

    let indexByName: [String: Int]
    let hierarchy: ModelHierarchy

    /// Creates a model. Later entities with an equal name are ignored in look-ups by name; the
    /// compiler rejects such models.
    public init(
        name: String, version: String, entities: [Entity], enumerations: [Enumeration] = [],
        composites: [Composite] = [], configurations: [Configuration] = [],
        identifier: String? = nil, userInfo: [String: String] = [:],
        migration: MigrationDeclaration? = nil
    ) {
        self.name = name
        self.version = version
        self.entities = entities
        self.enumerations = enumerations
        self.composites = composites
        self.configurations = configurations
        self.identifier = identifier
        self.userInfo = userInfo
        self.migration = migration
        indexByName = Dictionary(
            entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        hierarchy = ModelHierarchy(entities, indexByName)
    }

    /// Copies another model, except for some parts.
    package convenience init(
        _ model: Model, version: String? = nil, entities: [Entity]? = nil,
        migration: MigrationDeclaration?
    ) {
        self.init(
            name: model.name, version: version ?? model.version,
            entities: entities ?? model.entities, enumerations: model.enumerations,
            composites: model.composites, configurations: model.configurations,
            identifier: model.identifier, userInfo: model.userInfo, migration: migration)
    }

    /// Returns the model with other entities.
    package func with(_ entities: [Entity]) -> Model {
        Model(self, entities: entities, migration: migration)
    }

    /// Returns the model with another declaration of the step to it, or without one.
    package func declaring(_ migration: MigrationDeclaration?) -> Model {
        Model(self, migration: migration)
    }

    /// The entity of that name, or nil.
    public func entity(named name: String) -> Entity? {
        indexByName[name].map { entities[$0] }
    }

    /// The enumeration of that name, or nil.
    public func enumeration(named name: String) -> Enumeration? {
        enumerations.first { $0.name == name }
    }

    /// The composite type of that name, or nil.
    public func composite(named name: String) -> Composite? {
        composites.first { $0.name == name }
    }
}

extension Model: Hashable {
    /// Whether all parts are equal.
    public static func == (one: Model, other: Model) -> Bool {
        one === other || one.name == other.name && one.isWritten(as: other)
    }

    /// Hashes the parts that nearly always differ.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(version)
        hasher.combine(entities.count)
    }
}

extension Model: CustomStringConvertible {
    /// The name and the version: `Library, version 1`.
    public var description: String { "\(name), version \(version)" }
}

/// A part of the model that a store of its own may hold.
public struct Configuration: Sendable, Equatable {
    /// The name.
    public let name: String
    /// The names of its entities, in order.
    public let entities: [String]
    /// The author's notes for programs.
    public let userInfo: [String: String]

    /// Describes a configuration.
    public init(name: String, entities: [String], userInfo: [String: String] = [:]) {
        self.name = name
        self.entities = entities
        self.userInfo = userInfo
    }
}

extension Model {
    /// The entity and its ancestors, the root first.
    public func lineage(of entity: Entity) -> [Entity] {
        guard let index = indexByName[entity.name] else { return [entity] }
        return hierarchy.lineages[index].map { entities[$0] }
    }

    /// Returns the topmost ancestor. It names the table that the whole hierarchy shares.
    public func root(of entity: Entity) -> Entity {
        guard let index = indexByName[entity.name] else { return entity }
        return entities[hierarchy.lineages[index][0]]
    }

    /// The entities that have no parent, in order: one table each.
    public var roots: [Entity] {
        entities.filter { $0.parent == nil }
    }

    /// The entity and everything below it, in declaration order.
    public func family(of entity: Entity) -> [Entity] {
        guard let index = indexByName[entity.name] else { return [entity] }
        return hierarchy.families[index].map { entities[$0] }
    }

    /// Whether other entities inherit from this one.
    public func hasSubentities(_ entity: Entity) -> Bool {
        indexByName[entity.name].map { hierarchy.families[$0].count > 1 } ?? false
    }

    /// Whether `entity` is `ancestor` or inherits from it.
    public func entity(_ entity: Entity, isKindOf ancestor: Entity) -> Bool {
        guard let index = indexByName[entity.name], let other = indexByName[ancestor.name] else {
            return entity.name == ancestor.name
        }
        return hierarchy.lineages[index].contains(other)
    }

    /// All attributes of an entity, inherited ones first.
    public func attributes(of entity: Entity) -> [Attribute] {
        lineage(of: entity).flatMap { $0.attributes }
    }

    /// All relationships of an entity, inherited ones first.
    public func relationships(of entity: Entity) -> [Relationship] {
        lineage(of: entity).flatMap { $0.relationships }
    }

    /// An attribute of the entity or of an ancestor.
    ///
    /// - Complexity: O(depth of the hierarchy)
    public func attribute(_ name: String, of entity: Entity) -> Attribute? {
        guard let (owner, place) = place(of: name, in: entity, where: \.isAttribute) else {
            return nil
        }
        if case .attribute(let index) = place { return owner.attributes[index] }
        return nil
    }

    /// A relationship of the entity or of an ancestor.
    ///
    /// - Complexity: O(depth of the hierarchy)
    public func relationship(_ name: String, of entity: Entity) -> Relationship? {
        guard let (owner, place) = place(of: name, in: entity, where: { !$0.isAttribute }) else {
            return nil
        }
        if case .relationship(let index) = place { return owner.relationships[index] }
        return nil
    }

    /// The entity in the lineage of `entity` that declares the attribute or relationship of that
    /// name.
    ///
    /// - Complexity: O(depth of the hierarchy)
    public func declarer(of property: String, in entity: Entity) -> Entity? {
        place(of: property, in: entity, where: { _ in true })?.owner
    }

    /// The topmost declaration of a property of that name and kind.
    private func place(
        of property: String, in entity: Entity, where isMeant: (ModelHierarchy.Place) -> Bool
    ) -> (owner: Entity, place: ModelHierarchy.Place)? {
        guard let number = indexByName[entity.name] else {
            // An entity of no model has no ancestors.
            let place = ModelHierarchy.places(of: entity)[property]
            return place.flatMap { isMeant($0) ? (entity, $0) : nil }
        }
        for ancestor in hierarchy.lineages[number] {
            if let place = hierarchy.places[ancestor][property], isMeant(place) {
                return (entities[ancestor], place)
            }
        }
        return nil
    }

    /// Returns the names on the path to a property, from a name joined by dots. A part of a
    /// composite value has dots in its own name and is one step.
    ///
    /// - Complexity: O(length)
    public func path(_ name: String, of entity: Entity) -> [String] {
        guard let dot = name.firstIndex(of: "."), attribute(name, of: entity) == nil else {
            return [name]
        }
        let first = String(name[..<dot])
        let rest = String(name[name.index(after: dot)...])
        guard let relationship = relationship(first, of: entity),
            let destination = self.entity(named: relationship.destination)
        else { return [name] }
        return [first] + path(rest, of: destination)
    }
}

extension ModelHierarchy.Place {
    /// Whether it is an attribute's.
    fileprivate var isAttribute: Bool {
        if case .attribute = self { true } else { false }
    }
}

extension Model {
    /// The storage of a type's values in a row.
    public func storageClass(of type: AttributeType) -> StorageClass {
        plainType(of: type).descriptor.storage
    }

    /// The type, or of an enumeration the type of its raw values.
    package func plainType(of type: AttributeType) -> AttributeType {
        guard case .enumeration(let name) = type else { return type }
        return enumeration(named: name)?.rawType ?? type
    }

    /// Returns the stored form of a value of an attribute, as the tables of a store contain it.
    ///
    /// - Returns: Nil if the value has another type or does not fit (a decimal with more places
    ///   than its scale, an integer out of range).
    public func stored(_ value: Value, as type: AttributeType) -> StoredValue? {
        value.stored(as: plainType(of: type))
    }

    /// Returns the value of an attribute from its stored form.
    ///
    /// - Returns: Nil if the stored form does not belong to that type. Only another program can
    ///   have written such a form.
    public func value(_ stored: StoredValue, as type: AttributeType) -> Value? {
        guard case .enumeration(let name) = type else { return stored.value(as: type) }
        let isText = enumeration(named: name)?.rawType == .string
        return switch stored {
        case .null: .null
        case .text(let raw): isText ? .string(raw) : nil
        case .integer(let raw): isText ? nil : .int(raw)
        case .real, .blob: nil
        }
    }
}

/// The inheritance and the declared properties of a model's entities, computed once. Code that
/// follows an entity's parents or children, or looks up a property, uses it instead of searching
/// all entities again.
final class ModelHierarchy: Sendable {
    /// The index of a property in its entity's list.
    enum Place: Sendable {
        case attribute(Int)
        case relationship(Int)
    }

    /// For each entity the numbers of its ancestors and itself, the root first.
    let lineages: [[Int]]
    /// For each entity the numbers of itself and of everything below it, in declaration order.
    let families: [[Int]]
    /// For each entity the places of the attributes and relationships that it declares.
    let places: [[String: Place]]
    /// For each entity, the columns of its own properties that have another name because the table
    /// already has a column with the property's name.
    let columns: [[String: String]]
    /// The names of join tables that differ because another table has the usual name, by
    /// `Entity.relationship`.
    let joinTables: [String: String]

    init(_ entities: [Entity], _ indexByName: [String: Int]) {
        lineages = entities.indices.map { index in
            var lineage = [index]
            // A cycle ends at its first repeated entity. The compiler rejects cycles.
            while let last = lineage.last, let name = entities[last].parent,
                let parent = indexByName[name], !lineage.contains(parent)
            {
                lineage.append(parent)
            }
            lineage.reverse()
            return lineage
        }
        var families = [[Int]](repeating: [], count: entities.count)
        for (index, lineage) in lineages.enumerated() {
            for ancestor in lineage { families[ancestor].append(index) }
        }
        let (lineages, subentities) = (lineages, families)
        self.families = families
        let places = entities.map(Self.places)
        self.places = places
        var columns = [[String: String]](repeating: [:], count: entities.count)
        for (index, lineage) in lineages.enumerated() where lineage.count == 1 {
            let family = families[index]
            let names = ColumnNames(of: family.map { entities[$0] }) { toOne in
                guard let number = indexByName[toOne.destination] else { return [] }
                let inverse = toOne.inverse.flatMap { name in
                    Self.relationship(name, in: lineages[number].map { entities[$0] })
                }
                let isInList = inverse.map { $0.isToMany && $0.isOrdered } ?? false
                return (subentities[number].count > 1 ? ["_entity"] : [])
                    + (isInList ? ["_position"] : [])
            }
            for (member, names) in zip(family, names.columns) { columns[member] = names }
        }
        self.columns = columns
        joinTables = Self.joinTables(of: entities) { relationship in
            indexByName[relationship.destination].flatMap { number in
                relationship.inverse.flatMap { name in
                    Self.relationship(name, in: lineages[number].map { entities[$0] })
                }
            }
        }
    }

    private static func relationship(_ name: String, in lineage: [Entity]) -> Relationship? {
        for ancestor in lineage {
            if let found = ancestor.relationships.first(where: { $0.name == name }) { return found }
        }
        return nil
    }

    private static func joinTables(
        of entities: [Entity], inverse: (Relationship) -> Relationship?
    ) -> [String: String] {
        var names: [String: String] = [:]
        var taken = Set(entities.map { $0.name.lowercased() })
        for entity in entities {
            for relationship in entity.relationships
            where relationship.isToMany && !relationship.isTransient {
                guard inverse(relationship)?.isToMany ?? true else { continue }
                let first = "\(entity.name)_\(relationship.name)"
                var name = first
                var number = 2
                while !taken.insert(name.lowercased()).inserted {
                    name = "\(first)_\(number)"
                    number += 1
                }
                if name != first { names["\(entity.name).\(relationship.name)"] = name }
            }
        }
        return names
    }

    static func places(of entity: Entity) -> [String: Place] {
        var places: [String: Place] = [:]
        places.reserveCapacity(entity.attributes.count + entity.relationships.count)
        for (index, relationship) in entity.relationships.enumerated().reversed() {
            places[relationship.name] = .relationship(index)
        }
        for (index, attribute) in entity.attributes.enumerated().reversed() {
            places[attribute.name] = .attribute(index)
        }
        return places
    }
}

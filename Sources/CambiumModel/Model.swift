/// One complete, checked version of a data model.
///
/// The compiler makes it from XML, generated code holds it as text, the runtime lives on it
/// and the migration planner compares two of them. There is no second model type.
///
/// Invariants that the compiler's checks establish, and that everything else may rely on: names are
/// unique, every name that is referred to exists, an inverse points back, parents have no cycles.
///
/// A class, because it never changes: what holds a model, or several, holds a reference to each.
public final class Model: Sendable {
    /// The model's name, such as `Shop`.
    public let name: String
    /// The version's name, such as `3`. Versions of a bundle are ordered by the compiler.
    public let version: String
    /// The entities in the order in which the model declares them.
    public let entities: [Entity]
    /// The enumerations that attributes may have as their type.
    public let enumerations: [Enumeration]
    /// The composite types that attributes may have.
    public let composites: [Composite]
    /// Parts of the model that stores of their own may hold.
    public let configurations: [Configuration]
    /// A name for the version that programs gave it in Core Data's tools, where it has one.
    public let identifier: String?
    /// What the author noted for programs.
    public let userInfo: [String: String]
    /// What the author declared about the step from the version before, if anything.
    public let migration: MigrationDeclaration?

    let indexByName: [String: Int]
    let hierarchy: ModelHierarchy

    /// Puts a model together. Later entities of an equal name are ignored in look-ups by name; the
    /// compiler refuses such models.
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

    /// The same as another model, but for some parts.
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

    /// The same with other entities.
    package func with(_ entities: [Entity]) -> Model {
        Model(self, entities: entities, migration: migration)
    }

    /// The same with another declaration of the step to it, or none.
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

    /// Hashes what is nearly always different.
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
    /// What the author noted for programs.
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

    /// The topmost ancestor, which names the table that the whole hierarchy shares.
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

    /// The names on the way to a property, which a list writes joined by dots: a part of a
    /// composite value, whose own name has dots, is one step.
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
    /// How values of a type are kept in a row.
    public func storageClass(of type: AttributeType) -> StorageClass {
        plainType(of: type).descriptor.storage
    }

    /// The type, or of an enumeration the type of its raw values.
    package func plainType(of type: AttributeType) -> AttributeType {
        guard case .enumeration(let name) = type else { return type }
        return enumeration(named: name)?.rawType ?? type
    }

    /// The stored form of a value of an attribute, as the design's table of storage forms says.
    ///
    /// - Returns: nil where the value is of another type or does not fit (a decimal with more
    ///   places than its scale, a whole number out of range).
    public func stored(_ value: Value, as type: AttributeType) -> StoredValue? {
        value.stored(as: plainType(of: type))
    }

    /// The value of an attribute from its stored form.
    ///
    /// - Returns: nil where the stored form is not one of that type, which only another program can
    ///   have written.
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

/// Who inherits from whom and who declares what, worked out once for a model: everything that
/// follows an entity's parents or children, or looks for a property, asks here instead of searching
/// all of them again.
final class ModelHierarchy: Sendable {
    /// Where a property stands in its entity's list.
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
    /// For each entity the columns of the properties that it declares whose own name another column
    /// of the table has.
    let columns: [[String: String]]
    /// The tables of links whose own name another table has, by `Entity.relationship`.
    let joinTables: [String: String]

    init(_ entities: [Entity], _ indexByName: [String: Int]) {
        lineages = entities.indices.map { index in
            var lineage = [index]
            // A cycle, which the compiler refuses, ends where it closes.
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

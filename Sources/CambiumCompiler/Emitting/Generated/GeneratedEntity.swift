import CambiumModel

/// An entity as the emitter sees it: with its Swift names, and with those properties that its own
/// class declares.
///
/// An ancestor without generated code leaves its properties to the nearest classes below it.
final class GeneratedEntity: Sendable {
    let entity: Entity
    /// The type that programs use.
    let typeName: String
    /// The type that is generated: the same, or `_Name` as the base of a hand-written one.
    let className: String
    /// The protocol of its keys.
    let keysName: String
    /// The nearest ancestor with a class, or nil where that is the runtime's own.
    let parentName: String?
    /// The keys protocol of that ancestor.
    let parentKeysName: String?
    /// All attributes with a slot of their own, parts of composite values included.
    let leaves: [GeneratedAttribute]
    /// Those of them that are properties themselves.
    let attributes: [GeneratedAttribute]
    /// The composite attributes, without those within others.
    let composites: [GeneratedComposite]
    let relationships: [GeneratedRelationship]
    let fetched: [GeneratedFetchedProperty]
    /// The functions by which the program validates whole objects; usually none or one.
    let objectHooks: [String]
    /// Whether other entities inherit from it.
    let hasSubentities: Bool

    var isBase: Bool { entity.codeGeneration == .base }

    /// Describes the class of an entity, or gives nil where none is generated.
    init?(_ entity: Entity, in model: Model, names: GeneratedNames) {
        guard entity.codeGeneration != .none else { return nil }
        let lineage = model.lineage(of: entity)
        let parent = lineage.dropLast().last { $0.codeGeneration != .none }
        let inherited = parent.map(model.lineage(of:)) ?? []
        let own = lineage.dropFirst(inherited.count)
        let layout = RecordLayout(of: entity, in: model)

        self.entity = entity
        typeName = names.own(entity.className)
        className =
            entity.codeGeneration == .base
            ? "_" + SwiftText.plainIdentifier(entity.className)
            : SwiftText.identifier(entity.className)
        keysName = SwiftText.plainIdentifier(entity.className) + "Keys"
        parentName = parent.map { SwiftText.identifier($0.className) }
        parentKeysName = parent.map { SwiftText.plainIdentifier($0.className) + "Keys" }
        hasSubentities = model.hasSubentities(entity)
        let leaves = own.flatMap { declarer in
            declarer.attributes.compactMap { attribute in
                layout.slot(of: attribute.name).map {
                    GeneratedAttribute(attribute, of: declarer, slot: $0, in: model, names: names)
                }
            }
        }
        self.leaves = leaves
        attributes = leaves.filter { !$0.attribute.isPart }
        composites = own.flatMap { declarer in
            declarer.compositeAttributes.filter { !$0.isNested }.map {
                GeneratedComposite($0, in: model, layout: layout, names: names)
            }
        }
        let inheritedCount = inherited.reduce(0) { $0 + $1.relationships.count }
        relationships = model.relationships(of: entity).enumerated().dropFirst(inheritedCount).map {
            GeneratedRelationship($1, number: $0, in: model, names: names)
        }
        let inheritedFetched = inherited.reduce(0) { $0 + $1.fetchedProperties.count }
        fetched = model.fetchedProperties(of: entity).enumerated().dropFirst(inheritedFetched).map {
            GeneratedFetchedProperty($1, number: $0, in: model, names: names)
        }
        // An extension cannot override a method of another extension, so only the topmost hook of
        // a hierarchy has the plain name.
        let isHookTaken = inherited.contains(where: \.hasCustomValidation)
        objectHooks = own.filter(\.hasCustomValidation).enumerated().map { index, declarer in
            index == 0 && !isHookTaken
                ? "validateObject" : "validate\(SwiftText.capitalized(declarer.name))Object"
        }
    }
}

/// A relationship with what its accessors need.
final class GeneratedRelationship: Sendable {
    let relationship: Relationship
    /// The name of the Swift property.
    let name: String
    /// Its index among all relationships of the entity.
    let number: Int
    /// The class at the other end.
    let destinationType: String

    init(_ relationship: Relationship, number: Int, in model: Model, names: GeneratedNames) {
        self.relationship = relationship
        self.number = number
        name = SwiftText.member(relationship.name)
        destinationType = names.className(ofEntity: relationship.destination, in: model)
    }

    /// Whether a new object cannot do without an object at the other end.
    var isRequiredAtInsert: Bool {
        !relationship.isToMany && !relationship.isOptional && !relationship.isTransient
    }
}

/// A fetched property with what its accessor needs.
final class GeneratedFetchedProperty: Sendable {
    let property: FetchedProperty
    /// The name of the Swift property.
    let name: String
    /// Its index among all fetched properties of the entity.
    let number: Int
    /// The class of the objects that it finds.
    let destinationType: String

    init(_ property: FetchedProperty, number: Int, in model: Model, names: GeneratedNames) {
        self.property = property
        self.number = number
        name = SwiftText.member(property.name)
        destinationType = names.className(ofEntity: property.destination, in: model)
    }
}

extension GeneratedNames {
    /// The class of an entity's objects: the runtime's own where none is generated.
    func className(ofEntity name: String, in model: Model) -> String {
        guard let entity = model.entity(named: name) else { return own(name) }
        return entity.codeGeneration == CodeGeneration.none
            ? library("ManagedObject") : own(entity.className)
    }
}

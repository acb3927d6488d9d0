import CambiumModel

/// An entity as the emitter sees it: with its Swift names, and with those properties that its own
/// class declares.
///
/// An ancestor without generated code leaves its properties to the nearest classes below it.
struct GeneratedEntity {
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
    let attributes: [GeneratedAttribute]
    let relationships: [GeneratedRelationship]
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
        let relationships = model.relationships(of: entity)

        self.entity = entity
        typeName = SwiftText.identifier(entity.name)
        className =
            entity.codeGeneration == .base
            ? "_" + SwiftText.plainIdentifier(entity.name) : SwiftText.identifier(entity.name)
        keysName = SwiftText.plainIdentifier(entity.name) + "Keys"
        parentName = parent.map { SwiftText.identifier($0.name) }
        parentKeysName = parent.map { SwiftText.plainIdentifier($0.name) + "Keys" }
        hasSubentities = model.hasSubentities(entity)
        attributes = own.flatMap { declarer in
            declarer.attributes.compactMap { attribute in
                layout.slot(of: attribute.name).map {
                    GeneratedAttribute(attribute, of: declarer, slot: $0, in: model, names: names)
                }
            }
        }
        let inheritedCount = inherited.reduce(0) { $0 + $1.relationships.count }
        self.relationships = relationships.enumerated().dropFirst(inheritedCount).map {
            GeneratedRelationship($1, number: $0, in: model, names: names)
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

/// An attribute with what its accessors need.
struct GeneratedAttribute {
    let attribute: Attribute
    /// The entity that declares it.
    let declarer: Entity
    /// The name of the Swift property.
    let name: String
    /// Its place in a row in memory.
    let slot: Int
    /// The Swift type of a value that is not nil.
    let valueType: String

    init(
        _ attribute: Attribute, of declarer: Entity, slot: Int, in model: Model,
        names: GeneratedNames
    ) {
        self.attribute = attribute
        self.declarer = declarer
        self.slot = slot
        name = SwiftText.identifier(attribute.name)
        valueType = names.swiftType(of: attribute.type)
    }

    /// The Swift type of the property.
    var type: String { attribute.isOptional ? valueType + "?" : valueType }

    /// Whether a new object cannot do without a value.
    var isRequiredAtInsert: Bool {
        !attribute.isOptional && !attribute.isTransient && attribute.defaultValue == nil
    }

    /// The function by which the program validates a value.
    var hook: String { "validate\(SwiftText.capitalized(attribute.name))" }
}

/// A relationship with what its accessors need.
struct GeneratedRelationship {
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
        name = SwiftText.identifier(relationship.name)
        let destination = model.entity(named: relationship.destination)
        destinationType =
            destination?.codeGeneration == CodeGeneration.none
            ? names.library("ManagedObject") : SwiftText.identifier(relationship.destination)
    }

    /// Whether a new object cannot do without an object at the other end.
    var isRequiredAtInsert: Bool { !relationship.isToMany && !relationship.isOptional }
}

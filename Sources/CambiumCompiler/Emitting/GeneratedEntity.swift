import CambiumModel

/// An entity for the emitter: with its Swift names, and with the properties that its own class
/// declares.
///
/// If an ancestor has no generated code, the nearest classes below it declare its properties.
final class GeneratedEntity: Sendable {
    let entity: Entity
    /// The type that programs use.
    let typeName: String
    /// The type that is generated: the same, or `_Name` as the base of a hand-written one.
    let className: String
    /// The protocol of its keys.
    let keysName: String
    /// The nearest ancestor with a class, or nil if it is the runtime's own.
    let parentName: String?
    /// The keys protocol of that ancestor.
    let parentKeysName: String?
    /// All attributes with a slot of their own, parts of composite values included.
    let leaves: [GeneratedAttribute]
    /// The attributes among them that are properties themselves.
    let attributes: [GeneratedAttribute]
    /// The composite attributes, without nested ones.
    let composites: [GeneratedComposite]
    let relationships: [GeneratedRelationship]
    let fetched: [GeneratedFetchedProperty]
    /// The functions of the program that validate whole objects; usually none or one.
    let objectHooks: [String]
    /// Whether other entities inherit from it.
    let hasSubentities: Bool

    var isBase: Bool { entity.codeGeneration == .base }

    /// Describes the class of an entity, or returns nil if no class is generated.
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
        var leaves: [GeneratedAttribute] = []
        var composites: [GeneratedComposite] = []
        for declarer in own {
            for attribute in declarer.attributes {
                guard let slot = layout.slot(of: attribute.name) else { continue }
                leaves.append(
                    GeneratedAttribute(
                        attribute, of: declarer, slot: slot, in: model, names: names))
            }
            for composite in declarer.compositeAttributes where !composite.isNested {
                composites.append(
                    GeneratedComposite(composite, in: model, layout: layout, names: names))
            }
        }
        self.leaves = leaves
        self.composites = composites
        attributes = leaves.filter { !$0.attribute.isPart }
        // Inherited ones come first.
        var (relationshipCount, fetchedCount) = (0, 0)
        for ancestor in inherited {
            relationshipCount += ancestor.relationships.count
            fetchedCount += ancestor.fetchedProperties.count
        }
        var relationships: [GeneratedRelationship] = []
        for (number, relationship) in model.relationships(of: entity).enumerated()
        where number >= relationshipCount {
            relationships.append(
                GeneratedRelationship(relationship, number: number, in: model, names: names))
        }
        self.relationships = relationships
        var fetched: [GeneratedFetchedProperty] = []
        for (number, property) in model.fetchedProperties(of: entity).enumerated()
        where number >= fetchedCount {
            fetched.append(
                GeneratedFetchedProperty(property, number: number, in: model, names: names))
        }
        self.fetched = fetched
        // An extension cannot override a method of another extension, so only the topmost hook of
        // a hierarchy has the plain name.
        let isHookTaken = inherited.contains { $0.hasCustomValidation }
        objectHooks = own.filter { $0.hasCustomValidation }.enumerated().map { index, declarer in
            index == 0 && !isHookTaken
                ? "validateObject" : "validate\(SwiftText.capitalized(declarer.name))Object"
        }
    }
}

/// A relationship with the data for its accessors.
final class GeneratedRelationship: Sendable {
    let relationship: Relationship
    /// The name of the Swift property.
    let name: String
    /// The relationship's index among all relationships of the entity.
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

/// A fetched property with the data for its accessor.
final class GeneratedFetchedProperty: Sendable {
    let property: FetchedProperty
    /// The name of the Swift property.
    let name: String
    /// The fetched property's index among all fetched properties of the entity.
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
    /// The class of an entity's objects; if no class is generated, the runtime's own.
    @inline(never)
    func className(ofEntity name: String, in model: Model) -> String {
        guard let entity = model.entity(named: name) else { return own(name) }
        return entity.codeGeneration == CodeGeneration.none
            ? library("ManagedObject") : own(entity.className)
    }
}

/// An attribute with the data for its accessors.
final class GeneratedAttribute: Sendable {
    let attribute: Attribute
    /// The entity that declares it.
    let declarer: Entity
    /// The name of the Swift property. For a part of a composite value, it includes the path to the
    /// part, with question marks for optional values: `address?.street`.
    let name: String
    /// The attribute's slot in a row in memory.
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
        name = Self.path(to: attribute, in: declarer)
        valueType = names.swiftType(of: attribute.type)
    }

    private static func path(to attribute: Attribute, in entity: Entity) -> String {
        guard let composite = entity.compositeAttributes.last(where: { $0.contains(attribute) })
        else { return SwiftText.member(attribute.name) }
        let optional = Set(
            entity.compositeAttributes.filter { $0.isOptional }.map { $0.name })
        var path = ""
        var walked = ""
        for part in composite.name.split(separator: ".") {
            let name = String(part)
            path += walked.isEmpty ? SwiftText.member(name) : SwiftText.identifier(name)
            walked += walked.isEmpty ? name : ".\(name)"
            path += optional.contains(walked) ? "?." : "."
        }
        return path
            + SwiftText.identifier(String(attribute.name.dropFirst(composite.name.count + 1)))
    }

    /// The Swift type of the property.
    var type: String { attribute.isOptional ? valueType + "?" : valueType }

    /// Whether a new object cannot do without a value.
    var isRequiredAtInsert: Bool {
        !attribute.isOptional && !attribute.isTransient && attribute.defaultValue == nil
            && !isDerived
    }

    /// Whether the attribute is derived, so that it cannot be set.
    var isDerived: Bool { attribute.derivation != nil }

    /// The function of the program that validates a value.
    var hook: String { attribute.validationHook }

    /// The expression that reads it.
    var getter: String { attribute.getter(at: slot) }

    /// The statement that sets it.
    func setter(_ value: String) -> String { attribute.setter(value, at: slot) }
}

extension Attribute {
    /// The function of the program that validates a value.
    var validationHook: String { "validate\(SwiftText.capitalized(name))" }

    // With `self.`, because the compiler searches a bare name in every scope first. This would take
    // a tenth of the compile time of generated code.

    /// The expression that reads a value, inside an object's class.
    func getter(at slot: Int) -> String {
        let name = isOptional ? "optional\(SwiftText.capitalized(accessor))" : accessor
        return "self.\(name)(at: \(slot)\(scale))"
    }

    /// The statement that sets a value, inside an object's class.
    func setter(_ value: String, at slot: Int) -> String {
        "self.set\(SwiftText.capitalized(accessor))(\(value), at: \(slot)\(scale))"
    }

    /// The name of the accessor of its type.
    private var accessor: String {
        type.descriptor.accessor
    }

    private var scale: String {
        if case .decimal(let scale) = type { ", scale: \(scale)" } else { "" }
    }
}

/// A composite attribute with the data for its accessors.
final class GeneratedComposite: Sendable {
    let attribute: CompositeAttribute
    /// The name of the Swift property.
    let name: String
    /// The struct of its values.
    let valueType: String
    /// The name of the struct of its keys.
    let keysType: String
    /// The slots of its parts in a row in memory; they are adjacent.
    let slots: Range<Int>
    private let members: [Member]

    private enum Member {
        case part(CompositeMember, Attribute, slot: Int)
        case composite(CompositeMember, GeneratedComposite)
    }

    /// Describes an attribute that has a layout, or a composite value within one.
    init(
        _ attribute: CompositeAttribute, in model: Model, layout: RecordLayout,
        names: GeneratedNames
    ) {
        self.attribute = attribute
        let last = attribute.name.split(separator: ".").last.map(String.init) ?? attribute.name
        name = SwiftText.member(last)
        valueType = names.own(attribute.composite)
        keysType = SwiftText.plainIdentifier(attribute.composite) + "Keys"
        let composite = model.composite(named: attribute.composite)
        members = (composite.map(CompositeMember.members) ?? []).compactMap { member in
            let name = "\(attribute.name).\(member.name)"
            switch member.kind {
            case .part(let part):
                return layout.slot(of: name).map { .part(member, part, slot: $0) }
            case .composite(let inner):
                let whole = CompositeAttribute(
                    name: name, composite: inner.composite, isOptional: inner.isOptional)
                return .composite(
                    member, GeneratedComposite(whole, in: model, layout: layout, names: names))
            }
        }
        let found: [Range<Int>] = members.map { member in
            switch member {
            case .part(_, _, let slot): slot..<slot + 1
            case .composite(_, let composite): composite.slots
            }
        }.filter { !$0.isEmpty }
        let first = found.map { $0.lowerBound }.min() ?? 0
        slots = first..<(found.map { $0.upperBound }.max() ?? first)
    }

    /// The Swift type of the property.
    var type: String { attribute.isOptional ? valueType + "?" : valueType }

    /// Whether a new object cannot do without a value.
    var isRequiredAtInsert: Bool { !attribute.isOptional && !attribute.isTransient }

    /// Writes the statements that put the value together and return it.
    func emitGetter(to writer: inout SwiftWriter) {
        if attribute.isOptional {
            writer.line("guard isAnySet(in: \(range)) else { return nil }")
        }
        let value = value(to: &writer)
        writer.code(writer.isEmpty ? "" : "return ", value)
    }

    /// The value as an expression. Statements that it needs are written first.
    private func value(to writer: inout SwiftWriter) -> SwiftCode {
        var arguments: [(label: String?, value: SwiftCode)] = []
        for member in members {
            switch member {
            case .part(let member, let attribute, let slot):
                arguments.append((SwiftText.label(member.name), .text(attribute.getter(at: slot))))
            case .composite(let member, let composite):
                arguments.append((SwiftText.label(member.name), composite.argument(to: &writer)))
            }
        }
        // The type's name is omitted, because a member of the class may have the same name.
        return .call(".init", arguments)
    }

    private func argument(to writer: inout SwiftWriter) -> SwiftCode {
        guard attribute.isOptional else { return value(to: &writer) }
        let local = "part\(slots.lowerBound)"
        writer.line("var \(local): \(type)")
        writer.block("if isAnySet(in: \(range))") { writer in
            let value = value(to: &writer)
            writer.code("\(local) = ", value)
        }
        return .text(local)
    }

    private var range: String { "\(slots.lowerBound)..<\(slots.upperBound)" }

    /// The statements that take a value (`newValue`, or a part of it) apart.
    func setters(of value: String) -> [String] {
        let whole = attribute.isOptional ? value + "?" : value
        return members.flatMap { member -> [String] in
            switch member {
            case .part(let member, let attribute, let slot):
                [attribute.setter("\(whole).\(member.identifier)", at: slot)]
            case .composite(let member, let composite):
                composite.setters(of: "\(whole).\(member.identifier)")
            }
        }
    }
}

/// A property of a composite type's struct.
struct CompositeMember {
    enum Kind {
        case part(Attribute)
        case composite(CompositeAttribute)
    }

    /// The name, without the path to it.
    let name: String
    let kind: Kind

    var identifier: String { SwiftText.identifier(name) }

    /// The properties of a type, in the order of its first parts. Properties without parts are
    /// last.
    static func members(of composite: Composite) -> [CompositeMember] {
        var members: [CompositeMember] = []
        var seen: Set<String> = []
        for attribute in composite.attributes {
            let head = String(attribute.name.prefix { $0 != "." })
            guard seen.insert(head).inserted else { continue }
            if let inner = composite.compositeAttributes.first(where: { $0.name == head }) {
                members.append(CompositeMember(name: head, kind: .composite(inner)))
            } else {
                members.append(CompositeMember(name: head, kind: .part(attribute)))
            }
        }
        for inner in composite.compositeAttributes
        where !inner.isNested && seen.insert(inner.name).inserted {
            members.append(CompositeMember(name: inner.name, kind: .composite(inner)))
        }
        return members
    }
}

import CambiumModel
import CambiumPlan

/// A version that passed all checks, with the positions of its declarations.
package final class CheckedModel: Sendable {
    /// The model.
    package let model: Model
    /// The access level of the generated code.
    package let access: AccessLevel
    /// The engines of its stores: SQLite always, for the proofs run on it.
    package let engines: Set<CheckedEngine>
    /// The parsed model from which it was made.
    package let parsed: ParsedModel
    /// The numbers of the elements that declare entities, among the root's children.
    private let declarations: [String: Int]

    /// Holds a checked version.
    package init(
        model: Model, access: AccessLevel, engines: Set<CheckedEngine> = [.sqlite],
        parsed: ParsedModel
    ) {
        self.engines = engines
        self.model = model
        self.access = access
        self.parsed = parsed
        declarations = Dictionary(
            firstOf: parsed.root.children.enumerated().compactMap { index, child in
                child.name == "entity" ? child["name"].map { ($0.value, index) } : nil
            })
    }

    /// The position of the declaration of an entity, or of a property of it. If there is none, the
    /// position of the nearest declaration.
    package func position(ofEntity name: String?, property: String? = nil) -> SourcePosition {
        let entity = name.flatMap(declaration(ofEntity:))
        // A part of a composite value is declared by the composite attribute.
        let head = property.map { $0.prefix { $0 != "." } }
        let declared = entity?.children.first { child in
            guard let head, let name = child["name"]?.value[...] else { return false }
            return ["attribute", "derived", "relationship", "fetched"].contains(child.name)
                && (name == head || name == property?[...])
        }
        return parsed.position(at: (declared ?? entity ?? parsed.root).offset)
    }

    /// The position for a declaration about an entity of the previous version: that of the entity
    /// that replaces it, or else the migration, or else the model.
    package func position(ofSuccessorOf name: String, in old: Model) -> SourcePosition {
        if let successor = successor(of: name, in: old) { return position(ofEntity: successor) }
        return migrationPosition
    }

    /// The place of the migration, else of the model.
    var migrationPosition: SourcePosition {
        parsed.position(at: (parsed.migration ?? parsed.root).offset)
    }

    /// The element that declares an entity.
    func declaration(ofEntity name: String) -> ParsedElement? {
        declarations[name].map { parsed.root.children[$0] }
    }

    /// The name of the entity that replaces one of the version before.
    package func successor(of name: String, in old: Model) -> String? {
        let names = FormerNames(
            ofEntitiesOf: model, since: old, dropped: model.migration?.droppedEntities ?? [])
        let successor = names.successor(of: name) ?? (names[name] == nil ? name : nil)
        return successor.flatMap { model.entity(named: $0) == nil ? nil : $0 }
    }
}

/// An entity while it is checked.
final class EntityDraft {
    let name: String
    let element: ParsedElement
    var className = ""
    var parent: String?
    var isAbstract = false
    var renamedFrom: String?
    var codeGeneration = CodeGeneration.fullClass
    var hasCustomValidation = false
    var attributes: [Attribute] = []
    var compositeAttributes: [CompositeAttribute] = []
    var relationships: [Relationship] = []
    var fetchedProperties: [FetchedProperty] = []
    var hashModifier: String?
    var userInfo: [String: String] = [:]
    /// The indices of the children that declare properties, by the property's name.
    private(set) var declarations: [String: Int] = [:]

    init(name: String, element: ParsedElement) {
        self.name = name
        self.element = element
    }

    /// Records the child that declares a property.
    func declare(_ property: String, asChild index: Int) {
        declarations[property] = index
    }

    /// Takes a property out.
    func remove(_ property: String) {
        declarations[property] = nil
        attributes.removeAll { $0.name == property }
        relationships.removeAll { $0.name == property }
    }

    /// The declaration of a property, or of the composite attribute that it is a part of.
    @inline(never)
    func declaration(of property: String) -> ParsedElement? {
        let index =
            declarations[property]
            ?? property.firstIndex(of: ".").flatMap { declarations[String(property[..<$0])] }
        return index.map { element.children[$0] }
    }

    /// The entity, with the parts that are checked last.
    @inline(never)
    func entity(
        uniqueConstraints: [UniqueConstraint] = [], indexes: [Index] = [], rules: [Rule] = [],
        fetchTemplates: [FetchTemplate] = []
    ) -> Entity {
        Entity(
            name: name, className: className, parent: parent, isAbstract: isAbstract,
            renamedFrom: renamedFrom, codeGeneration: codeGeneration,
            hasCustomValidation: hasCustomValidation, attributes: attributes,
            compositeAttributes: compositeAttributes, relationships: relationships,
            uniqueConstraints: uniqueConstraints, indexes: indexes, rules: rules,
            fetchTemplates: fetchTemplates, fetchedProperties: fetchedProperties,
            hashModifier: hashModifier, userInfo: userInfo)
    }
}

extension [EntityDraft] {
    /// The first draft of each name.
    var byName: [String: EntityDraft] {
        Dictionary(firstOf: map { ($0.name, $0) })
    }
}

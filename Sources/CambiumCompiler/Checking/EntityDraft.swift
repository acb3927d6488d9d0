import CambiumModel

/// An entity on its way through the checks.
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
    /// Which of the element's children declare its properties, by name.
    private(set) var declarations: [String: Int] = [:]

    init(name: String, element: ParsedElement) {
        self.name = name
        self.element = element
    }

    /// Notes which of the element's children declares a property.
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
    func declaration(of property: String) -> ParsedElement? {
        let index =
            declarations[property]
            ?? property.firstIndex(of: ".").flatMap { declarations[String(property[..<$0])] }
        return index.map { element.children[$0] }
    }

    /// The entity with what is checked last.
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
        Dictionary(map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

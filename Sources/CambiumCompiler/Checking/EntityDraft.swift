import CambiumModel

/// An entity on its way through the checks.
struct EntityDraft {
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
    /// The declarations of its properties by name.
    private(set) var declarations: [String: ParsedElement] = [:]

    mutating func declare(_ property: String, as element: ParsedElement) {
        declarations[property] = element
    }

    /// The declaration of a property, or of the composite attribute that it is a part of.
    func declaration(of property: String) -> ParsedElement? {
        declarations[property]
            ?? property.firstIndex(of: ".").flatMap { declarations[String(property[..<$0])] }
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

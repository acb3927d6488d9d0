import CambiumModel

/// An entity on its way through the checks.
struct EntityDraft {
    let name: String
    let element: ParsedElement
    var parent: String?
    var isAbstract = false
    var renamedFrom: String?
    var codeGeneration = CodeGeneration.fullClass
    var hasCustomValidation = false
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    /// The declarations of its properties by name.
    var declarations: [String: ParsedElement] = [:]

    /// The entity with what is checked last.
    func entity(
        uniqueConstraints: [UniqueConstraint] = [], indexes: [Index] = [], rules: [Rule] = [],
        fetchTemplates: [FetchTemplate] = []
    ) -> Entity {
        Entity(
            name: name, parent: parent, isAbstract: isAbstract, renamedFrom: renamedFrom,
            codeGeneration: codeGeneration, hasCustomValidation: hasCustomValidation,
            attributes: attributes, relationships: relationships,
            uniqueConstraints: uniqueConstraints, indexes: indexes, rules: rules,
            fetchTemplates: fetchTemplates)
    }
}

import CambiumModel

extension SwiftEmitter {
    /// The protocol by which a class and its subclasses have typed keys.
    func emitKeys(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let parent = entity.parentKeysName ?? names.library("EntityKeys")
        writer.doc(
            "The keys of ``\(entity.entity.name)``, for predicates, sorting and generic access.")
        writer.line("\(typeModifier)protocol \(entity.keysName): \(parent) {}")
        guard !entity.attributes.isEmpty || !entity.relationships.isEmpty else { return }
        writer.line()
        writer.block("\(isolation)extension \(entity.keysName)") { writer in
            func key(_ name: String, _ property: String, _ type: String, _ value: String) {
                writer.doc("`\(entity.entity.name).\(name)`")
                writer.block(
                    "\(modifier)static var \(property): \(type)<Self, \(value)>",
                    statement: "\(type)(\(SwiftText.literal(name)))")
            }
            for attribute in entity.attributes {
                key(
                    attribute.attribute.name, attribute.name, names.library("Key"),
                    attribute.valueType)
            }
            for relationship in entity.relationships {
                let isToMany = relationship.relationship.isToMany
                key(
                    relationship.relationship.name, relationship.name,
                    names.library(isToMany ? "ToManyKey" : "ToOneKey"),
                    relationship.destinationType)
            }
        }
    }
}

import CambiumModel

extension SwiftEmitter {
    /// The protocol by which a class and its subclasses have typed keys.
    func emitKeys(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let parent = entity.parentKeysName ?? names.library("EntityKeys")
        writer.doc(
            "The keys of ``\(entity.entity.className)``, for predicates, sorting and generic access."
        )
        writer.line("\(typeModifier)protocol \(entity.keysName): \(parent) {}")
        let keys = keys(of: entity)
        guard !keys.isEmpty else { return }
        writer.line()
        writer.block("\(isolation)extension \(entity.keysName)") { writer in
            for key in keys {
                writer.doc("`\(entity.entity.className).\(key.name)`")
                writer.block(
                    "\(modifier)static var \(key.property): \(key.type)",
                    statement: key.value)
            }
        }
    }

    private func keys(of entity: GeneratedEntity) -> [GeneratedKey] {
        func key(
            _ name: String, _ property: String, _ type: String, _ value: String
        ) -> GeneratedKey {
            GeneratedKey(
                name: name, property: property, type: "\(type)<Self, \(value)>",
                value: "\(names.initializer(of: type))(\(SwiftText.literal(name)))")
        }
        let attributes = entity.attributes.map { attribute in
            key(
                attribute.attribute.name, attribute.name,
                names.library(attribute.attribute.keyType), attribute.valueType)
        }
        let composites = entity.composites.map { composite in
            if composite.attribute.isTransient {
                return key(
                    composite.attribute.name, composite.name, names.library("TransientKey"),
                    composite.valueType)
            }
            let path = SwiftText.literal(composite.attribute.name)
            return GeneratedKey(
                name: composite.attribute.name, property: composite.name,
                type: "\(composite.keysType)<Self>",
                value: "\(names.initializer(of: composite.keysType))(_path: [\(path)])")
        }
        let relationships = entity.relationships.map { relationship in
            let declared = relationship.relationship
            let stored = declared.isToMany ? "ToManyKey" : "ToOneKey"
            return key(
                declared.name, relationship.name,
                names.library(declared.isTransient ? "TransientKey" : stored),
                relationship.destinationType)
        }
        return attributes + composites + relationships
    }
}

extension Attribute {
    /// The type of the key, which decides what conditions may ask.
    var keyType: String {
        if isTransient { return "TransientKey" }
        return type.isCodable || usesExternalForm ? "OpaqueKey" : "Key"
    }
}

/// A static property by which predicates name a property.
private struct GeneratedKey {
    let name: String
    let property: String
    let type: String
    let value: String
}

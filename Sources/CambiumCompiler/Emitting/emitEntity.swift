import CambiumModel

extension SwiftEmitter {
    /// Enumerations, then the keys and the class of each entity.
    func entitiesText() -> String {
        var writer = startFile()
        for enumeration in model.enumerations {
            writer.line()
            emit(enumeration, to: &writer)
        }
        for entity in entities {
            writer.line()
            emitKeys(of: entity, to: &writer)
            writer.line()
            emitClass(of: entity, to: &writer)
            if !entity.entity.fetchTemplates.isEmpty {
                writer.line()
                emitFetchTemplates(of: entity, to: &writer)
            }
        }
        return writer.text
    }

    private func emitClass(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let name = entity.entity.name
        let superclass = entity.parentName ?? names.library("ManagedObject")
        writer.doc(
            entity.isBase
                ? "What the class `\(name)`, written by hand, inherits from."
                : "An object of the entity `\(name)`.")
        writer.block(
            "\(classModifier(entity))class \(entity.className): \(superclass), \(entity.keysName)"
        ) { writer in
            writer.doc("The name of the entity, `\(name)`.")
            writer.block(
                "override \(modifier)class var entityName: \(names.standard("String"))",
                statement: SwiftText.literal(name))
            if !entity.entity.isAbstract {
                writer.line()
                emitInitializer(of: entity, to: &writer)
            }
            for attribute in entity.attributes {
                writer.line()
                emitAccessor(of: attribute, to: &writer)
            }
            for relationship in entity.relationships {
                writer.line()
                emitAccessor(of: relationship, to: &writer)
            }
            if hasChecks(entity) {
                writer.line()
                emitValidationOverride(of: entity, to: &writer)
            }
            if entity.isBase { emitHooks(of: entity, to: &writer) }
        }
    }

    private func classModifier(_ entity: GeneratedEntity) -> String {
        if entity.isBase { return isolation + (access == .public ? "open " : "") }
        return entity.hasSubentities ? typeModifier : typeModifier + "final "
    }

    private func emitAccessor(of attribute: GeneratedAttribute, to writer: inout SwiftWriter) {
        writer.doc(describe(attribute))
        writer.block("\(modifier)var \(attribute.name): \(attribute.type)") { writer in
            let slot = attribute.slot
            let isOptional = attribute.attribute.isOptional
            if case .decimal(let scale) = attribute.attribute.type {
                let getter = isOptional ? "optionalDecimal" : "decimal"
                writer.line("get { \(getter)(at: \(slot), scale: \(scale)) }")
                writer.line("set { setDecimal(newValue, at: \(slot), scale: \(scale)) }")
            } else {
                let getter = isOptional ? "optionalValue" : "value"
                writer.line("get { \(getter)(at: \(slot)) }")
                writer.line("set { setValue(newValue, at: \(slot)) }")
            }
        }
    }

    private func emitAccessor(
        of relationship: GeneratedRelationship, to writer: inout SwiftWriter
    ) {
        let number = relationship.number
        let destination = relationship.destinationType
        writer.doc(describe(relationship))
        if relationship.relationship.isToMany {
            let type = "\(names.library("ToMany"))<\(destination)>"
            writer.block(
                "\(modifier)var \(relationship.name): \(type)", statement: "toMany(\(number))")
        } else {
            let isOptional = relationship.relationship.isOptional
            let type = isOptional ? "\(destination)?" : destination
            writer.block("\(modifier)var \(relationship.name): \(type)") { writer in
                writer.line("get { \(isOptional ? "toOne" : "requiredToOne")(\(number)) }")
                writer.line("set { setToOne(\(number), newValue) }")
            }
        }
    }

    private func emitValidationOverride(
        of entity: GeneratedEntity, to writer: inout SwiftWriter
    ) {
        writer.doc("Checks the limits that the model sets; called before each save.")
        let openness = entity.isBase && access == .public ? "open " : modifier
        writer.block(
            "override \(openness)func validateProperties("
                + "into validator: inout \(names.library("Validator")))"
        ) { writer in
            if entity.parentName != nil {
                writer.line("super.validateProperties(into: &validator)")
            }
            writer.line("\(validationFunction(entity))(self, into: &validator)")
        }
    }

    /// The hooks of a base class do nothing until the hand-written class overrides them.
    private func emitHooks(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let openness = access == .public ? "open " : ""
        for attribute in entity.attributes where attribute.attribute.hasCustomValidation {
            writer.line()
            writer.doc(
                "Override it to check, and perhaps to repair, a value of "
                    + "`\(attribute.attribute.name)` before each save.")
            writer.line(
                "\(openness)func \(attribute.hook)(_ value: inout \(attribute.type)) throws {}")
        }
        for hook in entity.objectHooks {
            writer.line()
            writer.doc("Override it to check the object as a whole before each save.")
            writer.line("\(openness)func \(hook)() throws {}")
        }
    }
}

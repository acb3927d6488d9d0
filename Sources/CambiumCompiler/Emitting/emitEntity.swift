import CambiumMigration
import CambiumModel

extension SwiftEmitter {
    /// Enumerations, composites, then the keys and the class of each entity.
    func entitiesText(_ classes: [SwiftWriter]) -> String {
        var writer = startFile()
        writer.reserve(classes.reduce(0) { $0 + $1.text.utf8.count })
        writer.each(model.enumerations) { emit($0, to: &$1) }
        writer.each(model.composites) { emit($0, to: &$1) }
        for text in classes { writer.append(text) }
        for (type, alias) in names.aliases {
            writer.nextDoc(
                "The type `\(type)`, for use where a class or a struct has another one of that name."
            )
            writer.line("\(modifier)typealias \(alias) = \(SwiftText.identifier(type))")
        }
        if isModelTypeHidden {
            writer.nextDoc("The model, for classes with a member of that name.")
            writer.line("private typealias \(modelType) = \(SwiftText.identifier(model.name))")
        }
        return writer.text
    }

    /// The keys and the class of an entity.
    func text(of entity: GeneratedEntity) -> SwiftWriter {
        var writer = SwiftWriter()
        writer.reserve(8000)
        writer.line()
        emitKeys(of: entity, to: &writer)
        writer.line()
        emitClass(of: entity, to: &writer)
        if !entity.entity.fetchTemplates.isEmpty {
            writer.line()
            emitFetchTemplates(of: entity, to: &writer)
        }
        return writer
    }

    private func emitClass(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let name = entity.entity.name
        let superclass = entity.parentName ?? names.library("ManagedObject")
        writer.doc(
            (entity.isBase
                ? "What the class `\(entity.entity.className)`, written by hand, inherits from."
                : "An object of the entity `\(name)`.") + lines.note(name))
        writer.docList("Every saved object meets these rules:", rules(of: entity.entity))
        writer.block(
            "\(classModifier(entity))class \(entity.className): \(superclass), \(entity.keysName)"
        ) { writer in
            emitReference(of: entity, to: &writer)
            if !entity.entity.isAbstract {
                writer.line()
                emitInitializer(of: entity, to: &writer)
            }
            writer.each(entity.attributes) { emitAccessor(of: $0, to: &$1) }
            writer.each(entity.composites) { emitAccessor(of: $0, of: entity, to: &$1) }
            writer.each(entity.relationships) { emitAccessor(of: $0, of: entity, to: &$1) }
            for property in entity.fetched {
                writer.nextDoc(describe(property, of: entity))
                writer.block(
                    "\(modifier)var \(property.name): [\(property.destinationType)]",
                    statement: "self.fetched(\(property.number))")
            }
            if hasLimits(entity) {
                writer.line()
                emitValidationOverride(of: entity, to: &writer)
            }
            if entity.isBase { emitHooks(of: entity, to: &writer) }
        }
    }

    /// The entity and its model, which users of the module do not see.
    private func emitReference(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let type = names.library("EntityReference")
        writer.doc("The entity `\(entity.entity.name)` of the model `\(model.name)`.")
        if access == .public { writer.line("@_spi(Generated)") }
        writer.block("override \(modifier)class var entityReference: \(type)") { writer in
            writer.line(
                "\(names.initializer(of: type))(\(SwiftText.literal(entity.entity.name)), "
                    + "\(modelType).\(modelConstant))")
        }
    }

    private func classModifier(_ entity: GeneratedEntity) -> String {
        if entity.isBase { return isolation + (access == .public ? "open " : "") }
        return entity.hasSubentities ? typeModifier : typeModifier + "final "
    }

    private func emitAccessor(of attribute: GeneratedAttribute, to writer: inout SwiftWriter) {
        writer.doc(describe(attribute))
        let declaration = "\(modifier)var \(attribute.name): \(attribute.type)"
        if attribute.isDerived {
            writer.block(declaration, statement: attribute.getter)
            return
        }
        // A class that does not exist is a mistake in the model.
        var place: SourceLines.Place?
        if case .codable = attribute.attribute.type {
            place = lines.place(attribute.declarer.name, attribute.attribute.name)
        }
        writer.located(at: place) { writer in
            writer.block(declaration) { writer in
                writer.line("get { ", attribute.getter, " }")
                writer.line("set { ", attribute.setter("newValue"), " }")
            }
        }
    }

    private func emitAccessor(
        of composite: GeneratedComposite, of entity: GeneratedEntity, to writer: inout SwiftWriter
    ) {
        writer.doc(describe(composite, of: entity))
        writer.block("\(modifier)var \(composite.name): \(composite.type)") { writer in
            writer.body("get") { composite.emitGetter(to: &$0) }
            writer.body("set") { writer in
                for statement in composite.setters(of: "newValue") { writer.line(statement) }
            }
        }
    }

    private func emitAccessor(
        of relationship: GeneratedRelationship, of entity: GeneratedEntity,
        to writer: inout SwiftWriter
    ) {
        let number = relationship.number
        let destination = relationship.destinationType
        writer.doc(describe(relationship, of: entity))
        if relationship.relationship.isToMany {
            let isOrdered = relationship.relationship.isOrdered
            let type = names.library(isOrdered ? "OrderedToMany" : "ToMany") + "<\(destination)>"
            writer.block(
                "\(modifier)var \(relationship.name): \(type)",
                statement: "self.\(isOrdered ? "orderedToMany" : "toMany")(\(number))")
        } else {
            let isOptional = relationship.relationship.isOptional
            let type = isOptional ? "\(destination)?" : destination
            writer.block("\(modifier)var \(relationship.name): \(type)") { writer in
                writer.line("get { self.\(isOptional ? "toOne" : "requiredToOne")(\(number)) }")
                writer.line("set { self.setToOne(\(number), newValue) }")
            }
        }
    }

    private func emitValidationOverride(
        of entity: GeneratedEntity, to writer: inout SwiftWriter
    ) {
        writer.doc("Checks the limits that the model sets; called before each save.")
        let openness = entity.isBase && access == .public ? "open " : modifier
        if access == .public { writer.line("@_spi(Generated)") }
        writer.block(
            "override \(openness)func validateProperties("
                + "into validator: inout \(names.library("Validator")))"
        ) { writer in
            writer.line("super.validateProperties(into: &validator)")
            writer.line("\(validationFunction(entity))(self, into: &validator)")
        }
    }

    /// The hooks of a base class do nothing until the hand-written class overrides them.
    private func emitHooks(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let openness = access == .public ? "open " : ""
        for attribute in entity.attributes where attribute.attribute.hasCustomValidation {
            writer.nextDoc(
                "Override it to check, and perhaps to repair, a value of "
                    + "`\(attribute.attribute.name)` before each save.")
            writer.line(
                "\(openness)func \(attribute.hook)(_ value: inout \(attribute.type)) throws {}")
        }
        for hook in entity.objectHooks {
            writer.nextDoc("Override it to check the object as a whole before each save.")
            writer.line("\(openness)func \(hook)() throws {}")
        }
    }
}

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

    /// The entity and its model; hidden from users of the module.
    private func emitReference(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let type = names.library("EntityReference")
        writer.doc("The entity `\(entity.entity.name)` of the model `\(model.name)`.")
        if access == .public { writer.line("@_spi(Generated)") }
        writer.block("override \(modifier)class var entityReference: \(type)") { writer in
            writer.line(
                """
                \(names.initializer(of: type))(\(SwiftText.literal(entity.entity.name)), \
                \(modelType).\(modelConstant))
                """)
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
            """
            override \(openness)func validateProperties(\
            into validator: inout \(names.library("Validator")))
            """
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
                """
                Override it to check, and perhaps to repair, a value of \
                `\(attribute.attribute.name)` before each save.
                """)
            writer.line(
                "\(openness)func \(attribute.hook)(_ value: inout \(attribute.type)) throws {}")
        }
        for hook in entity.objectHooks {
            writer.nextDoc("Override it to check the object as a whole before each save.")
            writer.line("\(openness)func \(hook)() throws {}")
        }
    }
}

extension SwiftEmitter {
    /// The initializer that inserts an object with everything that it cannot do without.
    ///
    /// Its parameters are in the order of the model, required or not: a property that is added, or
    /// becomes optional, changes no call.
    func emitInitializer(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let properties = initializerProperties(of: entity)
        let others = properties.filter { !$0.isRequired }
        let names = Set(properties.map { $0.name })
        let context = names.contains("context") ? "insertionContext" : "context"

        let contextType = self.names.library("ManagedObjectContext")
        let parameters = ["in \(context): \(contextType)"] + properties.map { $0.parameter }
        writer.doc(
            "Inserts a new object. "
                + (others.isEmpty ? "" : "Values that are left out start at the model's default."))
        if others.contains(where: { $0.start == .hiddenDefault }) {
            writer.line("///")
            writer.doc(
                """
                What is optional and starts with a value that is not written here is left empty by \
                `.some(nil)`.
                """)
        }
        writer.function("\(modifier)convenience init", parameters: parameters) { writer in
            writer.line("self.init(insertingInto: \(context))")
            for property in properties.filter({ $0.isAlwaysSet }) {
                writer.line("self.", property.name, " = ", property.name)
            }
            for property in properties.filter({ !$0.isAlwaysSet }) {
                let name = property.name
                writer.line("if let \(name) { self.\(name) = \(name) }")
            }
        }
    }

    private struct InitializerProperty {
        /// The value of a new object's property if the initializer has no argument for it.
        enum Start: Equatable {
            /// There is no value: the initializer requires an argument.
            case nothing
            /// The value is nil, or it is the default of a required property.
            case `default`
            /// The value is the literal of an optional property.
            case literal(String)
            /// The value is the default of an optional property, and has no literal.
            case hiddenDefault
        }

        let name: String
        let type: String
        let start: Start

        var isRequired: Bool { start == .nothing }

        var isAlwaysSet: Bool {
            switch start {
            case .nothing, .literal: true
            case .default, .hiddenDefault: false
            }
        }

        var parameter: String {
            switch start {
            case .nothing: "\(name): \(type)"
            case .default: "\(name): \(type)? = nil"
            case .literal(let text): "\(name): \(type)? = \(text)"
            case .hiddenDefault: "\(name): \(type)?? = nil"
            }
        }
    }

    private func start(of attribute: GeneratedAttribute) -> InitializerProperty.Start {
        if attribute.isRequiredAtInsert { return .nothing }
        guard attribute.attribute.isOptional, let value = attribute.attribute.defaultValue else {
            return .default
        }
        guard case .constant(let constant) = value,
            let literal = LiteralEmitter(names: names).argument(
                constant, of: attribute.attribute.type, isOptional: true, in: model)
        else { return .hiddenDefault }
        return .literal(literal)
    }

    /// Attributes and composites in the order of the model, then to-one relationships; inherited
    /// ones come first.
    private func initializerProperties(of entity: GeneratedEntity) -> [InitializerProperty] {
        let lineage = model.lineage(of: entity.entity).compactMap(generated)
        let toOnes = lineage.flatMap { $0.relationships }.filter { !$0.relationship.isToMany }.map {
            InitializerProperty(
                name: $0.name, type: $0.destinationType,
                start: $0.isRequiredAtInsert ? .nothing : .default)
        }
        return lineage.flatMap(attributes) + toOnes
    }

    /// Returns the entity's own attributes, and each composite value at the position of its first
    /// part. Composite values without parts come last.
    private func attributes(of entity: GeneratedEntity) -> [InitializerProperty] {
        var composites = entity.composites
        let properties = entity.leaves.compactMap { leaf -> InitializerProperty? in
            guard leaf.attribute.isPart else {
                return leaf.isDerived
                    ? nil
                    : InitializerProperty(
                        name: leaf.name, type: leaf.valueType, start: start(of: leaf))
            }
            return composites.firstIndex { $0.attribute.contains(leaf.attribute) }
                .map { property(composites.remove(at: $0)) }
        }
        return properties + composites.map(property)
    }

    private func property(_ composite: GeneratedComposite) -> InitializerProperty {
        InitializerProperty(
            name: composite.name, type: composite.valueType,
            start: composite.isRequiredAtInsert ? .nothing : .default)
    }
}

extension SwiftEmitter {
    /// A function for each of the entity's named requests.
    func emitFetchTemplates(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        writer.block("\(isolation)extension \(entity.typeName)") { writer in
            for (index, template) in entity.entity.fetchTemplates.enumerated() {
                if index > 0 { writer.line() }
                writer.doc(
                    describe(template) + lines.note(entity.entity.name, template.name))
                let name = ReservedNames.memberName(template.name, among: ReservedNames.members)
                writer.function(
                    "\(modifier)static func \(SwiftText.identifier(name))",
                    parameters: template.parameters.map(declaration),
                    result: " -> \(resultType(template, entity.typeName))"
                ) { writer in
                    let type = names.library("FetchRequest")
                    var request = "\(type)<\(entity.typeName)>()"
                    if type != "FetchRequest" {
                        // A request of that name hides the type, and `Cambium` the module.
                        writer.line(
                            "let _request: \(type)<\(entity.typeName)> = .init()")
                        request = "return _request"
                    }
                    writer.code(
                        request, .call(".template", arguments(template)), form(template))
                }
            }
        }
    }

    private func resultType(_ template: FetchTemplate, _ typeName: String) -> String {
        switch template.options.resultKind {
        case .objects: return names.library("FetchRequest") + "<\(typeName)>"
        case .ids: return names.library("IDRequest") + "<\(typeName)>"
        case .count: return names.library("CountRequest") + "<\(typeName)>"
        case .dictionaries:
            let value = names.library("PropertyValue")
            let row = "[\(names.standard("String")): \(value)]"
            return names.library("ResultRequest") + "<\(typeName), \(row)>"
        }
    }

    /// The suffix that turns the request into one for its kind of result.
    private func form(_ template: FetchTemplate) -> String {
        switch template.options.resultKind {
        case .objects: ""
        case .ids: ".ids"
        case .count: ".count"
        case .dictionaries: ".dictionaries()"
        }
    }

    private func declaration(_ parameter: FetchParameter) -> String {
        let type =
            parameter.entity.map { names.className(ofEntity: $0, in: model) }
            ?? names.swiftType(of: parameter.type)
        return SwiftText.identifier(parameter.name) + ": " + (parameter.isList ? "[\(type)]" : type)
    }

    private func arguments(_ template: FetchTemplate) -> [(label: String?, value: SwiftCode)] {
        let single = template.parameters.filter { !$0.isList }
        let lists = template.parameters.filter { $0.isList }
        var arguments: [(label: String?, value: SwiftCode)] = [
            (nil, .string(template.name)),
            (
                nil,
                .dictionary(
                    single.map { parameter in
                        let name = SwiftText.identifier(parameter.name)
                        return (.string(parameter.name), .text(value(name, of: parameter)))
                    })
            ),
        ]
        if !lists.isEmpty {
            let pairs = lists.map { parameter in
                let name = SwiftText.identifier(parameter.name)
                let element = value("$0", of: parameter)
                return (
                    key: SwiftCode.string(parameter.name),
                    value: SwiftCode.text("\(name).map { \(element) }")
                )
            }
            arguments.append(("lists", .dictionary(pairs)))
        }
        let objects = template.parameters.filter { $0.entity != nil }.map { parameter in
            let name = SwiftText.identifier(parameter.name)
            return parameter.isList ? "\(name).map(\\.objectID)" : "[\(name).objectID]"
        }
        if !objects.isEmpty {
            arguments.append(("objects", .text(objects.joined(separator: " + "))))
        }
        return arguments
    }

    /// An argument, or an element of one, as a value; an object as its key.
    private func value(_ name: String, of parameter: FetchParameter) -> String {
        parameter.entity == nil
            ? value(name, of: parameter.type) : ".int(\(name).objectID.key)"
    }

    /// An argument, or an element of one, as a value.
    private func value(_ name: String, of type: AttributeType) -> String {
        var (descriptor, value) = (type.descriptor, name)
        if case .enumeration(let enumeration) = type {
            descriptor = model.enumeration(named: enumeration)?.rawType.descriptor ?? descriptor
            value += ".rawValue"
        }
        if let type = descriptor.valueType, type != descriptor.swiftName || value != name {
            value = "\(names.initializer(of: names.standard(type)))(\(value))"
        }
        return ".\(descriptor.valueCase)(\(value))"
    }
}

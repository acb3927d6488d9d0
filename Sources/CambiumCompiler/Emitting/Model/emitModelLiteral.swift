import CambiumModel

/// The parts of a checked model as Swift. Arguments that equal the initializer's default are left
/// out.
struct ModelLiteralEmitter {
    let names: GeneratedNames
    let literals: LiteralEmitter
    let expressions: ExpressionEmitter

    init(names: GeneratedNames) {
        self.names = names
        literals = LiteralEmitter(names: names)
        expressions = ExpressionEmitter(literals: literals)
    }

    /// An entity.
    func entity(_ entity: Entity) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(entity.name))
        if entity.className != entity.name { call.add("className", .string(entity.className)) }
        call.add("parent", entity.parent.map { .string($0) })
        call.add("isAbstract", entity.isAbstract)
        call.add("renamedFrom", entity.renamedFrom.map { .string($0) })
        if entity.codeGeneration != .fullClass {
            call.add("codeGeneration", .text(".\(entity.codeGeneration)"))
        }
        call.add("hasCustomValidation", entity.hasCustomValidation)
        call.add("attributes", entity.attributes.map(attribute))
        call.add("compositeAttributes", entity.compositeAttributes.map(compositeAttribute))
        call.add("relationships", entity.relationships.map(relationship))
        call.add("uniqueConstraints", entity.uniqueConstraints.map(uniqueConstraint))
        call.add("indexes", entity.indexes.map(index))
        call.add("rules", entity.rules.map(rule))
        call.add("fetchTemplates", entity.fetchTemplates.map(fetchTemplate))
        call.add("fetchedProperties", entity.fetchedProperties.map(fetchedProperty))
        call.add("hashModifier", entity.hashModifier.map { .string($0) })
        call.add("userInfo", entity.userInfo)
        return call.code(names.library("Entity"))
    }

    /// A composite type.
    func composite(_ composite: Composite) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(composite.name))
        call.add("attributes", composite.attributes.map(attribute))
        call.add("compositeAttributes", composite.compositeAttributes.map(compositeAttribute))
        call.add("userInfo", composite.userInfo)
        return call.code(".init")
    }

    /// A configuration.
    func configuration(_ configuration: Configuration) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(configuration.name))
        call.addEvenIfEmpty("entities", configuration.entities.map { .string($0) })
        call.add("userInfo", configuration.userInfo)
        return call.code(".init")
    }

    /// What an author noted.
    static func userInfo(_ userInfo: [String: String]) -> SwiftCode {
        .dictionary(
            userInfo.sorted { $0.key < $1.key }.map { (.string($0.key), .string($0.value)) })
    }

    private func compositeAttribute(_ attribute: CompositeAttribute) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(attribute.name))
        call.add("composite", .string(attribute.composite))
        call.add("isOptional", attribute.isOptional)
        call.add("isTransient", attribute.isTransient)
        call.add("renamedFrom", attribute.renamedFrom.map { .string($0) })
        call.add("userInfo", attribute.userInfo)
        return call.code(".init")
    }

    private func fetchedProperty(_ property: FetchedProperty) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(property.name))
        call.add("destination", .string(property.destination))
        call.add("condition", property.condition.map(expressions.code))
        call.add("sort", property.sort.map(element))
        call.add("options", options(property.options))
        call.add("hashModifier", property.hashModifier.map { .string($0) })
        call.add("userInfo", property.userInfo)
        return call.code(".init")
    }

    /// The options that are not the default, or nil where all are.
    private func options(_ options: RequestOptions) -> SwiftCode? {
        guard options != RequestOptions() else { return nil }
        var call = Arguments()
        call.add("limit", options.limit)
        if options.offset != 0 { call.add("offset", options.offset) }
        if options.batchSize != 0 { call.add("batchSize", options.batchSize) }
        if options.resultKind != .objects {
            call.add("resultKind", .text(".\(options.resultKind)"))
        }
        call.add("isDistinct", options.isDistinct)
        call.addUnless("includesSubentities", options.includesSubentities)
        call.addUnless("includesPendingChanges", options.includesPendingChanges)
        call.addUnless("includesPropertyValues", options.includesPropertyValues)
        call.addUnless("returnsObjectsAsFaults", options.returnsObjectsAsFaults)
        call.add("prefetched", options.prefetched.map { .string($0) })
        return call.code(".init")
    }

    /// An enumeration.
    func enumeration(_ enumeration: Enumeration) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(enumeration.name))
        call.add("rawType", type(enumeration.rawType))
        call.addEvenIfEmpty(
            "cases",
            enumeration.cases.map {
                .call(
                    ".init",
                    [("name", .string($0.name)), ("rawValue", literals.value($0.rawValue))])
            })
        return call.code(".init")
    }

    private func attribute(_ attribute: Attribute) -> SwiftCode {
        // Most attributes have nothing but a name and a type, and a call with few arguments is
        // compiled in a third of the time.
        if attribute == Attribute(name: attribute.name, type: attribute.type) {
            return .call(".required", .string(attribute.name), type(attribute.type))
        }
        if attribute == Attribute(name: attribute.name, type: attribute.type, isOptional: true) {
            return .call(".optional", .string(attribute.name), type(attribute.type))
        }
        var call = Arguments()
        call.add("name", .string(attribute.name))
        call.add("type", type(attribute.type))
        call.add("isOptional", attribute.isOptional)
        call.add("isTransient", attribute.isTransient)
        call.add("defaultValue", attribute.defaultValue.map(defaultValue))
        if !attribute.limits.isEmpty { call.add("limits", limits(attribute.limits)) }
        call.add("merge", attribute.merge.map { .text(".\($0)") })
        call.add("renamedFrom", attribute.renamedFrom.map { .string($0) })
        call.add("hasCustomValidation", attribute.hasCustomValidation)
        call.add("derivation", attribute.derivation.map(expressions.code))
        call.add("isExternal", attribute.isExternal)
        call.add("isPreservedAfterDeletion", attribute.isPreservedAfterDeletion)
        call.add("hashModifier", attribute.hashModifier.map { .string($0) })
        call.add("userInfo", attribute.userInfo)
        return call.code(".init")
    }

    private func type(_ type: AttributeType) -> SwiftCode {
        switch type {
        case .decimal(let scale): .call(".decimal", [("scale", .text("\(scale)"))])
        case .enumeration(let name): .call(".enumeration", .string(name))
        case .codable(let name): .call(".codable", .string(name))
        default: .text("." + type.caseName)
        }
    }

    private func defaultValue(_ value: DefaultValue) -> SwiftCode {
        switch value {
        case .constant(let value): .call(".constant", literals.value(value))
        case .now: .text(".now")
        case .newUUID: .text(".newUUID")
        }
    }

    private func limits(_ limits: Limits) -> SwiftCode {
        var call = Arguments()
        call.add("minimum", limits.minimum.map(literals.value))
        call.add("maximum", limits.maximum.map(literals.value))
        call.add("minimumLength", limits.minimumLength)
        call.add("maximumLength", limits.maximumLength)
        call.add("pattern", limits.pattern.map { .rawString($0) })
        return call.code(".init")
    }

    private func relationship(_ relationship: Relationship) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(relationship.name))
        call.add("destination", .string(relationship.destination))
        call.add("inverse", relationship.inverse.map { .string($0) })
        call.add("isToMany", relationship.isToMany)
        if !relationship.isOptional { call.add("isOptional", .text("false")) }
        call.add("minimumCount", relationship.minimumCount)
        call.add("maximumCount", relationship.maximumCount)
        if relationship.deleteRule != .nullify {
            call.add("deleteRule", .text(".\(relationship.deleteRule)"))
        }
        call.add("renamedFrom", relationship.renamedFrom.map { .string($0) })
        call.add("isOrdered", relationship.isOrdered)
        call.add("isTransient", relationship.isTransient)
        call.add("hashModifier", relationship.hashModifier.map { .string($0) })
        call.add("userInfo", relationship.userInfo)
        return call.code(".init")
    }

    private func uniqueConstraint(_ constraint: UniqueConstraint) -> SwiftCode {
        .call(".init", [("properties", .array(constraint.properties.map { .string($0) }))])
    }

    private func index(_ index: Index) -> SwiftCode {
        var call = Arguments()
        call.add("name", index.name.map { .string($0) })
        if index.kind != .binary { call.add("kind", .text(".\(index.kind)")) }
        call.addEvenIfEmpty("elements", index.elements.map(element))
        call.add("condition", index.condition.map(expressions.code))
        return call.code(".init")
    }

    private func element(_ element: IndexElement) -> SwiftCode {
        var call = Arguments()
        call.add("property", .string(element.property))
        call.add("isDescending", element.isDescending)
        call.add("expression", element.expression.map(expressions.code))
        return call.code(".init")
    }

    private func rule(_ rule: Rule) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(rule.name))
        call.add("message", rule.message.map { .string($0) })
        call.add("condition", expressions.code(rule.condition))
        return call.code(".init")
    }

    private func fetchTemplate(_ template: FetchTemplate) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(template.name))
        call.add(
            "parameters",
            template.parameters.map {
                var call = Arguments()
                call.add("name", .string($0.name))
                if let entity = $0.entity {
                    call.add("entity", .string(entity))
                } else {
                    call.add("type", type($0.type))
                }
                call.add("isList", $0.isList)
                return call.code(".init")
            })
        call.add("condition", template.condition.map(expressions.code))
        call.add("sort", template.sort.map(element))
        call.add("options", options(template.options))
        call.add("userInfo", template.userInfo)
        return call.code(".init")
    }
}

/// The arguments of a call, without those that are absent or empty.
struct Arguments {
    private var arguments: [(label: String?, value: SwiftCode)] = []

    mutating func add(_ label: String, _ value: SwiftCode?) {
        if let value { arguments.append((label, value)) }
    }

    mutating func add(_ label: String, _ flag: Bool) {
        if flag { arguments.append((label, .text("true"))) }
    }

    mutating func addUnless(_ label: String, _ flag: Bool) {
        if !flag { arguments.append((label, .text("false"))) }
    }

    mutating func add(_ label: String, _ userInfo: [String: String]) {
        if !userInfo.isEmpty { arguments.append((label, ModelLiteralEmitter.userInfo(userInfo))) }
    }

    mutating func add(_ label: String, _ number: Int?) {
        if let number { arguments.append((label, .text("\(number)"))) }
    }

    mutating func add(_ label: String, _ elements: [SwiftCode]) {
        if !elements.isEmpty { addEvenIfEmpty(label, elements) }
    }

    mutating func addEvenIfEmpty(_ label: String, _ elements: [SwiftCode]) {
        arguments.append((label, .array(elements)))
    }

    func code(_ function: String) -> SwiftCode {
        .call(function, arguments)
    }
}

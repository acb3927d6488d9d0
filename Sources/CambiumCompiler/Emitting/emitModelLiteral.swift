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
        call.add("parent", entity.parent.map { .string($0) })
        call.add("isAbstract", entity.isAbstract)
        call.add("renamedFrom", entity.renamedFrom.map { .string($0) })
        if entity.codeGeneration != .fullClass {
            call.add("codeGeneration", .text(".\(entity.codeGeneration)"))
        }
        call.add("hasCustomValidation", entity.hasCustomValidation)
        call.add("attributes", entity.attributes.map(attribute))
        call.add("relationships", entity.relationships.map(relationship))
        call.add("uniqueConstraints", entity.uniqueConstraints.map(uniqueConstraint))
        call.add("indexes", entity.indexes.map(index))
        call.add("rules", entity.rules.map(rule))
        call.add("fetchTemplates", entity.fetchTemplates.map(fetchTemplate))
        return call.code(names.library("Entity"))
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
        return call.code(".init")
    }

    private func type(_ type: AttributeType) -> SwiftCode {
        switch type {
        case .decimal(let scale): .call(".decimal", [("scale", .text("\(scale)"))])
        case .enumeration(let name): .call(".enumeration", .string(name))
        default: .text(".\(type)")
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
        return call.code(".init")
    }

    private func uniqueConstraint(_ constraint: UniqueConstraint) -> SwiftCode {
        .call(".init", [("properties", .array(constraint.properties.map { .string($0) }))])
    }

    private func index(_ index: Index) -> SwiftCode {
        var call = Arguments()
        call.addEvenIfEmpty("elements", index.elements.map(element))
        call.add("condition", index.condition.map(expressions.code))
        return call.code(".init")
    }

    private func element(_ element: IndexElement) -> SwiftCode {
        var call = Arguments()
        call.add("property", .string(element.property))
        call.add("isDescending", element.isDescending)
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
                .call(".init", [("name", .string($0.name)), ("type", type($0.type))])
            })
        call.add("condition", template.condition.map(expressions.code))
        call.add("sort", template.sort.map(element))
        return call.code(".init")
    }
}

/// The arguments of a call, without those that are absent or empty.
private struct Arguments {
    private var arguments: [(label: String?, value: SwiftCode)] = []

    mutating func add(_ label: String, _ value: SwiftCode?) {
        if let value { arguments.append((label, value)) }
    }

    mutating func add(_ label: String, _ flag: Bool) {
        if flag { arguments.append((label, .text("true"))) }
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

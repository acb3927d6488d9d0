import CambiumModel

extension SwiftEmitter {
    /// The doc comment of an attribute: type, limits, uniqueness, default, position.
    func describe(_ property: GeneratedAttribute) -> String {
        let attribute = property.attribute
        var parts = description(of: attribute)
        parts += uniqueness(of: attribute.name, in: property.declarer)
        if attribute.hasCustomValidation { parts.append("checked by `\(property.hook)(_:)`") }
        return sentence(parts) + lines.note(property.declarer.name, attribute.name)
    }

    /// The doc comment of a part of a composite value.
    func describe(_ attribute: Attribute) -> String {
        sentence(description(of: attribute))
    }

    /// The doc comment of a composite attribute.
    func describe(_ composite: GeneratedComposite, of entity: GeneratedEntity) -> String {
        var parts = ["`\(composite.attribute.composite)`"]
        if composite.attribute.isOptional { parts.append("optional") }
        if composite.attribute.isTransient { parts.append("not stored") }
        return sentence(parts) + lines.note(entity.entity.name, composite.attribute.name)
    }

    /// The doc comment of a fetched property.
    func describe(_ property: GeneratedFetchedProperty, of entity: GeneratedEntity) -> String {
        """
        Objects that a request finds, fetched on the first access and \
        again after ``ManagedObjectContext/refresh(_:mergeChanges:)``.
        """
            + lines.note(entity.entity.name, property.property.name)
    }

    /// The rules in the doc comment of a class: the name, the condition and the message of each.
    func rules(of entity: Entity) -> [String] {
        entity.rules.map { rule in
            "`\(rule.name)`: `\(rule.condition)`" + (rule.message.map { " (\($0))" } ?? "")
        }
    }

    /// The doc comment of a named request: the objects that it finds, and their order.
    func describe(_ template: FetchTemplate) -> String {
        let kind =
            switch template.options.resultKind {
            case .objects: "objects"
            case .ids: "the identities of objects"
            case .count: "the number of objects"
            case .dictionaries: "dictionaries of the values of objects"
            }
        let condition =
            template.condition.map { "\(kind) that meet `\($0)`" }
            ?? (template.options.resultKind == .objects ? "all objects" : kind)
        let order = template.sort.map {
            "`\($0.property)`" + ($0.isDescending ? " descending" : "")
        }
        return "The request `\(template.name)`: \(condition)"
            + (order.isEmpty ? "" : ", sorted by " + order.joined(separator: ", "))
            + (template.options.limit.map { ", at most \($0)" } ?? "") + "."
    }

    private func sentence(_ parts: [String]) -> String {
        parts.joined(separator: ", ") + "."
    }

    private func description(of attribute: Attribute) -> [String] {
        var parts = [typeName(attribute.type)]
        if attribute.isOptional { parts.append("optional") }
        if attribute.isTransient { parts.append("not stored") }
        if attribute.derivation != nil { parts.append("derived") }
        if attribute.isExternal { parts.append("in a file of its own if it is large") }
        let limits = attribute.limits
        parts += range(limits.minimum.map(text), limits.maximum.map(text), unit: "")
        let unit = attribute.type == .data ? " byte" : " character"
        parts += range(
            limits.minimumLength.map(String.init), limits.maximumLength.map(String.init),
            unit: unit)
        if let pattern = limits.pattern { parts.append("matches `\(pattern)`") }
        if let value = attribute.defaultValue {
            parts.append("default \(text(value, of: attribute.type))")
        }
        return parts
    }

    /// The doc comment of a relationship.
    func describe(_ property: GeneratedRelationship, of entity: GeneratedEntity) -> String {
        let relationship = property.relationship
        var parts = [kind(of: relationship)]
        if relationship.isRequiredToOne { parts.append("required") }
        parts += range(
            relationship.minimumCount.map(String.init), relationship.maximumCount.map(String.init),
            unit: " object")
        if let inverse = relationship.inverse {
            parts.append("inverse `\(relationship.destination).\(inverse)`")
        }
        if relationship.isTransient { parts.append("not stored") }
        switch relationship.deleteRule {
        case .nullify: break
        case .cascade: parts.append("deleted together with this object")
        case .deny: parts.append("keeps this object from being deleted")
        }
        return sentence(parts) + lines.note(entity.entity.name, relationship.name)
    }

    private func kind(of relationship: Relationship) -> String {
        guard relationship.isToMany else { return "To-one" }
        return relationship.isOrdered ? "Ordered to-many" : "To-many"
    }

    private func typeName(_ type: AttributeType) -> String {
        switch type {
        case .decimal(let scale): "Decimal with \(scale) places"
        case .enumeration(let name): "One of `\(name)`"
        case .codable(let name): "`\(name)`, kept as JSON"
        default: type.descriptor.title
        }
    }

    private func range(_ minimum: String?, _ maximum: String?, unit: String) -> [String] {
        switch (minimum, maximum) {
        case (nil, nil): []
        case (let minimum?, nil): ["at least \(counted(minimum, unit))"]
        case (nil, let maximum?): ["at most \(counted(maximum, unit))"]
        case (let minimum?, let maximum?): ["\(minimum) to \(counted(maximum, unit))"]
        }
    }

    private func counted(_ number: String, _ unit: String) -> String {
        unit.isEmpty || number == "1" ? number + unit : "\(number)\(unit)s"
    }

    private func uniqueness(of name: String, in entity: Entity) -> [String] {
        entity.uniqueConstraints.filter { $0.properties.contains(name) }.map { constraint in
            let others = constraint.properties.filter { $0 != name }.map { "`\($0)`" }
            return others.isEmpty
                ? "unique" : "unique together with \(others.joined(separator: " and "))"
        }
    }

    private func text(_ value: DefaultValue, of type: AttributeType) -> String {
        switch value {
        case .constant(let value):
            if case .enumeration(let name) = type,
                let named = model.enumeration(named: name)?.cases.first(where: {
                    $0.rawValue == value
                })
            {
                "`\(named.name)`"
            } else {
                text(value)
            }
        case .now: "now"
        case .newUUID: "a new one"
        }
    }

    private func text(_ value: Value) -> String {
        switch value {
        case .string(let text): "`\(text)`"
        case .null, .bool, .int, .double, .decimal, .data: value.notation
        default: "`\(value.notation)`"
        }
    }
}

extension Relationship {
    fileprivate var isRequiredToOne: Bool { !isToMany && !isOptional }
}

extension SwiftEmitter {
    /// The protocol with the typed keys of a class and its subclasses.
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
    /// The type of the key. It determines the permitted conditions.
    var keyType: String {
        if isTransient { return "TransientKey" }
        return type.isCodable || usesExternalForm ? "OpaqueKey" : "Key"
    }
}

/// A static property that represents a property in predicates.
private struct GeneratedKey {
    let name: String
    let property: String
    let type: String
    let value: String
}

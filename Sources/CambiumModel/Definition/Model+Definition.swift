extension Model {
    /// The version of the form of ``definition``.
    private static let definitionFormat = 1

    /// All of the version as compact text, for whoever needs to know later what it was: all but what
    /// its author declared about the step from the version before. Written anew on each call.
    package var definition: String {
        var coder = DefinitionCoder()
        // Only reading fails.
        _ = try? Self.coded(self, &coder)
        return String(decoding: coder.text, as: UTF8.self)
    }

    /// Reads a ``definition``.
    ///
    /// - Returns: Nil where the text is none, or one that another Cambium has written and this one
    ///   would write in another way, or where the model in it is none that the compiler accepts.
    package init?(definition: String) {
        var coder = DefinitionCoder(reading: definition.utf8)
        guard let model = try? Self.coded(nil, &coder), coder.isAtEnd, model.isConsistent,
            // What this Cambium does not know of, it would leave out.
            model.definition.utf8.elementsEqual(definition.utf8)
        else { return nil }
        self = model
    }

    private static func coded(
        _ it: Model?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Model {
        guard try coder.number(definitionFormat) == definitionFormat else {
            throw UnreadableDefinition()
        }
        return Model(
            name: try coder.string(it?.name), version: try coder.string(it?.version),
            entities: try coder.list(it?.entities, Entity.coded),
            enumerations: try coder.list("enumerations", it?.enumerations, Enumeration.coded),
            composites: try coder.list("composites", it?.composites, Composite.coded),
            configurations: try coder.list(
                "configurations", it?.configurations, Configuration.coded),
            identifier: try coder.optional("identifier", it?.identifier, String.coded),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension String {
    static func coded(
        _ it: String?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> String {
        try coder.string(it)
    }
}

extension Int {
    static func coded(
        _ it: Int?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Int {
        try coder.number(it)
    }
}

extension RawRepresentable<String> {
    static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        try coder.raw(it)
    }
}

// MARK: What a model is made of

extension Entity {
    fileprivate static func coded(
        _ it: Entity?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Entity {
        try coder.group { coder throws(UnreadableDefinition) in
            let name = try coder.string(it?.name)
            return Entity(
                name: name,
                className: try coder.part(
                    "class", it?.className, unless: name, String.coded),
                parent: try coder.optional("parent", it?.parent, String.coded),
                isAbstract: coder.flag("abstract", it?.isAbstract),
                renamedFrom: try coder.optional("from", it?.renamedFrom, String.coded),
                codeGeneration: try coder.part(
                    "codegen", it?.codeGeneration, unless: .fullClass, CodeGeneration.coded),
                hasCustomValidation: coder.flag("custom", it?.hasCustomValidation),
                attributes: try coder.list("attributes", it?.attributes, Attribute.coded),
                compositeAttributes: try coder.list(
                    "composites", it?.compositeAttributes, CompositeAttribute.coded),
                relationships: try coder.list(
                    "relationships", it?.relationships, Relationship.coded),
                uniqueConstraints: try coder.list(
                    "uniques", it?.uniqueConstraints, UniqueConstraint.coded),
                indexes: try coder.list("indexes", it?.indexes, Index.coded),
                rules: try coder.list("rules", it?.rules, Rule.coded),
                fetchTemplates: try coder.list(
                    "requests", it?.fetchTemplates, FetchTemplate.coded),
                fetchedProperties: try coder.list(
                    "fetched", it?.fetchedProperties, FetchedProperty.coded),
                hashModifier: try coder.optional("modifier", it?.hashModifier, String.coded),
                userInfo: try coder.notes("info", it?.userInfo))
        }
    }
}

extension Attribute {
    fileprivate static func coded(
        _ it: Attribute?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Attribute {
        try coder.group { coder throws(UnreadableDefinition) in
            Attribute(
                name: try coder.string(it?.name), type: try AttributeType.coded(it?.type, &coder),
                isOptional: coder.flag("optional", it?.isOptional),
                isTransient: coder.flag("transient", it?.isTransient),
                defaultValue: try coder.optional("default", it?.defaultValue, DefaultValue.coded),
                limits: try coder.part("limits", it?.limits, unless: Limits(), Limits.coded),
                merge: try coder.optional("merge", it?.merge, MergeRule.coded),
                renamedFrom: try coder.optional("from", it?.renamedFrom, String.coded),
                hasCustomValidation: coder.flag("custom", it?.hasCustomValidation),
                derivation: try coder.optional(
                    "derived", it?.derivation, ModelExpression.coded),
                isExternal: coder.flag("external", it?.isExternal),
                isPreservedAfterDeletion: coder.flag("preserved", it?.isPreservedAfterDeletion),
                hashModifier: try coder.optional("modifier", it?.hashModifier, String.coded),
                userInfo: try coder.notes("info", it?.userInfo))
        }
    }
}

extension AttributeType {
    static func coded(
        _ it: AttributeType?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> AttributeType {
        let name = try coder.word(it?.caseName)
        switch (name, it) {
        case ("decimal", .decimal(let scale)?): return .decimal(scale: try coder.number(scale))
        case ("decimal", _): return .decimal(scale: try coder.number(nil))
        case ("enumeration", .enumeration(let type)?):
            return .enumeration(try coder.string(type))
        case ("enumeration", _): return .enumeration(try coder.string(nil))
        case ("codable", .codable(let type)?): return .codable(try coder.string(type))
        case ("codable", _): return .codable(try coder.string(nil))
        default:
            guard let type = plain.first(where: { $0.caseName == name }) else {
                throw UnreadableDefinition()
            }
            return type
        }
    }
}

extension DefaultValue {
    fileprivate static func coded(
        _ it: DefaultValue?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> DefaultValue {
        switch it {
        case .now?: _ = coder.flag("now", true)
        case .newUUID?: _ = coder.flag("newUUID", true)
        case .constant(let value)?: return .constant(try Value.coded(value, &coder))
        case nil:
            if coder.flag("now", nil) { return .now }
            if coder.flag("newUUID", nil) { return .newUUID }
            return .constant(try Value.coded(nil, &coder))
        }
        return it ?? .now
    }
}

extension Limits {
    fileprivate static func coded(
        _ it: Limits?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Limits {
        try coder.group { coder throws(UnreadableDefinition) in
            Limits(
                minimum: try coder.optional("min", it?.minimum, Value.coded),
                maximum: try coder.optional("max", it?.maximum, Value.coded),
                minimumLength: try coder.optional("minLength", it?.minimumLength, Int.coded),
                maximumLength: try coder.optional("maxLength", it?.maximumLength, Int.coded),
                pattern: try coder.optional("pattern", it?.pattern, String.coded))
        }
    }
}

extension CompositeAttribute {
    fileprivate static func coded(
        _ it: CompositeAttribute?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> CompositeAttribute {
        try coder.group { coder throws(UnreadableDefinition) in
            CompositeAttribute(
                name: try coder.string(it?.name), composite: try coder.string(it?.composite),
                isOptional: coder.flag("optional", it?.isOptional),
                isTransient: coder.flag("transient", it?.isTransient),
                renamedFrom: try coder.optional("from", it?.renamedFrom, String.coded),
                userInfo: try coder.notes("info", it?.userInfo))
        }
    }
}

extension Relationship {
    fileprivate static func coded(
        _ it: Relationship?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Relationship {
        try coder.group { coder throws(UnreadableDefinition) in
            Relationship(
                name: try coder.string(it?.name), destination: try coder.string(it?.destination),
                inverse: try coder.optional("inverse", it?.inverse, String.coded),
                isToMany: coder.flag("many", it?.isToMany),
                isOptional: coder.flag("optional", it?.isOptional),
                minimumCount: try coder.optional("min", it?.minimumCount, Int.coded),
                maximumCount: try coder.optional("max", it?.maximumCount, Int.coded),
                deleteRule: try coder.part(
                    "onDelete", it?.deleteRule, unless: .nullify, DeleteRule.coded),
                renamedFrom: try coder.optional("from", it?.renamedFrom, String.coded),
                isOrdered: coder.flag("ordered", it?.isOrdered),
                isTransient: coder.flag("transient", it?.isTransient),
                hashModifier: try coder.optional("modifier", it?.hashModifier, String.coded),
                userInfo: try coder.notes("info", it?.userInfo))
        }
    }
}

extension UniqueConstraint {
    fileprivate static func coded(
        _ it: UniqueConstraint?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> UniqueConstraint {
        UniqueConstraint(properties: try coder.list(it?.properties, String.coded))
    }
}

extension Enumeration {
    fileprivate static func coded(
        _ it: Enumeration?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Enumeration {
        try coder.group { coder throws(UnreadableDefinition) in
            Enumeration(
                name: try coder.string(it?.name),
                rawType: try AttributeType.coded(it?.rawType, &coder),
                cases: try coder.list(it?.cases) { it, coder throws(UnreadableDefinition) in
                    EnumerationCase(
                        name: try coder.string(it?.name),
                        rawValue: try Value.coded(it?.rawValue, &coder))
                })
        }
    }
}

extension Composite {
    fileprivate static func coded(
        _ it: Composite?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Composite {
        try coder.group { coder throws(UnreadableDefinition) in
            Composite(
                name: try coder.string(it?.name),
                attributes: try coder.list("attributes", it?.attributes, Attribute.coded),
                compositeAttributes: try coder.list(
                    "composites", it?.compositeAttributes, CompositeAttribute.coded),
                userInfo: try coder.notes("info", it?.userInfo))
        }
    }
}

extension Configuration {
    fileprivate static func coded(
        _ it: Configuration?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Configuration {
        try coder.group { coder throws(UnreadableDefinition) in
            Configuration(
                name: try coder.string(it?.name),
                entities: try coder.list(it?.entities, String.coded),
                userInfo: try coder.notes("info", it?.userInfo))
        }
    }
}

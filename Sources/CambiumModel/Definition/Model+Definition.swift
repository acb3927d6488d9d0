extension Model {
    /// The complete version as compact text, so that a program can later find out how the version
    /// was defined. The migration from the previous version is not included. The text is written
    /// again on each call.
    package var definition: String {
        DefinitionCoder.text(of: declaring(nil))
    }

    /// Reads a ``definition``.
    ///
    /// - Returns: Nil if the text is not a definition, if the compiler would not accept its model,
    ///   or if this version of Cambium would write the definition in another way.
    package convenience init?(definition: String) {
        guard let model: Model = try? DefinitionCoder.part(in: definition), model.isConsistent,
            // This version of Cambium would leave out unknown parts.
            model.definition.utf8.elementsEqual(definition.utf8)
        else { return nil }
        self.init(model, migration: model.migration)
    }

    /// The texts that represent a version in generated code. The first is the definition without
    /// its entities. Then comes one text for each entity, and versions may share these.
    ///
    /// - Parameter includesMigration: Whether the first text includes the migration from the
    ///   previous version.
    package func compiledTexts(includesMigration: Bool) -> [String] {
        let head = with([]).declaring(includesMigration ? migration : nil)
        return [DefinitionCoder.text(of: head)] + entities.map(DefinitionCoder.text)
    }

    /// Reads the texts of ``compiledTexts(includesMigration:)``. Generated code calls it.
    ///
    /// If the texts were changed later, it ends the program. Code that another version of Cambium
    /// generated does not compile: see ``GeneratedFormat``.
    @_spi(Generated)
    public convenience init(compiled texts: [String]) {
        do {
            let head: Model = try DefinitionCoder.part(in: texts.first ?? "")
            var entities: [Entity] = []
            for text in texts.dropFirst() { entities.append(try DefinitionCoder.part(in: text)) }
            self.init(head, entities: entities, migration: head.migration)
        } catch {
            fatalError("The generated Swift of a model was changed: generate it again.")
        }
    }
}

extension Model: DefinitionPart {
    static let isGroup = false
    /// The version of the form of ``definition``.
    private static let definitionFormat = 1

    convenience init(_ it: Model?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        guard try coder.part(Self.definitionFormat) == Self.definitionFormat else {
            throw UnreadableDefinition()
        }
        self.init(
            name: try coder.part(it?.name), version: try coder.part(it?.version),
            entities: try coder.list(it?.entities),
            enumerations: try coder.list("enumerations", it?.enumerations),
            composites: try coder.list("composites", it?.composites),
            configurations: try coder.list("configurations", it?.configurations),
            identifier: try coder.optional("identifier", it?.identifier),
            userInfo: try coder.notes("info", it?.userInfo),
            migration: try coder.optional("migration", it?.migration))
    }
}

// MARK: Parts of a model

extension Entity: DefinitionPart {
    convenience init(_ it: Entity?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        let name: String = try coder.part(it?.name)
        self.init(
            name: name,
            className: try coder.part("class", it?.className, unless: name),
            parent: try coder.optional("parent", it?.parent),
            isAbstract: coder.flag("abstract", it?.isAbstract),
            renamedFrom: try coder.optional("from", it?.renamedFrom),
            codeGeneration: try coder.part("codegen", it?.codeGeneration, unless: .fullClass),
            hasCustomValidation: coder.flag("custom", it?.hasCustomValidation),
            attributes: try coder.list("attributes", it?.attributes),
            compositeAttributes: try coder.list("composites", it?.compositeAttributes),
            relationships: try coder.list("relationships", it?.relationships),
            uniqueConstraints: try coder.list("uniques", it?.uniqueConstraints),
            indexes: try coder.list("indexes", it?.indexes),
            rules: try coder.list("rules", it?.rules),
            fetchTemplates: try coder.list("requests", it?.fetchTemplates),
            fetchedProperties: try coder.list("fetched", it?.fetchedProperties),
            hashModifier: try coder.optional("modifier", it?.hashModifier),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension Attribute: DefinitionPart {
    convenience init(_ it: Attribute?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition)
    {
        self.init(
            name: try coder.part(it?.name), type: try coder.part(it?.type),
            isOptional: coder.flag("optional", it?.isOptional),
            isTransient: coder.flag("transient", it?.isTransient),
            defaultValue: try coder.optional("default", it?.defaultValue),
            limits: try coder.part("limits", it?.limits, unless: Limits()),
            merge: try coder.optional("merge", it?.merge),
            renamedFrom: try coder.optional("from", it?.renamedFrom),
            hasCustomValidation: coder.flag("custom", it?.hasCustomValidation),
            derivation: try coder.optional("derived", it?.derivation),
            isExternal: coder.flag("external", it?.isExternal),
            isPreservedAfterDeletion: coder.flag("preserved", it?.isPreservedAfterDeletion),
            hashModifier: try coder.optional("modifier", it?.hashModifier),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension AttributeType: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        let name = try coder.word(it?.caseName)
        switch name {
        case "decimal":
            var scale: Int?
            if case .decimal(let own)? = it { scale = own }
            self = .decimal(scale: try coder.part(scale))
        case "enumeration", "codable":
            var type: String?
            switch it {
            case .enumeration(let own)?, .codable(let own)?: type = own
            default: break
            }
            let read = try coder.part(type)
            self = name == "codable" ? .codable(read) : .enumeration(read)
        default:
            guard let type = Self.plain.first(where: { $0.caseName == name }) else {
                throw UnreadableDefinition()
            }
            self = type
        }
    }
}

extension DefaultValue: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        if coder.flag("now", it.map { $0 == .now }) {
            self = .now
        } else if coder.flag("newUUID", it.map { $0 == .newUUID }) {
            self = .newUUID
        } else {
            var value: Value?
            if case .constant(let constant)? = it { value = constant }
            self = .constant(try coder.part(value))
        }
    }
}

extension Limits: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            minimum: try coder.optional("min", it?.minimum),
            maximum: try coder.optional("max", it?.maximum),
            minimumLength: try coder.optional("minLength", it?.minimumLength),
            maximumLength: try coder.optional("maxLength", it?.maximumLength),
            pattern: try coder.optional("pattern", it?.pattern))
    }
}

extension CompositeAttribute: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name), composite: try coder.part(it?.composite),
            isOptional: coder.flag("optional", it?.isOptional),
            isTransient: coder.flag("transient", it?.isTransient),
            renamedFrom: try coder.optional("from", it?.renamedFrom),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension Relationship: DefinitionPart {
    convenience init(
        _ it: Relationship?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name), destination: try coder.part(it?.destination),
            inverse: try coder.optional("inverse", it?.inverse),
            isToMany: coder.flag("many", it?.isToMany),
            isOptional: coder.flag("optional", it?.isOptional),
            minimumCount: try coder.optional("min", it?.minimumCount),
            maximumCount: try coder.optional("max", it?.maximumCount),
            deleteRule: try coder.part("onDelete", it?.deleteRule, unless: .nullify),
            renamedFrom: try coder.optional("from", it?.renamedFrom),
            isOrdered: coder.flag("ordered", it?.isOrdered),
            isTransient: coder.flag("transient", it?.isTransient),
            hashModifier: try coder.optional("modifier", it?.hashModifier),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension UniqueConstraint: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(properties: try coder.list(it?.properties))
    }
}

extension Enumeration: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name),
            rawType: try coder.part(it?.rawType),
            cases: try coder.list(it?.cases))
    }
}

extension EnumerationCase: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(name: try coder.part(it?.name), rawValue: try coder.part(it?.rawValue))
    }
}

extension Composite: DefinitionPart {
    convenience init(
        _ it: Composite?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name),
            attributes: try coder.list("attributes", it?.attributes),
            compositeAttributes: try coder.list("composites", it?.compositeAttributes),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension Configuration: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name),
            entities: try coder.list(it?.entities),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

// MARK: Cases

extension CodeGeneration: DefinitionPart {}
extension DeleteRule: DefinitionPart {}
extension IndexKind: DefinitionPart {}
extension MergeRule: DefinitionPart {}
extension RequestResultKind: DefinitionPart {}

extension Model {
    /// Whether a model that the compiler has not just checked, such as one read from a file, has
    /// the properties that all code relies on. Names are valid and unique, and refer to things that
    /// exist. The inverse of an inverse is the relationship itself. Parents have no cycles.
    var isConsistent: Bool {
        let names = entities.map { $0.name }
        let types = enumerations.map { $0.name } + composites.map { $0.name }
        return Self.areNames(names) && Self.areNames(types)
            && entities.allSatisfy { hasRoot($0) && isConsistent($0) }
            && composites.allSatisfy { areConsistent($0.attributes, $0.compositeAttributes) }
            && enumerations.allSatisfy { type in
                Self.areNames(type.cases.map { $0.name }) && type.hasRawValues
            }
    }

    /// Whether all names are valid in a statement, and each occurs once.
    private static func areNames(_ names: [String]) -> Bool {
        Set(names).count == names.count
            && names.allSatisfy { name in
                !name.isEmpty
                    && name.unicodeScalars.allSatisfy {
                        $0.properties.isXIDContinue || $0 == "_" || $0 == "."
                    }
            }
    }

    private func hasRoot(_ entity: Entity) -> Bool {
        var seen: Set<String> = [entity.name]
        var name = entity.parent
        while let parent = name {
            guard let found = self.entity(named: parent), seen.insert(parent).inserted else {
                return false
            }
            name = found.parent
        }
        return true
    }

    private func isConsistent(_ entity: Entity) -> Bool {
        let lineage = lineage(of: entity)
        let inherited = lineage.flatMap {
            $0.attributes.map { $0.name } + $0.relationships.map { $0.name }
        }
        let known = Set(inherited)
        return Self.areNames(inherited)
            && areConsistent(entity.attributes, entity.compositeAttributes)
            && Self.areNames(entity.rules.map { $0.name })
            && entity.uniqueConstraints.allSatisfy {
                !$0.properties.isEmpty && $0.properties.allSatisfy(known.contains)
            }
            && entity.indexes.flatMap { $0.elements }.allSatisfy {
                $0.expression != nil || known.contains($0.property)
            }
            && entity.relationships.allSatisfy { pointsBack($0, to: entity) }
    }

    private func areConsistent(
        _ attributes: [Attribute], _ compositeAttributes: [CompositeAttribute]
    ) -> Bool {
        Self.areNames(attributes.map { $0.name })
            && attributes.allSatisfy { attribute in
                switch attribute.type {
                case .enumeration(let name): enumeration(named: name) != nil
                case .decimal(let scale): (0...38).contains(scale)
                default: true
                }
            } && compositeAttributes.allSatisfy { composite(named: $0.composite) != nil }
    }

    private func pointsBack(_ relationship: Relationship, to entity: Entity) -> Bool {
        guard let destination = self.entity(named: relationship.destination) else { return false }
        guard let name = relationship.inverse else { return true }
        guard let inverse = self.relationship(name, of: destination),
            let other = self.entity(named: inverse.destination)
        else { return false }
        return inverse.inverse == relationship.name
            && lineage(of: other).contains { $0.name == entity.name }
    }
}

extension Enumeration {
    /// Whether each case has a value of the type that rows hold.
    fileprivate var hasRawValues: Bool {
        cases.allSatisfy { item in
            switch item.rawValue {
            case .string: rawType == .string
            case .int: [.int16, .int32, .int64].contains(rawType)
            default: false
            }
        }
    }
}

// Conditions, values and requests in the definition of a model.

extension Value: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        let (kind, text) = it?.exactForm ?? ("", "")
        let name = try coder.word(kind)
        guard let value = Value(kind: name, exactText: name == "null" ? "" : try coder.string(text))
        else { throw UnreadableDefinition() }
        self = value
    }
}

extension ModelExpression: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        let part: Part = try coder.part(it?.part)
        guard let expression = part.expression else { throw UnreadableDefinition() }
        self = expression
    }
}

extension ModelExpression.Part: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        guard let kind = Kind(rawValue: try coder.word(it?.kind.rawValue)) else {
            throw UnreadableDefinition()
        }
        self.init(
            kind: kind, texts: try coder.list("texts", it?.texts),
            options: try coder.part("options", it?.options, unless: 0),
            value: try coder.optional("value", it?.value),
            operands: try coder.list("of", it?.operands))
    }
}

// MARK: Types with conditions

extension Index: DefinitionPart {
    convenience init(_ it: Index?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.optional("name", it?.name),
            kind: try coder.part("kind", it?.kind, unless: .binary),
            elements: try coder.list(it?.elements),
            condition: try coder.optional("where", it?.condition))
    }
}

extension IndexElement: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            property: try coder.part(it?.property),
            isDescending: coder.flag("descending", it?.isDescending),
            expression: try coder.optional("expression", it?.expression))
    }
}

extension Rule: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name),
            message: try coder.optional("message", it?.message),
            condition: try coder.part(it?.condition))
    }
}

extension FetchTemplate: DefinitionPart {
    convenience init(
        _ it: FetchTemplate?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name),
            parameters: try coder.list("parameters", it?.parameters),
            condition: try coder.optional("where", it?.condition),
            sort: try coder.list("sort", it?.sort),
            options: try coder.part("options", it?.options, unless: RequestOptions()),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension FetchParameter: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        let name: String = try coder.part(it?.name)
        let isList = coder.flag("list", it?.isList)
        if let entity = try coder.optional("entity", it?.entity) {
            self.init(name: name, entity: entity, isList: isList)
        } else {
            self.init(name: name, type: try coder.part(it?.type), isList: isList)
        }
    }
}

extension FetchedProperty: DefinitionPart {
    convenience init(
        _ it: FetchedProperty?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name), destination: try coder.part(it?.destination),
            condition: try coder.optional("where", it?.condition),
            sort: try coder.list("sort", it?.sort),
            options: try coder.part("options", it?.options, unless: RequestOptions()),
            hashModifier: try coder.optional("modifier", it?.hashModifier),
            userInfo: try coder.notes("info", it?.userInfo))
    }
}

extension RequestOptions: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            limit: try coder.optional("limit", it?.limit),
            offset: try coder.part(it?.offset), batchSize: try coder.part(it?.batchSize),
            resultKind: try coder.part(it?.resultKind),
            isDistinct: coder.flag("distinct", it?.isDistinct),
            includesSubentities: coder.flag("subentities", it?.includesSubentities),
            includesPendingChanges: coder.flag("pending", it?.includesPendingChanges),
            includesPropertyValues: coder.flag("values", it?.includesPropertyValues),
            returnsObjectsAsFaults: coder.flag("faults", it?.returnsObjectsAsFaults),
            prefetched: try coder.list("prefetched", it?.prefetched))
    }
}

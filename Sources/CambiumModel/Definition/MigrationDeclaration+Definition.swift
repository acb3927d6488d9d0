// What the author of a version declared about the step to it, in the definition of a model.

extension MigrationDeclaration: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            from: try coder.part(it?.from),
            fills: try coder.list("fills", it?.fills),
            links: try coder.list("links", it?.links),
            requirements: try coder.list("requirements", it?.requirements),
            drops: try coder.list("drops", it?.drops),
            replacements: try coder.list("replacements", it?.replacements),
            keeps: try coder.list("keeps", it?.keeps),
            deduplications: try coder.list("deduplications", it?.deduplications),
            steps: try coder.list("steps", it?.steps))
    }
}

extension MigrationDeclaration.Fill: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity), attribute: try coder.part(it?.attribute),
            value: try coder.part(it?.value))
    }
}

extension MigrationDeclaration.Link: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity),
            relationship: try coder.part(it?.relationship),
            condition: try coder.part(it?.condition),
            order: try coder.list("order", it?.order))
    }
}

extension MigrationDeclaration.Requirement: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity), property: try coder.part(it?.property),
            reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Drop: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity),
            property: try coder.optional("property", it?.property),
            condition: try coder.optional("where", it?.condition),
            reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Replacement: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            enumeration: try coder.part(it?.enumeration), case: try coder.part(it?.name),
            with: try coder.optional("with", it?.replacement),
            reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Keep: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity),
            relationship: try coder.part(it?.relationship),
            order: try coder.list("order", it?.order),
            reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Deduplication: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity),
            properties: try coder.list(it?.properties),
            order: try coder.list("order", it?.order),
            links: try coder.part("links", it?.links, unless: .move),
            reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Order: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            try coder.part(it?.attribute),
            isDescending: coder.flag("descending", it?.isDescending))
    }
}

extension MigrationDeclaration.Step: DefinitionPart {
    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            name: try coder.part(it?.name),
            entities: try coder.list(it?.entities))
    }
}

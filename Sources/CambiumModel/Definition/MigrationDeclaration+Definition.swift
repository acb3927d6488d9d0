// What the author of a version declared about the step to it, in the definition of a model.

extension MigrationDeclaration {
    static func coded(
        _ it: MigrationDeclaration?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> MigrationDeclaration {
        try coder.group { coder throws(UnreadableDefinition) in
            MigrationDeclaration(
                from: try coder.string(it?.from),
                fills: try coder.list("fills", it?.fills, Fill.coded),
                links: try coder.list("links", it?.links, Link.coded),
                requirements: try coder.list("requirements", it?.requirements, Requirement.coded),
                drops: try coder.list("drops", it?.drops, Drop.coded),
                replacements: try coder.list("replacements", it?.replacements, Replacement.coded),
                keeps: try coder.list("keeps", it?.keeps, Keep.coded),
                deduplications: try coder.list(
                    "deduplications", it?.deduplications, Deduplication.coded),
                steps: try coder.list("steps", it?.steps, Step.coded))
        }
    }
}

extension MigrationDeclaration.Fill {
    fileprivate static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        try coder.group { coder throws(UnreadableDefinition) in
            Self(
                entity: try coder.string(it?.entity), attribute: try coder.string(it?.attribute),
                value: try ModelExpression.coded(it?.value, &coder))
        }
    }
}

extension MigrationDeclaration.Link {
    fileprivate static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        try coder.group { coder throws(UnreadableDefinition) in
            Self(
                entity: try coder.string(it?.entity),
                relationship: try coder.string(it?.relationship),
                condition: try ModelExpression.coded(it?.condition, &coder),
                order: try coder.list("order", it?.order, MigrationDeclaration.Order.coded))
        }
    }
}

extension MigrationDeclaration.Requirement {
    fileprivate static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        try coder.group { coder throws(UnreadableDefinition) in
            Self(
                entity: try coder.string(it?.entity), property: try coder.string(it?.property),
                reason: try coder.string(it?.reason))
        }
    }
}

extension MigrationDeclaration.Drop {
    fileprivate static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        try coder.group { coder throws(UnreadableDefinition) in
            Self(
                entity: try coder.string(it?.entity),
                property: try coder.optional("property", it?.property, String.coded),
                condition: try coder.optional("where", it?.condition, ModelExpression.coded),
                reason: try coder.string(it?.reason))
        }
    }
}

extension MigrationDeclaration.Replacement {
    fileprivate static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        try coder.group { coder throws(UnreadableDefinition) in
            Self(
                enumeration: try coder.string(it?.enumeration), case: try coder.string(it?.name),
                with: try coder.optional("with", it?.replacement, String.coded),
                reason: try coder.string(it?.reason))
        }
    }
}

extension MigrationDeclaration.Keep {
    fileprivate static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        try coder.group { coder throws(UnreadableDefinition) in
            Self(
                entity: try coder.string(it?.entity),
                relationship: try coder.string(it?.relationship),
                order: try coder.list("order", it?.order, MigrationDeclaration.Order.coded),
                reason: try coder.string(it?.reason))
        }
    }
}

extension MigrationDeclaration.Deduplication {
    fileprivate static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        try coder.group { coder throws(UnreadableDefinition) in
            Self(
                entity: try coder.string(it?.entity),
                properties: try coder.list(it?.properties, String.coded),
                order: try coder.list("order", it?.order, MigrationDeclaration.Order.coded),
                links: try coder.part("links", it?.links, unless: .move, Links.coded),
                reason: try coder.string(it?.reason))
        }
    }
}

extension MigrationDeclaration.Order {
    fileprivate static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        Self(
            try coder.string(it?.attribute),
            isDescending: coder.flag("descending", it?.isDescending))
    }
}

extension MigrationDeclaration.Step {
    fileprivate static func coded(
        _ it: Self?, _ coder: inout DefinitionCoder
    ) throws(UnreadableDefinition) -> Self {
        try coder.group { coder throws(UnreadableDefinition) in
            Self(
                name: try coder.string(it?.name),
                entities: try coder.list(it?.entities, String.coded))
        }
    }
}

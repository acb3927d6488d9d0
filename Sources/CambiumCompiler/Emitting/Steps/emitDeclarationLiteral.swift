import CambiumModel

extension ModelLiteralEmitter {
    /// What the author of a version declared about the step to it.
    func migration(_ migration: MigrationDeclaration) -> SwiftCode {
        var call = Arguments()
        call.add("from", .string(migration.from))
        call.add("fills", migration.fills.map(fill))
        call.add("links", migration.links.map(link))
        call.add("requirements", migration.requirements.map(requirement))
        call.add("drops", migration.drops.map(drop))
        call.add("replacements", migration.replacements.map(replacement))
        call.add("keeps", migration.keeps.map(keep))
        call.add("deduplications", migration.deduplications.map(deduplication))
        call.add("steps", migration.steps.map(step))
        return call.code(".init")
    }

    private func fill(_ fill: MigrationDeclaration.Fill) -> SwiftCode {
        var call = Arguments()
        call.add("entity", .string(fill.entity))
        call.add("attribute", .string(fill.attribute))
        call.add("value", expressions.code(fill.value))
        return call.code(".init")
    }

    private func link(_ link: MigrationDeclaration.Link) -> SwiftCode {
        var call = Arguments()
        call.add("entity", .string(link.entity))
        call.add("relationship", .string(link.relationship))
        call.add("condition", expressions.code(link.condition))
        call.add("order", link.order.map(order))
        return call.code(".init")
    }

    private func requirement(_ requirement: MigrationDeclaration.Requirement) -> SwiftCode {
        var call = Arguments()
        call.add("entity", .string(requirement.entity))
        call.add("property", .string(requirement.property))
        call.add("reason", .string(requirement.reason))
        return call.code(".init")
    }

    private func drop(_ drop: MigrationDeclaration.Drop) -> SwiftCode {
        var call = Arguments()
        call.add("entity", .string(drop.entity))
        call.add("property", drop.property.map { .string($0) })
        call.add("condition", drop.condition.map(expressions.code))
        call.add("reason", .string(drop.reason))
        return call.code(".init")
    }

    private func replacement(
        _ replacement: MigrationDeclaration.Replacement
    ) -> SwiftCode {
        var call = Arguments()
        call.add("enumeration", .string(replacement.enumeration))
        call.add("case", .string(replacement.name))
        call.add("with", replacement.replacement.map { .string($0) })
        call.add("reason", .string(replacement.reason))
        return call.code(".init")
    }

    private func keep(_ keep: MigrationDeclaration.Keep) -> SwiftCode {
        var call = Arguments()
        call.add("entity", .string(keep.entity))
        call.add("relationship", .string(keep.relationship))
        call.add("order", keep.order.map(order))
        call.add("reason", .string(keep.reason))
        return call.code(".init")
    }

    private func deduplication(
        _ deduplication: MigrationDeclaration.Deduplication
    ) -> SwiftCode {
        var call = Arguments()
        call.add("entity", .string(deduplication.entity))
        call.add("properties", deduplication.properties.map { .string($0) })
        call.add("order", deduplication.order.map(order))
        if deduplication.links != .move { call.add("links", .text(".\(deduplication.links)")) }
        call.add("reason", .string(deduplication.reason))
        return call.code(".init")
    }

    private func order(_ order: MigrationDeclaration.Order) -> SwiftCode {
        var arguments: [(label: String?, value: SwiftCode)] = [(nil, .string(order.attribute))]
        if order.isDescending { arguments.append(("isDescending", .text("true"))) }
        return .call(".init", arguments)
    }

    private func step(_ step: MigrationDeclaration.Step) -> SwiftCode {
        var call = Arguments()
        call.add("name", .string(step.name))
        call.add("entities", step.entities.map { .string($0) })
        return call.code(".init")
    }
}

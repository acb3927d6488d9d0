import CambiumModel

extension ModelChecker {
    func warnAboutAttributes(of entity: Entity, _ draft: EntityDraft, in model: Model) {
        warnAboutNames(of: entity, draft, in: model)
        for attribute in entity.attributes {
            guard let element = draft.declaration(of: attribute.name) else { continue }
            warnAboutLength(of: model.column(of: attribute.name, in: entity), "column", element)
            // What a composite says is said at its own place.
            guard !attribute.isPart else { continue }
            warnAboutLimits(of: attribute, element)
            if let derivation = attribute.derivation {
                warnAboutDistance(of: derivation, attribute, element, entity, in: model)
            } else if attribute.isOptional, attribute.type == .bool,
                let optional = element["optional"]
            {
                report(
                    .optionalBool, "An optional bool has three values, which is seldom meant",
                    at: optional.offset, notes: ["An enumeration can name the three"])
            }
        }
    }

    private func warnAboutLimits(of attribute: Attribute, _ element: ParsedElement) {
        let limits = attribute.limits
        if let minimum = limits.minimum, minimum == limits.maximum, let written = element["min"] {
            report(
                .fixedValue,
                "\(wording.name("min")) and \(wording.name("max")) leave "
                    + "'\(attribute.name)' a single value",
                at: written.offset, notes: ["Widen them, or leave the attribute out"])
        }
        if limits.maximumLength == 0, let written = element["maxLength"] {
            report(
                .fixedValue,
                "\(wording.name("maxLength")) leaves '\(attribute.name)' only the empty value",
                at: written.offset, notes: ["Widen it, or leave the attribute out"])
        }
        if attribute.isExternal, let length = limits.maximumLength, length <= Self.smallLength,
            let written = element["storage"]
        {
            report(
                .smallExternalData,
                "Data of at most \(length) bytes is faster in the row than in a file of its own",
                at: written.offset, notes: [wording.remove("storage", "external")])
        }
    }

    /// Up to here a row beats a file by far.
    private static let smallLength = 16_384

    /// The names of the entity's own table, and of what its relationships are stored in.
    private func warnAboutNames(
        of entity: Entity, _ draft: EntityDraft, in model: Model
    ) {
        if entity.parent == nil { warnAboutLength(of: entity.name, "table", draft.element) }
        for relationship in entity.relationships {
            guard let element = draft.declaration(of: relationship.name) else { continue }
            switch model.storage(of: relationship, of: entity) {
            case .key(let column, let entityColumn):
                warnAboutLength(of: entityColumn ?? column, "column", element)
            case .joinTable(let name, "_source", _): warnAboutLength(of: name, "table", element)
            case .joinTable, .inverseKey, .transient: break
            }
        }
    }

    /// PostgreSQL cuts longer names off, and people cannot read them.
    private func warnAboutLength(
        of stored: String, _ kind: String, _ element: ParsedElement
    ) {
        guard stored.utf8.count > 63, let name = element["name"] else { return }
        report(
            .longName, "The \(kind) '\(stored)' has a name of more than 63 bytes", at: name,
            notes: ["Some databases and tools cut it off; choose a shorter name"])
    }

    /// A derived attribute that looks beyond its neighbours is computed again after changes of many
    /// other objects.
    private func warnAboutDistance(
        of derivation: ModelExpression, _ attribute: Attribute, _ element: ParsedElement,
        _ entity: Entity, in model: Model
    ) {
        var isDistant = false
        derivation.visit { expression in
            guard case .keyPath(root: .subject, let names) = expression else { return }
            var owner: Entity? = entity
            var steps = 0
            for name in names {
                guard let relationship = owner.flatMap({ model.relationship(name, of: $0) }) else {
                    break
                }
                steps += 1
                owner = model.entity(named: relationship.destination)
            }
            if steps > 1 { isDistant = true }
        }
        guard isDistant, let written = element["expression"] else { return }
        report(
            .distantDerivation,
            "'\(attribute.name)' looks further than one relationship away, so every save of "
                + "what lies there searches for the objects to update",
            at: written,
            notes: ["Derive an attribute halfway there, and this one from it"])
    }
}

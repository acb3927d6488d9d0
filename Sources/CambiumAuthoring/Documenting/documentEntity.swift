import CambiumCompiler
import CambiumModel
import CambiumSQL

extension DocumentationEmitter {
    /// Writes the section of an entity.
    func emitEntity(_ entity: Entity, _ writer: inout HTMLWriter) {
        let anchor = Anchor.entity(entity.name)
        writer.element("section", "class=\"entity\" id=\"\(anchor)\"") { writer in
            writer.element("details", ModelDiagram.isLarge(model) ? "" : "open") { writer in
                let badge = entity.isAbstract ? " " + HTMLWriter.badge("abstract") : ""
                writer.line("<summary><h2>\(HTMLText.escaped(entity.name))\(badge)</h2></summary>")
                emitKinship(of: entity, &writer)
                emitUserInfo(entity.userInfo, &writer)
                emitAttributes(of: entity, &writer)
                emitRelationships(of: entity, &writer)
                emitFetchedProperties(of: entity, &writer)
                emitConstraints(of: entity, &writer)
                emitFetchTemplates(of: entity, &writer)
            }
        }
    }

    private func emitKinship(of entity: Entity, _ writer: inout HTMLWriter) {
        var facts: [String] = []
        if let parent = entity.parent {
            facts.append("A kind of \(HTMLWriter.link(parent, to: Anchor.entity(parent))).")
        }
        let children = model.entities.filter { $0.parent == entity.name }.map {
            HTMLWriter.link($0.name, to: Anchor.entity($0.name))
        }
        if !children.isEmpty { facts.append("Kinds of it: \(children.joined(separator: ", ")).") }
        if entity.className != entity.name {
            facts.append("In Swift: \(HTMLWriter.code(entity.className)).")
        }
        if !facts.isEmpty { writer.line("<p>\(facts.joined(separator: " "))</p>") }
    }

    private func emitAttributes(of entity: Entity, _ writer: inout HTMLWriter) {
        let inherited = model.lineage(of: entity).dropLast()
        let rows = entity.attributes.map { attribute in
            (
                Anchor.property(attribute.name, of: entity.name),
                [
                    HTMLWriter.code(attribute.name), type(of: attribute, in: entity),
                    attribute.isOptional ? "optional" : "required",
                    facts(of: attribute, in: entity).joined(separator: ", "),
                ]
            )
        }
        if !rows.isEmpty { writer.line("<h3>Attributes</h3>") }
        writer.table(["Name", "Type", "Presence", "Details"], rows)
        let names = inherited.flatMap { ancestor in
            (ancestor.attributes.map(\.name) + ancestor.relationships.map(\.name)).map { name in
                HTMLWriter.link(name, to: Anchor.property(name, of: ancestor.name))
            }
        }
        if !names.isEmpty {
            writer.line("<p class=\"note\">Inherited: \(names.joined(separator: ", ")).</p>")
        }
    }

    /// Markup of a type. A type of the model is a link to its description.
    func type(of attribute: Attribute, in entity: Entity) -> String {
        if case .enumeration(let name) = attribute.type {
            return HTMLWriter.link(name, to: Anchor.enumeration(name))
        }
        let composite = entity.compositeAttributes.last { $0.contains(attribute) }
        let part = composite.map { composite in
            " of \(HTMLWriter.link(composite.composite, to: Anchor.composite(composite.composite)))"
        }
        return HTMLText.escaped(attribute.type.notation) + (part ?? "")
    }

    /// Markup of the properties of an attribute besides its type.
    func facts(of attribute: Attribute, in entity: Entity) -> [String] {
        let limits = attribute.limits
        var facts: [String] = []
        func add(_ name: String, _ value: String?) {
            if let value { facts.append("\(name) \(HTMLWriter.code(value))") }
        }
        if attribute.derivation != nil {
            add("computed from", declared.derivation(of: attribute.name, in: entity.name))
        }
        if attribute.isTransient { facts.append("not stored") }
        if attribute.isExternal { facts.append("large values in files") }
        add("at least", limits.minimum?.notation)
        add("at most", limits.maximum?.notation)
        add("minimum length", limits.minimumLength.map { "\($0)" })
        add("maximum length", limits.maximumLength.map { "\($0)" })
        add("matches", limits.pattern)
        switch attribute.defaultValue {
        case .constant(let value): add("default", notation(of: value, as: attribute.type))
        case .now: facts.append("default now")
        case .newUUID: facts.append("default a new one")
        case nil: break
        }
        add("conflicts", attribute.merge?.rawValue)
        if attribute.hasCustomValidation { facts.append("checked by the program") }
        add("formerly", attribute.renamedFrom)
        facts += attribute.userInfo.sorted { $0.key < $1.key }.map { key, value in
            "\(HTMLText.escaped(key)): \(HTMLText.escaped(value))"
        }
        return facts
    }

    private func notation(of value: Value, as type: AttributeType) -> String {
        guard case .enumeration(let name) = type else { return value.notation }
        let found = model.enumeration(named: name)?.cases.first { $0.rawValue == value }
        return found?.name ?? value.notation
    }

    private func emitRelationships(of entity: Entity, _ writer: inout HTMLWriter) {
        let rows = entity.relationships.map { relationship -> (id: String?, cells: [String]) in
            let destination = relationship.destination
            let inverse = relationship.inverse.map { name in
                HTMLWriter.link(name, to: Anchor.property(name, of: destination))
            }
            return (
                Anchor.property(relationship.name, of: entity.name),
                [
                    HTMLWriter.code(relationship.name),
                    HTMLWriter.link(destination, to: Anchor.entity(destination)),
                    cardinality(of: relationship), inverse ?? "none",
                    facts(of: relationship).joined(separator: ", "),
                ]
            )
        }
        if !rows.isEmpty { writer.line("<h3>Relationships</h3>") }
        writer.table(["Name", "Destination", "Number", "Inverse", "Details"], rows)
    }

    private func cardinality(of relationship: Relationship) -> String {
        guard relationship.isToMany else { return relationship.isOptional ? "0 or 1" : "exactly 1" }
        let minimum = relationship.minimumCount ?? 0
        let order = relationship.isOrdered ? ", ordered" : ""
        return (relationship.maximumCount.map { "\(minimum) to \($0)" } ?? "\(minimum) or more")
            + order
    }

    private func facts(of relationship: Relationship) -> [String] {
        var facts: [String] = []
        switch relationship.deleteRule {
        case .nullify: break
        case .cascade: facts.append("deleted together with this object")
        case .deny: facts.append("keeps this object from being deleted")
        }
        if relationship.isTransient { facts.append("not stored") }
        if let name = relationship.renamedFrom { facts.append("formerly \(HTMLWriter.code(name))") }
        facts += relationship.userInfo.sorted { $0.key < $1.key }.map { key, value in
            "\(HTMLText.escaped(key)): \(HTMLText.escaped(value))"
        }
        return facts
    }

    private func emitFetchedProperties(of entity: Entity, _ writer: inout HTMLWriter) {
        let rows = entity.fetchedProperties.map { property -> (id: String?, cells: [String]) in
            let condition = declared.condition(of: "fetched", property.name, in: entity.name)
            return (
                Anchor.property(property.name, of: entity.name),
                [
                    HTMLWriter.code(property.name),
                    HTMLWriter.link(property.destination, to: Anchor.entity(property.destination)),
                    condition.isEmpty ? "all" : HTMLWriter.code(condition),
                ]
            )
        }
        if !rows.isEmpty { writer.line("<h3>Fetched properties</h3>") }
        writer.table(["Name", "Finds", "Where"], rows)
    }
}

extension DocumentationEmitter {
    /// Writes the constraints of the objects of an entity, and its indexes.
    func emitConstraints(of entity: Entity, _ writer: inout HTMLWriter) {
        let rules = entity.rules.map { rule -> [String] in
            let condition = declared.condition(of: "rule", rule.name, in: entity.name)
            return [
                HTMLWriter.code(rule.name), HTMLWriter.code(condition),
                rule.message.map(HTMLText.escaped) ?? "",
                model.isEnforcedByStore(rule, of: entity) ? "by the store too" : "on save",
            ]
        }
        let uniques = entity.uniqueConstraints.map { constraint in
            "No two share " + constraint.properties.map(HTMLWriter.code).joined(separator: " and ")
                + "."
        }
        if !rules.isEmpty || !uniques.isEmpty { writer.line("<h3>Rules</h3>") }
        list(uniques, &writer)
        writer.table(["Name", "Condition", "Message", "Checked"], rules)
        let indexes = entity.indexes.indices.map { position in
            let index = declared.index(position, in: entity.name)
            let elements = index.elements.map(HTMLWriter.code).joined(separator: ", ")
            let condition = index.condition.map { " where \(HTMLWriter.code($0))" } ?? ""
            return elements + condition
        }
        if !indexes.isEmpty { writer.line("<h3>Indexes</h3>") }
        list(indexes, &writer)
    }

    /// Writes the named requests of an entity.
    func emitFetchTemplates(of entity: Entity, _ writer: inout HTMLWriter) {
        let rows = entity.fetchTemplates.map { template -> [String] in
            let parameters = template.parameters.map { parameter in
                HTMLWriter.code(
                    parameter.name + ": " + (parameter.entity ?? parameter.type.notation))
            }
            let condition = declared.condition(of: "fetch", template.name, in: entity.name)
            let sort = template.sort.map { $0.property + ($0.isDescending ? " descending" : "") }
            return [
                HTMLWriter.code(template.name), parameters.joined(separator: ", "),
                condition.isEmpty ? "all" : HTMLWriter.code(condition),
                sort.map(HTMLWriter.code).joined(separator: ", "),
            ]
        }
        if !rows.isEmpty { writer.line("<h3>Named requests</h3>") }
        writer.table(["Name", "Parameters", "Finds", "Sorted by"], rows)
    }

    private func list(_ items: [String], _ writer: inout HTMLWriter) {
        guard !items.isEmpty else { return }
        writer.element("ul") { writer in
            for item in items { writer.line("<li>\(item)</li>") }
        }
    }
}

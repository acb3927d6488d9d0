import CambiumModel

extension ModelChecker {
    /// The properties of an index's list; those that cannot be in it are reported and left out.
    mutating func checkList(
        _ written: ParsedAttribute, of entity: Entity, in model: Model
    ) -> [IndexElement] {
        checkEntries(written) { checker, name, offset in
            checker.checkProperty(name, of: entity, in: model, at: offset)
        }
    }

    /// The properties that a request is sorted by, some of them reached through to-one
    /// relationships.
    mutating func checkSort(
        _ written: ParsedAttribute, of entity: Entity, in model: Model
    ) -> [IndexElement] {
        checkEntries(written) { checker, name, offset in
            checker.checkSortPath(name, of: entity, in: model, at: offset)
        }
    }

    /// The properties of a uniqueness constraint.
    mutating func checkNames(
        in written: ParsedAttribute, of entity: Entity, in model: Model
    ) -> [String] {
        let words = WordList(written.value).words
        if words.isEmpty {
            report(.unknownProperty, "A property's name is missing", at: written)
        }
        var names: [String] = []
        for word in words {
            let offset = written.text.sourceOffset(of: word.offset, in: parsed.source)
            guard checkProperty(word.text, of: entity, in: model, at: offset) else { continue }
            if names.contains(word.text) {
                report(.duplicateName, "'\(word.text)' stands twice in the list", at: offset)
            } else {
                names.append(word.text)
            }
        }
        return names
    }

    private mutating func checkEntries(
        _ written: ParsedAttribute,
        _ isUsable: (inout ModelChecker, String, Int) -> Bool
    ) -> [IndexElement] {
        var seen: Set<String> = []
        var elements: [IndexElement] = []
        for entry in PropertyList(written.value).entries {
            let offset = written.text.sourceOffset(of: entry.offset, in: parsed.source)
            guard isUsable(&self, entry.name, offset) else { continue }
            let orders = ["ascending", "descending"]
            for (index, word) in entry.modifiers.enumerated()
            where index > 0 || !orders.contains(word) {
                report(
                    .invalidWord, "'\(word)' means nothing here", at: offset,
                    notes: hint(word, among: orders))
            }
            guard seen.insert(entry.name).inserted else {
                report(.duplicateName, "'\(entry.name)' stands twice in the list", at: offset)
                continue
            }
            elements.append(
                IndexElement(
                    property: entry.name, isDescending: entry.modifiers.first == "descending"))
        }
        return elements
    }

    /// Whether a name is that of a property with a column of its own in the entity's table.
    mutating func checkProperty(
        _ name: String, of entity: Entity, in model: Model, at offset: Int
    ) -> Bool {
        if let attribute = model.attribute(name, of: entity) {
            guard attribute.isTransient || attribute.usesExternalForm else { return true }
            report(
                .unsuitableProperty,
                attribute.isTransient
                    ? "'\(name)' is transient: it is not in the store"
                    : "'\(name)' may be in a file, which the store cannot look into",
                at: offset)
            return false
        }
        if let relationship = model.relationship(name, of: entity) {
            if case .key = model.storage(of: relationship, of: entity) { return true }
            report(
                .unsuitableProperty,
                relationship.isTransient
                    ? "'\(name)' is transient: it is not in the store"
                    : relationship.isToMany
                        ? "'\(name)' leads to many objects"
                        : "The link of '\(name)' is kept at the other end", at: offset)
            return false
        }
        if brokenNames.contains(name) { return false }
        if let composite = model.compositeAttribute(name, of: entity) {
            let parts = model.attributes(of: entity).filter { composite.contains($0) }
            report(
                .unsuitableProperty, "'\(name)' is a composite, which has a column for each part",
                at: offset,
                notes: parts.isEmpty
                    ? [] : ["Name its parts: \(parts.map(\.name).joined(separator: ", "))"])
            return false
        }
        reportUnknownProperty(name, of: entity, in: model, at: offset)
        return false
    }

    private mutating func checkSortPath(
        _ name: String, of entity: Entity, in model: Model, at offset: Int
    ) -> Bool {
        let path = model.path(name, of: entity)
        var owner = entity
        for (index, step) in path.dropLast().enumerated() {
            guard let relationship = model.relationship(step, of: owner),
                let destination = model.entity(named: relationship.destination)
            else {
                if !brokenNames.contains(step) {
                    reportUnknownProperty(step, of: owner, in: model, at: offset)
                }
                return false
            }
            guard !relationship.isToMany, !relationship.isTransient else {
                report(
                    .unsuitableProperty,
                    relationship.isToMany
                        ? "'\(step)' leads to many objects"
                        : "'\(step)' is transient: it is not in the store",
                    at: offset + path[..<index].reduce(0) { $0 + $1.utf8.count + 1 })
                return false
            }
            owner = destination
        }
        return checkProperty(path.last ?? name, of: owner, in: model, at: offset)
    }

    private mutating func reportUnknownProperty(
        _ name: String, of entity: Entity, in model: Model, at offset: Int
    ) {
        guard !name.isEmpty else {
            report(.unknownProperty, "A property's name is missing", at: offset)
            return
        }
        if incompleteEntities.contains(entity.name) { return }
        if name.contains("."), let first = name.split(separator: ".").first.map(String.init),
            let relationship = model.relationship(first, of: entity)
        {
            report(
                .unsuitableProperty,
                "'\(name)' belongs to '\(relationship.destination)', which has a table of its own",
                at: offset, notes: ["Name a property of '\(entity.name)'"])
            return
        }
        let names =
            model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
        report(
            .unknownProperty, "'\(entity.name)' has no property '\(name)'", at: offset,
            notes: hint(name, among: names))
    }
}

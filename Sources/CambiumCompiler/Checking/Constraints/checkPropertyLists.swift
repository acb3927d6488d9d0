import CambiumModel

extension ModelChecker {
    /// The properties of a uniqueness constraint, and whether all its names are valid.
    ///
    /// - Parameter outcome: The consequence of invalid names in a model of Xcode.
    @inline(never)
    func checkNames(
        in written: ParsedAttribute, of entity: Entity, in model: Model,
        inXcode outcome: String? = nil
    ) -> (names: [String], isWhole: Bool) {
        let words = WordList(written.value).words
        if words.isEmpty {
            report(
                .unknownProperty, "A property's name is missing", at: written, inXcode: outcome)
        }
        var names: [String] = []
        var isWhole = true
        for word in words {
            let offset = written.text.sourceOffset(of: word.offset, in: parsed.source)
            guard checkProperty(word.text, of: entity, in: model, at: offset, inXcode: outcome)
            else {
                isWhole = false
                continue
            }
            if names.contains(word.text) {
                reportRepetition(of: word.text, at: offset)
            } else {
                names.append(word.text)
            }
        }
        return (names, isWhole)
    }

    private func reportRepetition(of name: String, at offset: Int) {
        report(
            .duplicateName, "'\(name)' is in the list twice", at: offset,
            inXcode: "the second one is ignored")
    }

    /// The properties of an index's list, or of the order of a request. Invalid properties are
    /// reported, and are not in the result.
    ///
    /// - Parameters:
    ///   - isSort: Whether properties may be reached through to-one relationships.
    ///   - outcome: The consequence for an index in a model of Xcode if one of its properties is
    ///     invalid.
    func checkList(
        _ written: ParsedAttribute, of entity: Entity, in model: Model, isSort: Bool = false,
        inXcode outcome: String? = nil
    ) -> [IndexElement] {
        var seen: Set<String> = []
        var elements: [IndexElement] = []
        for entry in PropertyList(written.value).entries {
            let offset = written.text.sourceOffset(of: entry.offset, in: parsed.source)
            let isUsable =
                isSort
                ? checkSortPath(entry.name, of: entity, in: model, at: offset)
                : checkProperty(entry.name, of: entity, in: model, at: offset, inXcode: outcome)
            guard isUsable else { continue }
            let orders = ["ascending", "descending"]
            for (index, word) in entry.modifiers.enumerated()
            where index > 0 || !orders.contains(word) {
                report(
                    .invalidWord, "'\(word)' has no effect here", at: offset,
                    notes: hint(word, among: orders))
            }
            guard seen.insert(entry.name).inserted else {
                reportRepetition(of: entry.name, at: offset)
                continue
            }
            elements.append(
                IndexElement(
                    property: entry.name, isDescending: entry.modifiers.first == "descending"))
        }
        return elements
    }

    /// Whether a name is that of a property with a column of its own in the entity's table.
    ///
    /// - Parameter outcome: The consequence of another name in a model of Xcode; nil for elements
    ///   that Xcode does not have.
    @inline(never)
    func checkProperty(
        _ name: String, of entity: Entity, in model: Model, at offset: Int,
        inXcode outcome: String? = nil
    ) -> Bool {
        let isKnown =
            model.attribute(name, of: entity) != nil || model.relationship(name, of: entity) != nil
        if !isKnown, brokenNames.contains(name) { return false }
        guard let problem = problem(of: name, of: entity, in: model) else { return true }
        report(problem, of: entity, at: offset, inXcode: outcome)
        return false
    }

    private func checkSortPath(
        _ name: String, of entity: Entity, in model: Model, at offset: Int
    ) -> Bool {
        let path = model.path(name, of: entity)
        var owner = entity
        for (index, step) in path.dropLast().enumerated() {
            guard let relationship = model.relationship(step, of: owner),
                let destination = model.entity(named: relationship.destination)
            else {
                if !brokenNames.contains(step) {
                    report(unknown(step, of: owner, in: model), of: owner, at: offset)
                }
                return false
            }
            guard !relationship.isToMany, !relationship.isTransient else {
                report(
                    .unsuitableProperty,
                    relationship.isToMany
                        ? "'\(step)' is a to-many relationship"
                        : "'\(step)' is transient: it is not in the store",
                    at: offset + path[..<index].reduce(0) { $0 + $1.utf8.count + 1 })
                return false
            }
            owner = destination
        }
        return checkProperty(path.last ?? name, of: owner, in: model, at: offset)
    }

    // MARK: Problems

    /// The reason why a list cannot contain a name.
    private struct PropertyProblem {
        let code: DiagnosticCode
        let message: String
        var notes: [String] = []
    }

    private func report(
        _ problem: PropertyProblem, of entity: Entity, at offset: Int,
        inXcode outcome: String? = nil
    ) {
        if problem.code == .unknownProperty, incompleteEntities.contains(entity.name) { return }
        report(problem.code, problem.message, at: offset, notes: problem.notes, inXcode: outcome)
    }

    /// The problem with a name, or nil if it is that of a property with a column of its own.
    private func problem(
        of name: String, of entity: Entity, in model: Model
    ) -> PropertyProblem? {
        func unsuitable(_ message: String, notes: [String] = []) -> PropertyProblem {
            PropertyProblem(code: .unsuitableProperty, message: message, notes: notes)
        }
        if let attribute = model.attribute(name, of: entity) {
            if attribute.isTransient {
                return unsuitable("'\(name)' is transient: it is not in the store")
            }
            return attribute.usesExternalForm
                ? unsuitable("'\(name)' may be in a file, which the store cannot look into") : nil
        }
        if let relationship = model.relationship(name, of: entity) {
            if case .key = model.storage(of: relationship, of: entity) { return nil }
            return unsuitable(
                relationship.isTransient
                    ? "'\(name)' is transient: it is not in the store"
                    : relationship.isToMany
                        ? "'\(name)' is a to-many relationship"
                        : "The link of '\(name)' is kept at the other end")
        }
        if let composite = model.compositeAttribute(name, of: entity) {
            let parts = model.attributes(of: entity).filter { composite.contains($0) }
            return unsuitable(
                "'\(name)' is a composite, which has a column for each part",
                notes: parts.isEmpty
                    ? [] : ["Name its parts: \(parts.map { $0.name }.joined(separator: ", "))"])
        }
        return unknown(name, of: entity, in: model)
    }

    private func unknown(_ name: String, of entity: Entity, in model: Model) -> PropertyProblem {
        if name.isEmpty {
            return PropertyProblem(code: .unknownProperty, message: "A property's name is missing")
        }
        if let first = name.split(separator: ".").first.map(String.init), first != name,
            let relationship = model.relationship(first, of: entity)
        {
            return PropertyProblem(
                code: .unsuitableProperty,
                message: """
                    '\(name)' belongs to '\(relationship.destination)', which has a table of \
                    its own
                    """, notes: ["Name a property of '\(entity.name)'"])
        }
        let names =
            model.attributes(of: entity).map { $0.name }
            + model.relationships(of: entity).map { $0.name }
        return PropertyProblem(
            code: .unknownProperty, message: "'\(entity.name)' has no property '\(name)'",
            notes: hint(name, among: names))
    }
}

/// The entries of a list such as `price descending, title`, with their places.
package struct PropertyList {
    /// An entry: the words between two commas.
    package struct Entry {
        /// The property.
        package let name: String
        /// The words after the property.
        package let modifiers: [String]
        /// The start of the entry, in bytes of the list's text.
        let offset: Int
    }

    package let entries: [Entry]

    package init(_ text: String) {
        var entries: [Entry] = []
        var start = 0
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        {
            let words = WordList(String(decoding: part, as: UTF8.self)).words
            entries.append(
                Entry(
                    name: words.first?.text ?? "", modifiers: words.dropFirst().map { $0.text },
                    offset: start + (words.first?.offset ?? 0)))
            start += part.count + 1
        }
        self.entries = entries
    }
}

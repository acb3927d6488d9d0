/// Writes a mapping model as a `<migration>`.
struct MappingWriter {
    let model: MappingModel
    let old: ParsedElement?
    let new: ParsedElement?
    private var lines: [String] = []
    private var renamedProperties: [String: Set<String>] = [:]

    init(model: MappingModel, old: ParsedElement?, new: ParsedElement?) {
        self.model = model
        self.old = old
        self.new = new
    }

    /// The element, with a line end.
    mutating func text(from version: String) -> String {
        for entity in model.entities { add(entity) }
        addDrops()
        let start = "<migration from=\"\(XMLText.attribute(version))\""
        guard !lines.isEmpty else { return start + "/>\n" }
        return ([start + ">"] + lines.map { "  " + $0 } + ["</migration>"])
            .joined(separator: "\n") + "\n"
    }

    // MARK: Entities

    private mutating func add(_ entity: MappingModel.Entity) {
        guard let destination = entity.destination else {
            if let source = entity.source { addDrop(source, nil) }
            return
        }
        addRename(entity, to: destination)
        if let policy = entity.policy {
            addStep(
                entity, "\(destination) is migrated by the class \(policy)")
        }
        for name in entity.others {
            addStep(entity, "The mapping of \(destination) has a '\(name)' of its own")
        }
        for attribute in entity.attributes { add(attribute, of: entity, destination) }
        for relationship in entity.relationships {
            if let words = relationship.path ?? relationship.expression?.text {
                addStep(entity, "\(destination).\(relationship.name) is linked by: \(words)")
            }
        }
    }

    private mutating func addRename(_ entity: MappingModel.Entity, to destination: String) {
        guard let source = entity.source, source != destination else { return }
        let uses = model.entities.filter { $0.source == source }.count
        let isFilledTwice = model.entities.filter { $0.destination == destination }.count > 1
        if uses > 1 || isFilledTwice {
            addStep(entity, "\(destination) is made from \(source), which is not all of it")
        } else {
            addElement("rename", [("entity", destination), ("from", source)])
        }
    }

    private mutating func add(
        _ attribute: MappingModel.Property, of entity: MappingModel.Entity, _ destination: String
    ) {
        guard let expression = attribute.expression else { return }
        let subject = [("entity", destination), ("attribute", attribute.name)]
        switch expression {
        case .constant(let literal):
            addElement("fill", subject + [("with", literal)])
        case .sourcePath(let path) where path == attribute.name:
            break
        case .sourcePath(let path):
            let first = path.split(separator: ".").first.map(String.init) ?? path
            if entity.names.contains(first) {
                // The new version has that property too, and a fill can use it.
                addElement("fill", subject + [("with", path)])
            } else if first == path {
                renamedProperties[entity.source ?? destination, default: []].insert(path)
                addElement(
                    "rename",
                    [("entity", destination), ("property", attribute.name), ("from", path)])
            } else {
                addStep(entity, "\(destination).\(attribute.name) was \(path)")
            }
        case .policy, .other:
            addStep(entity, "\(destination).\(attribute.name) is made by: \(expression.text)")
        }
    }

    // MARK: Drops

    /// What the old version has and nothing maps.
    private mutating func addDrops() {
        guard let old, let new else { return }
        for entity in old.children(named: "entity") {
            guard let name = entity["name"]?.value else { continue }
            let mappings = model.entities.filter { $0.source == name }
            guard let destination = mappings.first?.destination else {
                if mappings.isEmpty { addDrop(name, nil) }
                continue
            }
            let names = Set(
                new.children(named: "entity").filter { $0["name"]?.value == destination }
                    .flatMap(\.children).flatMap { [$0["name"]?.value, $0["renamedFrom"]?.value] }
                    .compactMap(\.self))
            for property in entity.children
            where ["attribute", "relationship"].contains(property.name) {
                guard let own = property["name"]?.value, !names.contains(own),
                    renamedProperties[name]?.contains(own) != true
                else { continue }
                addDrop(name, own)
            }
        }
    }

    private mutating func addDrop(_ entity: String, _ property: String?) {
        let subject = [("entity", entity)] + (property.map { [("property", $0)] } ?? [])
        addElement("drop", subject + [("reason", "The mapping model does not carry it over")])
    }

    // MARK: Lines

    private mutating func addElement(_ name: String, _ attributes: [(String, String)]) {
        let words = attributes.map { "\($0.0)=\"\(XMLText.attribute($0.1))\"" }
        lines.append("<\(name) \(words.joined(separator: " "))/>")
    }

    /// A comment with a step to write by hand.
    private mutating func addStep(_ entity: MappingModel.Entity, _ reason: String) {
        let name = entity.destination ?? entity.source ?? ""
        let step = "migrate" + String(name.filter { $0.isLetter || $0.isNumber || $0 == "_" })
        lines.append("<!-- \(Self.commentText(reason))")
        lines.append("     <step name=\"\(step)\"/> -->")
    }

    /// On one line, and without what ends a comment.
    private static func commentText(_ text: String) -> String {
        var text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        while text.contains("--") { text = text.replacing("--", with: "- -") }
        return text.hasSuffix("-") ? text + " " : text
    }
}

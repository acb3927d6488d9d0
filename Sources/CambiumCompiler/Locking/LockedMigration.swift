import CambiumModel

/// What a version declares about the step to it, as its lock has it.
///
/// What stands beside the bundle may be written long after a version has shipped, so only what is in
/// the version's own file counts. Renames are with what they rename, wherever they are written.
struct LockedMigration {
    private let element: ParsedElement
    private let isOwn: (ParsedElement) -> Bool
    private var lines: [String] = []

    /// The declarations, a line each.
    static func lines(of version: CheckedModel) -> [String] {
        guard let migration = version.model.migration, let element = version.parsed.migration else {
            return []
        }
        let source = version.parsed.source
        var locked = LockedMigration(element: element) {
            !$0.name.contains(":") && !source.isOfOtherFile($0.offset)
        }
        locked.add(migration)
        return locked.lines
    }

    private mutating func add(_ migration: MigrationDeclaration) {
        for fill in own(migration.fills, "fill") {
            let value = LockedConditions.onOneLine(fill.value)
            add("fill", ["entity": fill.entity, "attribute": fill.attribute, "with": value])
        }
        for link in own(migration.links, "link") {
            add(
                "link",
                [
                    "entity": link.entity, "relationship": link.relationship,
                    "where": LockedConditions.onOneLine(link.condition),
                    "sort": Self.text(of: link.order),
                ])
        }
        for required in own(migration.requirements, "require") {
            add("require", ["entity": required.entity, "property": required.property])
        }
        addDrops(migration.drops)
        for way in own(migration.replacements, "replace") {
            add("replace", ["enum": way.enumeration, "case": way.name, "with": way.replacement])
        }
        // What is said first is done first.
        for (number, keep) in own(migration.keeps, "keep").enumerated() {
            add(
                "keep",
                [
                    "number": "\(number + 1)", "entity": keep.entity,
                    "relationship": keep.relationship, "sort": Self.text(of: keep.order),
                ])
        }
        let deduplications = own(migration.deduplications, "deduplicate")
        for (number, rule) in deduplications.enumerated() {
            add(
                "deduplicate",
                [
                    // What is made one first may make others equal.
                    "number": deduplications.count > 1 ? "\(number + 1)" : nil,
                    "entity": rule.entity, "by": rule.properties.joined(separator: " "),
                    "sort": Self.text(of: rule.order), "links": rule.links.rawValue,
                ])
        }
        for (number, step) in own(migration.steps, "step").enumerated() {
            let entities = step.entities.sorted().joined(separator: " ")
            add(
                "step",
                [
                    "number": "\(number + 1)", "name": step.name,
                    "entities": step.entities.isEmpty ? nil : entities,
                ])
        }
    }

    /// A drop of a composite value is one of each of its parts, so the elements are not as many.
    private mutating func addDrops(_ drops: [MigrationDeclaration.Drop]) {
        let all = element.children(named: "drop")
        let conditions = drops.filter { $0.condition != nil }
        for (drop, element) in zip(conditions, all.filter { $0["where"] != nil })
        where isOwn(element) {
            let condition = drop.condition.map(LockedConditions.onOneLine)
            add("drop", ["entity": drop.entity, "where": condition])
        }
        for element in all where element["where"] == nil && isOwn(element) {
            let (entity, property) = (element["entity"], element["property"])
            add("drop", ["entity": entity?.value, "property": property?.value])
        }
    }

    /// The declarations of a kind, each of which is an element, that the file has itself.
    private func own<Declaration>(
        _ declarations: [Declaration], _ name: String
    ) -> [Declaration] {
        zip(declarations, element.children(named: name)).filter { isOwn($0.1) }.map(\.0)
    }

    private mutating func add(_ kind: String, _ values: KeyValuePairs<String, String?>) {
        lines.append("migration \(kind) \(LockedConditions.line(values) ?? "")")
    }

    private static func text(of order: [MigrationDeclaration.Order]) -> String? {
        order.isEmpty
            ? nil
            : order.map { $0.attribute + ($0.isDescending ? " descending" : "") }
                .joined(separator: ", ")
    }
}

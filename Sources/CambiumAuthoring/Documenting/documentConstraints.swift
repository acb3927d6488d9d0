import CambiumCompiler
import CambiumModel
import CambiumSQL

extension DocumentationEmitter {
    /// Writes what the objects of an entity have to meet, and how the store finds them.
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

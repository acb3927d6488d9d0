import CambiumCompiler
import CambiumModel

extension DocumentationEmitter {
    /// Writes the model's enumerations.
    func emitEnumerations(_ writer: inout HTMLWriter) {
        for enumeration in model.enumerations {
            writer.element("section", "id=\"\(Anchor.enumeration(enumeration.name))\"") { writer in
                writer.line(
                    "<h2>\(HTMLText.escaped(enumeration.name)) "
                        + "\(HTMLWriter.badge("enumeration"))</h2>")
                writer.table(
                    ["Case", "In the store (\(HTMLText.escaped(enumeration.rawType.notation)))"],
                    enumeration.cases.map {
                        [HTMLWriter.code($0.name), HTMLWriter.code($0.rawValue.notation)]
                    })
                emitUses(of: .enumeration(enumeration.name), &writer)
            }
        }
    }

    /// Writes the model's composite types.
    func emitComposites(_ writer: inout HTMLWriter) {
        for composite in model.composites {
            writer.element("section", "id=\"\(Anchor.composite(composite.name))\"") { writer in
                writer.line(
                    "<h2>\(HTMLText.escaped(composite.name)) \(HTMLWriter.badge("composite"))</h2>")
                emitUserInfo(composite.userInfo, &writer)
                writer.table(
                    ["Part", "Type", "Presence"],
                    composite.attributes.map { attribute in
                        [
                            HTMLWriter.code(attribute.name),
                            HTMLText.escaped(attribute.type.notation),
                            attribute.isOptional ? "optional" : "required",
                        ]
                    })
            }
        }
    }

    /// Writes which parts of the model stores of their own may hold.
    func emitConfigurations(_ writer: inout HTMLWriter) {
        guard !model.configurations.isEmpty else { return }
        writer.element("section", "id=\"configurations\"") { writer in
            writer.line("<h2>Configurations</h2>")
            writer.table(
                ["Name", "Entities"],
                model.configurations.map { configuration in
                    let entities = configuration.entities.map {
                        HTMLWriter.link($0, to: Anchor.entity($0))
                    }
                    return [HTMLWriter.code(configuration.name), entities.joined(separator: ", ")]
                })
        }
    }

    private func emitUses(of type: AttributeType, _ writer: inout HTMLWriter) {
        let uses = model.entities.flatMap { entity in
            entity.attributes.filter { $0.type == type }.map { attribute in
                HTMLWriter.link(
                    "\(entity.name).\(attribute.name)",
                    to: Anchor.property(attribute.name, of: entity.name))
            }
        }
        if !uses.isEmpty {
            writer.line("<p class=\"note\">Used by \(uses.joined(separator: ", ")).</p>")
        }
    }
}

import CambiumModel

extension SwiftEmitter {
    /// The initializer that inserts an object with everything that it cannot do without.
    func emitInitializer(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let properties = initializerProperties(of: entity)
        let required = properties.filter(\.isRequired)
        let others = properties.filter { !$0.isRequired }
        let names = Set(properties.map(\.name))
        let context = names.contains("context") ? "insertionContext" : "context"

        let contextType = self.names.library("ManagedObjectContext")
        let parameters =
            ["in \(context): \(contextType)"] + required.map { "\($0.name): \($0.type)" }
            + others.map { "\($0.name): \($0.type)? = nil" }
        writer.doc(
            "Inserts a new object. "
                + (others.isEmpty ? "" : "Values that are left out start at the model's default."))
        writer.function("\(modifier)convenience init", parameters: parameters) { writer in
            writer.line("self.init(insertingInto: \(context))")
            for property in required {
                writer.line("self.\(property.name) = \(property.name)")
            }
            for property in others {
                let name = property.name
                writer.line("if let \(name) { self.\(name) = \(name) }")
            }
        }
    }

    private struct InitializerProperty {
        let name: String
        let type: String
        let isRequired: Bool
    }

    /// Attributes, composites, then to-ones, those of ancestors first.
    private func initializerProperties(of entity: GeneratedEntity) -> [InitializerProperty] {
        let lineage = model.lineage(of: entity.entity).compactMap(generated)
        let attributes = lineage.flatMap(\.attributes).filter { !$0.isDerived }.map {
            InitializerProperty(
                name: $0.name, type: $0.valueType, isRequired: $0.isRequiredAtInsert)
        }
        let composites = lineage.flatMap(\.composites).map {
            InitializerProperty(
                name: $0.name, type: $0.valueType, isRequired: $0.isRequiredAtInsert)
        }
        let toOnes = lineage.flatMap(\.relationships).filter { !$0.relationship.isToMany }.map {
            InitializerProperty(
                name: $0.name, type: $0.destinationType, isRequired: $0.isRequiredAtInsert)
        }
        return attributes + composites + toOnes
    }
}

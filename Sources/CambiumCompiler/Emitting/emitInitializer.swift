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
            + others.map(\.parameter)
        writer.doc(
            "Inserts a new object. "
                + (others.isEmpty ? "" : "Values that are left out start at the model's default."))
        if others.contains(where: { $0.start == .hiddenDefault }) {
            writer.line("///")
            writer.doc(
                "What is optional and starts with a value that is not written here is left empty by "
                    + "`.some(nil)`.")
        }
        writer.function("\(modifier)convenience init", parameters: parameters) { writer in
            writer.line("self.init(insertingInto: \(context))")
            for property in properties.filter(\.isAlwaysSet) {
                writer.line("self.", property.name, " = ", property.name)
            }
            for property in properties.filter({ !$0.isAlwaysSet }) {
                let name = property.name
                writer.line("if let \(name) { self.\(name) = \(name) }")
            }
        }
    }

    private struct InitializerProperty {
        /// What a new object has where the initializer is not told.
        enum Start: Equatable {
            /// It has to be told.
            case nothing
            /// Nil, or a default that is not nil, of a property that never is.
            case `default`
            /// The literal, of a property that may be nil too.
            case literal(String)
            /// A default for which there is no literal, of a property that may be nil too.
            case hiddenDefault
        }

        let name: String
        let type: String
        let start: Start

        var isRequired: Bool { start == .nothing }

        var isAlwaysSet: Bool {
            switch start {
            case .nothing, .literal: true
            case .default, .hiddenDefault: false
            }
        }

        var parameter: String {
            switch start {
            case .nothing: "\(name): \(type)"
            case .default: "\(name): \(type)? = nil"
            case .literal(let text): "\(name): \(type)? = \(text)"
            case .hiddenDefault: "\(name): \(type)?? = nil"
            }
        }
    }

    private func start(of attribute: GeneratedAttribute) -> InitializerProperty.Start {
        if attribute.isRequiredAtInsert { return .nothing }
        guard attribute.attribute.isOptional, let value = attribute.attribute.defaultValue else {
            return .default
        }
        guard case .constant(let constant) = value,
            let literal = LiteralEmitter(names: names).argument(
                constant, of: attribute.attribute.type, isOptional: true, in: model)
        else { return .hiddenDefault }
        return .literal(literal)
    }

    /// Attributes, composites, then to-ones, those of ancestors first.
    private func initializerProperties(of entity: GeneratedEntity) -> [InitializerProperty] {
        let lineage = model.lineage(of: entity.entity).compactMap(generated)
        let attributes = lineage.flatMap(\.attributes).filter { !$0.isDerived }.map {
            InitializerProperty(
                name: $0.name, type: $0.valueType, start: start(of: $0))
        }
        let composites = lineage.flatMap(\.composites).map {
            InitializerProperty(
                name: $0.name, type: $0.valueType,
                start: $0.isRequiredAtInsert ? .nothing : .default)
        }
        let toOnes = lineage.flatMap(\.relationships).filter { !$0.relationship.isToMany }.map {
            InitializerProperty(
                name: $0.name, type: $0.destinationType,
                start: $0.isRequiredAtInsert ? .nothing : .default)
        }
        return attributes + composites + toOnes
    }
}

import CambiumModel

extension SwiftEmitter {
    /// The initializer that inserts an object with everything that it cannot do without.
    ///
    /// Its parameters are in the order of the model, required or not: a property that is added, or
    /// becomes optional, changes no call.
    func emitInitializer(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let properties = initializerProperties(of: entity)
        let others = properties.filter { !$0.isRequired }
        let names = Set(properties.map(\.name))
        let context = names.contains("context") ? "insertionContext" : "context"

        let contextType = self.names.library("ManagedObjectContext")
        let parameters = ["in \(context): \(contextType)"] + properties.map(\.parameter)
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

    /// Attributes and composites in the order of the model, then to-ones, those of ancestors first.
    private func initializerProperties(of entity: GeneratedEntity) -> [InitializerProperty] {
        let lineage = model.lineage(of: entity.entity).compactMap(generated)
        let toOnes = lineage.flatMap(\.relationships).filter { !$0.relationship.isToMany }.map {
            InitializerProperty(
                name: $0.name, type: $0.destinationType,
                start: $0.isRequiredAtInsert ? .nothing : .default)
        }
        return lineage.flatMap(attributes) + toOnes
    }

    /// Its own attributes, and each composite value in the place of its first part; one without parts
    /// comes last.
    private func attributes(of entity: GeneratedEntity) -> [InitializerProperty] {
        var composites = entity.composites
        let properties = entity.leaves.compactMap { leaf -> InitializerProperty? in
            guard leaf.attribute.isPart else {
                return leaf.isDerived
                    ? nil
                    : InitializerProperty(
                        name: leaf.name, type: leaf.valueType, start: start(of: leaf))
            }
            return composites.firstIndex { $0.attribute.contains(leaf.attribute) }
                .map { property(composites.remove(at: $0)) }
        }
        return properties + composites.map(property)
    }

    private func property(_ composite: GeneratedComposite) -> InitializerProperty {
        InitializerProperty(
            name: composite.name, type: composite.valueType,
            start: composite.isRequiredAtInsert ? .nothing : .default)
    }
}

import CambiumModel

/// The struct of an entity's rows in one version, with its Swift names.
struct GeneratedRow {
    /// A value of a row.
    struct Property {
        /// The name of the Swift property.
        let name: String
        let type: String
        /// What the value is, for people.
        let summary: String
        let column: String
        /// The expression that reads it, and the statement that sets it.
        let getter: String
        let setter: String
        /// What the parameter of the initializer starts with; nil where it has to be told.
        let start: String?
        /// Whether a step may set it.
        let isSettable: Bool
    }

    /// A to-many relationship.
    struct Link {
        let name: String
        let destination: String
        let code: SwiftCode
    }

    let entity: Entity
    let typeName: String
    let properties: [Property]
    let links: [Link]
    let isWritable: Bool
    let root: String
    let family: [String]

    /// The name of the struct of an entity's rows.
    static func typeName(of entity: String) -> String {
        SwiftText.plainIdentifier(entity) + "Row"
    }

    init(_ entity: Entity, of version: SteppedVersion, _ names: GeneratedNames) {
        let model = version.model
        self.entity = entity
        typeName = Self.typeName(of: entity.name)
        root = model.root(of: entity).name
        isWritable = version.writtenRoots.contains(root)
        family =
            model.hasSubentities(model.root(of: entity)) ? model.family(of: entity).map(\.name) : []
        let builder = RowPropertyBuilder(model: model, names: names)
        for owner in model.lineage(of: entity) {
            // What is derived is computed after the steps.
            for attribute in owner.attributes
            where !attribute.isTransient && !(isWritable && attribute.derivation != nil) {
                builder.add(attribute, of: owner)
            }
            for relationship in owner.relationships where !relationship.isTransient {
                builder.add(relationship, of: owner)
            }
        }
        properties = builder.properties
        links = builder.links
    }
}

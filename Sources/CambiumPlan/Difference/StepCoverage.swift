import CambiumModel

/// What the program's own steps of a migration may write, and what they have to.
///
/// Objects of one root entity share a table, so that a step that writes one entity has the whole
/// table of its root.
package struct StepCoverage: Sendable {
    /// The steps in order.
    package let steps: [MigrationDeclaration.Step]
    /// The root entities whose objects the steps may write, by their new names.
    package let roots: Set<String>
    /// What existing objects have no value of until a step gives them one, in the order of the new
    /// version's declarations.
    package let supplied: [SuppliedValue]

    /// Finds out what the steps of a migration cover; nil where it has none.
    package init?(_ difference: ModelDifference) {
        guard let steps = difference.new.migration?.steps, !steps.isEmpty else { return nil }
        self.steps = steps
        supplied = difference.supplied
        let new = difference.new
        let written = steps.map(difference.entitiesWritten)
        var entities = written.flatMap(\.self)
        if written.contains(where: \.isEmpty) {
            let changed = difference.changes.compactMap { new.entity(named: $0.entity) }
            entities += changed.isEmpty ? new.roots : changed
        }
        roots = Set(entities.map { new.root(of: $0).name })
    }
}

/// A property that only the program knows the values of.
package struct SuppliedValue: Sendable, Equatable {
    /// The entity that declares it.
    package let entity: String
    /// Its name.
    package let property: String
    /// Whether it is a relationship.
    package let isRelationship: Bool

    /// Names a property.
    package init(entity: String, property: String, isRelationship: Bool = false) {
        self.entity = entity
        self.property = property
        self.isRelationship = isRelationship
    }

    /// The entity and the property, for people.
    package var name: String { "\(entity).\(property)" }
}

extension ModelDifference {
    /// Whether a step of the program may give the objects of an entity their values.
    package func isSupplied(_ entity: Entity) -> Bool {
        let root = new.root(of: entity).name
        return new.migration?.steps.contains { step in
            let written = entitiesWritten(by: step)
            return written.isEmpty || written.contains { new.root(of: $0).name == root }
        } ?? false
    }

    /// The entities that a step says it writes; without any, it is all that changes. Those that are
    /// gone it can only read.
    fileprivate func entitiesWritten(by step: MigrationDeclaration.Step) -> [Entity] {
        step.entities.compactMap(new.entity(named:))
    }
}

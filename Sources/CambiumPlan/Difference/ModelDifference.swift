import CambiumModel

/// The changes between two versions of a model, and the problems that prevent a migration.
///
/// The difference is never guessed. A missing thing must be declared as renamed or dropped, and
/// existing objects need a value for everything that becomes required.
// Safety: stored properties are changed only by `init` and the functions that it calls.
package final class ModelDifference: @unchecked Sendable {
    /// The changes, in the order of the new version's declarations. Drops come last.
    package private(set) var changes: [ModelChange] = []
    /// The problems that prevent a migration; empty if there is one.
    package private(set) var problems: [MigrationProblem]

    /// The properties without a value in existing objects until a step of the program supplies one.
    package private(set) var supplied: [SuppliedValue] = []

    /// The correspondence between the things of the two versions.
    package let match: ModelMatch
    /// The ends of the old links that there is a problem with already.
    private var reportedLinks: [Set<ModelMatch.PropertyName>] = []
    package var old: Model { match.old }
    package var new: Model { match.new }

    /// Compares two versions.
    package init(from old: Model, to new: Model, on support: any MigrationSupport) {
        match = ModelMatch(old: old, new: new, on: support)
        problems = match.problems
        guard old.name == new.name else {
            problems.append(
                MigrationProblem(
                    entity: "",
                    fact: "A store of the model \(old.name) cannot become one of \(new.name)"))
            return
        }
        compareDeclaration()
        for entity in new.entities {
            guard let oldEntity = match.oldEntity(of: entity) else {
                add(.entityAdded(entity.name))
                compareInherited(of: entity)
                continue
            }
            if match.settled.contains(entity.name) { continue }
            compare(oldEntity, entity)
            compareAttributes(of: oldEntity, entity)
            compareRelationships(of: oldEntity, entity)
            compareConstraints(of: oldEntity, entity)
        }
        for entity in old.entities where match.newEntity(of: entity) == nil {
            compareDropped(entity)
            // The properties that its sub-entities inherited from it.
            compareMissingAttributes(of: entity, in: nil)
            compareMissingRelationships(of: entity, in: nil)
        }
        compareEnumerations()
        compareObjects()
        checkOneSidedDrops()
        compareKeeps()
        compareDeduplications()
    }

    @inline(never)
    func add(_ change: ModelChange) {
        changes.append(change)
    }

    /// Adds a change unless it exists: both ends of links, or several sources, report the same
    /// change.
    @inline(never)
    func addOnce(_ change: ModelChange) {
        if !changes.contains(change) { add(change) }
    }

    /// Whether there is no problem yet with the old links of some ends. Otherwise each end would
    /// report it again.
    func isFirstProblem(ofLinksAt ends: Set<ModelMatch.PropertyName>) -> Bool {
        guard !reportedLinks.contains(ends) else { return false }
        reportedLinks.append(ends)
        return true
    }

    func add(_ value: SuppliedValue) {
        if !supplied.contains(value) { supplied.append(value) }
    }

    /// Adds a problem of an entity, a property or an enumeration.
    @inline(never)
    func addProblem(
        entity: String, property: String? = nil, enumeration: String? = nil,
        in side: MigrationProblem.Side = .new, fact: String, remedy: String? = nil,
        fixes: [MigrationFix] = []
    ) {
        add(
            MigrationProblem(
                entity: entity, property: property, enumeration: enumeration, in: side, fact: fact,
                remedy: remedy, fixes: fixes))
    }

    @inline(never)
    func add(_ problem: MigrationProblem) {
        // Both ends of a link, or several sources, may report the same problem.
        if !problems.contains(problem) { problems.append(problem) }
    }

    /// Reports fills and drops that name unknown things.
    private func compareDeclaration() {
        guard let declaration = new.migration else { return }
        if declaration.from != old.version {
            addProblem(
                entity: "",
                fact: """
                    The migration of version \(new.version) is declared \
                    from="\(declaration.from)", but the version before is \(old.version)
                    """)
        }
        for fill in declaration.fills {
            let entity = new.entity(named: fill.entity)
            let attribute = entity?.attribute(named: fill.attribute)
            if let parts = parts(of: fill.attribute, in: entity), !parts.isEmpty {
                addProblem(
                    entity: fill.entity, property: fill.attribute,
                    fact: "A fill gives a value to one attribute",
                    remedy: """
                        \(fill.entity).\(fill.attribute) is a composite value: fill its parts \
                        \(parts.joined(separator: ", "))
                        """)
            } else if attribute?.derivation != nil {
                addProblem(
                    entity: fill.entity, property: fill.attribute,
                    fact: """
                        \(fill.entity).\(fill.attribute) is derived: the store computes it for \
                        existing objects
                        """, remedy: "remove the fill")
            } else if attribute == nil {
                addProblem(
                    entity: fill.entity, property: fill.attribute,
                    fact: """
                        A fill names \(fill.entity).\(fill.attribute), which version \
                        \(new.version) does not declare (name the entity that declares the \
                        attribute, not a sub-entity)
                        """)
            }
        }
        for drop in declaration.drops {
            let entity = old.entity(named: drop.entity)
            let isKnown =
                drop.property.map { property in
                    entity?.attributes.contains { $0.name == property } == true
                        || entity?.compositeAttributes.contains { $0.name == property } == true
                        || entity?.relationships.contains { $0.name == property } == true
                        // An inherited property is deleted from the objects of this entity alone.
                        || entity.map { inherits($0, property) } == true
                } ?? (entity != nil)
            if !isKnown {
                let name = drop.entity + (drop.property.map { ".\($0)" } ?? "")
                addProblem(
                    entity: drop.entity, property: drop.property, in: .old,
                    fact: "A drop names \(name), which version \(old.version) does not declare")
            }
        }
    }

    private func inherits(_ entity: Entity, _ property: String) -> Bool {
        old.attribute(property, of: entity) != nil || old.relationship(property, of: entity) != nil
    }

    private func parts(of composite: String, in entity: Entity?) -> [String]? {
        entity?.compositeAttribute(named: composite).map { found in
            entity?.attributes.filter(found.contains).map { $0.name } ?? []
        }
    }

    private func compare(_ oldEntity: Entity, _ entity: Entity) {
        if oldEntity.name != entity.name {
            add(.entityRenamed(entity.name, from: oldEntity.name))
        }
        if !oldEntity.isAbstract, entity.isAbstract {
            add(.entityBecameAbstract(entity.name))
        }
        let oldParent = oldEntity.parent.flatMap(old.entity(named:))
            .flatMap(match.newEntity)?.name
        if entity.parent == nil ? oldEntity.parent != nil : entity.parent != oldParent {
            add(.parentChanged(entity: entity.name, from: oldEntity.parent, to: entity.parent))
        }
    }

    private func compareDropped(_ entity: Entity) {
        if match.isDropped(entity.name, nil) {
            add(.entityDropped(entity.name))
            if let other = new.entity(named: entity.name), match.oldEntity(of: other) == nil {
                addProblem(
                    entity: entity.name,
                    fact: """
                        The migration drops \(entity.name) with all its objects, but version \
                        \(new.version) still has it
                        """,
                    remedy: """
                        remove the drop, or give the entity that starts without objects \
                        another name
                        """)
            }
            return
        }
        let candidate = new.entities.first { match.oldEntity(of: $0) == nil }?.name
        let drop = MigrationFix.drop(entity: entity.name, property: nil)
        let leavers = drops(ofLinksTo: entity)
        addProblem(
            entity: entity.name, in: .old,
            fact: "\(entity.name) of version \(old.version) is missing in version \(new.version)",
            remedy: "declare whether it was renamed or its data may be lost",
            fixes: [
                .rename(.entity, to: candidate, from: entity.name),
                leavers.isEmpty ? drop : .together([drop] + leavers),
            ])
    }

    /// Returns the drops of the relationships that referenced an entity and now reference another
    /// one.
    private func drops(ofLinksTo destination: Entity) -> [MigrationFix] {
        old.entities.flatMap { owner in
            owner.relationships.compactMap { relationship in
                guard relationship.destination == destination.name,
                    match.newRelationship(of: relationship.name, in: owner.name) != nil
                else { return nil }
                return .drop(entity: owner.name, property: relationship.name)
            }
        }
    }
}

extension ModelDifference {
    /// Reports a property that the new version no longer has, or no longer stores.
    func addMissing(
        _ property: String, of oldEntity: Entity, in entity: Entity,
        declaration: MigrationFix.Declaration,
        candidate: String?, part: MigrationFix? = nil
    ) {
        let isLink = new.relationship(property, of: entity) != nil
        if declaration == .attribute, isLink {
            return addProblem(
                entity: oldEntity.name, property: property, in: .old,
                fact: """
                    \(oldEntity.name).\(property) of version \(old.version) is a relationship \
                    in version \(new.version)
                    """,
                remedy: """
                    keep the old values under another name, create links from them in a step \
                    of the program, or drop them
                    """,
                fixes: [
                    .rename(declaration, to: nil, from: property),
                    .convert(entity: oldEntity.name, property: property),
                    .drop(entity: oldEntity.name, property: property),
                ])
        }
        let isTransient = entity.hasTransient(property)
        addProblem(
            entity: oldEntity.name, property: property, in: .old,
            fact: "\(oldEntity.name).\(property) of version \(old.version) is "
                + (isTransient
                    ? "transient in version \(new.version), and is no longer stored"
                    : "missing in version \(new.version)"),
            remedy: "declare whether it was renamed or its data may be lost",
            fixes: [
                part ?? .rename(declaration, to: candidate, from: property),
                .drop(entity: oldEntity.name, property: property),
            ])
    }
}

extension Entity {
    /// Whether a property is declared here that is not in the store.
    fileprivate func hasTransient(_ name: String) -> Bool {
        attributes.contains { $0.name == name && $0.isTransient }
            || compositeAttributes.contains { $0.name == name && $0.isTransient }
            || relationships.contains { $0.name == name && $0.isTransient }
    }
}

/// The objects that the program's own steps of a migration may write, and the values that they must
/// supply.
///
/// Objects of one root entity share a table, so a step that writes one entity has the whole table
/// of its root.
package struct StepCoverage: Sendable {
    /// The steps in order.
    package let steps: [MigrationDeclaration.Step]
    /// The root entities of the objects that the steps may write, by their new names.
    package let roots: Set<String>
    /// The properties without a value in existing objects until a step supplies one, in the order
    /// of the new version's declarations.
    package let supplied: [SuppliedValue]

    /// Computes the coverage of a migration's steps; nil if it has none.
    package init?(_ difference: ModelDifference) {
        guard let steps = difference.new.migration?.steps, !steps.isEmpty else { return nil }
        self.steps = steps
        supplied = difference.supplied
        let new = difference.new
        let written = steps.map(difference.entitiesWritten)
        var entities = written.flatMap { $0 }
        if written.contains(where: \.isEmpty) {
            let changed = difference.changes.compactMap { new.entity(named: $0.entity) }
            entities += changed.isEmpty ? new.roots : changed
        }
        roots = Set(entities.map { new.root(of: $0).name })
    }
}

/// A property with values that only the program can compute.
package struct SuppliedValue: Sendable, Equatable {
    /// The entity that declares it.
    package let entity: String
    /// The name of the property.
    package let property: String
    /// Whether the property is a relationship.
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

    /// Returns the entities that a step declares to write. If it declares none, these are all
    /// changed entities. A step can only read deleted entities.
    fileprivate func entitiesWritten(by step: MigrationDeclaration.Step) -> [Entity] {
        step.entities.compactMap(new.entity(named:))
    }
}

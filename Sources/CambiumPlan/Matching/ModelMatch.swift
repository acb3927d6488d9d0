import CambiumModel

/// The entities and properties of a new version that correspond to those of the old one: by name,
/// or by the name in `renamedFrom`. A dropped thing matches nothing, so a thing of the same name is
/// new.
// Safety: stored properties are changed only by `init`.
package final class ModelMatch: @unchecked Sendable {
    /// The older version.
    package let old: Model
    /// The newer version.
    package let new: Model
    /// The capabilities of the store's engine.
    package let support: any MigrationSupport
    private(set) var problems: [MigrationProblem] = []
    /// The entities of the new version that are identical in the old one. Each property matches the
    /// property of its name, so these entities are not in the tables below.
    private(set) var unchanged: Set<String> = []
    /// The unchanged entities with tables that are alike and reference only such tables. They need
    /// no comparison, check or move.
    package private(set) var settled: Set<String> = []
    /// The former names of entities.
    let formerEntities: FormerNames
    private var oldEntities: [String: String] = [:]
    private var newEntities: [String: String] = [:]
    private var oldProperties: [PropertyName: PropertyName] = [:]
    private var newProperties: [PropertyName: PropertyName] = [:]
    /// For each new entity whose objects have properties from other declarations than before: the
    /// old properties by the new ones.
    private(set) var moves: [String: [PropertyName: PropertyName]] = [:]

    /// Whether objects of several old tables are combined in a new one.
    package private(set) var mergesRoots = false

    /// A property and the entity that declares it.
    package struct PropertyName: Hashable {
        package let entity: String
        package let property: String

        package init(entity: String, property: String) {
            self.entity = entity
            self.property = property
        }
    }

    /// Compares two versions.
    package init(old: Model, new: Model, on support: any MigrationSupport) {
        self.old = old
        self.new = new
        self.support = support
        formerEntities = FormerNames(
            ofEntitiesOf: new, since: old, dropped: new.migration?.droppedEntities ?? [])
        // Explicit declarations come before matches by name.
        for isExplicit in [true, false] {
            for entity in new.entities { match(entity, isExplicit: isExplicit) }
        }
        let mentioned = new.migration?.entities ?? []
        var missing: [(name: PropertyName, problem: MigrationProblem)] = []
        for entity in new.entities {
            guard let oldEntity = oldEntity(of: entity) else { continue }
            if oldEntity == entity, !entity.renamesProperties, !mentioned.contains(entity.name) {
                unchanged.insert(entity.name)
                continue
            }
            let names = Set(oldEntity.attributes.map { $0.name })
            let relationshipNames = Set(oldEntity.relationships.map { $0.name })
            let attributes = attributeNames(of: entity, among: names)
            let relationships = entity.relationships.map { ($0.name, $0.renamedFrom) }
            let dropped = names.union(relationshipNames).filter {
                isDropped(oldEntity.name, $0, in: oldEntity)
            }
            let formerAttributes = FormerNames(
                attributes, since: attributeNames(of: oldEntity, among: names),
                besides: oldRelatives(of: entity).flatMap {
                    attributeNames(of: $0, among: names)
                }, isDropped: dropped.contains)
            let formerRelationships = FormerNames(
                relationships, since: oldEntity.relationships.map { ($0.name, $0.renamedFrom) },
                besides: oldRelatives(of: entity).flatMap { relative in
                    relative.relationships.map { ($0.name, $0.renamedFrom) }
                }, isDropped: dropped.contains)
            for isExplicit in [true, false] {
                missing += match(
                    attributes, formerAttributes, of: entity, with: names, of: oldEntity,
                    isExplicit: isExplicit)
                missing += match(
                    relationships, formerRelationships, of: entity, with: relationshipNames,
                    of: oldEntity, isExplicit: isExplicit)
            }
        }
        for entity in new.entities {
            let found = findMoves(of: entity)
            if !found.isEmpty { moves[entity.name] = found }
        }
        var roots: [String: String] = [:]
        for entity in new.entities {
            guard let oldRoot = oldEntity(of: entity).map(old.root)?.name else { continue }
            let known = roots.updateValue(oldRoot, forKey: new.root(of: entity).name)
            mergesRoots = mergesRoots || known.map { $0 != oldRoot } ?? false
        }
        let contradictions = contradictions
        problems += contradictions
        // A name that the entity lacks may be declared in an ancestor or a sub-entity, or be
        // dropped there.
        let moved = Set(moves.values.flatMap { $0.keys })
        problems += missing.filter { name, _ in
            !moved.contains(name)
                && !contradictions.contains {
                    $0.entity == name.entity && $0.property == name.property
                }
        }.map { $0.problem }
        settled = settledEntities
    }

    private var settledEntities: Set<String> {
        // Attributes only name these.
        guard old.enumerations == new.enumerations, old.composites == new.composites else {
            return []
        }
        var families: [String: [Entity]] = [:]
        for root in new.roots {
            let family = new.family(of: root)
            guard family.allSatisfy({ unchanged.contains($0.name) }),
                let oldRoot = old.entity(named: root.name),
                old.family(of: oldRoot).count == family.count
            else { continue }
            families[root.name] = family
        }
        let pointsToOne = { (relationship: Relationship) in
            self.new.entity(named: relationship.destination)
                .map { families[self.new.root(of: $0).name] != nil } ?? false
        }
        let alone = families.values.filter { family in
            family.allSatisfy { $0.relationships.allSatisfy(pointsToOne) }
        }
        return Set(alone.flatMap { $0.map { $0.name } })
    }

    private func match(_ entity: Entity, isExplicit: Bool) {
        guard oldEntities[entity.name] == nil else { return }
        let from = formerEntities[entity.name]
        if isExplicit {
            // If the entity is dropped as well, that contradiction is reported.
            guard let from else { return }
            if let other = newEntities[from] {
                problems.append(severalSuccessors(entity.name, other, of: from, in: entity))
                return
            }
            pair(entity.name, from)
        } else if from == nil {
            if old.entity(named: entity.name) == nil {
                guard let missing = entity.renamedFrom else { return }
                problems.append(
                    MigrationProblem(
                        entity: entity.name,
                        fact: """
                            \(entity.name) has renamedFrom="\(missing)", but version \
                            \(old.version) has no entity of that name
                            """))
            } else if newEntities[entity.name] == nil, !isDropped(entity.name, nil) {
                pair(entity.name, entity.name)
            }
        }
    }

    private func pair(_ newName: String, _ oldName: String) {
        oldEntities[newName] = oldName
        newEntities[oldName] = newName
    }

    /// - Returns: The properties with a former name that the old entity does not have.
    private func match(
        _ properties: [FormerNames.Name], _ former: FormerNames, of entity: Entity,
        with names: Set<String>, of oldEntity: Entity, isExplicit: Bool
    ) -> [(name: PropertyName, problem: MigrationProblem)] {
        var missing: [(name: PropertyName, problem: MigrationProblem)] = []
        for (name, renamedFrom) in properties {
            let newProperty = PropertyName(entity: entity.name, property: name)
            // If an earlier step has used a former name, it is not a mistake as long as the new
            // name exists.
            let from = former[name]
            let oldName = isExplicit ? from : from == nil ? name : nil
            guard let oldName, oldProperties[newProperty] == nil else { continue }
            guard names.contains(oldName) else {
                guard let renamedFrom else { continue }
                let (reason, remedy) = missingProperty(renamedFrom, of: oldEntity)
                let problem = MigrationProblem(
                    entity: entity.name, property: name,
                    fact:
                        "\(entity.name).\(name) has renamedFrom=\"\(renamedFrom)\", but \(reason)",
                    remedy: remedy)
                missing.append((newProperty, problem))
                continue
            }
            guard isExplicit || !isDropped(oldEntity.name, oldName, in: oldEntity),
                entity.isStoredAlike(name, as: oldName, of: oldEntity)
            else { continue }
            let oldProperty = PropertyName(entity: oldEntity.name, property: oldName)
            if let other = newProperties[oldProperty] {
                guard isExplicit else { continue }
                problems.append(
                    severalSuccessors(name, other.property, of: oldName, in: entity, property: name)
                )
                continue
            }
            oldProperties[newProperty] = oldProperty
            newProperties[oldProperty] = newProperty
        }
        return missing
    }

    /// Returns the reason why a property of an old entity cannot be the former property of another
    /// one: it does not exist, or objects of other entities have it too.
    private func missingProperty(
        _ name: String, of oldEntity: Entity
    ) -> (reason: String, remedy: String?) {
        guard let declarer = old.declarer(of: name, in: oldEntity),
            declarer.name != oldEntity.name
        else { return ("\(oldEntity.name) of version \(old.version) has no such property", nil) }
        return (
            """
            \(oldEntity.name) of version \(old.version) inherits it from \(declarer.name), whose \
            objects have it too
            """, "take it back"
        )
    }

    /// Whether a thing of the old version is explicitly dropped.
    @inline(never)
    package func isDropped(_ entity: String, _ property: String?) -> Bool {
        new.migration?.drops.contains {
            $0.entity == entity && $0.property == property && $0.condition == nil
        } ?? false
    }

    /// Returns whether a property of an old entity is dropped. The drop of a composite value also
    /// drops its parts.
    @inline(never)
    func isDropped(_ entity: String, _ property: String, in oldEntity: Entity) -> Bool {
        isDropped(entity, property)
            || oldEntity.compositeAttributes.contains { composite in
                property.hasPrefix(composite.name + ".") && isDropped(entity, composite.name)
            }
    }

    /// The entity of the old version that one of the new version is.
    @inline(never)
    package func oldEntity(of entity: Entity) -> Entity? {
        oldEntities[entity.name].flatMap(old.entity(named:))
    }

    /// The entity of the new version that one of the old version is.
    @inline(never)
    package func newEntity(of entity: Entity) -> Entity? {
        newEntities[entity.name].flatMap(new.entity(named:))
    }

    /// The property of the old entity that one of the new entity is.
    @inline(never)
    package func former(_ property: PropertyName) -> PropertyName? {
        unchanged.contains(property.entity) ? property : oldProperties[property]
    }

    /// The property of the new entity that one of the old entity is.
    @inline(never)
    func successor(_ property: PropertyName) -> PropertyName? {
        unchanged.contains(property.entity) ? property : newProperties[property]
    }

    /// The attribute of the old version that one of the new version is.
    @inline(never)
    package func oldAttribute(of name: String, in entity: String) -> Attribute? {
        former(PropertyName(entity: entity, property: name)).flatMap { found in
            old.entity(named: found.entity)?.attribute(named: found.property)
        }
    }

    /// The attribute of the new version that one of the old version is.
    @inline(never)
    package func newAttribute(of name: String, in entity: String) -> Attribute? {
        successor(PropertyName(entity: entity, property: name)).flatMap { found in
            new.entity(named: found.entity)?.attribute(named: found.property)
        }
    }

    /// The relationship of the old version that one of the new version is.
    @inline(never)
    package func oldRelationship(of name: String, in entity: String) -> Relationship? {
        former(PropertyName(entity: entity, property: name)).flatMap { found in
            old.entity(named: found.entity)?.relationship(named: found.property)
        }
    }

    /// The relationship of the new version that one of the old version is.
    @inline(never)
    package func newRelationship(of name: String, in entity: String) -> Relationship? {
        successor(PropertyName(entity: entity, property: name)).flatMap { found in
            new.entity(named: found.entity)?.relationship(named: found.property)
        }
    }
}

extension Entity {
    /// Whether a relationship is stored if and only if the old one was: a relationship that becomes
    /// transient keeps nothing of it. An attribute that becomes transient is checked when it is
    /// compared.
    fileprivate func isStoredAlike(
        _ name: String, as oldName: String, of oldEntity: Entity
    ) -> Bool {
        guard let relationship = relationships.first(where: { $0.name == name }),
            let old = oldEntity.relationship(named: oldName)
        else { return true }
        return relationship.isTransient == old.isTransient
    }

    /// Whether a property declares a former name.
    fileprivate var renamesProperties: Bool {
        attributes.contains { $0.renamedFrom != nil }
            || compositeAttributes.contains { $0.renamedFrom != nil }
            || relationships.contains { $0.renamedFrom != nil }
    }
}

extension MigrationDeclaration {
    /// The entities that the declarations mention.
    fileprivate var entities: Set<String> {
        Set(items.compactMap { $0["entity"] })
    }
}

/// The capabilities of a store's engine for a migration. The planner calls the functions, and the
/// module that writes the statements implements them.
package protocol MigrationSupport: Sendable {
    /// Returns whether the engine can find the objects of an entity of the old version that meet a
    /// condition.
    func finds(where condition: ModelExpression, of entity: Entity, in match: ModelMatch) -> Bool
    /// Returns whether it finds the objects that a declared link references.
    func finds(_ link: MigrationDeclaration.Link, in match: ModelMatch) -> Bool
    /// Returns whether the engine can compute the value of a fill for objects of an entity of the
    /// new version.
    func computes(
        _ fill: ModelExpression, for attribute: Attribute, of entity: Entity, in match: ModelMatch
    ) -> Bool
    /// Returns whether the engine checks a rule of an entity.
    func enforces(_ rule: Rule, of entity: Entity, in model: Model) -> Bool
    /// Returns whether the engine checks a pattern.
    func enforces(pattern: String) -> Bool
    /// Returns the properties of the object itself that a value is computed from, including
    /// properties behind values that the engine computes.
    func properties(
        in expression: ModelExpression, of entity: Entity, of model: Model
    ) -> Set<String>
}

// Lookups of an owner's own declarations, by their names.

extension Entity {
    /// The attribute of a name that the entity itself declares.
    @inline(never)
    package func attribute(named name: String) -> Attribute? {
        attributes.first { $0.name == name }
    }

    /// The composite attribute of a name that the entity itself declares.
    package func compositeAttribute(named name: String) -> CompositeAttribute? {
        compositeAttributes.first { $0.name == name }
    }

    /// The relationship of a name that the entity itself declares.
    @inline(never)
    package func relationship(named name: String) -> Relationship? {
        relationships.first { $0.name == name }
    }

    /// The rule of a name that the entity itself declares.
    package func rule(named name: String) -> Rule? {
        rules.first { $0.name == name }
    }
}

extension Enumeration {
    /// The case of a name.
    @inline(never)
    package func item(named name: String) -> EnumerationCase? {
        cases.first { $0.name == name }
    }
}

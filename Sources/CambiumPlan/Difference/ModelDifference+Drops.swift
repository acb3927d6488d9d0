import CambiumModel

// Links have two ends, and each end keeps all of them. If both ends are still each other's inverse,
// the drop of one end deletes nothing.
extension ModelDifference {
    /// Requires a drop of the other end if only one end of a pair that stays is dropped.
    func checkOneSidedDrops() {
        for drop in new.migration?.drops ?? [] where drop.condition == nil {
            guard let name = drop.property, let oldEntity = old.entity(named: drop.entity),
                let declarer = old.declarer(of: name, in: oldEntity),
                let relationship = declarer.relationship(named: name),
                let kept = keptEnd(of: relationship, of: declarer, for: oldEntity),
                isFirstProblem(
                    ofLinksAt: [.init(entity: declarer.name, property: name), kept.old])
            else { continue }
            addOneSidedDrop(name, of: oldEntity, declaredBy: declarer, kept)
        }
    }

    /// The end that keeps the links of a pair, and the pair in the new version.
    private struct KeptEnd {
        let old: ModelMatch.PropertyName
        let owner: Entity
        let relationship: Relationship
        /// The end with a drop that deletes nothing.
        let other: (owner: Entity, relationship: Relationship)
    }

    /// Returns the end that keeps the links. The result is nil if the dropped end or the pair no
    /// longer exists, or is another one. The dropped end may have been renamed, because it gets its
    /// links from the kept end.
    ///
    /// - Parameter oldEntity: The entity of the objects. It may have inherited the end from another
    ///   entity.
    private func keptEnd(
        of relationship: Relationship, of declarer: Entity, for oldEntity: Entity
    ) -> KeptEnd? {
        guard !relationship.isTransient, !relationship.isOwnInverse(in: declarer),
            let entity = match.newEntity(of: oldEntity),
            let inverse = old.inverse(of: relationship),
            let owner = match.newEntity(of: inverse.entity),
            let successor = match.newRelationship(
                of: inverse.relationship.name, in: inverse.entity.name),
            !successor.isTransient,
            let end = new.inverse(of: successor), !end.relationship.isTransient,
            new.entity(entity, isKindOf: end.entity),
            // An end with another inverse now would have the links too, but the drop says that it
            // has none.
            new.relationship(relationship.name, of: entity).map({ $0 == end.relationship }) ?? true,
            match.source(
                of: .init(entity: end.entity.name, property: end.relationship.name), for: entity)
                == nil,
            new.inverse(of: end.relationship)?.entity.name == owner.name
        else { return nil }
        return KeptEnd(
            old: .init(entity: inverse.entity.name, property: inverse.relationship.name),
            owner: owner, relationship: successor, other: (end.entity, end.relationship))
    }

    private func addOneSidedDrop(
        _ name: String, of oldEntity: Entity, declaredBy declarer: Entity, _ kept: KeptEnd
    ) {
        let isInherited = declarer.name != oldEntity.name
        let ends =
            (isInherited ? [(declarer.name, name)] : []) + [(kept.old.entity, kept.old.property)]
        let drops = ends.map { MigrationFix.drop(entity: $0.0, property: $0.1) }
        // If no link is left, a required relationship would be empty.
        let bare = [(owner: kept.owner, relationship: kept.relationship), kept.other].first {
            lacksLinks($0.relationship, of: $0.owner)
        }
        var fixes = [drops.count == 1 ? drops[0] : .together(drops)]
        if let bare {
            let name = bare.relationship.name
            let optional = MigrationFix.makeOptional(
                .relationship, name: name, type: bare.relationship.destination)
            fixes = [.together([optional] + drops)]
            if isLinkable(bare.relationship, of: bare.owner) {
                fixes.append(
                    .together(drops + [.link(entity: bare.owner.name, relationship: name)]))
            }
        }
        let place = bare ?? kept.other
        let other = kept.other.relationship.name
        addProblem(
            entity: place.owner.name, property: place.relationship.name,
            fact: """
                The migration drops \(oldEntity.name).\(name) and not its inverse \
                \(kept.old.entity).\(kept.old.property), which keeps all the links for \
                \(other == name ? "both" : "\(kept.other.owner.name).\(other) as well")
                """,
            remedy: isInherited
                ? "drop both ends for all of \(declarer.name), or remove the drop"
                : "drop the other end too, or remove the drop",
            fixes: fixes)
    }

    /// Whether a relationship requires an object and the migration does not supply one.
    private func lacksLinks(_ relationship: Relationship, of entity: Entity) -> Bool {
        !relationship.isToMany && !relationship.isOptional
            && match.link(of: relationship.name, in: entity.name) == nil
            && !match.isRequired(relationship.name, in: entity.name)
            && !match.hasNoObjects(entity) && !isSupplied(entity)
    }
}

// An object cannot stay unchanged if a drop deletes an object that it requires. No drop deletes the
// first object implicitly: it must be dropped itself.
extension ModelDifference {
    /// Objects to drop because they require other objects that conditional drops delete.
    package struct FurtherDrop: Sendable, Equatable {
        /// The entity of the old version.
        package let entity: String
        /// The condition that selects the objects, in the entity's old properties.
        package let condition: ModelExpression
        /// The entity of the objects that they require.
        package let required: String
    }

    /// The further drops that are necessary because dropped objects are required by others. Without
    /// them, the migration fails for stores with such objects. The list contains the drops that a
    /// condition can express. Objects that require each other in a circle have none.
    package var furtherDrops: [FurtherDrop] {
        allFurtherDrops.filter { !$0.isInCircle }.map { $0.drop }
    }

    /// The drops that would never end. If objects require each other in a circle, a drop of some
    /// requires a drop of others of the same entity, and so on.
    package var circularDrops: [FurtherDrop] {
        allFurtherDrops.filter { $0.isInCircle }.map { $0.drop }
    }

    private var allFurtherDrops: [(drop: FurtherDrop, isInCircle: Bool)] {
        let drops = (new.migration?.drops ?? []).filter { $0.condition != nil }
        guard !drops.isEmpty else { return [] }
        var found: [(drop: FurtherDrop, isInCircle: Bool)] = []
        for drop in drops {
            guard let taken = old.entity(named: drop.entity), let condition = drop.condition else {
                continue
            }
            for further in self.drops(of: taken, where: condition)
            where !found.contains(where: { $0.drop == further.drop }) && !isDeclared(further.drop) {
                found.append(further)
            }
        }
        return found
    }

    /// Returns the objects that require the objects of an entity that meet a condition, as far as
    /// the store can find them.
    private func drops(
        of taken: Entity, where condition: ModelExpression
    ) -> [(drop: FurtherDrop, isInCircle: Bool)] {
        let passed = entities(lookedAtBy: condition, of: taken)
        var found: [(drop: FurtherDrop, isInCircle: Bool)] = []
        for owner in new.entities {
            for relationship in owner.relationships where isLeftOpen(relationship, of: owner) {
                for drop in drops(
                    of: taken, where: condition, requiredAt: relationship, of: owner)
                where canBeMade(drop) {
                    let isInCircle = passed.contains(drop.entity)
                    if isInCircle, pointsBack(condition, along: relationship, of: owner) {
                        continue
                    }
                    found.append((drop, isInCircle))
                }
            }
        }
        return found
    }

    /// Whether the store finds the objects, and no step of the program may write them.
    private func canBeMade(_ drop: FurtherDrop) -> Bool {
        guard let former = old.entity(named: drop.entity),
            match.newEntity(of: former).map(isSupplied) != true
        else { return false }
        return match.support.finds(where: drop.condition, of: former, in: match)
    }

    /// Whether a condition uses only the one object that is the inverse of a relationship. That
    /// object is then the one that requires the others.
    private func pointsBack(
        _ condition: ModelExpression, along relationship: Relationship, of owner: Entity
    ) -> Bool {
        guard let source = match.oldRelationship(of: relationship.name, in: owner.name),
            let inverse = old.inverse(of: source)?.relationship, !inverse.isToMany
        else { return false }
        var pointsBack = true
        condition.visit { part in
            guard case .keyPath(root: .subject, let names) = part else { return }
            pointsBack = pointsBack && names.first == inverse.name
        }
        return pointsBack
    }

    /// Returns the objects that require, at a relationship, the objects of an entity that meet a
    /// condition.
    func drops(
        of taken: Entity, where condition: ModelExpression, requiredAt relationship: Relationship,
        of owner: Entity
    ) -> [FurtherDrop] {
        new.family(of: owner).compactMap { member in
            guard let former = match.oldEntity(of: member), !former.isAbstract,
                !match.isEmptied(former)
            else { return nil }
            return self.condition(condition, of: taken, at: relationship, of: owner, in: member)
                .map { FurtherDrop(entity: former.name, condition: $0, required: taken.name) }
        }
    }

    /// Whether a drop by condition takes these objects, or all of their entity.
    func isDeclared(_ further: FurtherDrop) -> Bool {
        (new.migration?.drops ?? []).contains {
            $0.entity == further.entity
                && ($0.condition == further.condition || $0.condition == .literal(.bool(true)))
        }
    }

    /// Whether objects require an object there, and get no other one when it is deleted.
    private func isLeftOpen(_ relationship: Relationship, of entity: Entity) -> Bool {
        !relationship.isToMany && !relationship.isOptional && !relationship.isTransient
            && match.link(of: relationship.name, in: entity.name) == nil
            && !match.isDeclaredRequired(relationship.name, in: entity.name)
    }

    /// Returns the condition that an object requires an object that meets a condition; nil if it
    /// had no such object.
    private func condition(
        _ condition: ModelExpression, of taken: Entity, at relationship: Relationship,
        of owner: Entity, in member: Entity
    ) -> ModelExpression? {
        guard
            let source = match.source(
                of: .init(entity: owner.name, property: relationship.name), for: member),
            let former = match.oldRelationship(at: source), !former.isToMany,
            let destination = old.entity(named: former.destination),
            old.entity(taken, isKindOf: destination)
        else { return nil }
        let members = old.family(of: destination).filter { !$0.isAbstract }
        if members.allSatisfy(match.isEmptied) { return .literal(.bool(true)) }
        let path = ModelExpression.keyPath(root: .subject, names: [source.property])
        // A drop is about the objects of the entity itself.
        let isTaken: ModelExpression? =
            members.count == 1
            ? nil
            : .comparison(.function(.entity, [path]), .equal, .literal(.string(taken.name)), [])
        if condition == .literal(.bool(true)) {
            return isTaken ?? .comparison(path, .notEqual, .literal(.null), [])
        }
        let behind = condition.transformed { part in
            guard case .keyPath(root: .subject, let names) = part else { return nil }
            return .keyPath(root: .subject, names: [source.property] + names)
        }
        return isTaken.map { .and([$0, behind]) } ?? behind
    }

    /// The entities on the paths of a condition, with its own entity.
    private func entities(
        lookedAtBy condition: ModelExpression, of entity: Entity
    ) -> Set<String> {
        var found: Set<String> = [entity.name]
        condition.visit { part in
            guard case .keyPath(root: .subject, let names) = part else { return }
            var end: Entity? = entity
            for name in names {
                end = end.flatMap { old.relationship(name, of: $0) }
                    .flatMap { old.entity(named: $0.destination) }
                if let end { found.formUnion(old.family(of: end).map { $0.name }) }
            }
        }
        return found
    }
}

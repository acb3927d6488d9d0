import CambiumModel

// Links have two ends, and either keeps them all. Where both ends are each other's inverse still, a drop
// of one takes nothing away.
extension ModelDifference {
    /// Asks for the other end where only one of a pair that stays is dropped.
    func checkHalfDrops() {
        for drop in new.migration?.drops ?? [] where drop.condition == nil {
            guard let name = drop.property, let oldEntity = old.entity(named: drop.entity),
                let declarer = old.declarer(of: name, in: oldEntity),
                let relationship = declarer.relationship(named: name),
                let kept = keptEnd(of: relationship, of: declarer, for: oldEntity),
                isFirstProblem(
                    ofLinksAt: [.init(entity: declarer.name, property: name), kept.old])
            else { continue }
            addHalfDrop(name, of: oldEntity, declaredBy: declarer, kept)
        }
    }

    /// The end that keeps the links of a pair, and what the pair is now.
    private struct KeptEnd {
        let old: ModelMatch.PropertyName
        let owner: Entity
        let relationship: Relationship
        /// The end whose drop takes nothing away.
        let other: (owner: Entity, relationship: Relationship)
    }

    /// Nil where the end that is dropped, or the pair, is not there any more, or is another. The end may
    /// have another name now: it has its links from the one that is kept.
    ///
    /// - Parameter oldEntity: The entity whose objects are meant, which may have the end from another.
    private func keptEnd(
        of relationship: Relationship, of declarer: Entity, for oldEntity: Entity
    ) -> KeptEnd? {
        guard !relationship.isTransient, !relationship.isOwnInverse(in: declarer),
            let entity = match.newEntity(of: oldEntity),
            let inverse = old.inverse(of: relationship),
            let owner = match.newEntity(of: inverse.entity),
            let heir = match.newRelationship(
                of: inverse.relationship.name, in: inverse.entity.name),
            !heir.isTransient,
            let end = new.inverse(of: heir), !end.relationship.isTransient,
            new.entity(entity, isKindOf: end.entity),
            // One that has another inverse now would have the links too: the drop says that it has not.
            new.relationship(relationship.name, of: entity).map({ $0 == end.relationship }) ?? true,
            match.source(
                of: .init(entity: end.entity.name, property: end.relationship.name), for: entity)
                == nil,
            new.inverse(of: end.relationship)?.entity.name == owner.name
        else { return nil }
        return KeptEnd(
            old: .init(entity: inverse.entity.name, property: inverse.relationship.name),
            owner: owner, relationship: heir, other: (end.entity, end.relationship))
    }

    private func addHalfDrop(
        _ name: String, of oldEntity: Entity, declaredBy declarer: Entity, _ kept: KeptEnd
    ) {
        let isInherited = declarer.name != oldEntity.name
        let ends =
            (isInherited ? [(declarer.name, name)] : []) + [(kept.old.entity, kept.old.property)]
        let drops = ends.map { MigrationFix.drop(entity: $0.0, property: $0.1) }
        // Where no link is left, nothing is there that is required.
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

    /// Whether a relationship needs an object, and what is said about it gives none.
    private func lacksLinks(_ relationship: Relationship, of entity: Entity) -> Bool {
        !relationship.isToMany && !relationship.isOptional
            && match.link(of: relationship.name, in: entity.name) == nil
            && !match.isRequired(relationship.name, in: entity.name)
            && !match.hasNoObjects(entity) && !isSupplied(entity)
    }
}

// An object that requires one which a drop takes cannot stay as it is. No drop takes it along: its
// own one has to name it.
extension ModelDifference {
    /// Objects that are to be given up because they require others which drops by condition take.
    package struct FurtherDrop: Sendable, Equatable {
        /// The entity of the old version.
        package let entity: String
        /// Which objects of it, in its old properties.
        package let condition: ModelExpression
        /// The entity of the objects that they require.
        package let required: String
    }

    /// The drops without which a store is refused where a drop takes an object that another one
    /// requires, as far as a condition can name those. Objects that require each other in a circle
    /// have none.
    package var furtherDrops: [FurtherDrop] {
        allFurtherDrops.filter { !$0.isInCircle }.map { $0.drop }
    }

    /// The drops that would never end: of objects that require each other in a circle, a drop of some
    /// takes others of the same entity, and so on.
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
            where !found.contains(where: { $0.drop == further.drop }) && !isSaid(further.drop) {
                found.append(further)
            }
        }
        return found
    }

    /// What requires the objects of an entity that meet a condition, as far as the store knows them.
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
                    if isInCircle, leadsBack(condition, along: relationship, of: owner) {
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

    /// Whether a condition looks at nothing but the one object that a relationship leads back to,
    /// which then is what requires the others.
    private func leadsBack(
        _ condition: ModelExpression, along relationship: Relationship, of owner: Entity
    ) -> Bool {
        guard let source = match.oldRelationship(of: relationship.name, in: owner.name),
            let inverse = old.inverse(of: source)?.relationship, !inverse.isToMany
        else { return false }
        var leadsBack = true
        condition.visit { part in
            guard case .keyPath(root: .subject, let names) = part else { return }
            leadsBack = leadsBack && names.first == inverse.name
        }
        return leadsBack
    }

    /// What requires at a relationship the objects of an entity that meet a condition.
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
    func isSaid(_ further: FurtherDrop) -> Bool {
        (new.migration?.drops ?? []).contains {
            $0.entity == further.entity
                && ($0.condition == further.condition || $0.condition == .literal(.bool(true)))
        }
    }

    /// Whether objects need one there, and get no other when it goes.
    private func isLeftOpen(_ relationship: Relationship, of entity: Entity) -> Bool {
        !relationship.isToMany && !relationship.isOptional && !relationship.isTransient
            && match.link(of: relationship.name, in: entity.name) == nil
            && !match.isDeclaredRequired(relationship.name, in: entity.name)
    }

    /// The condition of an object that it requires one which meets a condition; nil where it had no
    /// such object.
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

    /// The entities on the ways that a condition looks along, its own one too.
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

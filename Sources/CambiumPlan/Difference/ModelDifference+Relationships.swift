import CambiumModel

extension ModelDifference {
    func compareRelationships(of oldEntity: Entity, _ entity: Entity) {
        for relationship in entity.relationships {
            if let oldRelationship = match.oldRelationship(
                of: relationship.name, in: entity.name)
            {
                compare(oldRelationship, of: oldEntity, relationship, of: entity)
                compareMoves(to: relationship, of: entity)
            } else if !compareMoves(to: relationship, of: entity), !relationship.isTransient {
                add(.relationshipAdded(entity: entity.name, relationship.name))
            }
            checkRequired(relationship, of: entity)
            checkLinks(relationship, of: entity)
        }
        compareMissingRelationships(of: oldEntity, in: entity)
    }

    /// - Parameter entity: The old entity in the new version; nil if the entity was deleted, but
    ///   entities that inherited from it exist.
    @inline(never)
    func compareMissingRelationships(of oldEntity: Entity, in entity: Entity?) {
        for relationship in oldEntity.relationships where !relationship.isTransient {
            let property = ModelMatch.PropertyName(
                entity: oldEntity.name, property: relationship.name)
            let exists =
                match.newRelationship(of: relationship.name, in: oldEntity.name) != nil
            if exists || match.isKept(property) {
                if !isKeptInInverse(relationship) {
                    compareLosers(of: property, declaration: .relationship)
                }
            } else if let entity {
                compareDropped(relationship, of: oldEntity, in: entity)
            } else if !isKeptInInverse(relationship) {
                compareLosers(of: property, declaration: .relationship)
            } else {
                addLostOrder(of: relationship, oldEntity, name: oldEntity.name)
            }
        }
    }

    /// Reports a lost order. The inverse of a deleted relationship keeps its links, but not its
    /// order, unless a new list takes over the order.
    private func addLostOrder(
        of relationship: Relationship, _ oldEntity: Entity, name: String
    ) {
        guard old.positionColumn(of: relationship, of: oldEntity) != nil else { return }
        let successors = old.inverse(of: relationship).map {
            match.successors(of: .init(entity: $0.entity.name, property: $0.relationship.name))
        }
        let isKept = (successors ?? []).allSatisfy { successor in
            new.inverse(of: successor.relationship).map {
                new.positionColumn(of: $0.relationship, of: $0.entity) != nil
            } ?? false
        }
        guard !isKept || successors?.isEmpty != false else { return }
        add(.orderChanged(entity: name, relationship.name, isOrdered: false))
    }

    /// Whether the other end carries the links of all its objects.
    private func isKeptInInverse(_ relationship: Relationship) -> Bool {
        guard let inverse = old.inverse(of: relationship) else { return false }
        let name = ModelMatch.PropertyName(
            entity: inverse.entity.name, property: inverse.relationship.name)
        return match.isKept(name) && match.losers(of: name).isEmpty
            && match.newRelationship(of: name.property, in: name.entity)?.destination
                == old.entity(named: inverse.relationship.destination)
                .flatMap(match.newEntity)?.name
    }

    /// Checks that the destinations of the old links are valid destinations of the new ones.
    func compareDestinations(
        _ old: Relationship, _ new: Relationship, of entity: Entity, givenUpIn owner: String? = nil
    ) {
        let destination = self.new.entity(named: new.destination)
        let oldDestination = self.old.entity(named: old.destination)
        if let destination, let oldDestination, match.newEntity(of: oldDestination) != nil {
            let inverse = self.old.inverse(of: old).map {
                ModelMatch.PropertyName(entity: $0.entity.name, property: $0.relationship.name)
            }
            let otherMember = self.old.family(of: oldDestination).first { member in
                guard let newMember = match.newEntity(of: member) else { return false }
                if member.isAbstract, self.old.hasSubentities(member) { return false }
                return !self.new.entity(newMember, isKindOf: destination)
                    && !(inverse.map { match.isDropped($0, below: member) } ?? false)
            }
            if let otherMember {
                addUnlinked(
                    new, old, of: entity,
                    "references \(new.destination) and no longer "
                        + (match.newEntity(of: otherMember)?.name ?? otherMember.name),
                    givenUpIn: owner)
            }
        } else if destination?.name != old.destination, match.isDropped(old.destination, nil) {
            addUnlinked(
                new, old, of: entity,
                "references \(new.destination) and no longer \(old.destination)",
                givenUpIn: owner)
        }  // else what became of the destination is not known yet, or wrong, which is reported
    }

    private func compare(
        _ old: Relationship, of oldEntity: Entity, _ new: Relationship, of entity: Entity
    ) {
        if old.name != new.name {
            add(.relationshipRenamed(entity: entity.name, new.name, from: old.name))
        }
        guard !new.isTransient else { return }
        compareDestinations(old, new, of: entity)
        let oldDestination = self.old.entity(named: old.destination).flatMap(match.newEntity)
        let oldInverse = old.inverse.flatMap { inverse in
            self.old.entity(named: old.destination).flatMap { destination in
                self.old.declarer(of: inverse, in: destination)
            }.flatMap { match.newRelationship(of: inverse, in: $0.name) }
        }?.name
        if old.isToMany != new.isToMany || old.isOptional != new.isOptional && !new.isToMany
            || oldInverse != new.inverse || oldDestination?.name != new.destination
        {
            add(.relationshipChanged(entity: entity.name, new.name))
        }
        if old.isToMany, new.isToMany, old.counts != new.counts {
            add(.countsChanged(entity: entity.name, new.name))
        }
        let wasOrdered = self.old.positionColumn(of: old, of: oldEntity) != nil
        let isOrdered = self.new.positionColumn(of: new, of: entity) != nil
        if wasOrdered != isOrdered {
            add(.orderChanged(entity: entity.name, new.name, isOrdered: isOrdered))
        }
    }

    /// Checks whether links can be carried over: each end must hold as many as before. A conflict
    /// has two ends and is reported at one of them. If no link can stay, the check does nothing.
    func checkLinks(_ relationship: Relationship, of entity: Entity) {
        guard let links = CarriedLinks(of: relationship, of: entity, in: match),
            links.all.contains(where: \.hasMembers)
        else { return }
        if checkSplitRelationships(links) { return }
        if let conflict = links.conflict {
            guard isFirstProblem(ofLinksAt: Set(conflict)) else { return }
            if conflict[0] == conflict[1] {
                return addSelfInverse(relationship, of: entity, since: conflict[0])
            }
            let names = conflict.map { "\($0.entity).\($0.property)" }.joined(separator: ", ")
            addProblem(
                entity: entity.name, property: relationship.name,
                fact: """
                    \(entity.name).\(relationship.name) and its inverse were not each other's \
                    inverse before (\(names))
                    """, remedy: "drop one of them",
                fixes: conflict.map { .drop(entity: $0.entity, property: $0.property) })
        } else if links.isOwn {
            checkFewerLinks(links, relationship, of: entity)
        }
    }

    private func addUnlinked(
        _ new: Relationship, _ old: Relationship, of entity: Entity, _ reason: String,
        givenUpIn owner: String? = nil
    ) {
        let oldEntity = owner ?? match.oldEntity(of: entity)?.name ?? entity.name
        // It cannot be declared as the renamed old one at the same time.
        let taken: [MigrationFix] =
            new.renamedFrom == old.name
            ? [.takeBack(.relationship, name: new.name, from: old.name)] : []
        let drop = MigrationFix.drop(entity: oldEntity, property: old.name)
        var fixes = [taken.isEmpty ? drop : .together([drop] + taken)]
        if !new.isToMany, !new.isOptional {
            // The required relationship would then be empty.
            fixes = [
                .together(
                    [
                        .makeOptional(.relationship, name: new.name, type: new.destination), drop,
                    ] + taken)
            ]
            if isLinkable(new, of: entity) {
                fixes.append(
                    .together([drop, .link(entity: entity.name, relationship: new.name)] + taken))
            }
        }
        addProblem(
            entity: entity.name, property: new.name,
            fact: "\(entity.name).\(new.name) \(reason)",
            remedy: "drop its old links, or give the new relationship another name",
            fixes: fixes)
    }

    private func compareDropped(
        _ relationship: Relationship, of oldEntity: Entity, in entity: Entity
    ) {
        let destination = old.entity(named: relationship.destination)
        let inverseDeclarer = relationship.inverse.flatMap { inverse in
            destination.flatMap { old.declarer(of: inverse, in: $0) }
        }
        if let inverse = relationship.inverse, let inverseDeclarer {
            if match.isKept(.init(entity: inverseDeclarer.name, property: inverse)) {
                add(
                    .relationshipDropped(
                        entity: entity.name, relationship.name, losesLinks: false))
                addLostOrder(of: relationship, oldEntity, name: entity.name)
                return
            }
            if match.isDropped(inverseDeclarer.name, inverse)
                || match.isDropped(inverseDeclarer.name, nil)
            {
                add(
                    .relationshipDropped(
                        entity: entity.name, relationship.name, losesLinks: true))
                return
            }
        }
        let isDestinationDropped = destination.map { match.isDropped($0.name, nil) } ?? true
        if match.isDropped(oldEntity.name, relationship.name) || isDestinationDropped {
            add(.relationshipDropped(entity: entity.name, relationship.name, losesLinks: true))
        } else {
            addMissing(
                relationship.name, of: oldEntity, in: entity, declaration: .relationship,
                candidate: entity.relationships.first {
                    !$0.isTransient && match.sources(of: $0.name, in: entity).isEmpty
                }?.name)
        }
    }
}

// If a store may contain more links than the new version allows, the author declares the links to
// keep.
extension ModelDifference {
    /// Reports declarations of links to keep that are not required, for example because they are
    /// obsolete.
    func compareKeeps() {
        for keep in new.migration?.keeps ?? [] {
            let place = "\(keep.entity).\(keep.relationship)"
            let owner = new.entity(named: keep.entity)
            guard
                let relationship = owner?.relationship(named: keep.relationship)
            else {
                addProblem(
                    entity: keep.entity, property: keep.relationship,
                    fact: """
                        A keep names \(place), which version \(new.version) does not declare \
                        (name the entity that declares the relationship, not a sub-entity)
                        """)
                continue
            }
            guard
                changes.contains(.linksDropped(entity: keep.entity, keep.relationship))
            else {
                // If there is a problem with the links, it is reported first.
                if !problems.contains(where: { $0.entity == keep.entity }) {
                    addProblem(
                        entity: keep.entity, property: keep.relationship,
                        fact: "A keep names \(place), which loses no links", remedy: "remove it")
                }
                continue
            }
            let destination = match.new.entity(named: relationship.destination)
            let oldDestination = destination.flatMap(match.oldEntity)
            for order in keep.order {
                guard let oldDestination else { continue }
                if old.attribute(order.attribute, of: oldDestination)?.isTransient != false {
                    addProblem(
                        entity: keep.entity, property: keep.relationship,
                        fact: """
                            The keep of \(place) orders by \(order.attribute), which is no \
                            stored attribute of \(oldDestination.name) in version \
                            \(old.version)
                            """)
                }
            }
        }
    }

    /// Checks the ends of links that hold fewer than before. The author must declare the links to
    /// keep, or drop them.
    func checkFewerLinks(
        _ links: CarriedLinks, _ relationship: Relationship, of entity: Entity
    ) {
        let losses = links.losesLinks
        let inverse = new.inverse(of: relationship)
        var fixes: [MigrationFix] = []
        if losses.ofSource {
            if links.keeps.source != nil {
                addOnce(.linksDropped(entity: entity.name, relationship.name))
            } else {
                fixes.append(.keep(entity: entity.name, relationship: relationship.name))
            }
        }
        if losses.ofDestination, let inverse, inverse.relationship != relationship {
            let name = inverse.relationship.name
            if links.keeps.destination != nil {
                addOnce(.linksDropped(entity: inverse.entity.name, name))
            } else {
                fixes.append(.keep(entity: inverse.entity.name, relationship: name))
            }
        }
        guard !fixes.isEmpty, let old = links.sets.first,
            isFirstProblem(ofLinksAt: old.ends)
        else { return }
        let ends = fixes.compactMap { fix in
            (fix.declared as? MigrationDeclaration.Keep).map { "\($0.entity).\($0.relationship)" }
        }
        addProblem(
            entity: entity.name, property: relationship.name,
            fact: """
                \(ends.joined(separator: " and ")) \(ends.count == 1 ? "references" : "reference") \
                one object in the new version, and existing objects may have several
                """,
            remedy: """
                keep the first link (in an order, or the order of the old list), \
                or drop all old links
                """,
            fixes: [fixes.count == 1 ? fixes[0] : .together(fixes), dropOfLinks(old)])
    }

    /// Returns the fix that drops all links of an old relationship. It includes the other end if
    /// that end would keep them.
    private func dropOfLinks(_ links: OldLinks) -> MigrationFix {
        let drop = MigrationFix.drop(
            entity: links.entity.name, property: links.relationship.name)
        guard let inverse = old.inverse(of: links.relationship),
            !links.relationship.isOwnInverse(in: links.entity),
            match.isKept(
                .init(entity: inverse.entity.name, property: inverse.relationship.name))
        else { return drop }
        return .together([
            drop, .drop(entity: inverse.entity.name, property: inverse.relationship.name),
        ])
    }
}

// Two relationships that were each other's inverse had the same links. If both exist but are no
// longer inverses, each would get all of the links, although the objects were linked only once.
extension ModelDifference {
    /// Requires a choice of the end that keeps the links, for old links with two ends that were
    /// split.
    ///
    /// - Returns: Whether there are any.
    func checkSplitRelationships(_ links: CarriedLinks) -> Bool {
        let split = links.all.filter(isSplit)
        for links in split where isFirstProblem(ofLinksAt: links.ends) {
            guard let inverse = old.inverse(of: links.relationship),
                let successor = match.successor(
                    of: .init(entity: links.entity.name, property: links.relationship.name))
            else { continue }
            let ends = [
                (links.entity.name, links.relationship.name),
                (inverse.entity.name, inverse.relationship.name),
            ]
            if ends[0] == ends[1] {
                addSplitRelationship(of: links)
                continue
            }
            addProblem(
                entity: successor.entity.name, property: successor.relationship.name,
                fact: ends.map { "\($0.0).\($0.1)" }.joined(separator: " and ")
                    + """
                     were inverses of each other, and no longer are, so both \
                    would keep all links
                    """,
                remedy: "drop one of them: the other keeps the links",
                fixes: ends.map { .drop(entity: $0.0, property: $0.1) })
        }
        return !split.isEmpty
    }

    /// Reports a relationship that was its own inverse and is now several relationships that are
    /// not each other's inverse.
    private func addSplitRelationship(of links: OldLinks) {
        let name = links.relationship.name
        let successors = match.successors(of: .init(entity: links.entity.name, property: name))
        let owners = successors.compactMap { match.oldEntity(of: $0.entity)?.name }
        addProblem(
            entity: successors[0].entity.name, property: successors[0].relationship.name,
            fact: """
                \(links.entity.name).\(name) was its own inverse before, and is now two \
                relationships in \(owners.joined(separator: " and ")) that are not inverses of \
                each other, so that both would have the same links
                """,
            remedy: "drop one of them: the other keeps the links",
            fixes: owners.map { .drop(entity: $0, property: name) })
    }

    /// Reports a relationship that is now its own inverse but was one of a pair. Such a
    /// relationship has each link in both directions. Only a program can decide this for the old
    /// links.
    func addSelfInverse(
        _ relationship: Relationship, of entity: Entity, since old: ModelMatch.PropertyName
    ) {
        let taken: [MigrationFix] =
            relationship.renamedFrom == nil
            ? [] : [.takeBack(.relationship, name: relationship.name, from: old.property)]
        func split(_ fix: MigrationFix) -> MigrationFix {
            taken.isEmpty ? fix : .together([fix] + taken)
        }
        addProblem(
            entity: entity.name, property: relationship.name,
            fact: """
                \(entity.name).\(relationship.name) is its own inverse now, and \
                \(old.entity).\(old.property) was not, so that a link of one object to another \
                would also exist in the other direction
                """,
            remedy: "create the links in a step of the program, or drop them at both ends",
            fixes: [
                split(.convert(entity: old.entity, property: old.property)),
                split(.drop(entity: old.entity, property: old.property)),
            ])
    }

    private func isSplit(_ links: OldLinks) -> Bool {
        guard let inverse = old.inverse(of: links.relationship) else { return false }
        func isPair(_ one: Relationship?, _ other: Relationship?) -> Bool {
            guard let one, let other else { return false }
            return new.inverse(of: one)?.relationship == other
        }
        let (entity, name) = (links.entity.name, links.relationship.name)
        let (inverseEntity, inverseName) = (inverse.entity.name, inverse.relationship.name)
        // Nearly all relationships still have their inverse.
        if isPair(
            match.newRelationship(of: name, in: entity),
            match.newRelationship(of: inverseName, in: inverseEntity))
        {
            return false
        }
        let successors = match.successors(of: .init(entity: entity, property: name))
        let others = match.successors(of: .init(entity: inverseEntity, property: inverseName))
        // A relationship that was its own inverse has each link in both directions, so a single
        // successor gets all of them.
        if entity == inverseEntity, name == inverseName, successors.count < 2 { return false }
        return !successors.isEmpty && !others.isEmpty
            && !successors.contains { successor in
                others.contains { isPair(successor.relationship, $0.relationship) }
            }
    }
}

import CambiumModel

// Where a store may hold more than the new version allows, the author says what stays.
extension ModelDifference {
    /// A keep that nothing asks for is a mistake, or a thing of the past.
    func compareKeeps() {
        for keep in new.migration?.keeps ?? [] {
            let place = "\(keep.entity).\(keep.relationship)"
            let owner = new.entity(named: keep.entity)
            guard
                let relationship = owner?.relationships.first(where: {
                    $0.name == keep.relationship
                })
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
                // Where there is a problem with the links, that comes first.
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

    /// The ends of links that hold fewer than before: the author says which stay, or drops them.
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
            reportedLinks.insert(old.ends).inserted
        else { return }
        let ends = fixes.compactMap { fix in
            (fix.declared as? MigrationDeclaration.Keep).map { "\($0.entity).\($0.relationship)" }
        }
        addProblem(
            entity: entity.name, property: relationship.name,
            fact: """
                \(ends.joined(separator: " and ")) \(ends.count == 1 ? "leads" : "lead") to one \
                object from now on, and objects may have several there
                """,
            remedy: """
                say that the first stays (in an order, else as the old list has them), or \
                drop all the old links
                """,
            fixes: [fixes.count == 1 ? fixes[0] : .together(fixes), dropOfLinks(old)])
    }

    /// What takes all links of an old relationship away: an end that is left keeps them.
    private func dropOfLinks(_ links: OldLinks) -> MigrationFix {
        let drop = MigrationFix.drop(
            entity: links.entity.name, property: links.relationship.name)
        guard let inverse = old.inverse(of: links.relationship),
            !links.relationship.isOwnInverse(in: links.entity),
            match.livesOn(
                .init(entity: inverse.entity.name, property: inverse.relationship.name))
        else { return drop }
        return .together([
            drop, .drop(entity: inverse.entity.name, property: inverse.relationship.name),
        ])
    }
}

import CambiumRecords

/// Makes what was changed about some objects changes of others: a child's of its parent's, or those
/// of an object that of the one that stands for it.
///
/// Everything goes through the setters, so that the other ends follow, and whoever observes or
/// undoes changes is notified of these as of any others.
struct ChangeTransfer {
    private struct Step {
        let source: ManagedObject
        let target: ManagedObject
        /// The slots that were set.
        let slots: SlotSet
        /// Whether the target is to have no other links than the source.
        let replacesLinks: Bool
    }

    /// The context of the objects that are changed.
    private let context: ManagedObjectContext
    private var steps: [Step] = []

    init(to context: ManagedObjectContext) {
        self.context = context
    }

    mutating func add(
        _ source: ManagedObject, _ slots: SlotSet, to target: ManagedObject,
        replacesLinks: Bool = false
    ) {
        steps.append(
            Step(source: source, target: target, slots: slots, replacesLinks: replacesLinks))
    }

    func apply() {
        let lists = steps.map { formerMembers($0) }
        for step in steps { setValues(step) }
        for step in steps { setDestinations(step) }
        for step in steps { setLinks(step) }
        // Now that the members are known.
        for (step, members) in zip(steps, lists) { setOrders(step, members) }
    }

    private func setValues(_ step: Step) {
        guard let values = step.source.placed else { return }
        step.slots.forEach { slot in
            if step.source.entityDescription.attributes[slot] != nil {
                step.target.row.restore(slot, from: values)
            }
        }
    }

    private func setDestinations(_ step: Step) {
        guard let record = step.source.record else { return }
        for relationship in step.source.entityDescription.relationships {
            guard let slot = relationship.slot, step.slots.contains(slot) else { continue }
            var destination: ManagedObject?
            if record.hasValue(slot) {
                let entity = step.source.destinationEntity(of: relationship, in: record)
                destination = context.revival.livingObject(
                    LinkSet.Member(key: record.integer(slot), entity: entity))
            }
            step.target.setToOne(relationship.ordinal, destination)
        }
    }

    /// Links that no slot holds: those of join tables, from the side that writes them, and those
    /// that are in memory only.
    private func setLinks(_ step: Step) {
        for relationship in step.source.entityDescription.relationships
        where relationship.isTransient || (relationship.isJoinTable && relationship.ownsPairs) {
            let ordinal = relationship.ordinal
            let links = step.source.extras?.currentLinks(of: relationship)
            if step.replacesLinks { removeLinks(step, ordinal, beside: links) }
            guard let links, links.hasChanges else { continue }
            for key in links.removed.sorted() {
                let other = context.registry.registered(relationship, key)
                if let other, other.canBeRestored {
                    step.target.ownLinks.unlink(ordinal, from: other)
                }
            }
            for member in links.added.members {
                if let other = context.revival.livingObject(member) {
                    step.target.ownLinks.link(ordinal, to: other)
                }
            }
        }
    }

    private func removeLinks(_ step: Step, _ ordinal: Int, beside links: LinkSet?) {
        for member in step.target.ownLinks.linksToChange(ordinal).members
        where links?.contains(member.key) != true {
            if let other = step.target.object(for: member) {
                step.target.ownLinks.unlink(ordinal, from: other)
            }
        }
    }

    // MARK: Orders

    /// The members of the lists whose order was changed, before anything is.
    private func formerMembers(_ step: Step) -> [Int: Set<Int64>] {
        var members: [Int: Set<Int64>] = [:]
        for relationship in step.source.orderedRelationships {
            let links = step.target.ownLinks.linksToChange(relationship.ordinal)
            members[relationship.ordinal] = Set(links.members.map(\.key))
        }
        return members
    }

    /// Lays what was done to the order of a list over the list as the target has it.
    private func setOrders(_ step: Step, _ formerMembers: [Int: Set<Int64>]) {
        for relationship in step.source.orderedRelationships {
            let ordinal = relationship.ordinal
            guard let order = step.source.extras?.currentLinks(of: relationship)?.order else {
                continue
            }
            let keys = step.target.links(ordinal).members.map(\.key)
            let present = Set(keys)
            let newcomers = Set(order.appended).subtracting(formerMembers[ordinal] ?? [])
            let wanted = order.applied(to: keys.filter { !newcomers.contains($0) })
                .filter(present.contains)
            guard wanted != keys else { continue }
            let ends = order.appended.filter {
                present.contains($0) && (newcomers.contains($0) || order.movedToEnd.contains($0))
            }
            if !ends.isEmpty { step.target.orderedLinks.moveToEnd(ends, ordinal) }
            let placed = order.placed.intersection(present)
            if !placed.isEmpty { step.target.orderedLinks.arrange(placed, in: wanted, ordinal) }
        }
    }
}

extension ManagedObject {
    /// The relationships whose order was changed.
    fileprivate final var orderedRelationships: [RelationshipDescription] {
        guard let extras else { return [] }
        return entityDescription.relationships.filter { relationship in
            relationship.isOrdered && extras.currentLinks(of: relationship)?.order?.isEmpty == false
        }
    }

    /// The slots that were set since the object was read or saved, without those that nobody sets.
    final var settableChangedSlots: SlotSet {
        tracking.noteQuietChanges()
        guard let extras else { return SlotSet() }
        return extras.changedSlots.subtracting(entityDescription.derivedSlots)
    }
}

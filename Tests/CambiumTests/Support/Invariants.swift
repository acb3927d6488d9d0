@testable import Cambium
@testable import CambiumRecords
import CambiumSQLite

extension ManagedObjectContext {
    /// What is wrong with the context's own books; empty where all is well. True between any two
    /// calls of a program. Reads nothing from the store and changes nothing.
    ///
    /// - Parameter isMerged: Whether the context has heard of everything that others saved. If not,
    ///   what it has read at different times need not agree.
    func invariantFaults(isMerged: Bool = true) -> [String] {
        var check = InvariantCheck(self)
        check.checkObjects()
        // What leads to a deleted object is put right when its delete rules are followed.
        if isMerged, changes.unpropagated.isEmpty { check.checkRelationships() }
        return partFaults + check.faults
    }
}

private struct InvariantCheck {
    private let context: ManagedObjectContext
    private let objects: [ManagedObject]
    private(set) var faults: [String] = []

    init(_ context: ManagedObjectContext) {
        self.context = context
        var objects: [ManagedObject] = []
        context.registry.forEach { objects.append($0) }
        self.objects = objects
    }

    private mutating func require(_ condition: Bool, _ fault: @autoclosure () -> String) {
        if condition { return }
        let fault = fault()
        faults.append(fault)
    }

    /// Each object: a snapshot exactly where a saved object has a draft, changes only where it
    /// counts as changed.
    mutating func checkObjects() {
        for object in objects {
            let hasSnapshot = object.extras?.snapshot != nil
            let isDraft = object.flags.contains(.isDraft)
            require(
                (object.record == nil) == (object.page == nil), "\(object) has half its values")
            require(!isDraft || object.record != nil, "\(object) is a draft of nothing")
            switch object.lifecycle {
            case .clean:
                require(!isDraft && !hasSnapshot, "\(object) is clean and a draft")
                require(
                    object.extras?.hasRelationshipChanges != true,
                    "\(object) is clean and its links changed")
                require(
                    object.extras?.changedSlots.isEmpty != false,
                    "\(object) is clean and has changed slots")
            case .updated:
                require(isDraft == hasSnapshot, "\(object): draft \(isDraft), \(hasSnapshot)")
                require(
                    isDraft || object.extras?.links.isEmpty == false
                        || object.extras?.transientLinks.isEmpty == false
                        || object.flags.contains(.isNoted) || object.extras?.quietChanges != nil,
                    "\(object) has no changes")
            case .inserted:
                require(isDraft && !hasSnapshot, "\(object): draft \(isDraft), \(hasSnapshot)")
            case .deleted:
                require(isDraft == hasSnapshot, "\(object): draft \(isDraft), \(hasSnapshot)")
                require(object.record != nil, "\(object) cannot be deleted without its version")
            case .discarded, .invalid:
                break
            }
            require(
                isDraft || !object.flags.contains(.tracksSlots), "\(object) tracks without a draft")
        }
    }

    // MARK: Relationships

    /// Both sides of what is loaded say the same, and no list has a member twice.
    mutating func checkRelationships() {
        for object in objects where exists(object) {
            for relationship in object.entityDescription.relationships
            where !relationship.isTransient {
                guard let inverse = relationship.inverse else { continue }
                if relationship.slot != nil {
                    checkKey(relationship, inverse, of: object)
                } else {
                    checkMembers(relationship, inverse, of: object)
                }
            }
        }
    }

    private func exists(_ object: ManagedObject) -> Bool {
        switch object.lifecycle {
        case .clean, .inserted, .updated: true
        case .deleted, .discarded, .invalid: false
        }
    }

    private func registered(_ entity: Int, _ key: Int64) -> ManagedObject? {
        context.registry.roots[context.coordinator.model.entities[entity].rootIndex].map[key]
    }

    /// The members that an object knows without asking the store; nil where it does not.
    private func members(
        _ relationship: RelationshipDescription, of object: ManagedObject
    ) -> [LinkSet.Member]? {
        let links = object.extras?.links[relationship.ordinal]
        if object.lifecycle == .inserted { return links?.members ?? [] }
        guard let links, links.stored != nil,
            links.readAt >= context.merges.lastChange(of: relationship)
        else { return nil }
        return links.members
    }

    private mutating func checkKey(
        _ relationship: RelationshipDescription, _ inverse: Int, of object: ManagedObject
    ) {
        guard let slot = relationship.slot, let record = object.record, record.hasValue(slot),
            let other = registered(relationship.destination, record.integer(slot))
        else { return }
        let opposite = other.entityDescription.relationships[inverse]
        guard exists(other), let members = members(opposite, of: other) else { return }
        require(
            members.contains { $0.key == object.key },
            "\(object) leads to \(other), which does not know: \(members.map(\.key))")
    }

    private mutating func checkMembers(
        _ relationship: RelationshipDescription, _ inverse: Int, of object: ManagedObject
    ) {
        guard let members = members(relationship, of: object) else { return }
        let name = "\(object).\(relationship.relationship.name)"
        let keys = members.map(\.key)
        require(Set(keys).count == keys.count, "\(name) has a member twice: \(keys)")
        require(relationship.isToMany || keys.count <= 1, "\(name) has two members: \(keys)")
        for member in members {
            guard let other = registered(member.entity, member.key) else { continue }
            require(exists(other) || context.changes.areStale, "\(name) has \(other)")
            guard exists(other) else { continue }
            let opposite = other.entityDescription.relationships[inverse]
            if let slot = opposite.slot {
                guard let record = other.record else { continue }
                require(
                    record.hasValue(slot) && record.integer(slot) == object.key,
                    "\(name) has \(other), which leads elsewhere")
            } else if let others = self.members(opposite, of: other) {
                require(
                    others.contains { $0.key == object.key },
                    "\(name) has \(other), which does not know: \(others.map(\.key))")
            }
        }
    }
}

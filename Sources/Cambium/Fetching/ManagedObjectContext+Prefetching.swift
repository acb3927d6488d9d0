import CambiumSQLite

extension ManagedObjectContext {
    /// Reads what relationships of objects lead to, with one statement for each relationship and
    /// not for each object.
    ///
    /// - Parameter paths: Names of relationships, joined by dots.
    func prefetch(
        _ paths: [String], of objects: [ManagedObject], _ entity: EntityDescription
    ) throws {
        for path in paths {
            var (objects, entity) = (objects, entity)
            for name in path.split(separator: ".") {
                guard let relationship = entity.relationship(named: String(name)) else {
                    throw StoreError(
                        code: .unknownName,
                        message:
                            "The entity \(entity.name) has no relationship \(name) to prefetch."
                    )
                }
                objects = try prefetch(relationship, of: objects)
                entity = coordinator.model.entities[relationship.destination]
            }
        }
    }

    /// - Returns: The objects that it leads to, each once.
    private func prefetch(
        _ relationship: RelationshipDescription, of objects: [ManagedObject]
    ) throws -> [ManagedObject] {
        if case .inverseKey = relationship.storage, !relationship.isOrdered {
            let unread = objects.filter { $0.needsLinks(relationship) }
            // A statement takes a limited number of keys.
            for start in stride(from: 0, to: unread.count, by: Self.keysPerStatement) {
                let end = min(start + Self.keysPerStatement, unread.count)
                try readLinks(relationship, of: unread[start..<end])
            }
        } else if relationship.slot == nil, !relationship.isTransient {
            try readMembers(relationship, of: objects.filter { $0.needsLinks(relationship) })
        }
        // Where the other side keeps the key, it leads to one object only.
        let isUnique = if case .inverseKey = relationship.storage { true } else { false }
        var seen: Set<ObjectIdentifier> = []
        var found: [ManagedObject] = []
        for object in objects {
            if relationship.slot != nil {
                if let linked = object.destination(of: relationship),
                    seen.insert(ObjectIdentifier(linked)).inserted
                {
                    found.append(linked)
                }
                continue
            }
            for member in object.links(relationship.ordinal).members {
                guard let linked = object.object(for: member) else { continue }
                if isUnique || seen.insert(ObjectIdentifier(linked)).inserted {
                    found.append(linked)
                }
            }
        }
        // Nobody holds them yet.
        for object in found { object.flags.insert(.isReadAhead) }
        let faults = found.filter { $0.isFault && $0.lifecycle == .clean }
        if !faults.isEmpty { try load(faults) }
        return found
    }

    private static let keysPerStatement = 500

    /// Reads the keys at the far ends of pairs and ordered lists, with one statement for all.
    private func readMembers(
        _ relationship: RelationshipDescription, of objects: [ManagedObject]
    ) throws {
        guard objects.count > 1, let selection = relationship.selection(from: 0) else { return }
        let commit = max(mergedCommit, lastChange(of: relationship))
        let destination = coordinator.model.entities[relationship.destination]
        guard
            let members = try store(of: destination).members(
                of: objects.map(\.key), relationship, selection)
        else { return }
        for object in objects {
            var links =
                object.extras?.links[relationship.ordinal]
                ?? LinkSet(isOrdered: relationship.isOrdered)
            let found = members[object.key] ?? []
            links.setStored(
                found.filter { isStillMember($0, of: object, relationship) }, at: commit)
            object.ownExtras.links[relationship.ordinal] = links
        }
    }

    /// Reads the rows that lead back to any of the objects, and notes them as their links.
    private func readLinks(
        _ relationship: RelationshipDescription, of objects: ArraySlice<ManagedObject>
    ) throws {
        guard objects.count > 1, let inverseName = relationship.relationship.inverse else { return }
        let destination = coordinator.model.entities[relationship.destination]
        let commit = max(mergedCommit, lastChange(of: relationship))
        let owners = Dictionary(
            objects.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let condition = ModelExpression.comparison(
            .keyPath(root: .subject, names: [inverseName]), .in,
            .list(objects.map { .literal(.int($0.key)) }), [])
        var members: [Int64: [LinkSet.Member]] = [:]
        var awoken: [ManagedObject] = []
        var request = RowRequest(entity: destination, selection: .matching(condition, [:]))
        request.isUnordered = true
        try store(of: destination).fetch(request) { row in
            let placed = try row.record(in: rowWriter)
            let entity = coordinator.model.entities[row.entity]
            let object: ManagedObject
            if let known = registered(entity: entity.index, key: row.key) {
                object = known
                if object.record == nil {
                    (object.record, object.page) = (placed.record, placed.page)
                    awoken.append(object)
                }
            } else {
                object = register(entity, key: row.key, placed: placed)
                awoken.append(object)
            }
            // The row says to whom it belongs; an object may hold an older one.
            guard let inverse = relationship.inverse,
                let slot = entity.relationships[inverse].slot, placed.record.hasValue(slot),
                let owner = owners[placed.record.integer(slot)],
                !object.hasLeft(owner, relationship)
            else { return }
            members[owner.key, default: []].append(
                LinkSet.Member(key: object.key, entity: entity.index))
        }
        for object in objects {
            var links = object.extras?.links[relationship.ordinal] ?? LinkSet(isOrdered: false)
            links.setStored(members[object.key] ?? [], at: commit)
            object.ownExtras.links[relationship.ordinal] = links
        }
        awaken(awoken)
    }
}

extension ManagedObject {
    /// Whether the links of a relationship kept elsewhere would be read at the next access.
    fileprivate final func needsLinks(_ relationship: RelationshipDescription) -> Bool {
        guard lifecycle == .clean || lifecycle == .updated else { return false }
        guard let known = extras?.links[relationship.ordinal], known.stored != nil else {
            return true
        }
        return known.readAt < (state.context?.lastChange(of: relationship) ?? 0)
    }
}

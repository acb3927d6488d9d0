import CambiumRecords

/// Reads the objects of relationships, with one statement for each relationship instead of one for
/// each object.
struct Prefetch: ContextAccess {
    let context: ManagedObjectContext

    /// Reads the objects of relationships, with one statement for each relationship instead of one
    /// for each object.
    ///
    /// - Parameter paths: The names of relationships, joined by dots.
    func prefetch(
        _ paths: [String], of objects: [ManagedObject], _ entity: EntityDescription
    ) throws {
        try prefetch(relationships(along: paths, of: entity), of: objects)
    }

    func prefetch(_ paths: [[RelationshipDescription]], of objects: [ManagedObject]) throws {
        for path in paths {
            var objects = objects
            for relationship in path { objects = try prefetch(relationship, of: objects) }
        }
    }

    /// Returns the relationships along each path.
    ///
    /// - Throws: ``StoreError`` if an entity has no relationship of a name.
    func relationships(
        along paths: [String], of entity: EntityDescription
    ) throws -> [[RelationshipDescription]] {
        try paths.map { path in
            var entity = entity
            return try path.split(separator: ".").map { name in
                guard let relationship = entity.relationship(named: String(name)) else {
                    throw StoreError.unknownName(
                        "The entity \(entity.name) has no relationship \(name) to prefetch.",
                        String(name), among: entity.relationships.map { $0.relationship.name })
                }
                entity = coordinator.model.entities[relationship.destination]
                return relationship
            }
        }
    }

    /// - Returns: The objects that the relationship references, without duplicates.
    private func prefetch(
        _ relationship: RelationshipDescription, of objects: [ManagedObject]
    ) throws -> [ManagedObject] {
        var found: [ManagedObject] = []
        var others = objects
        if relationship.place == .farRow, !relationship.isOrdered {
            let unread = objects.filter { needsLinks($0, relationship) }
            // If an object has unsaved links, its rows do not show all of them.
            let plain = unread.filter { !hasLinkChanges($0, relationship) }
            found = try readLinks(relationship, of: unread)
            let done = plain.filter { !needsLinks($0, relationship) }
            let doneIDs = Set(done.map { ObjectIdentifier($0) })
            others.removeAll { doneIDs.contains(ObjectIdentifier($0)) }
        } else if relationship.slot == nil, !relationship.isTransient {
            try readMembers(relationship, of: objects.filter { needsLinks($0, relationship) })
        }
        let members = members(of: others, relationship)
        let faults = members.filter { $0.isFault && $0.lifecycle == .clean }
        if !faults.isEmpty { try faulting.load(faults) }
        found += members
        // The program has no references to these objects yet.
        for object in found { object.flags.insert(.isReadAhead) }
        return found
    }

    /// Returns the objects of a relationship according to the known links, without duplicates.
    private func members(
        of objects: [ManagedObject], _ relationship: RelationshipDescription
    ) -> [ManagedObject] {
        // If the other side has the key column, it references only one object.
        let isUnique = relationship.place == .farRow
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
        return found
    }

    private static let keysPerStatement = 500
    /// For fewer objects, counting the rows would take longer.
    private static let fewObjects = 32

    /// Returns whether the objects are the majority of their table. If they are, most of the
    /// related rows are needed, and a scan of all rows is several times as fast as lookups in an
    /// index.
    private func areMost(_ objects: [ManagedObject]) throws -> Bool {
        guard objects.count > Self.fewObjects, let object = objects.first else { return false }
        let root = coordinator.model.entities[object.entityDescription.rootIndex]
        guard let greatest = try reads.store(of: root).greatestKey(ofRoot: root) else {
            return false
        }
        return Int64(objects.count) > greatest / 2
    }

    /// Reads the keys of the members of join tables and ordered lists, with one statement for all
    /// objects.
    private func readMembers(
        _ relationship: RelationshipDescription, of objects: [ManagedObject]
    ) throws {
        guard objects.count > 1, relationship.isKeptElsewhere else { return }
        let commit = merges.readCommit(of: relationship)
        let destination = coordinator.model.entities[relationship.destination]
        guard
            let members = try reads.store(of: destination).members(
                of: objects.map(\.key), relationship)
        else { return }
        for object in objects {
            var links =
                object.extras?.links[relationship.ordinal]
                ?? LinkSet(isOrdered: relationship.isOrdered)
            let present = (members[object.key] ?? [])
                .filter { linkReading.isStillMember($0, of: object, relationship) }
            links.setStored(
                divergentLists.addingDeferred(to: present, of: object, relationship), at: commit)
            object.ownExtras.links[relationship.ordinal] = links
        }
    }

    /// Reads the rows that reference any of the objects, and records them as the links of these
    /// objects. For a single object, it reads nothing: the rows are read at the first access.
    ///
    /// - Returns: The objects of those rows, except for owners with unsaved links.
    private func readLinks(
        _ relationship: RelationshipDescription, of objects: [ManagedObject]
    ) throws -> [ManagedObject] {
        guard objects.count > 1 else { return [] }
        if try areMost(objects) {
            return try readLinks(relationship, of: objects, isSelective: false)
        }
        return try objects.pieces(of: Self.keysPerStatement).flatMap {
            try readLinks(relationship, of: $0, isSelective: true)
        }
    }

    /// - Parameter isSelective: Whether the store looks up the rows by their keys; otherwise it
    ///   reads all rows.
    private func readLinks(
        _ relationship: RelationshipDescription, of owners: [ManagedObject],
        isSelective: Bool
    ) throws -> [ManagedObject] {
        guard let inverse = relationship.inverse,
            let inverseName = relationship.relationship.inverse
        else { return [] }
        let destination = coordinator.model.entities[relationship.destination]
        let commit = merges.readCommit(of: relationship)
        let places = Dictionary(
            owners.indices.map { (owners[$0].key, $0) }, uniquingKeysWith: { first, _ in first })
        let condition: ModelExpression? =
            isSelective
            ? .comparison(
                .keyPath(root: .subject, names: [inverseName]), .in,
                .list(owners.map { .literal(.int($0.key)) }), [])
            : nil
        let isPlain = owners.map { !hasLinkChanges($0, relationship) }
        var members: [[LinkSet.Member]] = Array(repeating: [], count: owners.count)
        var found: [ManagedObject] = []
        var awoken: [ManagedObject] = []
        var request = RowRequest(entity: destination, selection: .matching(condition, [:]))
        request.isUnordered = true
        request.owners = RowRequest.Owners(keys: owners.map(\.key), relationship: relationship)
        try reads.store(of: destination).fetch(request) { row in
            let placed = try row.record(in: reads.rowWriter)
            let entity = coordinator.model.entities[row.entity]
            // The row names its owner; an object may have an older value.
            guard let slot = entity.relationships[inverse].slot, placed.record.hasValue(slot),
                let place = places[placed.record.integer(slot)]
            else { return }
            let object: ManagedObject
            if let known = registry.registered(entity: entity.index, key: row.key) {
                object = known
                if object.record == nil {
                    (object.record, object.page) = (placed.record, placed.page)
                    awoken.append(object)
                }
            } else {
                object = registry.register(entity, key: row.key, placed: placed)
                awoken.append(object)
            }
            guard !divergentLists.isDeferred(object, of: owners[place], relationship) else {
                return
            }
            members[place].append(LinkSet.Member(key: object.key, entity: entity.index))
            if isPlain[place] { found.append(object) }
        }
        for (owner, members) in zip(owners, members) {
            var links = owner.extras?.links[relationship.ordinal] ?? LinkSet(isOrdered: false)
            links.setStored(
                divergentLists.addingDeferred(to: members, of: owner, relationship), at: commit)
            owner.ownExtras.links[relationship.ordinal] = links
        }
        activity.awaken(awoken)
        return found
    }

    /// Returns whether the next access reads the links of a relationship without a column of its
    /// own.
    private func needsLinks(_ object: ManagedObject, _ relationship: RelationshipDescription)
        -> Bool
    {
        guard object.lifecycle == .clean || object.lifecycle == .updated else { return false }
        guard let known = object.extras?.links[relationship.ordinal], known.stored != nil else {
            return true
        }
        return known.readAt < merges.lastChange(of: relationship)
    }

    /// Returns whether a relationship without a column of its own has unsaved links.
    private func hasLinkChanges(
        _ object: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        object.extras?.links[relationship.ordinal]?.hasChanges == true
    }
}

/// The paths that a condition and an order read. They determine the changes that can affect the
/// result.
struct RelatedPaths {
    /// The names of the properties that are read, by the path of to-one relationships to their
    /// object. The empty path is the object itself.
    private(set) var properties = [[String]: Set<String>]()
    /// The entity at the end of each path.
    private(set) var destinations = [[String]: EntityDescription]()
    /// The indices of all entities on the paths and of their sub-entities, without the object's
    /// own.
    private(set) var entities: Set<Int> = []
    /// Whether a path uses keys that are stored on the other side. It does if it contains a to-many
    /// relationship or the inverse of a one-to-one relationship. In this case, the current rows do
    /// not show the object that lost a member.
    private(set) var usesInverseKeys = false

    private let model: ModelDescription

    init(
        _ condition: ModelExpression?, sort: [SortTerm], of entity: EntityDescription,
        in model: ModelDescription
    ) {
        self.model = model
        if let condition { add(condition, of: entity, [:]) }
        for term in sort { add(term.value, of: entity, [:]) }
    }

    /// Whether only the object's own row affects the result.
    var isEmpty: Bool { !usesInverseKeys && properties.keys.allSatisfy { $0.isEmpty } }

    /// The paths to other objects with properties that affect the result, shorter ones first.
    var paths: [[String]] {
        properties.keys.filter { !$0.isEmpty }
            .ordered {
                ($0.count, $0.joined(separator: ".")) < ($1.count, $1.joined(separator: "."))
            }
    }

    // MARK: Gathering

    private mutating func add(_ names: [String], of entity: EntityDescription) {
        var owner = entity
        var path: [String] = []
        for (position, name) in names.enumerated() {
            guard let relationship = owner.relationship(named: name) else {
                // The remaining names are the path of a part of a composite value.
                properties[path, default: []].insert(names[position...].joined(separator: "."))
                return
            }
            if relationship.slot == nil {
                usesInverseKeys = true
            } else {
                properties[path, default: []].insert(name)
            }
            path.append(name)
            owner = model.entities[relationship.destination]
            destinations[path] = owner
            entities.formUnion(model.families[owner.index])
        }
    }

    private mutating func add(
        _ expression: ModelExpression, of entity: EntityDescription,
        _ variables: [String: EntityDescription]
    ) {
        switch expression {
        case .literal, .parameter, .refused:
            break
        case .keyPath(.subject, let names):
            add(names, of: entity)
        case .keyPath(.variable(let variable), let names):
            addBeyond(names, of: variables[variable])
        case .list(let items), .and(let items), .or(let items), .function(_, let items):
            for item in items { add(item, of: entity, variables) }
        case .not(let item), .quantified(_, let item), .aggregate(_, let item):
            add(item, of: entity, variables)
        case .comparison(let left, _, let right, _), .arithmetic(let left, _, let right):
            add(left, of: entity, variables)
            add(right, of: entity, variables)
        case .between(let item, let lower, let upper),
            .conditional(let item, let lower, let upper):
            for item in [item, lower, upper] { add(item, of: entity, variables) }
        case .subquery(let collection, let variable, let condition):
            add(collection, of: entity, variables)
            var inner = variables
            inner[variable] = destination(of: collection, of: entity, variables)
            add(condition, of: entity, inner)
        }
    }

    /// Adds a path that starts at a member of a collection.
    private mutating func addBeyond(_ names: [String], of entity: EntityDescription?) {
        usesInverseKeys = true
        var owner = entity
        for name in names {
            guard let relationship = owner?.relationship(named: name) else { return }
            owner = model.entities[relationship.destination]
            entities.formUnion(model.families[relationship.destination])
        }
    }

    private func destination(
        of collection: ModelExpression, of entity: EntityDescription,
        _ variables: [String: EntityDescription]
    ) -> EntityDescription? {
        switch collection {
        case .keyPath(let root, let names):
            let start: EntityDescription? =
                switch root {
                case .subject: entity
                case .variable(let variable): variables[variable]
                }
            // The path may end with the attribute that is aggregated; the element is its owner.
            return names.reduce(start) { owner, name in
                owner?.relationship(named: name).map { model.entities[$0.destination] } ?? owner
            }
        case .subquery(let inner, _, _):
            return destination(of: inner, of: entity, variables)
        default:
            return nil
        }
    }
}

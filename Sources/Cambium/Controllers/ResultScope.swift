import CambiumRecords

/// What decides which objects belong to a controller's results, and which changes matter to them.
final class ResultScope {
    /// What finds the results in the store.
    let request: RowRequest
    /// The numbers of the entities whose objects can belong.
    let family: Set<Int>
    /// What the results look at.
    let related: RelatedPaths
    /// The numbers of the entities whose changes can matter.
    let watchedEntities: Set<Int>
    /// Whether a change of one object can change where others belong: only the store knows then.
    let needsRefetch: Bool
    /// How the results are read.
    var options = RequestOptions()
    private let membership: CompiledCondition?

    init(_ request: RowRequest, in model: ModelDescription) throws {
        self.request = request
        var condition: ModelExpression?
        var arguments = [String: Value]()
        if case .matching(let found, let parameters) = request.selection {
            (condition, arguments) = (found, parameters)
        }
        family =
            request.includesSubentities
            ? Set(model.families[request.entity.index]) : [request.entity.index]
        related = RelatedPaths(condition, sort: request.sort, of: request.entity, in: model)
        watchedEntities = family.union(related.entities)
        needsRefetch = related.leadsOverFarKeys || request.limit != nil || request.offset > 0
        membership = try condition.map {
            try CompiledCondition($0, of: request.entity, in: model, parameters: arguments)
        }
    }

    /// The order of the results.
    var order: ObjectOrder {
        get throws(ExpressionDiagnostics) {
            try ObjectOrder(request.sort, of: request.entity)
        }
    }

    /// How many objects are read together; 0 where the results keep all of theirs.
    var batchSize: Int { max(0, options.batchSize) }

    /// Whether an object of the family belongs to the results, by its values now.
    ///
    /// One whose pattern is given up does not; the context's next save throws the error.
    func includes(_ object: ManagedObject) -> Bool {
        guard object.isThere else { return false }
        do {
            guard try membership?.isTrue(object) ?? true else { return false }
        } catch {
            record(error, in: object.state.context)
            return false
        }
        return object.isThere  // reading a value may have shown that the row was deleted
    }

    /// Notes an error for the next save, once for a pattern.
    private func record(_ error: any Error, in context: ManagedObjectContext?) {
        guard let context else { return }
        let isKnown = context.errors.contains { known in
            (known as? PatternLimitError).map { $0 == error as? PatternLimitError } ?? false
        }
        if !isKnown { context.errors.record(error) }
    }

    /// Whether any change can matter to the results.
    func isTouched(by changes: ObjectChanges) -> Bool {
        func isWatched(_ object: ManagedObject) -> Bool {
            watchedEntities.contains(object.entityDescription.index)
        }
        return !changes.isComplete
            || changes.updated.contains { isWatched($0.object) }
            || changes.inserted.contains(where: isWatched)
            || changes.deleted.contains(where: isWatched)
            || changes.unregistered.contains { watchedEntities.contains($0.entity) }
            || changes.lostRows.contains { watchedEntities.contains($0.entity) }
    }
}

extension ManagedObject {
    /// Whether the object has values and is not deleted.
    final var isThere: Bool {
        switch lifecycle {
        case .clean, .inserted, .updated: record != nil
        case .deleted, .discarded, .invalid: false
        }
    }
}

// What a controller fetches.
extension ResultScope {
    /// What the request finds now.
    func fetchEntries(
        _ order: ObjectOrder, in context: ManagedObjectContext
    ) throws -> [ResultEntry] {
        // Unsaved changes and limits are settled with the objects at hand.
        let needsObjects =
            batchSize == 0 || request.limit != nil || request.offset > 0
            || context.fetching.countsPendingChanges
        if needsObjects {
            return try entries(request, order, in: context) {
                try context.fetching.objects($0, true)
            }
        }
        var entries: [ResultEntry] = []
        let keys = try fetchKeys(in: context)
        entries.reserveCapacity(keys.count)
        for step in keys.pieces(of: Self.keysPerStep) {
            entries += try self.entries(
                RowRequest(entity: request.entity, selection: .keys(step)), order, in: context,
                context.fetching.rows)
            context.sweepIfGrown()
        }
        return entries
    }

    private static let keysPerStep = 2000

    private func fetchKeys(in context: ManagedObjectContext) throws -> [Int64] {
        var request = request
        request.sort = []
        request.readsKeysOnly = true
        var keys: [Int64] = []
        try context.reads.store(of: request.entity).fetch(request) { row in
            if family.contains(row.entity) { keys.append(row.key) }
        }
        return keys
    }

    private func entries(
        _ request: RowRequest, _ order: ObjectOrder, in context: ManagedObjectContext,
        _ find: (RowRequest) throws -> [ManagedObject]
    ) throws -> [ResultEntry] {
        let keepsObjects = batchSize == 0
        let objects = try context.fetching.objects(
            request, prefetching: keepsObjects ? options.prefetched : []
        ) { request in
            let objects = try find(request)
            for path in related.paths { try context.faulting.load(objects, along: path) }
            return objects
        }
        return try objects.map { object in
            ResultEntry(
                key: object.key, object: keepsObjects ? object : nil,
                keys: try order.keys(of: object), seen: SeenState(of: object))
        }
    }
}

// Which objects a change concerns.
extension ResultScope {
    /// The objects of the family that may come in, go out or move: those that changed, and those
    /// that look at what changed in others. Their rows are read, one statement for all.
    func candidates(
        for changes: ObjectChanges, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        let named =
            try changes.objects(registeredIn: context, of: family)
            + objectsLooking(at: changes, context)
        var seen: Set<ObjectIdentifier> = []
        seen.reserveCapacity(named.count)
        let candidates = named.filter { object in
            family.contains(object.entityDescription.index)
                && seen.insert(ObjectIdentifier(object)).inserted
        }
        try context.faulting.load(
            candidates.filter {
                $0.record == nil && ($0.lifecycle == .clean || $0.lifecycle == .updated)
            })
        for path in related.paths {
            try context.faulting.load(candidates.filter { $0.isThere }, along: path)
        }
        return candidates
    }

    /// The objects whose condition or place turns on what changed in others.
    private func objectsLooking(
        at changes: ObjectChanges, _ context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        let model = context.coordinator.model
        let lookup = ReverseLookup(context: context)
        return try related.paths.flatMap { path -> [ManagedObject] in
            guard let destination = related.destinations[path],
                let properties = related.properties[path]
            else { return [] }
            let keys = changes.keys(
                thatChanged: properties, of: Set(model.families[destination.index]), in: model)
            return try lookup.objects(of: request.entity, leadingTo: keys, along: path[...])
        }
    }
}

/// Finds objects by what they lead to: a path taken backwards, one query for each step.
struct ReverseLookup {
    let context: ManagedObjectContext

    /// The objects of an entity and its sub-entities whose path leads to one of the keys, by what
    /// is saved and by what is not saved yet.
    ///
    /// - Parameter path: To-one relationships whose keys are kept on this side.
    func objects(
        of entity: EntityDescription, leadingTo keys: Set<Int64>, along path: ArraySlice<String>
    ) throws -> [ManagedObject] {
        guard !keys.isEmpty, let name = path.first,
            let relationship = entity.relationship(named: name)
        else { return [] }
        var targets = keys
        if path.count > 1 {
            let next = context.coordinator.model.entities[relationship.destination]
            let steps = try objects(of: next, leadingTo: keys, along: path.dropFirst())
            targets = Set(steps.map { $0.key })
        }
        var found = try saved(entity, leadingTo: targets, by: name)
        let family = Set(context.coordinator.model.families[entity.index])
        for object in context.changes.inserted + context.changes.updated
        where family.contains(object.entityDescription.index) {
            guard let slot = relationship.slot, let record = object.record, record.hasValue(slot),
                targets.contains(record.integer(slot))
            else { continue }
            found.append(object)
        }
        return found
    }

    private func saved(
        _ entity: EntityDescription, leadingTo keys: Set<Int64>, by name: String
    ) throws -> [ManagedObject] {
        try keys.sorted().pieces(of: Self.keysPerQuery).flatMap { some in
            let condition = ModelExpression.comparison(
                .keyPath(root: .subject, names: [name]), .in,
                .list(some.map { .literal(.int($0)) }), [])
            return try context.fetching.rows(
                RowRequest(entity: entity, selection: .matching(condition, [:])))
        }
    }

    private static let keysPerQuery = 500
}

/// An object on its way into a controller's results.
struct ResultEntry {
    let key: Int64
    /// The object; may be nil where the results keep none.
    let object: ManagedObject?
    /// The values of the order's terms; the first is the section's, where there are sections.
    let keys: [Value]
    /// How the object looked.
    let seen: SeenState

    func precedes(_ other: ResultEntry, _ order: ObjectOrder) -> Bool {
        order.precedes(keys, key, other.keys, other.key)
    }
}

extension ResultEntry {
    /// - Parameter seen: How the object looked; as it looks now where nobody says so.
    init(_ object: ManagedObject, keys: [Value], seen: SeenState? = nil) {
        self.init(
            key: object.key, object: object, keys: keys, seen: seen ?? SeenState(of: object))
    }
}

extension [ResultEntry] {
    /// The indices of the entries, in their order.
    func indices(inOrder order: ObjectOrder) -> [Int] {
        if count < 2 { return indices.map(\.self) }
        // Most of the comparisons are of numbers.
        var bits = [UInt64](repeating: 0, count: count)
        if order.comparesFirstPlainly {
            let values = map { $0.keys[0] }
            let prefixes = SortPrefixes(of: values)
            let mask: UInt64 = order.terms[0].isDescending ? .max : 0
            bits = values.map { prefixes[$0] ^ mask }
        }
        return sortedIndices(count) { one, other in
            bits[one] == bits[other]
                ? self[one].precedes(self[other], order) : bits[one] < bits[other]
        }
    }
}

/// How an object looked when a controller last saw it, in eight bytes: the version of its row, or
/// where its values are not the row's, a hash of them.
struct SeenState: Hashable {
    private let bits: UInt64

    private static let valuesBit: UInt64 = 1 << 63

    private init(bits: UInt64) {
        self.bits = bits
    }

    /// What the object shows now.
    init(of object: ManagedObject) {
        // The parent of a child context may have other values than the row's.
        guard object.lifecycle == .clean, object.state.parentReader == nil,
            let record = object.record
        else {
            self.init(valuesOf: object)
            return
        }
        self.init(bits: UInt64(truncatingIfNeeded: record.version) & ~Self.valuesBit)
    }

    private init(valuesOf object: ManagedObject) {
        var hasher = Hasher()
        if let record = object.record {
            for (slot, kind) in object.entityDescription.shape.kinds.enumerated() {
                record.hash(slot, kind, into: &hasher)
            }
        }
        self.init(bits: UInt64(truncatingIfNeeded: hasher.finalize()) | Self.valuesBit)
        withExtendedLifetime(object.page) {}
    }

    private var isVersion: Bool { bits & Self.valuesBit == 0 }

    /// Looks at the object again.
    ///
    /// - Returns: Whether it may have other values than the last time.
    mutating func look(at object: ManagedObject) -> Bool {
        let now = SeenState(of: object)
        defer { self = now }
        if isVersion == now.isVersion { return self != now }
        // What was seen unsaved has become the row, or what was the row has got unsaved values.
        return isVersion ? !shows(object) : self != SeenState(valuesOf: object)
    }

    /// Whether a changed object has the values of the row that was seen.
    private func shows(_ object: ManagedObject) -> Bool {
        guard let base = object.extras?.snapshot, let record = object.record,
            UInt64(truncatingIfNeeded: base.record.version) == bits
        else { return false }
        return withExtendedLifetime((base.page, object.page)) {
            object.entityDescription.shape.kinds.enumerated().allSatisfy { slot, kind in
                record.isEqual(slot, kind, to: base.record)
            }
        }
    }
}

/// The objects of which it is said that relationships changed that are kept elsewhere. Other values
/// need not be said: they are seen, also where they are reported later, or never.
struct ChangedObjects {
    private var objects: Set<ObjectIdentifier> = []
    /// The keys of rows that the context had no objects for.
    private var rows: Set<Int64> = []

    /// - Parameter family: The numbers of the entities that are asked for, all of one hierarchy.
    init(_ changes: ObjectChanges, of family: Set<Int> = []) {
        for update in changes.updated where update.changesLinks {
            objects.insert(ObjectIdentifier(update.object))
        }
        for row in changes.unregistered where family.contains(row.entity) {
            // Nothing of its own was set.
            if row.slots?.isEmpty == true { rows.insert(row.key) }
        }
    }

    /// Whether an object that is among the results is reported as changed.
    ///
    /// - Parameter seen: How it looked the last time; now as it looks.
    func concerns(_ object: ManagedObject, _ seen: inout SeenState) -> Bool {
        let hasOtherValues = seen.look(at: object)
        return hasOtherValues || objects.contains(ObjectIdentifier(object))
            || rows.contains(object.key)
    }
}

extension ObjectChanges {
    /// The changed objects of some entities, with those of rows that the context registers for it.
    func objects(registeredIn context: ManagedObjectContext, of family: Set<Int>) -> [ManagedObject]
    {
        deleted + inserted + updated.map { $0.object }
            + unregistered.filter { family.contains($0.entity) }.map {
                context.faulting.registerFresh(entity: $0.entity, key: $0.key, placed: $0.placed)
            }
    }

    /// The keys of the objects of some entities that may have other values of these properties, or
    /// are gone. New rows are not among them: who leads to them has changed too.
    func keys(
        thatChanged properties: Set<String>, of family: Set<Int>, in model: ModelDescription
    ) -> Set<Int64> {
        func touches(_ slots: SlotSet?, _ entity: EntityDescription) -> Bool {
            guard let slots else { return true }
            return slots.slots.contains { properties.contains(entity.layout.slots[$0].property) }
        }
        var keys: Set<Int64> = []
        for update in updated where family.contains(update.object.entityDescription.index) {
            if touches(update.slots, update.object.entityDescription) {
                keys.insert(update.object.key)
            }
        }
        // A new object of this context may have been reported before.
        for object in inserted + deleted
        where object.lifecycle != .clean && family.contains(object.entityDescription.index) {
            keys.insert(object.key)
        }
        for row in unregistered where row.slots != nil && family.contains(row.entity) {
            if touches(row.slots, model.entities[row.entity]) { keys.insert(row.key) }
        }
        return keys
    }
}

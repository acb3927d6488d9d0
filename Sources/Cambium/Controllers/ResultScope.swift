import CambiumRecords

/// The rules of a controller's results: the objects that belong to them, and the changes that
/// affect them.
final class ResultScope {
    /// The request that finds the results in the store.
    let request: RowRequest
    /// The indices of the entities with objects that can belong to the results.
    let family: Set<Int>
    /// The paths that the condition and the order read.
    let related: RelatedPaths
    /// The indices of the entities with changes that can affect the results.
    let watchedEntities: Set<Int>
    /// Whether a change of one object can affect the membership of others. If it can, only a new
    /// fetch gives the results.
    let needsRefetch: Bool
    /// The options for reading the results.
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
        needsRefetch = related.usesInverseKeys || request.limit != nil || request.offset > 0
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

    /// The number of objects that are read together; 0 if the results retain all of their objects.
    var batchSize: Int { max(0, options.batchSize) }

    /// Returns whether an object of the family belongs to the results, by its current values.
    ///
    /// If a pattern of the condition exceeds its limit for an object, the object does not belong;
    /// the context's next save throws the error.
    func includes(_ object: ManagedObject) -> Bool {
        guard object.exists else { return false }
        do {
            guard try membership?.isTrue(object) ?? true else { return false }
        } catch {
            record(error, in: object.state.context)
            return false
        }
        return object.exists  // reading a value may have shown that the row was deleted
    }

    /// Records an error for the next save, once for each pattern.
    private func record(_ error: any Error, in context: ManagedObjectContext?) {
        guard let context else { return }
        let isKnown = context.errors.contains { known in
            (known as? PatternLimitError).map { $0 == error as? PatternLimitError } ?? false
        }
        if !isKnown { context.errors.record(error) }
    }

    /// Returns whether any of the changes can affect the results.
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
    final var exists: Bool {
        switch lifecycle {
        case .clean, .inserted, .updated: record != nil
        case .deleted, .discarded, .invalid: false
        }
    }
}

// The fetches of a controller.
extension ResultScope {
    /// Returns the current results of the request.
    func fetchEntries(
        _ order: ObjectOrder, in context: ManagedObjectContext
    ) throws -> [ResultEntry] {
        // Unsaved changes and limits require the objects.
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

// Finding the objects that a change affects.
extension ResultScope {
    /// Returns the objects of the family that may be inserted, removed or moved: the changed
    /// objects, and the objects with paths to a changed object. Their rows are read, with one
    /// statement for all.
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
            try context.faulting.load(candidates.filter { $0.exists }, along: path)
        }
        return candidates
    }

    /// Returns the objects with a condition or sort values that depend on changed objects.
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

/// Finds the objects that reference others: it follows a path backwards, with one query for each
/// step.
struct ReverseLookup {
    let context: ManagedObjectContext

    /// Returns the objects of an entity and its sub-entities with a path that ends at one of the
    /// keys, according to saved and unsaved values.
    ///
    /// - Parameter path: To-one relationships with their keys on this side.
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

/// An entry for a controller's results.
struct ResultEntry {
    let key: Int64
    /// The object; may be nil if the results keep only keys.
    let object: ManagedObject?
    /// The values of the order's terms. With sections, the first is the section's value.
    let keys: [Value]
    /// The state of the object.
    let seen: SeenState

    func precedes(_ other: ResultEntry, _ order: ObjectOrder) -> Bool {
        order.precedes(keys, key, other.keys, other.key)
    }
}

extension ResultEntry {
    /// - Parameter seen: The state of the object; if it is nil, the current state.
    init(_ object: ManagedObject, keys: [Value], seen: SeenState? = nil) {
        self.init(
            key: object.key, object: object, keys: keys, seen: seen ?? SeenState(of: object))
    }
}

extension [ResultEntry] {
    /// Returns the indices of the entries, sorted.
    func indices(inOrder order: ObjectOrder) -> [Int] {
        if count < 2 { return indices.map(\.self) }
        // Most comparisons are comparisons of integers.
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

/// The state of an object when a controller last read it, in eight bytes: the version of its row,
/// or a hash of its values if they differ from the row's. Derived values can change without a new
/// version, so a row that has them is known by a hash of both.
struct SeenState: Hashable {
    private let bits: UInt64

    private static let valuesBit: UInt64 = 1 << 63

    private init(bits: UInt64) {
        self.bits = bits
    }

    /// Creates the current state of an object.
    init(of object: ManagedObject) {
        // The parent of a child context may have other values than the row.
        guard object.lifecycle == .clean, object.state.parentReader == nil,
            let record = object.record
        else {
            self.init(valuesOf: object)
            return
        }
        self.init(row: record, of: object.entityDescription)
        withExtendedLifetime(object.page) {}
    }

    private init(row record: Record, of entity: EntityDescription) {
        var bits = UInt64(truncatingIfNeeded: record.version)
        if !entity.derivedSlots.isEmpty {
            var hasher = Hasher()
            hasher.combine(record.version)
            entity.derivedSlots.forEach { slot in
                record.hash(slot, entity.shape.kinds[slot], into: &hasher)
            }
            bits = UInt64(truncatingIfNeeded: hasher.finalize())
        }
        self.init(bits: bits & ~Self.valuesBit)
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

    /// Updates the state from the object.
    ///
    /// - Returns: Whether the object may have other values than the last time.
    mutating func look(at object: ManagedObject) -> Bool {
        let now = SeenState(of: object)
        defer { self = now }
        if isVersion == now.isVersion { return self != now }
        // Either the unsaved values that were seen were saved, or a saved row got unsaved values.
        return isVersion ? !shows(object) : self != SeenState(valuesOf: object)
    }

    /// Returns whether a changed object has the values of the row that was seen.
    private func shows(_ object: ManagedObject) -> Bool {
        guard let base = object.extras?.snapshot, let record = object.record else { return false }
        let entity = object.entityDescription
        return withExtendedLifetime((base.page, object.page)) {
            SeenState(row: base.record, of: entity) == self
                && entity.shape.kinds.enumerated().allSatisfy { slot, kind in
                    record.isEqual(slot, kind, to: base.record)
                }
        }
    }
}

/// The objects with changed relationships that have no column in their row. Other changes need no
/// record: a comparison of states finds them, even if they are reported late or never.
struct ChangedObjects {
    private var objects: Set<ObjectIdentifier> = []
    /// The keys of rows without an object in the context.
    private var rows: Set<Int64> = []

    /// - Parameter family: The indices of the relevant entities, all of one hierarchy.
    init(_ changes: ObjectChanges, of family: Set<Int> = []) {
        for update in changes.updated where update.changesLinks {
            objects.insert(ObjectIdentifier(update.object))
        }
        for row in changes.unregistered where family.contains(row.entity) {
            // An empty set: no column of the row changed, only such relationships.
            if row.slots?.isEmpty == true { rows.insert(row.key) }
        }
    }

    /// Returns whether an object among the results is reported as changed.
    ///
    /// - Parameter seen: Its last state. It is updated to the current one.
    func concerns(_ object: ManagedObject, _ seen: inout SeenState) -> Bool {
        let hasOtherValues = seen.look(at: object)
        return hasOtherValues || objects.contains(ObjectIdentifier(object))
            || rows.contains(object.key)
    }
}

extension ObjectChanges {
    /// Returns the changed objects of some entities. For changed rows without an object, the
    /// context registers one.
    func objects(registeredIn context: ManagedObjectContext, of family: Set<Int>) -> [ManagedObject]
    {
        deleted + inserted + updated.map { $0.object }
            + unregistered.filter { family.contains($0.entity) }.map {
                context.faulting.registerFresh(entity: $0.entity, key: $0.key, placed: $0.placed)
            }
    }

    /// Returns the keys of the objects of some entities that were deleted or may have changed
    /// values of these properties. New rows are not included: the objects that reference them have
    /// changed too.
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
        // A new object of this context may have been reported earlier.
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

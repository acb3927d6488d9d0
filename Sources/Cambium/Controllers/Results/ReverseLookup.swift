import CambiumRecords

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
            targets = Set(steps.map(\.key))
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
        let sorted = keys.sorted()
        return try stride(from: 0, to: sorted.count, by: Self.keysPerQuery).flatMap { start in
            let some = sorted[start..<min(start + Self.keysPerQuery, sorted.count)]
            let condition = ModelExpression.comparison(
                .keyPath(root: .subject, names: [name]), .in,
                .list(some.map { .literal(.int($0)) }), [])
            return try context.fetching.rows(
                RowRequest(entity: entity, selection: .matching(condition, [:])))
        }
    }

    private static let keysPerQuery = 500
}

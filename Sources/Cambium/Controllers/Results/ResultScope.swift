import CambiumRecords

/// What decides which objects belong to a controller's results, and which changes matter to them.
struct ResultScope {
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
        var arguments: [String: Value] = [:]
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
        return object.isThere  // reading a value may have shown that the row is gone
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
        case .deleted, .discarded, .gone: false
        }
    }
}

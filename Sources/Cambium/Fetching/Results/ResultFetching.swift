/// Finds rows of values: in the stores, or computed from objects where unsaved changes count.
struct ResultFetching: ContextAccess {
    let context: ManagedObjectContext

    /// The rows that a request finds.
    func rows<Entity: ManagedObject, Row>(of request: ResultRequest<Entity, Row>) throws -> [Row] {
        let (rows, query, names) = try resolve(request)
        let results = try results(
            rows, query, request.base.options(for: rows.entity).includesPendingChanges)
        return try makeRows(results, request, query, names)
    }

    /// The rows of a request, of the values that a store or the memory gave.
    func makeRows<Entity: ManagedObject, Row>(
        _ results: [[Value]], _ request: ResultRequest<Entity, Row>, _ query: TypedResults,
        _ names: [String]
    ) throws -> [Row] {
        try results.map { try request.makeRow(names, cells($0, query)) }
    }

    /// What a request for results asks of a store.
    func resolve<Entity: ManagedObject, Row>(
        _ request: ResultRequest<Entity, Row>
    ) throws -> (rows: RowRequest, query: TypedResults, names: [String]) {
        try fetching.requireOwn(request.objects, for: request.base.entityName)
        var rows = try fetching.rowRequest(for: request.base)
        rows.sort = []
        let (query, names) = try request.query(for: rows.entity)
        let typed = try TypedResults(
            checking: query, entity: rows.entity.entity, model: rows.entity.model)
        return (rows, typed, names)
    }

    private func results(
        _ request: RowRequest, _ query: TypedResults, _ includesPendingChanges: Bool
    ) throws -> [[Value]] {
        guard includesPendingChanges, fetching.countsPendingChanges else {
            return try reads.store(of: request.entity).results(request, query)
        }
        return try composed(request, query)
    }

    /// The results as the objects are now, unsaved changes included.
    func composed(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        var all = request
        all.limit = nil
        all.offset = 0
        let found = try fetching.objects(all, true)
        return try ResultComposer(query).results(
            of: found.map { ($0.key, ObjectSubject($0)) }, limit: request.limit,
            offset: request.offset)
    }

    /// The values that were asked for, with identities in the place of keys.
    private func cells(_ values: [Value], _ query: TypedResults) throws -> [PropertyValue] {
        try (0..<query.count).map { index in
            let column = query.columns[index]
            guard case .object(let name) = column.type, column.function == nil else {
                return .value(values[index])
            }
            guard case .int(let key) = values[index] else { return .toOne(nil) }
            var entity = coordinator.model[name]
            if let index = query.entityColumns[index], case .string(let own) = values[index] {
                entity = coordinator.model[own] ?? entity
            }
            guard let entity else {
                throw StoreError.unknownEntity(name, in: coordinator.model.model)
            }
            if let object = registry.registered(entity: entity.index, key: key) {
                return .toOne(object.objectID)
            }
            let store = coordinator.storeIdentifier(ofRoot: entity.rootIndex)
            return .toOne(ObjectID(entity, key: key, store: store))
        }
    }
}

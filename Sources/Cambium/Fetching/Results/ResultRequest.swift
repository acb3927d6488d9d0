import CambiumRecords

/// A request with rows of values as its results instead of objects: a tuple of the selected
/// columns, a struct made from it, or a dictionary.
///
/// ```swift
/// let totals = try context.fetch(
///     Product.fetchRequest()
///         .filter(Product.stock > 0)
///         .select(Product.category.name, Product.objectID.count, Product.price.sum)
///         .grouped(by: Product.category.name)
///         .having(Product.objectID.count > 2)
///         .sorted(by: Product.price.sum.descending))
/// for (name, count, sum) in totals { … }          // (String?, Int, Decimal?)
/// ```
///
/// One statement computes everything, and the fetch creates no objects. If the context has unsaved
/// changes that count (``FetchRequest/includesPendingChanges``), the results are computed in memory
/// from the current objects instead, with the same outcome as after a save. (Core Data's dictionary
/// results ignore unsaved changes.)
///
/// ## Topics
///
/// ### Creating
///
/// - ``FetchRequest/select(_:)``
/// - ``FetchRequest/dictionaries(_:)-(String...)``
///
/// ### Objects
///
/// - ``filter(_:)-(Condition<Entity>)``
/// - ``filter(_:)-(Key<Entity,Bool>)``
/// - ``base``
///
/// ### Groups
///
/// - ``grouped(by:)``
/// - ``having(_:)``
/// - ``distinct()``
///
/// ### Order and limits
///
/// - ``sorted(by:)``
/// - ``limit(_:)``
/// - ``offset(_:)``
///
/// ### Form
///
/// - ``map(_:)``
///
/// ### Fetching
///
/// - ``ManagedObjectContext/fetch(_:)-(ResultRequest<Entity,Row>)``
/// - ``explain(in:)``
public struct ResultRequest<Entity: ManagedObject, Row>: Sendable {
    /// The request for the objects that the results are computed from. Its limit and offset count
    /// results.
    public var base: FetchRequest<Entity>

    let columns: ResultColumns
    var groups: [ResultExpression] = []
    var groupCondition: GroupTest?
    var orders: [ResultQuery.Term] = []
    var isDistinct = false
    /// The objects that columns and conditions name.
    var objects: [ObjectID] = []
    let makeRow: @Sendable (_ names: [String], _ values: [PropertyValue]) throws -> Row

    /// Returns the request for results of another type, created from each row: `.map { Line(title:
    /// $0.0, price: $0.1) }`.
    public func map<Other>(
        _ transform: @escaping @Sendable (Row) throws -> Other
    ) -> ResultRequest<Entity, Other> {
        ResultRequest<Entity, Other>(
            base: base, columns: columns, groups: groups, groupCondition: groupCondition,
            orders: orders, isDistinct: isDistinct, objects: objects
        ) { [makeRow] names, values in
            try transform(makeRow(names, values))
        }
    }

    /// Returns the request with one more condition on the objects. Objects must meet all
    /// conditions.
    public func filter(_ condition: Condition<Entity>) -> ResultRequest {
        with { $0.base = $0.base.filter(condition) }
    }

    /// Returns the request with one more condition on the objects, a Boolean that must be true.
    public func filter(_ key: Key<Entity, Bool>) -> ResultRequest {
        filter(Condition(key))
    }

    /// Returns the request without duplicate results. It can be sorted only by selected columns.
    public func distinct() -> ResultRequest {
        with { $0.isDistinct = true }
    }

    /// Returns the request with one result for all objects that have the same values of these keys.
    /// The other columns must be aggregates.
    ///
    /// A path through a to-many relationship cannot be a group key: the fetch throws.
    public func grouped<each Output>(
        by keys: repeat any ResultColumn<Entity, each Output>
    ) -> ResultRequest {
        with { request in
            for key in repeat each keys {
                request.groups.append(key.resultExpression)
                request.objects += key.reading.objects
            }
        }
    }

    /// Returns the request with one more condition on the groups. Without groups, the fetch throws.
    public func having(_ condition: GroupCondition<Entity>) -> ResultRequest {
        with { request in
            request.groupCondition =
                request.groupCondition.map { .and([$0, condition.test]) } ?? condition.test
            request.objects += condition.objects
        }
    }

    /// Returns the request in an order of several levels. It replaces the order of the objects.
    /// Results that it does not distinguish are sorted by their groups, or by their objects' keys.
    public func sorted(by orders: any ResultOrdering<Entity>...) -> ResultRequest {
        with { request in
            let orders = orders.map { $0.resultOrder }
            request.orders = orders.map { $0.term }
            request.objects += orders.flatMap { $0.objects }
        }
    }

    /// Returns the request with a limit for the number of results.
    public func limit(_ limit: Int) -> ResultRequest {
        with { $0.base.limit = limit }
    }

    /// Returns the request without its first results.
    public func offset(_ offset: Int) -> ResultRequest {
        with { $0.base.offset = offset }
    }

    @inline(never)
    private func with(_ change: (inout ResultRequest) -> Void) -> ResultRequest {
        var request = self
        change(&request)
        return request
    }
}

/// The columns of a ``ResultRequest``.
enum ResultColumns: Sendable {
    /// The selected columns, with names for dictionaries.
    case selected([ResultExpression], names: [String])
    /// The columns at these dotted paths.
    case paths([String])
    /// All attributes.
    case attributes
}

extension ResultRequest {
    /// Returns the query for the entity, and the names of the columns of dictionaries.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if an order names a property that cannot be
    ///   sorted by.
    func query(
        for description: EntityDescription
    ) throws(StoreError) -> (query: ResultQuery, names: [String]) {
        let expressions: [ResultExpression]
        let names: [String]
        switch columns {
        case .selected(let columns, let given): (expressions, names) = (columns, given)
        case .paths(let paths):
            (expressions, names) = (paths.map { Self.expression($0, description) }, paths)
        case .attributes:
            names = description.selectableAttributes
            expressions = names.map { Self.expression($0, description) }
        }
        var query = ResultQuery(expressions)
        query.isDistinct = isDistinct || base.options(for: description).isDistinct
        query.groups = groups.map { $0.operand }
        query.having = groupCondition
        query.order = orders
        // A single result for all objects has no order.
        let isSingle = groups.isEmpty && expressions.contains { $0.function != nil }
        if orders.isEmpty, !isSingle {
            query.order = try base.sortTerms(for: description).map(ResultQuery.Term.init)
        }
        return (query, names)
    }

    private static func expression(
        _ path: String, _ description: EntityDescription
    ) -> ResultExpression {
        let names = description.model.path(path, of: description.entity)
        return ResultExpression(.keyPath(root: .subject, names: names))
    }
}

extension EntityDescription {
    /// The dotted names of the attributes that a statement can select.
    fileprivate var selectableAttributes: [String] {
        layout.slots.indices.compactMap { slot in
            guard let attribute = attributes[slot], !attribute.isTransient,
                !attribute.usesExternalForm
            else { return nil }
            if case .codable = attribute.type { return nil }
            return layout.slots[slot].property
        }
    }
}

/// A level of an order for results: a ``SortOrdering``, an aggregate, or an order by an aggregate.
/// A key or an aggregate alone sorts ascending.
public protocol ResultOrdering<Root>: Sendable {
    /// The class of the objects that results are computed from.
    associatedtype Root: ManagedObject
    /// The order.
    var resultOrder: ResultOrder<Root> { get }
}

/// One level of an order for results: `Product.price.sum.descending`.
public struct ResultOrder<Root: ManagedObject>: ResultOrdering {
    let term: ResultQuery.Term
    /// The objects that the compared expression names.
    let objects: [ObjectID]

    init(_ order: SortOrder<Root>) {
        term = ResultQuery.Term(order.term)
        objects = order.objects
    }

    init(_ column: ResultExpression, isDescending: Bool, objects: [ObjectID]) {
        term = ResultQuery.Term(column, isDescending: isDescending)
        self.objects = objects
    }

    /// Itself.
    public var resultOrder: ResultOrder { self }
}

extension ResultQuery.Term {
    /// Creates a term from one level of an order for objects.
    init(_ term: SortTerm) {
        self.init(
            ResultExpression(term.value), isDescending: term.isDescending, texts: term.texts,
            placesNilLast: term.placesNilLast)
    }
}

/// Finds rows of values: in the stores, or, if unsaved changes count, in memory from objects.
struct ResultFetching: ContextAccess {
    let context: ManagedObjectContext

    /// Returns the rows that a request finds.
    func rows<Entity: ManagedObject, Row>(of request: ResultRequest<Entity, Row>) throws -> [Row] {
        let (rows, query, names) = try resolve(request)
        let results = try results(
            rows, query, request.base.options(for: rows.entity).includesPendingChanges)
        return try makeRows(results, request, query, names)
    }

    /// Returns the rows of a request from the values that were read or computed.
    func makeRows<Entity: ManagedObject, Row>(
        _ results: [[Value]], _ request: ResultRequest<Entity, Row>, _ query: TypedResults,
        _ names: [String]
    ) throws -> [Row] {
        try results.map { try request.makeRow(names, cells($0, query)) }
    }

    /// Returns the request to a store for a request for results.
    func resolve<Entity: ManagedObject, Row>(
        _ request: ResultRequest<Entity, Row>
    ) throws -> (rows: RowRequest, query: TypedResults, names: [String]) {
        try fetching.requireOwn(request.objects, for: request.base.entityName)
        var rows = try fetching.rowRequest(for: request.base)
        rows.sort = []
        var (query, names) = try request.query(for: rows.entity)
        if let dates = coordinator.datePrecision { query = query.keeping(dates) }
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

    /// Returns the results for the current objects, including unsaved changes.
    func composed(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        var all = request
        all.limit = nil
        all.offset = 0
        let found = try fetching.objects(all, true)
        return try ResultComposer(query).results(
            of: found.map { ($0.key, ObjectSubject($0)) }, limit: request.limit,
            offset: request.offset)
    }

    /// Returns the values of a row, with identities in the place of keys.
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

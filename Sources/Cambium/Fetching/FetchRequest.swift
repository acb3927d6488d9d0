import CambiumSQL

/// What to fetch: which objects of an entity, in which order, which part of them.
///
/// ```swift
/// let request = Product.fetchRequest()
///     .filter(Product.price < 20 && Product.category.name == "Books")
///     .sorted(by: Product.title)
///     .limit(50)
/// ```
public struct FetchRequest<Entity: ManagedObject>: Sendable {
    /// The name of the entity.
    public let entityName: String
    /// Which objects are wanted; nil means all.
    public var condition: Condition<Entity>?
    /// The order; objects that are equal in it come in the order of their keys.
    public var sortOrders: [SortOrder<Entity>] = []
    /// The greatest number of objects; nil means no limit.
    public var limit: Int?
    /// How many objects to leave out at the start. Default: 0.
    public var offset = 0
    /// Whether objects of sub-entities are wanted too. Default: true.
    public var includesSubentities = true
    /// Whether unsaved changes of the context count. Without them, membership and order go by what
    /// is saved, though objects show their current values. What is saved for a child context is
    /// what its ``ManagedObjectContext/parent`` has, the parent's own unsaved changes included:
    /// that is where a child reads from and saves to. Default: true.
    public var includesPendingChanges = true
    /// Whether the values of what is found are read too. Without them a fetch gives faults, and one
    /// of ids reads nothing but keys. Default: true.
    public var includesPropertyValues = true
    /// Whether objects that the context does not have yet come as faults, whose values wait in the
    /// row cache: their `awakeFromFetch()` is called when they are first looked at. Default: false,
    /// they have their values (in Core Data it is true; a program sees the difference in `isFault`
    /// and in when that hook is called). Where unsaved changes count, all have their values.
    public var returnsObjectsAsFaults = false
    /// The stores that are asked; nil, the default, means those of the entity. Of others nothing is
    /// found.
    public var affectedStores: [PersistentStore]?

    /// How many objects a ``FetchedResultsController`` and
    /// ``ManagedObjectContext/fetchInBatches(_:)`` read together, as they are looked at; a
    /// controller then keeps keys and what it sorts by instead of all objects. 0, the default,
    /// means that it keeps them. ``ManagedObjectContext/fetch(_:)-(FetchRequest<Entity>)`` gives an
    /// array of objects and reads them all.
    public var batchSize = 0

    /// Relationships whose objects are read with the results, joined by dots.
    var prefetchedPaths: [String] = []

    private(set) var formats: [(text: String, arguments: [FormatArgument])] = []
    private var template: (name: String, arguments: [String: Value], lists: [String: [Value]])?
    private var argumentObjects: [ObjectID] = []

    /// The objects that conditions and a template's arguments name: the trees have their keys only.
    var objects: [ObjectID] { argumentObjects + (condition?.objects ?? []) }
    /// The name of the model's template that the request starts from.
    var templateName: String? { template?.name }

    /// A request for all objects of the class's entity.
    public init() {
        entityName = Entity.entityName
    }

    /// A request for all objects of an entity by its name, for classes that serve several.
    public init(entityName: String) {
        self.entityName = entityName
    }

    /// The request with one more condition, which must be true too.
    public func filter(_ condition: Condition<Entity>) -> FetchRequest {
        var request = self
        request.condition = self.condition.map { $0 && condition } ?? condition
        return request
    }

    /// The request with one more condition, written with Foundation's macro:
    /// `#Predicate { $0.price < 20 }`. See ``Condition/init(_:)-(Predicate<Root>)``.
    ///
    /// - Warning: The getters of the properties that it names run for made-up objects, also those
    ///   that are the program's own: one that traps of made-up values traps here.
    /// - Throws: ``UnsupportedPredicateError`` where a part of it cannot be asked of a store.
    public func filter(_ predicate: Predicate<Entity>) throws -> FetchRequest {
        filter(try Condition(predicate))
    }

    /// The request with one more condition, written as text in Core Data's predicate format. It is
    /// parsed and checked against the model when the request is run; an error names the place.
    /// ``Condition/init(format:_:)`` does so at once.
    ///
    /// - Parameter arguments: What stands for `%@` (a value, an object, a list) and `%K` (a name),
    ///   in order.
    public func filter(format: String, _ arguments: any PredicateArgument...) -> FetchRequest {
        var request = self
        let given = arguments.map { $0.argument(naming: &request.argumentObjects) }
        request.formats.append((format, given))
        return request
    }

    /// The request in an order of several levels.
    public func sorted(by orders: SortOrder<Entity>...) -> FetchRequest {
        var request = self
        request.sortOrders = orders
        return request
    }

    /// The request in ascending order of an attribute.
    public func sorted<Value>(by key: Key<Entity, Value>) -> FetchRequest {
        sorted(by: key.ascending)
    }

    /// The request with a limit.
    public func limit(_ limit: Int) -> FetchRequest {
        var request = self
        request.limit = limit
        return request
    }

    /// The request without its first objects.
    public func offset(_ offset: Int) -> FetchRequest {
        var request = self
        request.offset = offset
        return request
    }

    /// The request that also reads what a relationship of its results leads to: one statement for
    /// all of them, where each would else read its own when it is asked.
    public func prefetching<Destination>(
        _ key: ToOneKey<Entity, Destination>
    ) -> FetchRequest {
        prefetching(key.path)
    }

    /// The request that also reads what a relationship of its results leads to.
    public func prefetching<Destination>(
        _ key: ToManyKey<Entity, Destination>
    ) -> FetchRequest {
        prefetching(key.path)
    }

    private func prefetching(_ path: [String]) -> FetchRequest {
        var request = self
        request.prefetchedPaths.append(path.joined(separator: "."))
        return request
    }

    /// The request of a template of the model. Called by generated functions.
    @_spi(Generated)
    public func template(
        _ name: String, _ arguments: [String: Value], lists: [String: [Value]] = [:],
        objects: [ObjectID] = []
    ) -> FetchRequest {
        var request = self
        request.template = (name, arguments, lists)
        request.argumentObjects += objects
        return request
    }
}

extension FetchRequest {
    /// The conditions of all kinds as one tree, and the values of its parameters.
    func resolved(
        for description: EntityDescription
    ) throws -> (condition: ModelExpression?, arguments: [String: Value]) {
        var conditions: [ModelExpression] = []
        if let condition { conditions.append(condition.expression) }
        for format in formats {
            let result = ExpressionCompiler.condition(
                format.text, entity: description.entity, model: description.model,
                arguments: format.arguments)
            conditions.append(try result.get())
        }
        if let template {
            guard let found = modelTemplate(template.name, of: description) else {
                throw StoreError(
                    code: .unknownName,
                    message: "The entity \(description.name) has no fetch template "
                        + "\(template.name).")
            }
            if let condition = found.condition {
                conditions.append(condition.substituting(template.lists.mapValues { .list($0) }))
            }
        }
        let condition = conditions.count > 1 ? .and(conditions) : conditions.first
        return (condition, template?.arguments ?? [:])
    }

    func sortTerms(for description: EntityDescription) -> [SortTerm] {
        let orders = sortOrders.map(\.term)
        guard orders.isEmpty, let template,
            let found = modelTemplate(template.name, of: description)
        else { return orders }
        return found.sort.map { element in
            SortTerm(
                path: description.model.path(element.property, of: description.entity),
                isDescending: element.isDescending)
        }
    }

    /// What the named request of the model says, as far as this one says nothing else.
    func options(for description: EntityDescription) -> RequestOptions {
        let options =
            template.flatMap { modelTemplate($0.name, of: description) }?.options
            ?? RequestOptions()
        return RequestOptions(
            limit: limit ?? options.limit, offset: offset == 0 ? options.offset : offset,
            batchSize: batchSize == 0 ? options.batchSize : batchSize,
            isDistinct: options.isDistinct,
            includesSubentities: includesSubentities && options.includesSubentities,
            includesPendingChanges: includesPendingChanges && options.includesPendingChanges,
            includesPropertyValues: includesPropertyValues && options.includesPropertyValues,
            returnsObjectsAsFaults: returnsObjectsAsFaults,
            prefetched: prefetchedPaths + options.prefetched)
    }

    private func modelTemplate(_ name: String, of description: EntityDescription) -> FetchTemplate?
    {
        description.model.lineage(of: description.entity).flatMap(\.fetchTemplates)
            .first { $0.name == name }
    }
}

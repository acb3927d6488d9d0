// What one says of a request: each function returns another one.

extension FetchRequest {
    /// The request with one more condition, which must be true too.
    public func filter(_ condition: Condition<Entity>) -> FetchRequest {
        with { $0.condition = self.condition.map { $0 && condition } ?? condition }
    }

    /// The request with one more condition, a Boolean that must be true:
    /// `.filter(Product.isOnSale)`. See ``Condition/init(_:)-(KeyExpression)``.
    public func filter(_ key: Key<Entity, Bool>) -> FetchRequest {
        filter(Condition(key))
    }

    /// The request with one more condition, written with Foundation's macro:
    /// `#Predicate { $0.price < 20 }`. See ``Condition/init(_:)-(Predicate<Root>)``.
    ///
    /// - Warning: The getters of the properties that it names run for made-up objects, also those
    ///   that are the program's own: one that traps of made-up values traps here.
    /// - Throws: ``UnsupportedPredicateError`` where a part of it cannot be asked of a store.
    @_disfavoredOverload  // `.filter(.true)` is a condition.
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
        with { request in
            let given = arguments.map { $0.argument(naming: &request.argumentObjects) }
            request.formats.append((format, given))
        }
    }

    // MARK: Order and window

    /// The request in an order of several levels. A key alone means its least value first:
    /// `.sorted(by: Product.kind, Product.price.descending)`.
    public func sorted(by orders: any SortOrdering<Entity>...) -> FetchRequest {
        with { $0.sortOrders = orders.map { $0.sortOrder } }
    }

    /// The request with a limit.
    public func limit(_ limit: Int) -> FetchRequest {
        with { $0.limit = limit }
    }

    /// The request without its first objects.
    public func offset(_ offset: Int) -> FetchRequest {
        with { $0.offset = offset }
    }

    // MARK: What is read

    /// The request that also reads what relationships of its results reference: one statement for
    /// all objects of each, where each object would else read its own when it is asked.
    ///
    /// - Parameter keys: Relationships, or paths of them, which read what is on the way too:
    ///   `.prefetching(Product.category.parent, Product.tags)`.
    public func prefetching(_ keys: any RelationshipKey<Entity>...) -> FetchRequest {
        with { $0.prefetchedPaths += keys.map { $0.path.joined(separator: ".") } }
    }

    /// The request with a ``batchSize``.
    public func batchSize(_ batchSize: Int) -> FetchRequest {
        with { $0.batchSize = batchSize }
    }

    /// The request with or without objects of sub-entities, see ``includesSubentities``.
    public func includesSubentities(_ includesSubentities: Bool) -> FetchRequest {
        with { $0.includesSubentities = includesSubentities }
    }

    /// The request with or without unsaved changes, see ``includesPendingChanges``.
    public func includesPendingChanges(_ includesPendingChanges: Bool) -> FetchRequest {
        with { $0.includesPendingChanges = includesPendingChanges }
    }

    /// The request with or without the values of what it finds, see ``includesPropertyValues``.
    public func includesPropertyValues(_ includesPropertyValues: Bool) -> FetchRequest {
        with { $0.includesPropertyValues = includesPropertyValues }
    }

    /// The request for faults or for objects that have their values, see
    /// ``returnsObjectsAsFaults``.
    public func returnsObjectsAsFaults(_ returnsObjectsAsFaults: Bool) -> FetchRequest {
        with { $0.returnsObjectsAsFaults = returnsObjectsAsFaults }
    }

    /// The request to some stores only, see ``affectedStores``.
    public func affectedStores(_ stores: [PersistentStore]) -> FetchRequest {
        with { $0.affectedStores = stores }
    }

    private func with(_ change: (inout FetchRequest) -> Void) -> FetchRequest {
        var request = self
        change(&request)
        return request
    }

    // MARK: Templates

    /// The request of a template of the model, by its name: for code without generated classes.
    /// With them, each template is a function of its own.
    ///
    /// ```swift
    /// let request = FetchRequest<ManagedObject>(entityName: "Product")
    ///     .template("cheaper", substituting: ["limit": 20])
    /// ```
    ///
    /// What else is said of the request counts beside the template's condition, and in place of
    /// its order, limit and the like.
    ///
    /// - Parameters:
    ///   - name: The template's name. The fetch throws where the entity has none of that name.
    ///   - variables: The values of the template's parameters: values, objects, lists. The fetch
    ///     throws where one is missing, of another type, or is for no parameter.
    public func template(
        _ name: String, substituting variables: [String: any PredicateArgument] = [:]
    ) -> FetchRequest {
        with { request in
            let given = variables.mapValues { $0.argument(naming: &request.argumentObjects) }
            request.template = TemplateCall(name: name, variables: given)
        }
    }

    /// The request of a template of the model. Called by generated functions.
    @_spi(Generated)
    public func template(
        _ name: String, _ arguments: [String: Value], lists: [String: [Value]] = [:],
        objects: [ObjectID] = []
    ) -> FetchRequest {
        with { request in
            request.template = TemplateCall(name: name, arguments: arguments, lists: lists)
            request.argumentObjects += objects
        }
    }
}

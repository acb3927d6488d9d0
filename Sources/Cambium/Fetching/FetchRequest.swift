import CambiumRecords

/// What to fetch: which objects of an entity, in which order, which part of them.
///
/// ```swift
/// let request = Product.fetchRequest()
///     .filter(Product.price < 20 && Product.category.name == "Books")
///     .sorted(by: Product.title)
///     .limit(50)
/// ```
///
/// ## Topics
///
/// ### Filters
///
/// - ``filter(_:)-(Condition<Entity>)``
/// - ``filter(format:_:)``
/// - ``template(_:substituting:)``
///
/// ### Order and limits
///
/// - ``sorted(by:)``
/// - ``limit(_:)``
/// - ``fetchLimit``
/// - ``offset(_:)``
///
/// ### Other results
///
/// - ``select(_:)``
/// - ``ids``
/// - ``count``
/// - ``dictionaries(_:)-(String...)``
///
/// ### What a fetch reads
///
/// - ``prefetching(_:)``
/// - ``batchSize(_:)``
/// - ``includesSubentities(_:)``
/// - ``includesPendingChanges(_:)``
/// - ``includesPropertyValues(_:)``
/// - ``returnsObjectsAsFaults(_:)``
/// - ``allowsInMemoryFiltering(_:)``
/// - ``affectedStores(_:)``
public struct FetchRequest<Entity: ManagedObject>: Sendable {
    /// The name of the entity.
    public let entityName: String
    /// Which objects are wanted; nil means all.
    public var condition: Condition<Entity>?
    /// The order; objects that are equal in it come in the order of their keys.
    public var sortOrders: [SortOrder<Entity>] = []
    /// The greatest number of objects; nil means no limit, and 0 finds nothing. See ``fetchLimit``.
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
    /// Whether a part of the condition, of the order or of the results that the store's engine cannot
    /// say is decided in memory, from rows that are read for that; ``explain(in:)`` names it. Default:
    /// true. Without it a fetch throws ``StoreError`` with `invalidRequest`, which names that part, so
    /// that no request reads more of a great table than it needs. SQLite says everything; a store on a
    /// server does not, and not of all rows. A store that has its objects in memory decides there
    /// whatever this says, and so does a context that lays unsaved changes over what is saved.
    public var allowsInMemoryFiltering = true
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

    var formats: [(text: String, arguments: [FormatArgument])] = []
    /// The model's template that the request starts from.
    var template: TemplateCall?
    /// The objects that texts and the template are given.
    var argumentObjects: [ObjectID] = []

    /// The objects that conditions, orders and arguments name: the trees have their keys only.
    var objects: [ObjectID] {
        argumentObjects + (condition?.objects ?? []) + sortOrders.flatMap { $0.objects }
    }
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

    /// The ``limit`` as Core Data has it, for ported code: 0, the default, means no limit.
    public var fetchLimit: Int {
        get { limit ?? 0 }
        set { limit = newValue == 0 ? nil : newValue }
    }

    /// The name that Core Data has for ``offset``.
    @available(*, unavailable, renamed: "offset")
    public var fetchOffset: Int {
        get { offset }
        set { offset = newValue }
    }

    /// The name that Core Data has for ``batchSize``.
    @available(*, unavailable, renamed: "batchSize")
    public var fetchBatchSize: Int {
        get { batchSize }
        set { batchSize = newValue }
    }

    /// The conditions of all kinds as one tree, and the values of its parameters.
    func resolved(
        for description: EntityDescription
    ) throws -> (condition: ModelExpression?, arguments: [String: Value]) {
        var conditions: [ModelExpression] = []
        var arguments = [String: Value]()
        if let condition { conditions.append(condition.expression) }
        for format in formats {
            let result = ExpressionCompiler.condition(
                format.text, entity: description.entity, model: description.model,
                arguments: format.arguments)
            conditions.append(try result.get())
        }
        if let template {
            guard let found = modelTemplate(template.name, of: description) else {
                throw unknownTemplate(template.name, of: description)
            }
            let (condition, values) = try template.resolved(found, in: description.model)
            if let condition { conditions.append(condition) }
            arguments = values
        }
        return (conditions.count > 1 ? .and(conditions) : conditions.first, arguments)
    }

    /// The request for the first of what it finds.
    var limitedToFirst: FetchRequest { limit(min(limit ?? 1, 1)) }

    /// - Throws: ``StoreError`` with `unknownName` where an order names what nothing can be sorted by.
    func sortTerms(for description: EntityDescription) throws(StoreError) -> [SortTerm] {
        let orders = try sortOrders.map { (order) throws(StoreError) in
            try order.term(for: description)
        }
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
        description.fetchTemplates.first { $0.name == name }
    }

    private func unknownTemplate(_ name: String, of description: EntityDescription) -> StoreError {
        .unknownName(
            "The entity \(description.name) has no fetch template \(name).", name,
            among: description.fetchTemplates.map { $0.name })
    }
}

extension EntityDescription {
    /// The named requests of the entity and of those that it inherits from.
    fileprivate var fetchTemplates: [FetchTemplate] {
        model.lineage(of: entity).flatMap { $0.fetchTemplates }
    }
}

extension FetchRequest: CustomStringConvertible {
    /// The request in words, the condition in those of the text format, such as
    /// `Product where price < 20 sorted by title descending, limit 50`.
    public var description: String {
        var text = entityName
        let conditions =
            (condition.map { [$0.description] } ?? []) + formats.map { $0.text }
            + (templateName.map { ["template \($0)"] } ?? [])
        if let only = conditions.first, conditions.count == 1 {
            text += " where \(only)"
        } else if !conditions.isEmpty {
            text += " where " + conditions.map { "(\($0))" }.joined(separator: " AND ")
        }
        if !sortOrders.isEmpty {
            text += " sorted by " + sortOrders.map { $0.description }.joined(separator: ", ")
        }
        if let limit { text += ", limit \(limit)" }
        if offset > 0 { text += ", offset \(offset)" }
        if !includesSubentities { text += ", without sub-entities" }
        if !includesPendingChanges { text += ", without pending changes" }
        return text
    }
}

/// What the keys of generated classes build on: `Product.price` is a key because `Product` conforms
/// to `ProductKeys`, which refines this protocol. A sub-entity inherits its parent's keys with its
/// own type.
public protocol EntityKeys: ManagedObject {}

extension EntityKeys {
    /// A request for the objects of this class's entity and its sub-entities.
    public static func fetchRequest() -> FetchRequest<Self> {
        FetchRequest()
    }
}

// What one says of a request: each function returns another one.

extension FetchRequest {
    /// The request with one more condition, which must be true too.
    public func filter(_ condition: Condition<Entity>) -> FetchRequest {
        with { $0.condition = self.condition.map { $0 && condition } ?? condition }
    }

    /// The request with one more condition, a Boolean that must be true:
    /// `.filter(Product.isOnSale)`. See ``Condition/init(_:)-(KeyExpression<Root,Bool>)``.
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
    /// all objects of each, where each object would else read its own when it is asked. A server
    /// answers all of them in one round trip, as its rows are at one moment.
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

    /// The request with or without what is decided in memory, see ``allowsInMemoryFiltering``.
    public func allowsInMemoryFiltering(_ allowsInMemoryFiltering: Bool) -> FetchRequest {
        with { $0.allowsInMemoryFiltering = allowsInMemoryFiltering }
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

    @inline(never)
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

/// A named request of the model with what its parameters stand for.
struct TemplateCall: Sendable {
    let name: String
    /// What generated code gives, whose types the compiler has checked; keys for objects.
    var arguments = [String: Value]()
    var lists = [String: [Value]]()
    /// What is given by name, and has to be checked.
    var variables = [String: FormatArgument]()

    /// The template's condition with the lists in their places, and the values of the other
    /// parameters.
    ///
    /// - Throws: ``StoreError`` where a variable does not fit its parameter, or one has none.
    func resolved(
        _ template: FetchTemplate, in model: Model
    ) throws -> (condition: ModelExpression?, arguments: [String: Value]) {
        var (arguments, lists) = (arguments, lists)
        for (name, variable) in variables.ordered(by: { $0.key < $1.key }) {
            try check(variable, for: name, of: template, in: model)
            switch variable {
            case .value(let value): arguments[name] = value
            case .list(let values): lists[name] = values
            case .object(_, let key): arguments[name] = .int(key)
            case .objects(_, let keys): lists[name] = keys.map { .int($0) }
            }
        }
        for parameter in template.parameters
        where arguments[parameter.name] == nil && lists[parameter.name] == nil {
            throw invalid(
                "requires a value for \(parameter.name).", remedy: "Add one to its variables.")
        }
        let condition = template.condition?.substituting(lists.mapValues { .list($0) })
        return (condition, arguments)
    }

    private func check(
        _ variable: FormatArgument, for name: String, of template: FetchTemplate, in model: Model
    ) throws {
        guard let parameter = template.parameters.first(where: { $0.name == name }) else {
            let known = template.parameters.map { $0.name }
            throw invalid(
                "has no parameter \(name).", remedy: StoreError.remedy(for: name, among: known))
        }
        func isFit(_ entityName: String?) -> Bool {
            guard let wanted = parameter.entity, let entityName else {
                return parameter.entity == entityName
            }
            let entity = model.entity(named: entityName)
            return entity.map { model.lineage(of: $0).contains { $0.name == wanted } } ?? false
        }
        let (fits, isList): (Bool, Bool) =
            switch variable {
            case .value(.null): (true, false)
            case .value: (isFit(nil), false)
            case .list(let values): (values.isEmpty || isFit(nil), true)
            case .object(let entity, _): (isFit(entity), false)
            case .objects(let entity, _): (isFit(entity), true)
            }
        guard fits, isList == parameter.isList else {
            let one = parameter.entity.map { "an object of \($0)" } ?? "a value"
            let several = parameter.entity.map { "objects of \($0)" } ?? "values"
            throw invalid(
                "has a variable \(name) of another kind.",
                remedy: "Set it to \(parameter.isList ? "a list of \(several)" : one).")
        }
    }

    private func invalid(_ message: String, remedy: String) -> StoreError {
        StoreError.invalidRequest(
            "The fetch template \(name) \(message)",
            remedy: remedy)
    }
}

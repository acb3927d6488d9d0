import CambiumRecords

/// A description of a fetch: the objects of an entity to find, their order, and how much of them to
/// read.
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
/// ### Creating
///
/// - ``init()``
/// - ``init(entityName:)``
/// - ``entityName``
///
/// ### Filters
///
/// - ``filter(_:)-(Condition<Entity>)``
/// - ``filter(_:)-(Key<Entity,Bool>)``
/// - ``filter(_:)-(Predicate<Entity>)``
/// - ``filter(format:_:)``
/// - ``template(_:substituting:)``
/// - ``condition``
///
/// ### Order and limits
///
/// - ``sorted(by:)``
/// - ``sortOrders``
/// - ``limit(_:)``
/// - ``limit``
/// - ``fetchLimit``
/// - ``offset(_:)``
/// - ``offset``
///
/// ### Other results
///
/// - ``select(_:)``
/// - ``ids``
/// - ``count``
/// - ``dictionaries(_:)-(String...)``
/// - ``dictionaries(_:)-([String])``
/// - ``dictionaries(_:)-([String:ResultExpression])``
///
/// ### Objects that a fetch finds
///
/// - ``includesSubentities(_:)``
/// - ``includesSubentities``
/// - ``includesPendingChanges(_:)``
/// - ``includesPendingChanges``
/// - ``affectedStores(_:)``
/// - ``affectedStores``
///
/// ### Data that a fetch reads
///
/// - ``prefetching(_:)``
/// - ``batchSize(_:)``
/// - ``batchSize``
/// - ``includesPropertyValues(_:)``
/// - ``includesPropertyValues``
/// - ``returnsObjectsAsFaults(_:)``
/// - ``returnsObjectsAsFaults``
///
/// ### Evaluation
///
/// - ``explain(in:)``
/// - ``allowsInMemoryFiltering(_:)``
/// - ``allowsInMemoryFiltering``
public struct FetchRequest<Entity: ManagedObject>: Sendable {
    /// The name of the entity.
    public let entityName: String
    /// The condition that the objects meet; nil means all objects.
    public var condition: Condition<Entity>?
    /// The order. Objects that it does not distinguish are sorted by their keys.
    public var sortOrders: [SortOrder<Entity>] = []
    /// The maximum number of objects; nil means no limit, and 0 finds no objects. See
    /// ``fetchLimit``.
    public var limit: Int?
    /// The number of objects to skip at the start. Default: 0.
    public var offset = 0
    /// A Boolean value that indicates whether objects of sub-entities are included. Default: true.
    public var includesSubentities = true
    /// A Boolean value that indicates whether unsaved changes of the context count. If it is false,
    /// the saved values decide membership and order, but the objects still show their current
    /// values. For a child context, the saved values come from its ``ManagedObjectContext/parent``,
    /// including the parent's own unsaved changes, because a child reads from its parent and saves
    /// to it. Default: true.
    public var includesPendingChanges = true
    /// A Boolean value that indicates whether a fetch also reads property values. If it is false, a
    /// fetch returns faults, and a fetch of ids reads only keys. Default: true.
    public var includesPropertyValues = true
    /// A Boolean value that indicates whether objects that are new to the context are returned as
    /// faults, with their values in the row cache. Their `awakeFromFetch()` is called at the first
    /// access. The default is false: objects have their values. (In Core Data the default is true;
    /// a program sees the difference in `isFault`, and in the time at which `awakeFromFetch()` is
    /// called.) If unsaved changes count, all objects have their values.
    public var returnsObjectsAsFaults = false
    /// A Boolean value that indicates whether a fetch may evaluate a part of the request in memory:
    /// a condition, an order or results that the store's engine cannot express. It reads extra rows
    /// for that; ``explain(in:)`` names the part. Default: true.
    ///
    /// If it is false, a fetch of such a request throws ``StoreError`` with `invalidRequest` and
    /// names the part, so that no request reads more of a large table than it needs. SQLite
    /// expresses every request. A server does not, and some of its limits depend on the rows. The
    /// setting has no effect on a store that holds its objects in memory, or on a context that
    /// applies unsaved changes to the saved rows.
    public var allowsInMemoryFiltering = true
    /// The stores to read from; nil, the default, means the store of the entity. A fetch finds no
    /// objects of other stores.
    public var affectedStores: [PersistentStore]?

    /// The number of objects that a ``FetchedResultsController`` and
    /// ``ManagedObjectContext/fetchInBatches(_:)`` read at a time, when they are accessed. A
    /// controller then retains keys and sort values instead of all objects. With 0, the default, it
    /// retains the objects. ``ManagedObjectContext/fetch(_:)-(FetchRequest<Entity>)`` returns an
    /// array and reads all objects.
    public var batchSize = 0

    /// The paths of relationships to prefetch, with their names joined by dots.
    var prefetchedPaths: [String] = []

    var formats: [(text: String, arguments: [FormatArgument])] = []
    /// The model's template that the request starts from.
    var template: TemplateCall?
    /// The objects among the arguments of formats and of the template.
    var argumentObjects: [ObjectID] = []

    /// The objects that conditions, orders and arguments name. The expression trees have only their
    /// keys.
    var objects: [ObjectID] {
        argumentObjects + (condition?.objects ?? []) + sortOrders.flatMap { $0.objects }
    }
    /// The name of the model's template that the request starts from.
    var templateName: String? { template?.name }

    /// Creates a request for all objects of the class's entity.
    public init() {
        entityName = Entity.entityName
    }

    /// Creates a request for all objects of an entity, by its name. For classes with several
    /// entities.
    public init(entityName: String) {
        self.entityName = entityName
    }

    /// The ``limit`` in Core Data's form, for ported code: 0, the default, means no limit.
    public var fetchLimit: Int {
        get { limit ?? 0 }
        set { limit = newValue == 0 ? nil : newValue }
    }

    /// Core Data's name for ``offset``.
    @available(*, unavailable, renamed: "offset")
    public var fetchOffset: Int {
        get { offset }
        set { offset = newValue }
    }

    /// Core Data's name for ``batchSize``.
    @available(*, unavailable, renamed: "batchSize")
    public var fetchBatchSize: Int {
        get { batchSize }
        set { batchSize = newValue }
    }

    /// Returns the conditions of all kinds as one tree, and the values of its parameters.
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

    /// The request with a limit of 1.
    var limitedToFirst: FetchRequest { limit(min(limit ?? 1, 1)) }

    /// - Throws: ``StoreError`` with `unknownName` if an order names a property that cannot be
    ///   sorted by.
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

    /// Returns the options of the request; those of the model's template apply if the request does
    /// not set its own.
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
    /// The fetch templates of the entity and of the entities that it inherits from.
    fileprivate var fetchTemplates: [FetchTemplate] {
        model.lineage(of: entity).flatMap { $0.fetchTemplates }
    }
}

extension FetchRequest: CustomStringConvertible {
    /// A description of the request, with its condition in the text format, such as `Product where
    /// price < 20 sorted by title descending, limit 50`.
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

/// The protocol that generated keys extend: `Product.price` is a key because `Product` conforms to
/// `ProductKeys`, a refinement of this protocol. A sub-entity inherits its parent's keys with its
/// own type.
///
/// ## Topics
///
/// ### Requests
///
/// - ``fetchRequest()``
/// - ``objectID``
///
/// ### Snapshots
///
/// - ``snapshot-swift.property``
/// - ``Snapshot-swift.typealias``
/// - ``update(from:)``
/// - ``init(in:_:)``
///
/// ### Validation
///
/// - ``validate(_:_:)``
/// - ``validateValue(_:for:)-(Value,_)``
/// - ``validateValue(_:for:)-(Value?,_)``
/// - ``propertyValidationError(for:_:)``
public protocol EntityKeys: ManagedObject {}

extension EntityKeys {
    /// Returns a request for the objects of this class's entity and its sub-entities.
    public static func fetchRequest() -> FetchRequest<Self> {
        FetchRequest()
    }
}

// The builder functions: each returns a changed copy of the request.

extension FetchRequest {
    /// Returns the request with one more condition. Objects must meet all conditions.
    public func filter(_ condition: Condition<Entity>) -> FetchRequest {
        with { $0.condition = self.condition.map { $0 && condition } ?? condition }
    }

    /// Returns the request with one more condition, a Boolean that must be true:
    /// `.filter(Product.isOnSale)`. See ``Condition/init(_:)-(KeyExpression<Root,Bool>)``.
    public func filter(_ key: Key<Entity, Bool>) -> FetchRequest {
        filter(Condition(key))
    }

    /// Returns the request with one more condition, written with Foundation's macro:
    /// `#Predicate { $0.price < 20 }`. See ``Condition/init(_:)-(Predicate<Root>)``.
    ///
    /// - Warning: The getters of the properties that the predicate names run on sample objects,
    ///   including getters that the program wrote itself. If such a getter traps on sample values,
    ///   it traps here.
    /// - Throws: ``UnsupportedPredicateError`` if a part of the predicate cannot be evaluated by a
    ///   store.
    @_disfavoredOverload  // `.filter(.true)` is a condition.
    public func filter(_ predicate: Predicate<Entity>) throws -> FetchRequest {
        filter(try Condition(predicate))
    }

    /// Returns the request with one more condition, written in Core Data's predicate format. It is
    /// parsed and checked against the model when the request runs; an error names the position in
    /// the text. ``Condition/init(format:_:)`` checks at once.
    ///
    /// - Parameter arguments: The values for `%@` (a value, an object, a list) and `%K` (a name),
    ///   in order.
    public func filter(format: String, _ arguments: any PredicateArgument...) -> FetchRequest {
        with { request in
            let given = arguments.map { $0.argument(naming: &request.argumentObjects) }
            request.formats.append((format, given))
        }
    }

    // MARK: Order and window

    /// Returns the request in an order of several levels. A key alone sorts ascending: `.sorted(by:
    /// Product.kind, Product.price.descending)`.
    public func sorted(by orders: any SortOrdering<Entity>...) -> FetchRequest {
        with { $0.sortOrders = orders.map { $0.sortOrder } }
    }

    /// Returns the request with a limit.
    public func limit(_ limit: Int) -> FetchRequest {
        with { $0.limit = limit }
    }

    /// Returns the request without its first objects.
    public func offset(_ offset: Int) -> FetchRequest {
        with { $0.offset = offset }
    }

    // MARK: What is read

    /// Returns the request that also reads the objects of relationships, with one statement for
    /// each relationship. Without it, each object reads its own related objects at the first
    /// access. A server answers all statements in one round trip, from one state of its data.
    ///
    /// - Parameter keys: Relationships, or paths of relationships. A path also reads the objects
    ///   along the way: `.prefetching(Product.category.parent, Product.tags)`.
    public func prefetching(_ keys: any RelationshipKey<Entity>...) -> FetchRequest {
        with { $0.prefetchedPaths += keys.map { $0.path.joined(separator: ".") } }
    }

    /// Returns the request with a ``batchSize``.
    public func batchSize(_ batchSize: Int) -> FetchRequest {
        with { $0.batchSize = batchSize }
    }

    /// Returns the request with or without objects of sub-entities, see ``includesSubentities``.
    public func includesSubentities(_ includesSubentities: Bool) -> FetchRequest {
        with { $0.includesSubentities = includesSubentities }
    }

    /// Returns the request with or without unsaved changes, see ``includesPendingChanges``.
    public func includesPendingChanges(_ includesPendingChanges: Bool) -> FetchRequest {
        with { $0.includesPendingChanges = includesPendingChanges }
    }

    /// Returns the request with or without property values, see ``includesPropertyValues``.
    public func includesPropertyValues(_ includesPropertyValues: Bool) -> FetchRequest {
        with { $0.includesPropertyValues = includesPropertyValues }
    }

    /// Returns the request with or without evaluation in memory, see ``allowsInMemoryFiltering``.
    public func allowsInMemoryFiltering(_ allowsInMemoryFiltering: Bool) -> FetchRequest {
        with { $0.allowsInMemoryFiltering = allowsInMemoryFiltering }
    }

    /// Returns the request for faults or for objects with their values, see
    /// ``returnsObjectsAsFaults``.
    public func returnsObjectsAsFaults(_ returnsObjectsAsFaults: Bool) -> FetchRequest {
        with { $0.returnsObjectsAsFaults = returnsObjectsAsFaults }
    }

    /// Returns the request to some stores only, see ``affectedStores``.
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

    /// Returns the request with a template of the model, by its name. For code without generated
    /// classes: generated code has a function for each template.
    ///
    /// ```swift
    /// let request = FetchRequest<ManagedObject>(entityName: "Product")
    ///     .template("cheaper", substituting: ["limit": 20])
    /// ```
    ///
    /// Conditions of the request are combined with the template's. The order, limit and other
    /// settings of the request replace the template's.
    ///
    /// - Parameters:
    ///   - name: The template's name. The fetch throws if the entity has no template of that name.
    ///   - variables: The values of the template's parameters: values, objects, lists. The fetch
    ///     throws if a value is missing, has the wrong type, or belongs to no parameter.
    public func template(
        _ name: String, substituting variables: [String: any PredicateArgument] = [:]
    ) -> FetchRequest {
        with { request in
            let given = variables.mapValues { $0.argument(naming: &request.argumentObjects) }
            request.template = TemplateCall(name: name, variables: given)
        }
    }

    /// Returns the request with a template of the model. Called by generated functions.
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

/// A call of a fetch template, with the arguments for its parameters.
struct TemplateCall: Sendable {
    let name: String
    /// The arguments from generated code, with types checked by the compiler. An object is given by
    /// its key.
    var arguments = [String: Value]()
    var lists = [String: [Value]]()
    /// The arguments given by name. Their types are checked at run time.
    var variables = [String: FormatArgument]()

    /// Returns the template's condition with its lists inserted, and the values of the other
    /// parameters.
    ///
    /// - Throws: ``StoreError`` if a variable does not fit its parameter, or a parameter has no
    ///   value.
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

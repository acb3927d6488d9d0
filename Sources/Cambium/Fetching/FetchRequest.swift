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
/// - Which objects: ``filter(_:)-(Condition<Entity>)``, ``filter(format:_:)``,
///   ``template(_:substituting:)``
/// - In which order: ``sorted(by:)``, ``limit(_:)``, ``fetchLimit``, ``offset(_:)``
/// - Something else than objects: ``select(_:)``, ``ids``, ``count``, ``dictionaries(_:)``
/// - What is read: ``prefetching(_:)``, ``batchSize(_:)``, ``includesSubentities(_:)``,
///   ``includesPendingChanges(_:)``, ``includesPropertyValues(_:)``, ``returnsObjectsAsFaults(_:)``,
///   ``affectedStores(_:)``
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
        argumentObjects + (condition?.objects ?? []) + sortOrders.flatMap(\.objects)
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
        var arguments: [String: Value] = [:]
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
            among: description.fetchTemplates.map(\.name))
    }
}

extension EntityDescription {
    /// The named requests of the entity and of those that it inherits from.
    fileprivate var fetchTemplates: [FetchTemplate] {
        model.lineage(of: entity).flatMap(\.fetchTemplates)
    }
}

extension FetchRequest: CustomStringConvertible {
    /// The request in words, the condition in those of the text format, such as
    /// `Product where price < 20 sorted by title descending, limit 50`.
    public var description: String {
        var text = entityName
        let conditions =
            (condition.map { [$0.description] } ?? []) + formats.map(\.text)
            + (templateName.map { ["template \($0)"] } ?? [])
        if let only = conditions.first, conditions.count == 1 {
            text += " where \(only)"
        } else if !conditions.isEmpty {
            text += " where " + conditions.map { "(\($0))" }.joined(separator: " AND ")
        }
        if !sortOrders.isEmpty {
            text += " sorted by " + sortOrders.map(\.description).joined(separator: ", ")
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

import CambiumRecords

/// Keeps the results of a request up to date when objects change: in its own context before they
/// are saved, and in any other context when it saves.
///
/// A controller belongs to its context's isolation. Without a delegate or a consumer of ``changes``
/// it does not track changes, and ``fetchedObjects`` remains the result of ``performFetch()``.
///
/// ```swift
/// let controller = FetchedResultsController(
///     Product.fetchRequest().sorted(by: Product.title), in: container.viewContext,
///     sectionedBy: Product.category.name)
/// try controller.performFetch()
/// for await change in controller.changes { table.apply(change) }
/// ```
///
/// The controller tests the changed objects themselves, including rows that its context has not
/// read: if another context changes a row so that the row matches, its object appears in the
/// results. If the request reads related objects, the controller finds the results that a change of
/// a related object affects. The cost of a change depends on the number of changed objects, not on
/// the length of the list. Only two kinds of requests are fetched again after a relevant change:
/// requests with a limit or an offset, and requests that read the members of a to-many
/// relationship.
///
/// A controller retains its objects. If the request has a ``FetchRequest/batchSize``, it retains
/// their keys and sort values instead, and reads objects in batches of that size when they are
/// accessed.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(_:in:)``
/// - ``init(_:in:sectionedBy:cacheName:)``
/// - ``init(_:in:sectionedBy:cacheName:named:)``
/// - ``performFetch()``
/// - ``managedObjectContext``
///
/// ### Results
///
/// - ``fetchedObjects``
/// - ``object(at:)``
/// - ``indexPath(for:)``
/// - ``snapshot``
///
/// ### Sections
///
/// - ``sections``
/// - ``sectionIndexTitles``
/// - ``sectionIndexTitle(forSectionName:)``
/// - ``defaultIndexTitle(forSectionName:)``
/// - ``section(forSectionIndexTitle:at:)``
/// - ``cacheName``
/// - ``deleteCache(withName:in:)``
///
/// ### Changes
///
/// - ``changes``
/// - ``delegate``
///
/// ### Changing the request
///
/// - ``fetchRequest``
/// - ``refetch()``
public final class FetchedResultsController<Entity: ManagedObject> {
    /// The context of the results.
    public let managedObjectContext: ManagedObjectContext
    /// The request. Its order is total: the section comes before the given levels, and the key
    /// after them.
    ///
    /// Prefetched relationships are read with the objects, and with objects that are inserted
    /// later.
    ///
    /// A changed request takes effect with the next ``performFetch()``, or with ``refetch()``, if
    /// the difference should be reported.
    public var fetchRequest: FetchRequest<Entity>
    /// The name of the cache file for the names and counts of the sections, or nil if they are not
    /// cached.
    ///
    /// With a cache, the next fetch of the same request does not compute the sections again, even
    /// in another run of the program. It only checks the first and the last row of each section.
    /// This helps if deriving names is slow. Objects are fetched in any case.
    ///
    /// The cache is a file for each name, in a folder beside the store's file
    /// (`shop.sqlite-sections`). It is valid only for the same request, model and state of the
    /// store, and only if the context has no unsaved changes and has merged all saves of other
    /// contexts. Otherwise ``performFetch()`` writes it again, after the store has been unchanged
    /// for some seconds. Stores in memory, read-only stores, custom stores and child contexts have
    /// no cache.
    public let cacheName: String?
    /// The delegate that is notified of changes. Setting it starts the tracking; changes since
    /// ``performFetch()`` are reported at once.
    public weak var delegate: (any FetchedResultsControllerDelegate<Entity>)? {
        didSet { updateTracking() }
    }

    let sectionPath: [String]?
    var list: ResultList
    var scope: ResultScope?
    var tracking = ResultTracking()

    /// Creates a controller. It has no results before ``performFetch()``.
    ///
    /// - Parameters:
    ///   - request: The request; it needs an order.
    ///   - context: The context of the results.
    public convenience init(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext
    ) {
        self.init(request, in: context, sectionPath: nil, .none, nil)
    }

    /// Creates a controller with its results in sections, one for each value of a key.
    ///
    /// - Parameters:
    ///   - request: The request. Its order begins with the section. If its own order does not begin
    ///     with the section's key, ascending sections are put before it, with nil first and strings
    ///     by their bytes.
    ///   - context: The context of the results.
    ///   - key: The key of the value that the objects of a section share.
    ///   - cacheName: The name of the sections' cache file, see ``cacheName``. Default: no cache.
    public convenience init<SectionValue>(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext,
        sectionedBy key: Key<Entity, SectionValue>, cacheName: String? = nil
    ) {
        self.init(request, in: context, sectionPath: key.path, .values, cacheName)
    }

    /// Creates a controller with section names that are derived from the values of a key: adjacent
    /// objects with the same name are one section.
    ///
    /// ```swift
    /// FetchedResultsController(
    ///     request, in: context, sectionedBy: Product.price,
    ///     named: { ($0 ?? 0) < 10 ? "Cheap" : "Dear" })
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request. Its order begins with the section. If its own order does not begin
    ///     with the section's key, ascending values are put before it.
    ///   - context: The context of the results.
    ///   - key: The key of the value that names are derived from.
    ///   - cacheName: The name of the sections' cache file, see ``cacheName``. Default: no cache.
    ///   - name: Returns the name for a value; the value is nil if an object has none. It must
    ///     always return the same name for the same value, and objects with the same name must be
    ///     adjacent in the order. Otherwise the fetch throws.
    public convenience init<SectionValue>(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext,
        sectionedBy key: Key<Entity, SectionValue>, cacheName: String? = nil,
        named name: @escaping (SectionValue?) -> String
    ) {
        self.init(
            request, in: context, sectionPath: key.path,
            .names { name(SectionValue(attributeValue: $0)) }, cacheName)
    }

    private init(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext, sectionPath: [String]?,
        _ sectioning: Sectioning, _ cacheName: String?
    ) {
        managedObjectContext = context
        fetchRequest = request
        self.sectionPath = sectionPath
        self.cacheName = cacheName
        list = ResultList(order: ObjectOrder([]), sectioning: sectioning)
    }

    /// Fetches the results. Later changes are relative to them. The fetch itself does not notify
    /// observers.
    ///
    /// - Throws: ``StoreError`` with `invalidRequest` if the request has no order or excludes
    ///   unsaved changes, or if the objects of one section name are not adjacent. Also if its
    ///   entity or an included sub-entity has another class than the controller. Any error of the
    ///   fetch. After an error, the results are unchanged.
    public func performFetch() throws {
        managedObjectContext.mergeIfAutomatic()
        managedObjectContext.processChanges()
        let (scope, order) = try currentScope()
        let file = sectionCacheFile(scope)
        let entries = try scope.fetchEntries(order, in: managedObjectContext)
        let kept = file?.read()
        // The former list is released last: the release of an object may access the new list.
        let former = list
        list = try makeList(of: entries, scope, order, dividedAs: kept?.sections)
        withExtendedLifetime(former) {}
        self.scope = scope
        file?.write(list.sections.map { .init(name: $0.name, count: $0.count) }, insteadOf: kept)
        tracking.restart()
        managedObjectContext.observers.add(self)
    }

    /// Returns the membership rules and the order of the results for the current request.
    func currentScope() throws -> (ResultScope, ObjectOrder) {
        var request = try managedObjectContext.fetching.rowRequest(for: fetchRequest)
        if let sectionPath { request.sort = Self.order(request.sort, sectionedBy: sectionPath) }
        guard !request.sort.isEmpty else {
            throw StoreError.invalidRequest(
                "The controller's request for \(request.entity.name) has no sort order.",
                remedy: "Add .sorted(by:) to it.")
        }
        let options = fetchRequest.options(for: request.entity)
        guard options.includesPendingChanges else {
            throw StoreError.invalidRequest(
                "The controller's request for \(request.entity.name) excludes unsaved "
                    + "changes, which a controller always shows.",
                remedy: "Set includesPendingChanges of the request to true.")
        }
        let model = managedObjectContext.coordinator.model
        let scope = try ResultScope(request, in: model)
        scope.options = options
        try checkClasses(of: scope.family.sorted().map { model.entities[$0] })
        return (scope, try scope.order)
    }

    /// Checks that all objects that can belong to the results are of the controller's class.
    private func checkClasses(of family: [EntityDescription]) throws {
        for entity in family where !entity.isAbstract {
            if entity.objectClass is Entity.Type { continue }
            throw StoreError.invalidRequest(
                "The objects of \(entity.name) are of the class \(entity.objectClass), "
                    + "which a controller of \(Entity.self) cannot return.",
                remedy: "Use a controller of ManagedObject.")
        }
    }

    /// Returns the terms of an order that keeps the rows of each section together.
    private static func order(_ terms: [SortTerm], sectionedBy path: [String]) -> [SortTerm] {
        guard let first = terms.first, first.path == path else {
            return [SortTerm(path: path)] + terms
        }
        guard first.texts != .bytes else { return terms }
        // Texts that are equal in this order, but differ, are in separate sections.
        return [first, SortTerm(path: path, isDescending: first.isDescending)]
            + terms.dropFirst()
    }

    /// Returns a list of the entries; with a batch size, it keeps only keys.
    func makeList(
        of entries: [ResultEntry], _ scope: ResultScope, _ order: ObjectOrder,
        dividedAs kept: [SectionCache.Section]? = nil
    ) throws -> ResultList {
        let source = scope.batchSize > 0 ? ResultSource(scope, in: managedObjectContext) : nil
        var list = ResultList(order: order, sectioning: list.sectioning, source: source)
        try list.reset(to: entries, dividedAs: kept)
        return list
    }

    // MARK: Results

    /// The results in order; nil before ``performFetch()``. With a batch size, this reads all of
    /// them; ``object(at:)`` reads only one batch.
    ///
    /// - Complexity: O(n)
    public var fetchedObjects: [Entity]? {
        scope == nil ? nil : list.rows.objects(in: 0..<list.rows.count).cast(to: Entity.self)
    }

    /// Returns the object at an index path, or nil if the index path is out of range.
    public func object(at path: ItemPath) -> Entity? {
        list.state.rowIndex(at: path).flatMap { list.rows.shownObject(at: $0) }?.cast(
            to: Entity.self)
    }

    /// Returns the index path of an object, or nil if it is not among the results.
    ///
    /// - Complexity: O(log n), and O(sections)
    public func indexPath(for object: Entity) -> ItemPath? {
        list.path(of: object)
    }

    /// The changes as an asynchronous sequence. Each element is the difference between the results
    /// that this consumer saw last and the current results; the first is relative to
    /// ``performFetch()``. A slow consumer receives one difference for many changes. Several
    /// consumers are independent.
    public var changes: FetchedResultsChanges<Entity> {
        let consumer = ResultConsumer()
        tracking.add(consumer)
        updateTracking()
        return FetchedResultsChanges(controller: self, consumer: consumer)
    }
}

extension FetchedResultsController {
    /// Fetches the results again and reports the difference. Call it after you have changed the
    /// conditions or the order of ``fetchRequest``, or if the context was not notified of some
    /// changes.
    ///
    /// If there was no ``performFetch()`` before, this calls it.
    ///
    /// - Throws: The errors of ``performFetch()``. After an error, the results are unchanged.
    public func refetch() throws {
        guard self.scope != nil else { return try performFetch() }
        managedObjectContext.mergeIfAutomatic()
        managedObjectContext.processChanges()
        guard !tracking.isDelivering else {
            tracking.isStale = true
            tracking.waiting.append(ObjectChanges())
            return
        }
        let (scope, order) = try currentScope()
        // The controller stopped following changes if there were changes without a consumer.
        managedObjectContext.observers.add(self)
        tracking.isDelivering = true
        defer { finishDelivering() }
        try refetch(ChangedObjects(ObjectChanges()), scope, order)
    }

    // MARK: Tracking

    private var isTracking: Bool { delegate != nil || tracking.hasConsumers }

    func updateTracking() {
        guard scope != nil, isTracking else { return }
        managedObjectContext.observers.add(self)
        guard tracking.isStale else { return }
        managedObjectContext.mergeIfAutomatic()
        managedObjectContext.processChanges()
        if tracking.isStale { contextDidChange(ObjectChanges()) }
    }

    private func follow(_ changes: ObjectChanges, _ scope: ResultScope) {
        guard tracking.isStale || scope.isTouched(by: changes) else { return }
        let isKnown = !tracking.isStale && changes.isComplete
        tracking.isStale = true  // until it is known that nothing was missed
        do {
            if isKnown, !scope.needsRefetch {
                let edit = try list.edit(for: changes, scope, in: managedObjectContext)
                let difference = try list.apply(edit)
                tracking.isStale = false
                deliver(difference)
            } else {
                let changed = ChangedObjects(changes, of: scope.family)
                try refetch(changed, scope, list.order)
            }
        } catch {
            // The next save throws the error. The next change in the context updates the list.
            if !tracking.isBehind { managedObjectContext.errors.record(error) }
            tracking.isBehind = true
            managedObjectContext.observers.followersAreBehind = true
        }
    }

    /// Compares the results of a new fetch with the list, and reports the difference.
    private func refetch(
        _ changed: ChangedObjects, _ scope: ResultScope, _ order: ObjectOrder
    ) throws {
        let entries = try scope.fetchEntries(order, in: managedObjectContext)
        let new = try makeList(of: entries, scope, order)
        let isReordered = order.terms != list.order.terms
        let history = list.history(
            of: entries, changed, isReordered: isReordered,
            managedObjectContext.registry.roots[scope.request.entity.rootIndex])
        let difference = new.difference(from: FormerResults(list.state), history)
        // The former list is released last: the release of an object may access the new list.
        let former = list
        list = new
        withExtendedLifetime(former) {}
        self.scope = scope
        tracking.isStale = false
        deliver(difference, isReordered: isReordered)
    }

    private func deliver(
        _ difference: FetchedResultsDifference<ManagedObject>, isReordered: Bool = false
    ) {
        tracking.isBehind = false
        guard !difference.isEmpty else { return }
        for consumer in tracking.consumers {
            consumer.receive(difference, list.state, isReordered: isReordered)
        }
        if let delegate { FetchedResultsDifference(difference).deliver(to: delegate, from: self) }
    }

    private func finishDelivering() {
        while !tracking.waiting.isEmpty, let scope { follow(tracking.waiting.removeFirst(), scope) }
        tracking.isDelivering = false
    }
}

extension FetchedResultsController: ChangeFollower {
    var watchedEntities: Set<Int> { scope?.watchedEntities ?? [] }

    var isBehind: Bool { tracking.isBehind }

    func contextWasReset() {
        tracking.isStale = true
    }

    func contextDidChange(_ changes: ObjectChanges) {
        guard isTracking else {
            tracking.isStale = true
            return managedObjectContext.observers.remove(self)
        }
        tracking.waiting.append(changes)
        guard !tracking.isDelivering else { return }
        tracking.isDelivering = true
        finishDelivering()
    }
}

import CambiumRecords

/// Keeps the results of a request up to date as objects change: in its own context before they are
/// saved, and in any other context when that saves.
///
/// It belongs to its context's isolation. Without a delegate or a consumer of ``changes`` it tracks
/// nothing, and ``fetchedObjects`` stays what ``performFetch()`` found.
///
/// ```swift
/// let controller = FetchedResultsController(
///     Product.fetchRequest().sorted(by: Product.title), in: container.viewContext,
///     sectionedBy: Product.category.name)
/// try controller.performFetch()
/// for await change in controller.changes { table.apply(change) }
/// ```
///
/// Which objects belong is decided from the changes themselves, also for objects that this context
/// did not have: a row that another context makes match appears. Where the request looks at related
/// objects, a change of these is followed back to those that look at them. A change costs what it
/// changes, not the length of the list; only a request with a limit or an offset, or one that looks
/// at the members of a to-many relationship, is fetched again when something on its way changes.
///
/// A controller keeps its objects. Where the request has a ``FetchRequest/batchSize`` it keeps their
/// keys and what they are sorted by, and reads objects in windows of that size as they are looked
/// at.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(_:in:)``
/// - ``init(_:in:sectionedBy:cacheName:)``
/// - ``init(_:in:sectionedBy:cacheName:named:)``
/// - ``performFetch()``
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
    /// The context whose objects the results are.
    public let managedObjectContext: ManagedObjectContext
    /// What is fetched. Its order is total: after the given levels comes the key; sections come
    /// first in it.
    ///
    /// What the request prefetches is read with the objects, and with those that come later.
    ///
    /// Another request takes effect with the next ``performFetch()``, or with ``refetch()``, which
    /// reports what is different.
    public var fetchRequest: FetchRequest<Entity>
    /// The name under which ``performFetch()`` keeps names and counts of the sections on the disk;
    /// nil where it does not.
    ///
    /// The next fetch of the same, in another run of the program, need not work them out: it looks
    /// at two rows of a section and not at all, which counts where names are derived at some cost.
    /// Objects are fetched in any case. What is kept is in a folder beside the store's file
    /// (`shop.sqlite-sections`), a file for each name. It counts for the same request, model and
    /// state of the store only, whoever has written to the store, and never while the context has
    /// unsaved changes or has not merged what other contexts saved; else it is written again, as
    /// soon as the store has been left alone for some seconds. Stores in memory, read-only ones and
    /// custom ones have none, nor have contexts with a parent.
    public let cacheName: String?
    /// Told of changes. Setting it starts the tracking; what changed since ``performFetch()`` is
    /// told at once.
    public weak var delegate: (any FetchedResultsControllerDelegate<Entity>)? {
        didSet { updateTracking() }
    }

    let sectionPath: [String]?
    var list: ResultList
    var scope: ResultScope?
    var tracking = ResultTracking()

    /// Makes a controller. It has no results before ``performFetch()``.
    ///
    /// - Parameters:
    ///   - request: What to fetch; it needs an order.
    ///   - context: The context whose objects the results are.
    public convenience init(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext
    ) {
        self.init(request, in: context, sectionPath: nil, .none, nil)
    }

    /// Makes a controller whose results are in sections, one for each value of a key.
    ///
    /// - Parameters:
    ///   - request: What to fetch. Sections come first in its order; where its own order does not
    ///     begin with the section's key, ascending sections are put before it, nil the first and
    ///     texts by their bytes.
    ///   - context: The context whose objects the results are.
    ///   - key: What the objects of a section have in common.
    ///   - cacheName: Where sections are kept on the disk, see ``cacheName``. Default: nowhere.
    public convenience init<SectionValue>(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext,
        sectionedBy key: Key<Entity, SectionValue>, cacheName: String? = nil
    ) {
        self.init(request, in: context, sectionPath: key.path, .values, cacheName)
    }

    /// Makes a controller whose sections have names that are derived from the values of a key:
    /// objects beside each other with the same name are one section.
    ///
    /// ```swift
    /// FetchedResultsController(
    ///     request, in: context, sectionedBy: Product.price,
    ///     named: { ($0 ?? 0) < 10 ? "Cheap" : "Dear" })
    /// ```
    ///
    /// - Parameters:
    ///   - request: What to fetch. Sections come first in its order; where its own order does not
    ///     begin with the section's key, ascending values are put before it.
    ///   - context: The context whose objects the results are.
    ///   - key: What names are derived from.
    ///   - cacheName: Where sections are kept on the disk, see ``cacheName``. Default: nowhere.
    ///   - name: The name for a value, nil where an object has none. It gives the same name for the
    ///     same value, always, and names that the order does not tear apart: the fetch throws where
    ///     a name comes back after another one.
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

    /// Fetches the results. From then on changes are relative to them; observers are not notified.
    ///
    /// - Throws: ``StoreError`` with `invalidRequest` for a request without an order, one that leaves
    ///   out unsaved changes or one whose entity, or a sub-entity that counts, has another class than
    ///   the controller, or where the objects of one section name are not beside each other; what the
    ///   fetch throws. The results are what they were then.
    public func performFetch() throws {
        managedObjectContext.mergeIfAutomatic()
        managedObjectContext.processChanges()
        let (scope, order) = try currentScope()
        let file = sectionCacheFile(scope)
        let entries = try scope.fetchEntries(order, in: managedObjectContext)
        let kept = file?.read()
        // Released when the list is the new one: what goes with an object may look at it.
        let former = list
        list = try makeList(of: entries, scope, order, dividedAs: kept?.sections)
        withExtendedLifetime(former) {}
        self.scope = scope
        file?.write(list.sections.map { .init(name: $0.name, count: $0.count) }, insteadOf: kept)
        tracking.restart()
        managedObjectContext.observers.add(self)
    }

    /// What decides which objects belong, and their order, by the request as it is now.
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

    /// Makes sure that all objects that can belong are of the controller's class.
    private func checkClasses(of family: [EntityDescription]) throws {
        for entity in family where !entity.isAbstract {
            if entity.objectClass is Entity.Type { continue }
            throw StoreError.invalidRequest(
                "The objects of \(entity.name) are of the class \(entity.objectClass), "
                    + "which a controller of \(Entity.self) cannot return.",
                remedy: "Use a controller of ManagedObject.")
        }
    }

    /// The order in which the rows of each section are beside each other.
    private static func order(_ terms: [SortTerm], sectionedBy path: [String]) -> [SortTerm] {
        guard let first = terms.first, first.path == path else {
            return [SortTerm(path: path)] + terms
        }
        guard first.texts != .bytes else { return terms }
        // Texts that this order takes to be equal are in sections of their own.
        return [first, SortTerm(path: path, isDescending: first.isDescending)]
            + terms.dropFirst()
    }

    /// A list of entries, as the request says it is to be kept.
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

    /// The results in order; nil before ``performFetch()``. With a batch size all of them are read;
    /// ``object(at:)`` reads what is looked at.
    ///
    /// - Complexity: O(n)
    public var fetchedObjects: [Entity]? {
        scope == nil ? nil : list.rows.objects(in: 0..<list.rows.count).cast(to: Entity.self)
    }

    /// The object at a place, or nil where there is none.
    public func object(at path: ItemPath) -> Entity? {
        list.state.rowIndex(at: path).flatMap { list.rows.shownObject(at: $0) }?.cast(
            to: Entity.self)
    }

    /// The place of an object, or nil where it is not among the results.
    ///
    /// - Complexity: O(log n), and O(sections)
    public func indexPath(for object: Entity) -> ItemPath? {
        list.path(of: object)
    }

    /// The changes as a sequence, for `for await`. Each element leads from what this consumer last
    /// saw, at first the results of ``performFetch()``, to the results at that moment: a slow
    /// consumer gets one difference for many changes. Several consumers are independent.
    public var changes: FetchedResultsChanges<Entity> {
        let consumer = ResultConsumer()
        tracking.add(consumer)
        updateTracking()
        return FetchedResultsChanges(controller: self, consumer: consumer)
    }
}

extension FetchedResultsController {
    /// Fetches the results again and reports what is different: after ``fetchRequest`` was given
    /// other conditions or another order, or where the program knows of changes that nobody has
    /// told the context.
    ///
    /// The first call, before any ``performFetch()``, is one.
    ///
    /// - Throws: What ``performFetch()`` throws; the results are what they were then.
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
        // What changed while nobody listened has ended the following.
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
            // The next save throws it. Whatever the context does next brings the list up to date.
            if !tracking.isBehind { managedObjectContext.errors.record(error) }
            tracking.isBehind = true
            managedObjectContext.observers.followersAreBehind = true
        }
    }

    /// Compares what the request finds now with what the list has, and reports the difference.
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
        // Released when the list is the new one: what goes with an object may look at it.
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

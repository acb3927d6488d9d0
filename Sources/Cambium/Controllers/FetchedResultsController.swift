import CambiumSQL

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
/// ## Topics
/// - Making: ``init(_:in:)``, ``init(_:in:sectionedBy:)``, ``performFetch()``
/// - Results: ``fetchedObjects``, ``sections``, ``object(at:)``, ``indexPath(for:)``
/// - Changes: ``changes``, ``delegate``
public final class FetchedResultsController<Entity: ManagedObject> {
    /// The context whose objects the results are.
    public let managedObjectContext: ManagedObjectContext
    /// What is fetched. Its order is total: after the given levels comes the key.
    public let fetchRequest: FetchRequest<Entity>
    /// Told of changes. Setting it starts the tracking; what changed since ``performFetch()`` is
    /// told at once.
    public weak var delegate: (any FetchedResultsControllerDelegate<Entity>)? {
        didSet { updateTracking() }
    }

    private(set) var list: ResultList<Entity>
    private(set) var scope: ResultScope?
    private var consumers: [WeakConsumer] = []
    /// Whether something may have changed that the list does not show.
    private var isStale = false
    private var isDelivering = false
    /// Changes that came while others were told.
    private var waiting: [ObjectChanges] = []

    private struct WeakConsumer {
        weak var consumer: ResultConsumer<Entity>?
    }

    /// Makes a controller. It has no results before ``performFetch()``.
    ///
    /// - Parameters:
    ///   - request: What to fetch; it needs an order.
    ///   - context: The context whose objects the results are.
    public convenience init(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext
    ) {
        self.init(request, in: context, sectionPath: nil)
    }

    /// Makes a controller whose results are in sections.
    ///
    /// - Parameters:
    ///   - request: What to fetch. Sections come first in its order; where its own order does not
    ///     begin with the section's key, ascending sections are put before it.
    ///   - context: The context whose objects the results are.
    ///   - key: What the objects of a section have in common.
    public convenience init<SectionValue>(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext,
        sectionedBy key: Key<Entity, SectionValue>
    ) {
        self.init(request, in: context, sectionPath: key.path)
    }

    private init(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext, sectionPath: [String]?
    ) {
        var terms =
            context.coordinator.model[request.entityName].map { request.sortTerms(for: $0) } ?? []
        if let sectionPath, terms.first?.path != sectionPath {
            terms.insert(SortTerm(path: sectionPath, isDescending: false), at: 0)
        }
        var request = request
        request.sortOrders = terms.map { SortOrder(path: $0.path, isDescending: $0.isDescending) }
        managedObjectContext = context
        fetchRequest = request
        list = ResultList(order: ObjectOrder(terms), hasSections: sectionPath != nil)
    }

    /// Fetches the results. From then on changes are relative to them.
    ///
    /// - Throws: ``StoreError`` with `invalidRequest` for a request without an order, or one that
    ///   leaves out unsaved changes; what the fetch throws.
    public func performFetch() throws {
        managedObjectContext.mergeIfAutomatic()
        managedObjectContext.processChanges()
        let request = try managedObjectContext.rowRequest(for: fetchRequest)
        guard !list.order.terms.isEmpty else {
            throw StoreError(
                code: .invalidRequest,
                message: "A controller's request needs an order. Add .sorted(by:).")
        }
        guard fetchRequest.options(for: request.entity).includesPendingChanges else {
            throw StoreError(
                code: .invalidRequest,
                message: "A controller follows unsaved changes too. "
                    + "Leave includesPendingChanges of its request true.")
        }
        let scope = try ResultScope(request, in: managedObjectContext.coordinator.model)
        list.reset(to: try fetchEntries(scope))
        self.scope = scope
        isStale = false
        for case let consumer? in consumers.map(\.consumer) { consumer.restart() }
        managedObjectContext.addObserver(self)
    }

    private func fetchEntries(_ scope: ResultScope) throws -> [ResultEntry<Entity>] {
        let objects = try managedObjectContext.fetchObjects(scope.request, true)
            .compactMap { $0 as? Entity }
        return try entries(of: objects, scope)
    }

    func entries(of objects: [Entity], _ scope: ResultScope) throws -> [ResultEntry<Entity>] {
        for path in scope.related.paths {
            try managedObjectContext.fireFaults(of: objects, along: path)
        }
        return objects.map { ResultEntry($0, keys: list.order.keys(of: $0)) }
    }

    // MARK: Results

    /// The results in order; nil before ``performFetch()``.
    ///
    /// - Complexity: O(n)
    public var fetchedObjects: [Entity]? {
        scope == nil ? nil : list.sections.flatMap { $0.entries.map(\.object) }
    }

    /// The sections in order; one, without a name, where the results are not in sections.
    public var sections: [FetchedResultsSection<Entity>] {
        list.sections.map {
            FetchedResultsSection(
                name: $0.value.sectionName, value: $0.value, entries: $0.entries)
        }
    }

    /// The object at a place, or nil where there is none.
    public func object(at path: ItemPath) -> Entity? {
        guard list.sections.indices.contains(path.section),
            list.sections[path.section].entries.indices.contains(path.item)
        else { return nil }
        return list.sections[path.section].entries[path.item].object
    }

    /// The place of an object, or nil where it is not among the results.
    ///
    /// - Complexity: O(log n)
    public func indexPath(for object: Entity) -> ItemPath? {
        list.path(of: object)
    }

    /// The changes as a sequence, for `for await`. Each element leads from what this consumer last
    /// saw, at first the results of ``performFetch()``, to the results at that moment: a slow
    /// consumer gets one difference for many changes. Several consumers are independent.
    public var changes: FetchedResultsChanges<Entity> {
        let consumer = ResultConsumer<Entity>()
        consumers.append(WeakConsumer(consumer: consumer))
        updateTracking()
        return FetchedResultsChanges(controller: self, consumer: consumer)
    }

    // MARK: Tracking

    private var isTracking: Bool {
        delegate != nil || consumers.contains { $0.consumer != nil }
    }

    private func updateTracking() {
        consumers.removeAll { $0.consumer == nil }
        guard scope != nil, isTracking else { return }
        managedObjectContext.addObserver(self)
        guard isStale else { return }
        managedObjectContext.mergeIfAutomatic()
        managedObjectContext.processChanges()
        if isStale { contextDidChange(ObjectChanges()) }
    }

    private func follow(_ changes: ObjectChanges, _ scope: ResultScope) {
        do {
            guard isStale || scope.isTouched(by: changes) else { return }
            let isKnown = !isStale && changes.isComplete
            isStale = true  // until it is known that nothing was missed
            let edit =
                try isKnown && !scope.needsRefetch
                ? edit(for: changes, scope)
                : refetch(ChangedObjects(changes, isComplete: isKnown), scope)
            isStale = false
            guard !edit.isEmpty else { return }
            let listeners = consumers.compactMap(\.consumer)
            let old = listeners.isEmpty ? [] : list.sections
            let difference = list.apply(edit)
            guard !difference.isEmpty else { return }
            for consumer in listeners { consumer.receive(difference, from: old) }
            if let delegate { difference.deliver(to: delegate, from: self) }
        } catch {
            // The next save throws it; the next change brings the list up to date.
            managedObjectContext.recordedErrors.append(error)
        }
    }

    /// What the request finds now, compared with what the list has.
    private func refetch(
        _ changed: ChangedObjects, _ scope: ResultScope
    ) throws -> ResultList<Entity>.Edit {
        var edit = ResultList<Entity>.Edit()
        var found: Set<ObjectIdentifier> = []
        for new in try fetchEntries(scope) {
            found.insert(ObjectIdentifier(new.object))
            if let known = entry(of: new.object) {
                edit.compare(known, with: new.keys, change: changed[new.object])
            } else {
                edit.inserted.append(new)
            }
        }
        edit.removed = list.entries.values.filter { !found.contains(ObjectIdentifier($0.object)) }
        return edit
    }

    func entry(of object: ManagedObject) -> ResultEntry<Entity>? {
        list.entries[object.key].flatMap { $0.object === object ? $0 : nil }
    }
}

extension FetchedResultsController: ContextObserver {
    var watchedEntities: Set<Int> { scope?.watchedEntities ?? [] }

    func contextWasReset() {
        isStale = true
    }

    func contextDidChange(_ changes: ObjectChanges) {
        guard isTracking else {
            isStale = true
            return managedObjectContext.removeObserver(self)
        }
        waiting.append(changes)
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while !waiting.isEmpty, let scope { follow(waiting.removeFirst(), scope) }
    }
}

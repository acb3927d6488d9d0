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
/// did not have: a row that another context makes match appears.
public final class FetchedResultsController<Entity: ManagedObject> {
    /// The context whose objects the results are.
    public let managedObjectContext: ManagedObjectContext
    /// What is fetched. Its order is total: after the given levels comes the key.
    public let fetchRequest: FetchRequest<Entity>
    /// Told of changes. Setting it starts the tracking.
    public weak var delegate: (any FetchedResultsControllerDelegate<Entity>)? {
        didSet { updateTracking() }
    }

    let sectionPath: [String]?
    var list: ResultList<Entity>
    private var membership: ExpressionEvaluator?
    private var family: Set<Int> = []
    private var looksAtOthers = false
    private var consumers: [WeakConsumer] = []
    private var hasFetched = false

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
        var request = request
        if request.sortOrders.first?.path != key.path {
            request.sortOrders.insert(key.ascending, at: 0)
        }
        self.init(request, in: context, sectionPath: key.path)
    }

    private init(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext, sectionPath: [String]?
    ) {
        managedObjectContext = context
        fetchRequest = request
        self.sectionPath = sectionPath
        let terms =
            context.coordinator.model[request.entityName]
            .map { request.sortTerms(for: $0) } ?? []
        list = ResultList(
            order: ObjectOrder(terms),
            sectionsDescend: sectionPath == nil ? nil : terms.first?.isDescending)
    }

    deinit {
        for case let consumer? in consumers.map(\.consumer) { consumer.finish() }
    }

    /// Fetches the results. From then on changes are relative to them.
    ///
    /// - Throws: ``StoreError`` with `invalidRequest` for a request without an order; what the
    ///   fetch throws.
    public func performFetch() throws {
        guard !list.order.terms.isEmpty else {
            throw StoreError(
                code: .invalidRequest,
                message: "A controller's request needs an order. Add .sorted(by:).")
        }
        managedObjectContext.mergeIfAutomatic()
        managedObjectContext.processPendingChanges()
        let rows = try managedObjectContext.rowRequest(for: fetchRequest)
        guard case .matching(let condition, let arguments) = rows.selection else { return }
        membership = try condition.map {
            try ExpressionEvaluator(
                condition: $0, entity: rows.entity.entity, model: rows.entity.model,
                parameters: arguments)
        }
        family =
            rows.includesSubentities
            ? Set(managedObjectContext.coordinator.model.families[rows.entity.index])
            : [rows.entity.index]
        looksAtOthers =
            condition?.looksAtRelatedObjects == true
            || list.order.terms.contains { $0.path.count > 1 } || rows.limit != nil
            || rows.offset > 0
        list.reset(to: try fetchEntries(rows))
        hasFetched = true
        for case let consumer? in consumers.map(\.consumer) { consumer.restart() }
        updateTracking()
    }

    private func fetchEntries(_ rows: RowRequest) throws -> [ResultEntry<Entity>] {
        try managedObjectContext.fetchObjects(rows, fetchRequest.includesPendingChanges)
            .compactMap { ($0 as? Entity).map(entry) }
    }

    private func entry(_ object: Entity) -> ResultEntry<Entity> {
        ResultEntry(
            object, sectionValue: sectionValue(of: object), keys: list.order.keys(of: object))
    }

    private func sectionValue(of object: Entity) -> Value {
        sectionPath.map { object.value(atPath: $0) } ?? .null
    }

    // MARK: Results

    /// The results in order; nil before ``performFetch()``.
    ///
    /// - Complexity: O(n)
    public var fetchedObjects: [Entity]? {
        hasFetched ? list.sections.flatMap { $0.entries.map(\.object) } : nil
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
        consumers.removeAll { $0.consumer == nil }
        consumers.append(WeakConsumer(consumer: consumer))
        updateTracking()
        return FetchedResultsChanges(controller: self, consumer: consumer)
    }

    // MARK: Tracking

    private func updateTracking() {
        consumers.removeAll { $0.consumer == nil }
        if hasFetched, delegate != nil || !consumers.isEmpty {
            managedObjectContext.addObserver(self)
        } else {
            managedObjectContext.removeObserver(self)
        }
    }

    private func deliver(_ difference: FetchedResultsDifference<Entity>) {
        guard !difference.isEmpty else { return }
        for case let consumer? in consumers.map(\.consumer) { consumer.receive(difference) }
        if let delegate { difference.deliver(to: delegate, from: self) }
    }
}

extension FetchedResultsController: ContextObserver {
    func contextDidChange(_ changes: ObjectChanges) {
        guard delegate != nil || consumers.contains(where: { $0.consumer != nil }) else {
            return managedObjectContext.removeObserver(self)
        }
        if looksAtOthers {
            refetch(changes)
        } else {
            deliver(list.apply(edit(for: changes)))
        }
    }

    private func edit(for changes: ObjectChanges) -> ResultList<Entity>.Edit {
        var edit = ResultList<Entity>.Edit()
        for object in changes.deleted {
            if let entry = entryOf(object) { edit.removed.append(entry) }
        }
        for object in changes.inserted + changes.updated { judge(object, &edit) }
        let strangers = changes.unregistered.filter { family.contains($0.entity) }.map {
            managedObjectContext.adopt(entity: $0.entity, key: $0.key, placed: $0.row)
        }
        let faults = strangers.filter(\.isFault)
        if !faults.isEmpty { try? managedObjectContext.load(faults) }
        for object in strangers where !object.isFault { judge(object, &edit) }
        return edit
    }

    private func entryOf(_ object: ManagedObject) -> ResultEntry<Entity>? {
        list.entries[object.key].flatMap { $0.object === object ? $0 : nil }
    }

    private func judge(_ object: ManagedObject, _ edit: inout ResultList<Entity>.Edit) {
        guard family.contains(object.entityDescription.index), let object = object as? Entity else {
            return
        }
        let matches = membership?.isTrue(ObjectSubject(object)) ?? true
        switch (entryOf(object), matches) {
        case (nil, false):
            break
        case (nil, true):
            edit.inserted.append(entry(object))
        case (let known?, false):
            edit.removed.append(known)
        case (let known?, true):
            let section = sectionValue(of: object)
            let keys = list.order.keys(of: object)
            if section == known.sectionValue, keys == known.keys {
                edit.touched.append(known)
            } else {
                edit.rekeyed.append((known, section, keys))
            }
        }
    }

    /// For requests that look at other objects, or at a window: what it would find now, compared
    /// with what it had.
    private func refetch(_ changes: ObjectChanges) {
        guard let rows = try? managedObjectContext.rowRequest(for: fetchRequest),
            let fetched = try? fetchEntries(rows)
        else { return }
        let changed = Set(
            (changes.inserted + changes.updated).map { ObjectIdentifier($0) })
        var edit = ResultList<Entity>.Edit()
        let current = Set(fetched.map(\.object.key))
        edit.removed = list.entries.values.filter { !current.contains($0.object.key) }
        for new in fetched {
            guard let known = list.entries[new.object.key] else {
                edit.inserted.append(new)
                continue
            }
            if known.sectionValue != new.sectionValue || known.keys != new.keys {
                edit.rekeyed.append((known, new.sectionValue, new.keys))
            } else if changed.contains(ObjectIdentifier(new.object)) {
                edit.touched.append(known)
            }
        }
        deliver(list.apply(edit))
    }
}

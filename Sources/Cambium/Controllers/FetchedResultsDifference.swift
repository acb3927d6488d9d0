/// The difference between two states of a controller's results.
///
/// To apply it to a list:
///
/// 1. Remove deleted and moved objects, last first.
/// 2. Remove deleted sections, last first.
/// 3. Insert new sections, first first.
/// 4. Insert new and moved objects, first first.
///
/// Old indices are relative to the old list, new indices to the new list.
///
/// An object that changes its section moves, as in Core Data. This includes the last object of its
/// old section and the first object of its new section; the difference then also contains the
/// section. Table views reject a move from a deleted section or into an inserted one; for them
/// ``viewUpdates`` has a delete and an insert instead.
///
/// ## Topics
///
/// ### Objects
///
/// - ``isEmpty``
/// - ``changes``
/// - ``Change``
///
/// ### Sections
///
/// - ``deletedSections``
/// - ``insertedSections``
/// - ``SectionChange``
///
/// ### Views and collections
///
/// - ``viewUpdates-swift.property``
/// - ``ViewUpdates-swift.struct``
/// - ``collectionDifference``
public struct FetchedResultsDifference<Entity: ManagedObject> {
    /// A section that was inserted or deleted.
    public struct SectionChange {
        /// The section's index: in the old list if it was deleted, in the new list if it was
        /// inserted.
        public let index: Int
        let section: ResultSection

        /// The value that the section's objects share, as text.
        public var name: String { section.name }
    }

    /// A change of an object.
    public enum Change {
        /// The object was inserted at that index path.
        case insert(Entity, at: ItemPath)
        /// The object was deleted; it was at that index path.
        case delete(Entity, at: ItemPath)
        /// The object's position relative to the others changed.
        case move(Entity, from: ItemPath, to: ItemPath)
        /// The object's values changed, but not its position relative to the others. The index
        /// paths differ if objects before it were inserted or deleted.
        case update(Entity, from: ItemPath, to: ItemPath)
    }

    /// The deleted sections, in ascending order of their old indices.
    public internal(set) var deletedSections: [SectionChange] = []
    /// The inserted sections, in ascending order of their new indices.
    public internal(set) var insertedSections: [SectionChange] = []
    /// The changes of objects: deletes, inserts, moves, updates, each in ascending order.
    public internal(set) var changes: [Change] = []
    /// The start indices of the sections in the old list, and in the new list.
    var oldStarts: [Int] = [0]
    var newStarts: [Int] = [0]

    init() {}

    /// Creates the same difference with typed objects.
    init(_ difference: FetchedResultsDifference<ManagedObject>) {
        deletedSections = difference.deletedSections.map {
            SectionChange(index: $0.index, section: $0.section)
        }
        insertedSections = difference.insertedSections.map {
            SectionChange(index: $0.index, section: $0.section)
        }
        changes = difference.changes.compactMap { $0.cast(to: Entity.self) }
        (oldStarts, newStarts) = (difference.oldStarts, difference.newStarts)
    }

    /// Whether there are no changes.
    public var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && changes.isEmpty
    }
}

extension FetchedResultsDifference<ManagedObject>.Change {
    fileprivate func cast<Class: ManagedObject>(
        to class: Class.Type
    ) -> FetchedResultsDifference<Class>.Change? {
        switch self {
        case .insert(let object, let path):
            object.cast(to: Class.self).map { .insert($0, at: path) }
        case .delete(let object, let path):
            object.cast(to: Class.self).map { .delete($0, at: path) }
        case .move(let object, let old, let new):
            object.cast(to: Class.self).map { .move($0, from: old, to: new) }
        case .update(let object, let old, let new):
            object.cast(to: Class.self).map { .update($0, from: old, to: new) }
        }
    }
}

extension FetchedResultsDifference {
    /// Notifies a delegate in the form that it implements.
    func deliver(
        to delegate: any FetchedResultsControllerDelegate<Entity>,
        from controller: FetchedResultsController<Entity>
    ) {
        if let delegate = delegate as? any FetchedResultsSnapshotDelegate<Entity> {
            delegate.controller(
                controller,
                didChangeContentWith: controller.snapshot(reconfigured: renewedObjectIDs))
        } else if let delegate = delegate as? any FetchedResultsDifferenceDelegate<Entity> {
            delegate.controller(controller, didChangeContentWith: collectionDifference)
        } else {
            deliverSteps(to: delegate, from: controller)
        }
    }

    /// The objects that a view already has, and must display again.
    private var renewedObjectIDs: [ObjectID] {
        let removed = changes.compactMap { change in
            if case .delete(let object, _) = change { object.objectID } else { nil }
        }
        // A row that was deleted and inserted again has another object.
        let replaced = Set(removed)
        return changes.compactMap { change in
            switch change {
            case .update(let object, _, _), .move(let object, _, _): object.objectID
            case .insert(let object, _): replaced.contains(object.objectID) ? object.objectID : nil
            case .delete: nil
            }
        }
    }

    private func deliverSteps(
        to delegate: any FetchedResultsControllerDelegate<Entity>,
        from controller: FetchedResultsController<Entity>
    ) {
        delegate.controllerWillChangeContent(controller)
        for section in deletedSections {
            delegate.controller(
                controller, didChangeSection: section.name, at: section.index, for: .delete)
        }
        for section in insertedSections {
            delegate.controller(
                controller, didChangeSection: section.name, at: section.index, for: .insert)
        }
        for change in changes {
            switch change {
            case .insert(let object, let path):
                delegate.controller(
                    controller, didChange: object, at: nil, for: .insert, newPath: path)
            case .delete(let object, let path):
                delegate.controller(
                    controller, didChange: object, at: path, for: .delete, newPath: nil)
            case .move(let object, let old, let new):
                delegate.controller(
                    controller, didChange: object, at: old, for: .move, newPath: new)
            case .update(let object, let old, let new):
                delegate.controller(
                    controller, didChange: object, at: old, for: .update, newPath: new)
            }
        }
        delegate.controllerDidChangeContent(controller)
    }
}

extension FetchedResultsDifference {
    /// The difference for table and collection views, with sections and rows by index.
    ///
    /// Deletes, reloads and the origins of moves are relative to the old list; inserts and the
    /// destinations of moves to the new list. There are no moves out of a deleted section or into
    /// an inserted one.
    public struct ViewUpdates: Hashable, Sendable {
        /// A row that moves.
        public struct Move: Hashable, Sendable {
            /// The object's index path in the old list.
            public let from: ItemPath
            /// The object's index path in the new list.
            public let to: ItemPath
        }

        /// Sections to delete.
        public internal(set) var deletedSections: [Int] = []
        /// Sections to insert.
        public internal(set) var insertedSections: [Int] = []
        /// Rows to delete, by their old index paths. Rows of deleted sections are not included:
        /// they are deleted with their sections.
        public internal(set) var deletedItems: [ItemPath] = []
        /// Rows to insert, by their new index paths. Rows of inserted sections are not included:
        /// they are inserted with their sections.
        public internal(set) var insertedItems: [ItemPath] = []
        /// Rows to move.
        public internal(set) var movedItems: [Move] = []
        /// Rows to display again, by their old index paths.
        public internal(set) var reloadedItems: [ItemPath] = []
    }

    /// The difference for table and collection views.
    public var viewUpdates: ViewUpdates {
        var updates = ViewUpdates()
        updates.deletedSections = deletedSections.map { $0.index }
        updates.insertedSections = insertedSections.map { $0.index }
        let (going, coming) = (Set(updates.deletedSections), Set(updates.insertedSections))
        for change in changes {
            switch change {
            case .insert(_, let path):
                if !coming.contains(path.section) { updates.insertedItems.append(path) }
            case .delete(_, let path):
                if !going.contains(path.section) { updates.deletedItems.append(path) }
            case .move(_, let old, let new):
                let (goes, comes) = (going.contains(old.section), coming.contains(new.section))
                if !goes, !comes {
                    updates.movedItems.append(.init(from: old, to: new))
                } else {
                    if !goes { updates.deletedItems.append(old) }
                    if !comes { updates.insertedItems.append(new) }
                }
            case .update(_, let old, _):
                updates.reloadedItems.append(old)
            }
        }
        updates.deletedItems = updates.deletedItems.ordered(by: <)
        updates.insertedItems = updates.insertedItems.ordered(by: <)
        return updates
    }

    /// The difference as a `CollectionDifference`, over the objects of all sections in order.
    ///
    /// It contains inserted, deleted and moved objects. It cannot express updates.
    public var collectionDifference: CollectionDifference<ObjectID> {
        typealias Step = CollectionDifference<ObjectID>.Change
        var steps: [Step] = []
        for change in changes {
            switch change {
            case .insert(let object, let path):
                steps.append(
                    .insert(
                        offset: newStarts[path.section] + path.item, element: object.objectID,
                        associatedWith: nil))
            case .delete(let object, let path):
                steps.append(
                    .remove(
                        offset: oldStarts[path.section] + path.item, element: object.objectID,
                        associatedWith: nil))
            case .move(let object, let old, let new):
                let from = oldStarts[old.section] + old.item
                let to = newStarts[new.section] + new.item
                steps.append(.remove(offset: from, element: object.objectID, associatedWith: to))
                steps.append(.insert(offset: to, element: object.objectID, associatedWith: from))
            case .update:
                continue
            }
        }
        // The offsets are distinct, so the initializer never returns nil.
        return CollectionDifference(steps) ?? [].difference(from: [])
    }
}

/// The changes of a controller's results as an asynchronous sequence; created by
/// ``FetchedResultsController/changes``.
///
/// The sequence and the objects in its elements belong to the controller's isolation. It retains
/// the controller. It ends when the consuming task is cancelled. Two loops over one sequence share
/// its elements; for a second consumer, use ``FetchedResultsController/changes`` again.
public struct FetchedResultsChanges<Entity: ManagedObject>: AsyncSequence {
    /// A difference of the results.
    public typealias Element = FetchedResultsDifference<Entity>
    /// The sequence never throws.
    public typealias Failure = Never

    let controller: FetchedResultsController<Entity>
    let consumer: ResultConsumer

    /// Returns an iterator over the changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: self)
    }

    /// Returns the changes that the consumer has not seen, as one difference, or nil if there are
    /// none.
    func take() -> FetchedResultsDifference<Entity>? {
        consumer.take(controller.list).map { FetchedResultsDifference($0) }
    }

    /// An iterator over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        let changes: FetchedResultsChanges

        /// Returns the next difference, or nil if the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> FetchedResultsDifference<Entity>? {
            while !Task.isCancelled {
                if let difference = changes.take() { return difference }
                await changes.consumer.waiter.wait(isolation: actor)
            }
            return nil
        }
    }
}

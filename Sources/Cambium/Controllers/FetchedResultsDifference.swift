/// What leads from one state of a controller's results to the next.
///
/// To apply it to a list: remove what was deleted and what moves, the last first; remove the
/// deleted sections, the last first; insert the new sections, the first first; insert what is new
/// and what moved, the first first. Old places count in the old list, new places in the new one.
///
/// An object that changes its section moves, also when it takes the last place of its old section
/// with it or is the first of its new one, as with Core Data: the difference names the section
/// besides. Table views refuse such a move, from a section that goes or into one that comes; for
/// them ``viewUpdates`` says the same with a delete and an insert in its place.
public struct FetchedResultsDifference<Entity: ManagedObject> {
    /// A section that came or went.
    public struct SectionChange {
        /// The section's place: in the old list for one that went, in the new for one that came.
        public let index: Int
        let section: ResultSection

        /// What the section's objects have in common, as text.
        public var name: String { section.name }
    }

    /// What happened to an object.
    public enum Change {
        /// It came, and is at that place now.
        case insert(Entity, at: ItemPath)
        /// It went; it was at that place.
        case delete(Entity, at: ItemPath)
        /// It changed its place among the others.
        case move(Entity, from: ItemPath, to: ItemPath)
        /// Its values changed, but not its place among the others. The places differ where others
        /// came or went before it.
        case update(Entity, from: ItemPath, to: ItemPath)
    }

    /// The sections that went, in ascending order of their old places.
    public internal(set) var deletedSections: [SectionChange] = []
    /// The sections that came, in ascending order of their new places.
    public internal(set) var insertedSections: [SectionChange] = []
    /// What happened to objects: deletes, inserts, moves, updates, each in ascending order.
    public internal(set) var changes: [Change] = []
    /// Where the sections started in the old list, and where they start in the new one.
    var oldStarts: [Int] = [0]
    var newStarts: [Int] = [0]

    init() {}

    /// The same, with the objects as what they are.
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

    /// Whether nothing happened.
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
    /// Tells a delegate, in the form that it takes.
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

    /// The objects that a view has already, and has to show again.
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
    /// The difference in the form that table and collection views take, section and row by number.
    ///
    /// Deletes, reloads and the first places of moves count in the old list; inserts and the second
    /// places of moves in the new one. Nothing moves out of a section that goes or into one that
    /// comes.
    public struct ViewUpdates: Hashable, Sendable {
        /// A row that changes its place.
        public struct Move: Hashable, Sendable {
            /// Its place in the old list.
            public let from: ItemPath
            /// Its place in the new list.
            public let to: ItemPath
        }

        /// Sections to delete.
        public internal(set) var deletedSections: [Int] = []
        /// Sections to insert.
        public internal(set) var insertedSections: [Int] = []
        /// Rows to delete, by their old places; none of a section that goes, which takes its rows
        /// along.
        public internal(set) var deletedItems: [ItemPath] = []
        /// Rows to insert, by their new places; none of a section that comes, which brings its rows
        /// along.
        public internal(set) var insertedItems: [ItemPath] = []
        /// Rows to move.
        public internal(set) var movedItems: [Move] = []
        /// Rows to show again, by their old places.
        public internal(set) var reloadedItems: [ItemPath] = []
    }

    /// The difference in the form that table and collection views take.
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

    /// The difference as one of the standard library, over the objects of all sections in order.
    ///
    /// It says which objects came, went and moved; that an object was updated it cannot say.
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
        // Of places that are all different it can always be made.
        return CollectionDifference(steps) ?? [].difference(from: [])
    }
}

/// The changes of a controller's results, as they come; made by
/// ``FetchedResultsController/changes``.
///
/// It belongs to the controller's isolation, as the objects in its elements do, and keeps the
/// controller. It ends when the task that waits for it is cancelled. Two loops over one sequence
/// share its elements; for a second consumer ask for ``FetchedResultsController/changes`` again.
public struct FetchedResultsChanges<Entity: ManagedObject>: AsyncSequence {
    /// A difference of the results.
    public typealias Element = FetchedResultsDifference<Entity>
    /// It never fails.
    public typealias Failure = Never

    let controller: FetchedResultsController<Entity>
    let consumer: ResultConsumer

    /// Begins to wait for changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: self)
    }

    /// What was not seen yet, as one difference; nil where there is nothing.
    func take() -> FetchedResultsDifference<Entity>? {
        consumer.take(controller.list).map { FetchedResultsDifference($0) }
    }

    /// Waits for changes, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let changes: FetchedResultsChanges

        /// The next difference; nil when the task was cancelled.
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

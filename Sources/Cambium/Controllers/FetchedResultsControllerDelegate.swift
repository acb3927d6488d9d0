/// A delegate that is notified of changes of a controller's results. Calls are made in the
/// controller's isolation, in this order: will change, sections, objects, did change.
///
/// A class of the main actor conforms with `final class ProductList: @preconcurrency
/// FetchedResultsControllerDelegate`, or, with Swift 6.2 and later, with `@MainActor` in that
/// place.
public protocol FetchedResultsControllerDelegate<Entity>: AnyObject {
    /// The entity of the results.
    associatedtype Entity: ManagedObject

    /// Called before the changes are reported.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Entity>)

    /// A section was inserted or deleted. The index of a deleted section is its old one, the index
    /// of an inserted section its new one.
    func controller(
        _ controller: FetchedResultsController<Entity>, didChangeSection name: String,
        at index: Int, for type: FetchedResultsSectionChangeType)

    /// An object was inserted, deleted, moved or updated. Old index paths are relative to the
    /// results before all these changes, new index paths to the results after them.
    func controller(
        _ controller: FetchedResultsController<Entity>, didChange object: Entity,
        at path: ItemPath?, for type: FetchedResultsChangeType, newPath: ItemPath?)

    /// Called after all changes were reported.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Entity>)

    /// Returns the title of a section in the index beside a long list; see
    /// ``FetchedResultsController/sectionIndexTitles``.
    func controller(
        _ controller: FetchedResultsController<Entity>,
        sectionIndexTitleForSectionName name: String
    ) -> String?
}

/// A delegate that receives snapshots of the results instead of changes: for views that compute the
/// differences themselves.
/// ``FetchedResultsControllerDelegate/controller(_:sectionIndexTitleForSectionName:)`` is the only
/// other function that is called.
///
/// The first change causes the first call; ``FetchedResultsController/snapshot`` has the results of
/// the fetch.
public protocol FetchedResultsSnapshotDelegate<Entity>: FetchedResultsControllerDelegate {
    /// The results have changed.
    ///
    /// - Complexity: O(n) for each change, to make the snapshot.
    func controller(
        _ controller: FetchedResultsController<Entity>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)
}

/// A delegate that receives changes as a difference of the standard library, over the objects of
/// all sections in order; see ``FetchedResultsDifference/collectionDifference``.
/// ``FetchedResultsControllerDelegate/controller(_:sectionIndexTitleForSectionName:)`` is the only
/// other function that is called. Such a difference cannot express updates: they are reported with
/// an empty difference.
public protocol FetchedResultsDifferenceDelegate<Entity>: FetchedResultsControllerDelegate {
    /// The results have changed.
    func controller(
        _ controller: FetchedResultsController<Entity>,
        didChangeContentWith difference: CollectionDifference<ObjectID>)
}

extension FetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Entity>) {}
    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Entity>, didChangeSection name: String,
        at index: Int, for type: FetchedResultsSectionChangeType
    ) {}
    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Entity>, didChange object: Entity,
        at path: ItemPath?, for type: FetchedResultsChangeType, newPath: ItemPath?
    ) {}
    /// Does nothing.
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Entity>) {}
    /// Returns the first letter of the name, as a capital.
    public func controller(
        _ controller: FetchedResultsController<Entity>,
        sectionIndexTitleForSectionName name: String
    ) -> String? {
        FetchedResultsController<Entity>.defaultIndexTitle(forSectionName: name)
    }
}

/// The kind of a change of an object in a controller's results.
public enum FetchedResultsChangeType: Sendable, Hashable {
    /// The object was inserted.
    case insert
    /// The object was deleted.
    case delete
    /// The object moved.
    case move
    /// The object's values changed, but not its position relative to the others.
    case update
}

/// The kind of a change of a section in a controller's results.
public enum FetchedResultsSectionChangeType: Sendable, Hashable {
    /// The section was inserted.
    case insert
    /// The section was deleted.
    case delete
}

/// The identities of a controller's results: sections by name, objects by ``ObjectID``. For views
/// that compute the differences themselves. It can be sent to another isolation.
///
/// An object's identity is final from the moment of its insertion: a save does not change the
/// snapshot.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// A section.
    public struct Section: Sendable, Hashable {
        /// The value that the section's objects share, as text.
        public let name: String
        /// The objects, in order.
        public let itemIDs: [ObjectID]
    }

    /// The sections, in order. Without sections, there is one without a name.
    public let sections: [Section]
    /// The objects that were in the previous snapshot and have changed, or reference a changed
    /// object that affects their position. A view that compares only identities must display them
    /// again.
    public let reconfiguredItemIDs: [ObjectID]

    /// The identities of all objects, in order.
    public var itemIDs: [ObjectID] { sections.flatMap { $0.itemIDs } }
    /// The number of objects.
    public var numberOfItems: Int { sections.reduce(0) { $0 + $1.itemIDs.count } }
}

extension FetchedResultsSnapshot.Section: CustomStringConvertible {
    /// The name and the number of objects: `Trees (3)`.
    public var description: String { "\(name) (\(itemIDs.count))" }
}

extension FetchedResultsController {
    /// The identities of the results.
    ///
    /// - Complexity: O(n)
    public var snapshot: FetchedResultsSnapshot { snapshot(reconfigured: []) }

    func snapshot(reconfigured: [ObjectID]) -> FetchedResultsSnapshot {
        FetchedResultsSnapshot(
            sections: sections.map { section in
                .init(name: section.name, itemIDs: list.rows.objectIDs(in: section.range))
            },
            reconfiguredItemIDs: reconfigured)
    }
}

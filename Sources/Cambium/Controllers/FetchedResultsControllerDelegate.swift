/// Told of the changes of a controller's results, in the controller's isolation and in this order:
/// will change, sections, objects, did change.
///
/// A class of the main actor conforms with
/// `final class ProductList: @preconcurrency FetchedResultsControllerDelegate`, or from Swift 6.2 on
/// with `@MainActor` in that place.
public protocol FetchedResultsControllerDelegate<Entity>: AnyObject {
    /// The entity of the results.
    associatedtype Entity: ManagedObject

    /// Changes follow.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Entity>)

    /// A section came or went. A section that went is named by its old place, one that came by its
    /// new one.
    func controller(
        _ controller: FetchedResultsController<Entity>, didChangeSection name: String,
        at index: Int, for type: FetchedResultsSectionChangeType)

    /// An object came, went, moved or changed. Old places count before all these changes, new
    /// places after them.
    func controller(
        _ controller: FetchedResultsController<Entity>, didChange object: Entity,
        at path: ItemPath?, for type: FetchedResultsChangeType, newPath: ItemPath?)

    /// All changes were reported.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Entity>)

    /// What stands for a section in a narrow list beside a long one; see
    /// ``FetchedResultsController/sectionIndexTitles``.
    func controller(
        _ controller: FetchedResultsController<Entity>,
        sectionIndexTitleForSectionName name: String
    ) -> String?
}

/// A delegate that receives what the results are now, instead of how they changed: for views that
/// find the differences themselves. Nothing else of ``FetchedResultsControllerDelegate`` is called
/// but ``FetchedResultsControllerDelegate/controller(_:sectionIndexTitleForSectionName:)``.
///
/// The first call comes with the first change; ``FetchedResultsController/snapshot`` says what the
/// fetch has found.
public protocol FetchedResultsSnapshotDelegate<Entity>: FetchedResultsControllerDelegate {
    /// The results are others now.
    ///
    /// - Complexity: O(n) for each change, to make the snapshot.
    func controller(
        _ controller: FetchedResultsController<Entity>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)
}

/// A delegate that receives changes as a difference of the standard library, over the objects of
/// all sections in order; see ``FetchedResultsDifference/collectionDifference``. Of the rest of
/// ``FetchedResultsControllerDelegate`` only
/// ``FetchedResultsControllerDelegate/controller(_:sectionIndexTitleForSectionName:)`` is called.
/// Updates, which such a difference cannot express, come with an empty one.
public protocol FetchedResultsDifferenceDelegate<Entity>: FetchedResultsControllerDelegate {
    /// The results are others now.
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
    /// The first letter of the name, as a capital.
    public func controller(
        _ controller: FetchedResultsController<Entity>,
        sectionIndexTitleForSectionName name: String
    ) -> String? {
        FetchedResultsController<Entity>.defaultIndexTitle(forSectionName: name)
    }
}

/// What happened to an object of a controller's results.
public enum FetchedResultsChangeType: Sendable, Hashable {
    /// It came.
    case insert
    /// It went.
    case delete
    /// It changed its place.
    case move
    /// Its values changed, but not its place among the others.
    case update
}

/// What happened to a section of a controller's results.
public enum FetchedResultsSectionChangeType: Sendable, Hashable {
    /// It came.
    case insert
    /// It went.
    case delete
}

/// A controller's results by identity: sections by name, objects by ``ObjectID``. Made for views
/// that find the differences themselves; it may cross to another isolation.
///
/// An object's identity is final from the moment of its insertion: saving it changes nothing here.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// A section.
    public struct Section: Sendable, Hashable {
        /// What the section's objects have in common, as text.
        public let name: String
        /// The objects, in order.
        public let itemIDs: [ObjectID]
    }

    /// The sections, in order; one, without a name, where the results are not in sections.
    public let sections: [Section]
    /// The objects that were there in the snapshot before and whose values changed, or those of
    /// objects that decide their places: a view that only compares identities must show them anew.
    public let reconfiguredItemIDs: [ObjectID]

    /// All objects, in order.
    public var itemIDs: [ObjectID] { sections.flatMap { $0.itemIDs } }
    /// How many objects there are.
    public var numberOfItems: Int { sections.reduce(0) { $0 + $1.itemIDs.count } }
}

extension FetchedResultsSnapshot.Section: CustomStringConvertible {
    /// The name and the number of objects: `Trees (3)`.
    public var description: String { "\(name) (\(itemIDs.count))" }
}

extension FetchedResultsController {
    /// The results by identity.
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

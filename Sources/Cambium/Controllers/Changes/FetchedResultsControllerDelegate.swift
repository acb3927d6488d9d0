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

    /// All changes were told.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Entity>)

    /// What stands for a section in a narrow list beside a long one; see
    /// ``FetchedResultsController/sectionIndexTitles``.
    func controller(
        _ controller: FetchedResultsController<Entity>,
        sectionIndexTitleForSectionName name: String
    ) -> String?
}

/// A delegate that is told what the results are now, instead of how they changed: for views that
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

/// A delegate that is told of changes as a difference of the standard library, over the objects of
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

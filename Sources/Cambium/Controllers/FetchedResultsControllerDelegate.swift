/// Told of the changes of a controller's results, in the controller's isolation and in this order:
/// will change, sections, objects, did change.
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

extension FetchedResultsDifference {
    /// Tells a delegate.
    func deliver(
        to delegate: some FetchedResultsControllerDelegate<Entity>,
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

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

    /// The objects that a view has already, and has to show anew.
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

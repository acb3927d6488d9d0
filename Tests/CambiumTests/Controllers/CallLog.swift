import Cambium

/// Writes down what a delegate is told, call by call.
final class CallLog<Entity: ManagedObject>: FetchedResultsControllerDelegate {
    var calls: [String] = []
    private let name: (Entity) -> String

    /// - Parameter name: What stands for an object.
    init(name: @escaping (Entity) -> String) {
        self.name = name
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Entity>) {
        calls.append("will change")
    }

    func controller(
        _ controller: FetchedResultsController<Entity>, didChangeSection name: String,
        at index: Int, for type: FetchedResultsSectionChangeType
    ) {
        calls.append("\(type) section \(name) at \(index)")
    }

    func controller(
        _ controller: FetchedResultsController<Entity>, didChange object: Entity,
        at path: ItemPath?, for type: FetchedResultsChangeType, newPath: ItemPath?
    ) {
        func words(_ path: ItemPath?) -> String? { path.map { "\($0.section).\($0.item)" } }
        let places =
            switch (words(path), words(newPath)) {
            case (let old?, let new?): " from \(old) to \(new)"
            case (let place?, nil), (nil, let place?): " at \(place)"
            case (nil, nil): ""
            }
        calls.append("\(type) \(name(object))\(places)")
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Entity>) {
        calls.append("did change")
    }
}

@testable import Cambium
import Testing

/// A controller with three who follow it (a delegate, a consumer that keeps up, and one that looks
/// from time to time) and what must be true of them.
final class FollowedController<Entity: ManagedObject> {
    let controller: FetchedResultsController<Entity>
    private let delegate: MirrorDelegate<Entity>
    private let quick: FetchedResultsChanges<Entity>
    private let slow: FetchedResultsChanges<Entity>
    private var quickMirror: ListMirror<Entity>
    private var slowMirror: ListMirror<Entity>
    private let sectionName: (Entity) -> String
    private let summary: (Entity) -> String
    private var summaries: [ManagedObject: String]

    /// - Parameters:
    ///   - sectionName: The name of the section that an object belongs to.
    ///   - summary: The values of an object: where they change, the change must be told.
    init(
        _ controller: FetchedResultsController<Entity>,
        sectionName: @escaping (Entity) -> String = { _ in "" },
        summary: @escaping (Entity) -> String
    ) throws {
        try controller.performFetch()
        self.controller = controller
        self.sectionName = sectionName
        self.summary = summary
        delegate = MirrorDelegate(controller)
        quick = controller.changes
        slow = controller.changes
        quickMirror = ListMirror(controller.sections)
        slowMirror = quickMirror
        summaries = [:]
        controller.delegate = delegate
        summaries = makeSummaries()
    }

    private func makeSummaries() -> [ManagedObject: String] {
        Dictionary(
            (controller.fetchedObjects ?? []).map { ($0, summary($0)) }, uniquingKeysWith: { $1 })
    }

    /// What is not as it must be, after all changes were processed and merged.
    ///
    /// - Parameters:
    ///   - touched: The objects that may have changed since the last time.
    ///   - looks: Whether the slow consumer looks now.
    func faults(touched: Set<ObjectID>, looks: Bool) throws -> [String] {
        var faults = delegate.faults
        let shown = ListMirror(controller.sections)
        if delegate.mirror != shown { faults.append("the delegate shows another list") }
        faults += Self.faults(of: quick, &quickMirror, shown, "the quick consumer")
        if looks { faults += Self.faults(of: slow, &slowMirror, shown, "the slow consumer") }
        faults += try fetchFaults(shown)
        faults += changeFaults(touched)
        delegate.forget()
        return faults
    }

    private static func faults(
        of changes: FetchedResultsChanges<Entity>, _ mirror: inout ListMirror<Entity>,
        _ shown: ListMirror<Entity>, _ name: String
    ) -> [String] {
        guard let difference = changes.take() else {
            return mirror == shown ? [] : ["\(name) was not told"]
        }
        let faults = mirror.faults(ofViewUpdates: difference, to: shown)
        do {
            try mirror.apply(.init(difference))
        } catch {
            return ["\(name): \(error)"] + faults
        }
        if !faults.isEmpty { return faults.map { "\(name): \($0)" } }
        return mirror == shown ? [] : ["\(name) shows another list"]
    }

    /// The list must be what a fetch finds, in its order.
    private func fetchFaults(_ shown: ListMirror<Entity>) throws -> [String] {
        let context = controller.managedObjectContext
        var request = controller.fetchRequest
        request.sortOrders = controller.list.order.terms.map {
            SortOrder(
                value: $0.value, isDescending: $0.isDescending, texts: $0.texts,
                placesNilLast: $0.placesNilLast)
        }
        let fetched = try context.fetch(request)
        // A list that is not divided has one section, also while it is empty.
        var expected: [ListMirror<Entity>.Section] =
            controller.sectionPath == nil ? [.init(name: "", objects: [])] : []
        for object in fetched {
            let name = sectionName(object)
            if let last = expected.last, last.name.utf8.elementsEqual(name.utf8) {
                expected[expected.count - 1].objects.append(object)
            } else {
                expected.append(.init(name: name, objects: [object]))
            }
        }
        var faults: [String] = []
        if shown.sections != expected {
            faults.append("shows \(shown.sections), but a fetch finds \(expected)")
        }
        for (section, content) in controller.sections.enumerated() {
            for (item, object) in content.objects.enumerated() {
                let path = ItemPath(section: section, item: item)
                if controller.indexPath(for: object) != path
                    || controller.object(at: path) != object
                {
                    faults.append("\(object) is not found at \(path)")
                }
            }
        }
        return faults
    }

    /// Told are changes of what changed, and of nothing else. What nobody here has touched may change
    /// by a save, which takes over what others have saved.
    private func changeFaults(_ touched: Set<ObjectID>) -> [String] {
        var faults: [String] = []
        var told: Set<ManagedObject> = []
        let current = makeSummaries()
        for change in delegate.told.flatMap(\.changes) {
            let object = change.parts.object
            told.insert(object)
            if case .update = change, !touched.contains(object.objectID),
                summaries[object] == current[object]
            {
                faults.append("an update of \(object), which did not change")
            }
        }
        for (object, summary) in current where !told.contains(object) {
            if let old = summaries[object], old != summary {
                faults.append("\(object) was \(old), is \(summary), and nothing was told")
            }
        }
        summaries = current
        return faults
    }
}
